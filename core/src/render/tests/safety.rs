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
    ("aside", &["class", "data-callout", "role"]),
    ("blockquote", &[]),
    ("!br", &[]),
    ("code", &["class", "data-source"]),
    ("del", &[]),
    ("div", &[]),
    ("em", &[]),
    ("h1", &["id"]),
    ("h2", &["id"]),
    ("h3", &["id"]),
    ("h4", &["id"]),
    ("h5", &["id"]),
    ("h6", &["id"]),
    ("!hr", &[]),
    ("!img", &["data-file", "src", "alt", "loading", "width", "height"]),
    ("!input", &["type", "class", "disabled", "checked", "aria-label"]),
    ("li", &["id", "value"]),
    ("ol", &["start"]),
    ("p", &["class"]),
    ("pre", &[]),
    ("section", &["class", "data-page"]),
    ("span", &["class", "id"]),
    ("strong", &[]),
    ("sup", &["class"]),
    ("table", &[]),
    ("tbody", &[]),
    ("td", &["class"]),
    ("th", &["class", "scope"]),
    ("thead", &[]),
    ("tr", &[]),
    ("ul", &[]),
];

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
            let phrasing = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "a", "em", "strong", "del"];
            let is_block = !["a", "code", "del", "em", "span", "strong", "sup"].contains(&name);
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
            if !allowed.contains(&attribute) {
                return Some(format!("{attribute} on <{name}>"));
            }
            if attribute == "id" && !ids.insert(value) {
                return Some(format!("the id {value} twice"));
            }
            if matches!(attribute, "href" | "src") && !is_harmless(value, attribute == "src") {
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

#[test]
fn scripts_are_removed() {
    let attacks = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](java\u{0}script:alert(1))",
        "[x](&#x6A;avascript:alert(1))",
        "![x](javascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](data:image/svg+xml;base64,PHN2Zz4=)",
        "<javascript:alert(1)>",
        "[[javascript:alert(1)|x]]",
        "[a]\n\n[a]: javascript:alert(1)",
        "[x](https://a.b\"onclick=\"alert(1))",
        "![\"onerror=\"alert(1)](here.png)",
        "[[\"><script>alert(1)</script>]]",
        "```\"><script>\nx\n```",
        "> [!\"><script>alert(1)</script>] x",
        "$<script>alert(1)</script>$",
        "# <script>alert(1)</script>",
        "[^\"><script>]\n\n[^\"><script>]: <script>alert(1)</script>",
        "| <script>alert(1)</script> |\n|-|\n| <b onclick=x> |",
        "x ^a\"onclick=\"x",
    ];
    for attack in attacks {
        let html = rendered(&project(attack), "Folder/Page.md").html;
        assert_eq!(fault(&html), None, "{attack}\n{html}");
        for bad in
            ["<script", "<svg", "href=\"javascript", "src=\"data", "href=\"data", "onclick=\"", "onerror=\""]
        {
            assert!(!html.contains(bad), "{attack}\n{html}");
        }
    }
}
