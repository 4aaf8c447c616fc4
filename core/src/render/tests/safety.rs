//! For any page, the HTML contains only known tags and attributes, is well-formed, and has no address that
//! runs a script.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;

use super::{project, rendered};

/// Allowed elements with their allowed attributes; `!` marks elements without content.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "a",
        &[
            "class",
            "data-page",
            "data-type",
            "data-target",
            "data-file",
            "href",
            "id",
            "rel",
            "role",
            "aria-disabled",
            "aria-label",
        ],
    ),
    ("abbr", &[]),
    ("aside", &["class", "data-callout", "role"]),
    ("b", &[]),
    ("bdi", &[]),
    ("bdo", &[]),
    ("blockquote", &[]),
    ("!br", &[]),
    ("caption", &[]),
    ("cite", &[]),
    ("code", &["class", "data-source", "data-lines"]),
    ("dd", &[]),
    ("del", &[]),
    ("details", &["open"]),
    ("dfn", &[]),
    ("div", &[]),
    ("dl", &[]),
    ("dt", &[]),
    ("em", &[]),
    ("figcaption", &[]),
    ("figure", &[]),
    ("h1", &[]),
    ("h2", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("!hr", &[]),
    ("i", &[]),
    ("!img", &["data-file", "src", "alt", "loading", "width", "height"]),
    ("!input", &["type", "class", "disabled", "checked", "aria-label", "data-line"]),
    ("ins", &[]),
    ("kbd", &[]),
    ("li", &["value"]),
    ("mark", &[]),
    ("math", &["display"]),
    ("mfrac", &["linethickness"]),
    ("mi", &["mathvariant"]),
    ("mn", &[]),
    (
        "mo",
        &[
            "stretchy",
            "lspace",
            "rspace",
            "movablelimits",
            "form",
            "fence",
            "symmetric",
            "largeop",
            "minsize",
            "maxsize",
            "separator",
        ],
    ),
    ("mover", &["accent"]),
    ("mpadded", &["width", "height", "depth", "lspace", "voffset"]),
    ("mrow", &[]),
    ("mspace", &["width", "height", "depth"]),
    ("msqrt", &[]),
    ("mstyle", &["displaystyle", "scriptlevel"]),
    ("msub", &[]),
    ("msubsup", &[]),
    ("msup", &[]),
    ("mtable", &["displaystyle"]),
    ("mtd", &[]),
    ("mtext", &[]),
    ("mtr", &[]),
    ("munder", &["accentunder"]),
    ("munderover", &[]),
    ("ol", &["start", "reversed", "type"]),
    ("p", &[]),
    ("picture", &[]),
    ("pre", &[]),
    ("q", &[]),
    ("rp", &[]),
    ("rt", &[]),
    ("ruby", &[]),
    ("s", &[]),
    ("samp", &[]),
    ("section", &["data-page"]),
    ("small", &[]),
    ("!source", &["srcset", "media"]),
    ("span", &[]),
    ("strong", &[]),
    ("sub", &[]),
    ("summary", &[]),
    ("sup", &[]),
    ("table", &["width", "height"]),
    ("tbody", &[]),
    ("td", &["colspan", "rowspan", "width", "scope"]),
    ("tfoot", &[]),
    ("th", &["colspan", "rowspan", "width", "scope"]),
    ("thead", &[]),
    ("time", &["datetime"]),
    ("tr", &[]),
    ("u", &[]),
    ("ul", &[]),
    ("var", &[]),
    ("!wbr", &[]),
];

/// Attributes that every element may have.
const EVERYWHERE: &[&str] = &["class", "id", "title", "lang", "dir"];

/// Parses HTML more strictly than any browser; returns the first error, if any.
pub(super) fn fault(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = HashSet::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>', '"']) {
        if !rest[at..].starts_with('<') {
            return Some(format!("a bare quotation mark or > in {}", &rest[..at.min(80)]));
        }
        let tag = &rest[at + 1..];
        let Some(end) = tag.find('>') else { return Some("a tag without end".into()) };
        rest = &tag[end + 1..];
        let tag = &tag[..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes something else"));
            }
            continue;
        }
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let Some((known, allowed)) = ALLOWED.iter().find(|(known, _)| known.trim_start_matches('!') == name)
        else {
            return Some(format!("<{name}> is not allowed"));
        };
        if !known.starts_with('!') {
            if name == "a" && open.contains(&"a") {
                return Some("a link in a link".into());
            }
            let phrasing =
                ["p", "h1", "h2", "h3", "h4", "h5", "h6", "a", "em", "strong", "del", "kbd", "summary"];
            let block = [
                "aside",
                "blockquote",
                "details",
                "div",
                "dl",
                "figure",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "ol",
                "p",
                "pre",
                "section",
                "table",
                "ul",
            ];
            let is_block = block.contains(&name);
            if is_block && open.iter().any(|open| phrasing.contains(open)) {
                return Some(format!("<{name}> inside of {open:?}"));
            }
            open.push(name);
        }
        while !attributes.is_empty() {
            let (attribute, value, others) = match attributes.split_once("=\"") {
                Some((attribute, others)) if !attribute.contains(' ') => {
                    let Some((value, others)) = others.split_once('"') else {
                        return Some(format!("an attribute without end in {tag}"));
                    };
                    (attribute, value, others)
                }
                _ => {
                    let (attribute, others) = attributes.split_once(' ').unwrap_or((attributes, ""));
                    (attribute, "", others)
                }
            };
            attributes = others.trim_start();
            if !allowed.contains(&attribute) && !EVERYWHERE.contains(&attribute) {
                return Some(format!("{attribute} on <{name}>"));
            }
            if attribute == "id" && !ids.insert(value) {
                return Some(format!("the id {value} twice"));
            }
            if matches!(attribute, "href" | "src" | "srcset") && !is_harmless(value, attribute != "href") {
                return Some(format!("the address {value}"));
            }
        }
    }
    open.last().map(|name| format!("<{name}> is left open"))
}

/// Whether an address is on the site or, unless `local`, external; pictures are never loaded from outside.
fn is_harmless(address: &str, local: bool) -> bool {
    let outside = ["http://", "https://", "mailto:", "tel:"];
    let lower = address.to_lowercase();
    let leads_outside = outside.iter().any(|scheme| lower.starts_with(scheme));
    let path = address.split(['#', '/']).next().unwrap();
    (leads_outside && !local) || (!path.contains(':') && !address.starts_with('/') && !address.contains('\\'))
}

#[test]
fn the_check_finds_faults() {
    for (html, wrong) in [
        ("<script>", "<script> is not allowed"),
        ("<p onclick=\"x\"></p>", "onclick on <p>"),
        ("<a href=\"javascript:x\"></a>", "the address javascript:x"),
        ("<img src=\"https://x.y\">", "the address https://x.y"),
        ("<p><em></p>", "</p> closes something else"),
        ("<p><p></p></p>", "<p> inside of [\"p\"]"),
        ("<p>", "<p> is left open"),
    ] {
        assert_eq!(fault(html).as_deref(), Some(wrong));
    }
    assert_eq!(fault("<p>a &lt; <a class=\"link\" href=\"../x.html#y\">b</a></p>\n<hr>"), None);
}

/// Random Markdown and HTML syntax.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "[[Other]]",
        "![[Other]]",
        "![[Other#Part]]",
        "![[Other#^intro]]",
        "[[Other|",
        "|x]]",
        "[[",
        "]]",
        "![[",
        "![[here.png|30]]",
        "![a](here.png)",
        "![",
        "](",
        ")",
        "[x](javascript:alert(1))",
        "[x](<data:text/html,x>)",
        "<javascript:alert(1)>",
        "[[javascript:alert(1)]]",
        "![x](data:image/svg+xml,x)",
        "[x]( java\tscript:x )",
        "[x](JaVaScRiPt:x)",
        "[x](&#106;avascript:x)",
        "[x](vbscript:x)",
        "[x](#other)",
        "[x](#^id)",
        "[x](//x.y)",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href=\"javascript:x\">",
        "</a>",
        "<b>",
        "\">",
        "'",
        "\"",
        "<",
        ">",
        "&",
        "&quot;",
        "&#60;script&#62;",
        "<!--",
        "-->",
        "<div>\n",
        "</div>\n",
        "<br>",
        "<style>",
        "<details>\n<summary>s</summary>\n",
        "</details>\n",
        "<kbd>",
        "</kbd>",
        "<sub>",
        "</p>",
        "<p align=center>\n",
        "<table><tr><td>\n",
        "</td></tr></table>\n",
        "<ul><li>",
        "</ul>\n",
        "<a href=other.md id=x>",
        "<img src=here.png width=10>",
        "<picture><source srcset=here.png>",
        "</picture>",
        "==",
        "==m==",
        "<h2 id=y>t</h2>\n",
        "$x^2$",
        "$$\\frac{a}{b}$$",
        "`",
        "```\n",
        "```\" onclick=x\n",
        "~~~<x>\n",
        "$",
        "$$",
        "# ",
        "## ",
        "# Page\n",
        "\n",
        "\n\n",
        "\r\n",
        "===\n",
        "---\n",
        "> ",
        "> [!note] ",
        "> [!\"><x>] a\n",
        "> [!TIP]\n",
        "- ",
        "- [ ] ",
        "- [x] ",
        "3. ",
        "    ",
        "\t",
        "| a | b |\n",
        "|-|:-:|\n",
        "|x|\n",
        "\\|",
        "\\",
        "a",
        "b c",
        "認証",
        " ^id\n",
        " ^id",
        "^id\n",
        "[^1]",
        "[^1]: ",
        "[a]: javascript:x\n",
        "[a]",
        "[a]: https://x.y 't\"'\n",
        "**",
        "*",
        "~~",
        "_",
        "https://x.y",
        "\u{0}",
        "😀",
        "<x@y.z>",
        "[[src/x.ts]]",
        "[t](../src/x.ts)",
        "[[nowhere\"<x>]]",
        "[[#a]]",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rendering_never_fails_and_is_safe(page in soup(), matter in proptest::bool::ANY) {
        let page = if matter { format!("---\ntitle: Page\n---\n{page}") } else { page };
        let html = rendered(&project(&page), "Folder/Page.md").html;
        prop_assert_eq!(fault(&html), None, "{}\n----\n{}", page, html);
    }
}

/// Pages that try to run or load something; browsers are tested with them too.
const ATTACKS: &str = include_str!("attacks.json");

#[test]
fn attacks_become_text() {
    let attacks: Vec<String> = serde_json::from_str(ATTACKS).unwrap();
    assert!(attacks.len() >= 100);
    for attack in attacks {
        for page in [
            attack.clone(),
            format!("> - {attack}\n\nend\n"),
            format!("<details>\n\n{attack}\n\n</details>\n"),
        ] {
            let html = rendered(&project(&page), "Folder/Page.md").html;
            assert_eq!(fault(&html), None, "{page}\n{html}");
        }
    }
}
