//! Removes links to unpublished pages from a published text. The text of a link stays; a link without a text
//! becomes a fixed phrase. Every line keeps its number.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::page::{self, Link, LinkKind, LinkTypes, Site};

/// Links may be nested; each round removes the innermost.
const ROUNDS: usize = 40;

/// The text without the links for which `hidden` returns true; `None` if they cannot all be
/// removed. `phrase` replaces a link without a text of its own.
pub fn without_links(
    text: &str,
    types: &LinkTypes,
    phrase: &str,
    hidden: &mut impl FnMut(LinkKind, &str) -> bool,
) -> Option<String> {
    let sound = is_sound(text, types);
    let mut current = text.to_owned();
    for _ in 0..ROUNDS {
        let cuts = cuts(&current, types, phrase, hidden);
        if cuts.is_empty() {
            let same_lines = line_breaks(&current) == line_breaks(text);
            return same_lines.then_some(current);
        }
        let shown = spliced(&current, cuts.iter().map(|cut| (cut.range.clone(), cut.shown.as_str())))?;
        // The text of a link may be invalid YAML without the brackets.
        current = if sound && !is_sound(&shown, types) {
            let plain = cuts.iter().map(|cut| {
                let shown = if cut.front_matter { cut.plain.as_str() } else { cut.shown.as_str() };
                (cut.range.clone(), shown)
            });
            spliced(&current, plain).filter(|plain| is_sound(plain, types))?
        } else {
            shown
        };
    }
    None
}

/// A part of a text to replace.
struct Cut {
    range: Range<usize>,
    shown: String,
    /// A replacement that is always valid YAML.
    plain: String,
    front_matter: bool,
}

fn cuts(
    text: &str,
    types: &LinkTypes,
    phrase: &str,
    hidden: &mut impl FnMut(LinkKind, &str) -> bool,
) -> Vec<Cut> {
    let (definitions, sites): (Vec<Site>, Vec<Site>) =
        page::sites(text, types).into_iter().partition(|site| site.definition);
    let sites: HashMap<usize, Site> = sites.into_iter().map(|site| (site.whole.start, site)).collect();
    let mut cuts: Vec<Cut> = Vec::new();
    for link in page::parse(text, types).links {
        if hidden(link.kind, &link.target) {
            let site = sites.get(&link.range.start).filter(|site| site.whole == link.range);
            cuts.extend(cut(text, &link, site, phrase));
        }
    }
    if cuts.is_empty() {
        // Definitions are removed last, when no link refers to them any more.
        for site in definitions.into_iter().filter(|site| hidden(site.kind, &site.target)) {
            let shown = breaks(text.get(site.whole.clone()).unwrap_or_default());
            cuts.push(Cut { range: site.whole, shown, plain: String::new(), front_matter: false });
        }
    }
    cuts.sort_by_key(|cut| (cut.range.end - cut.range.start, cut.range.start));
    let mut innermost: Vec<Cut> = Vec::new();
    let mut taken = BTreeMap::<usize, usize>::new();
    for cut in cuts {
        let before = taken.range(..cut.range.end).next_back();
        if before.is_none_or(|(_, end)| *end <= cut.range.start) {
            taken.insert(cut.range.start, cut.range.end);
            innermost.push(cut);
        }
    }
    innermost.sort_by_key(|cut| cut.range.start);
    innermost
}

fn cut(text: &str, link: &Link, site: Option<&Site>, phrase: &str) -> Option<Cut> {
    let source = text.get(link.range.clone())?;
    let words = |shown: Option<&str>| match shown.map(str::trim) {
        None | Some("") => phrase.to_owned(),
        Some(shown) => shown.to_owned(),
    };
    let mut range = link.range.clone();
    let shown = site.and_then(|site| text.get(site.shown.clone()?));
    Some(match link.kind {
        LinkKind::Embed => Cut { range, shown: breaks(source), plain: String::new(), front_matter: false },
        LinkKind::FrontMatter if source.starts_with("[[") => {
            Cut { range, shown: words(shown), plain: phrase.to_owned(), front_matter: true }
        }
        LinkKind::FrontMatter => {
            // The source contains escapes and includes the quotes of the value.
            let quote = source.chars().next().filter(|c| "\"'".contains(*c)).map(String::from);
            let quote = quote.filter(|quote| source.len() > 1 && source.ends_with(quote)).unwrap_or_default();
            let whole = format!("{quote}{phrase}{}{quote}", breaks(source));
            Cut { range, shown: whole.clone(), plain: whole, front_matter: true }
        }
        LinkKind::Wiki => Cut { range, shown: words(shown), plain: String::new(), front_matter: false },
        LinkKind::Markdown => {
            let inside = match site.and_then(|site| site.shown.clone()) {
                Some(shown) => shown.start - range.start..shown.end - range.start,
                None => {
                    // The parser does not count the `[]` of `[text][]` as part of the link.
                    if text.get(range.end..).is_some_and(|after| after.starts_with("[]")) {
                        range.end += 2;
                    }
                    referring(source)?
                }
            };
            let shown = source.get(inside.clone())?;
            let kept = if shown.trim().is_empty() { phrase } else { shown };
            let shown = format!("{kept}{}", breaks(source.get(inside.end..)?));
            Cut { range, shown, plain: String::new(), front_matter: false }
        }
    })
}

/// The text of `[text][label]`, `[text][]` and `[text]`.
fn referring(source: &str) -> Option<Range<usize>> {
    let end = source.rfind("][").unwrap_or(source.len().checked_sub(1)?);
    source.starts_with('[').then_some(1..end.max(1))
}

/// The line breaks of a removed text, each with the quotation marks (`>`) that begin the next line.
fn breaks(removed: &str) -> String {
    let mut kept = String::new();
    let mut rest = removed;
    while let Some(at) = rest.find(['\n', '\r']) {
        let tail = rest.get(at..).unwrap_or_default();
        let length = if tail.starts_with("\r\n") { 2 } else { 1 };
        let after = tail.get(length..).unwrap_or_default();
        let marks = after.len() - after.trim_start_matches([' ', '\t', '>']).len();
        kept.push_str(tail.get(..length + marks).unwrap_or_default());
        rest = after.get(marks..).unwrap_or_default();
    }
    kept
}

fn line_breaks(text: &str) -> usize {
    text.split_inclusive(['\n', '\r']).count() - text.matches("\r\n").count()
}

fn spliced<'s>(text: &str, cuts: impl Iterator<Item = (Range<usize>, &'s str)>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, shown) in cuts {
        out.push_str(text.get(from..range.start)?);
        out.push_str(shown);
        from = range.end;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

/// Whether front matter is valid YAML.
fn is_sound(text: &str, types: &LinkTypes) -> bool {
    page::parse(text, types).diagnostics.iter().all(|found| found.code != "front_matter_syntax")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_hidden(_: LinkKind, target: &str) -> bool {
        target.split('#').next().unwrap().contains("secret")
    }

    fn freed(text: &str) -> String {
        without_links(text, &LinkTypes::default(), "unpublished page", &mut is_hidden).unwrap()
    }

    #[test]
    fn links_of_every_kind_are_replaced_by_their_text() {
        for (text, expected) in [
            ("a [[secret]] b", "a unpublished page b"),
            ("[[secret#part|shown *so*]] [[Open]]", "shown *so* [[Open]]"),
            ("[[secret|depends_on]] [[secret|depends_on|x]]", "unpublished page x"),
            ("a ![[secret]] b", "a  b"),
            ("![alt](secret.md) x", " x"),
            ("[text *b*](secret.md#h 'title') [x](<sub/secret page.md>)", "text *b* x"),
            ("[](secret.md)", "unpublished page"),
            ("[a\nb](\nsecret.md\n) c", "a\nb\n\n c"),
            ("> [a](\n> secret.md) c", "> a\n>  c"),
            ("[text][r] [r][] [r]\n\n[r]: secret.md 'T'\nx", "text r r\n\n\nx"),
            ("x\n\n[unused]: secret.md\n", "x\n\n\n"),
            ("[![p](x.png)](secret.md)", "![p](x.png)"),
            ("| [[secret\\|x]] | ![[secret]] |\n|--|--|\n", "| x |  |\n|--|--|\n"),
            ("`[[secret]]` \\[[secret]]", "`[[secret]]` \\[[secret]]"),
            ("- ![[secret]]\n- [[secret]]\n", "- \n- unpublished page\n"),
        ] {
            assert_eq!(freed(text), expected, "{text}");
        }
    }

    #[test]
    fn front_matter_stays_yaml() {
        for (text, expected) in [
            ("depends_on: \"[[secret]]\"", "depends_on: \"unpublished page\""),
            ("a: ['[[secret|x]]', '[[open]]']", "a: ['x', '[[open]]']"),
            ("a: \"[[secret|say \\\"b\\\"]]\"", "a: \"unpublished page\""),
            ("a: see [[secret|b]] there", "a: see b there"),
            ("a: \"\\u005b[secret]] c\"", "a: \"unpublished page\""),
            ("a: |\n  x [[secret]]\n  y", "a: |\n  x unpublished page\n  y"),
        ] {
            let text = format!("---\n{text}\n---\nbody\n");
            let freed = freed(&text);
            assert_eq!(freed, format!("---\n{expected}\n---\nbody\n"));
            assert!(is_sound(&freed, &LinkTypes::default()), "{freed}");
        }
        let colon = freed("---\na: x [[secret|b: c]]\n---\n");
        assert!(!colon.contains("secret"), "{colon}");
    }

    fn soup() -> impl Strategy<Value = String> {
        let pieces = [
            "[[secret]]",
            "[[secret|",
            "[[open]]",
            "]]",
            "[[",
            "![[secret]]",
            "![",
            "[",
            "]",
            "](secret.md)",
            "](open.md)",
            "(",
            ")",
            "[r]",
            "[r]: secret.md\n",
            "[r]: open.md\n",
            "|",
            "\\",
            "`",
            "```\n",
            "\n",
            "\r\n",
            "\r",
            "\n\n",
            "> ",
            "- ",
            "# ",
            "---\n",
            "a: ",
            "\"",
            "'",
            "*",
            "x",
            "認証",
            "<",
            ">",
            "| a | b |\n",
            "|-|-|\n",
            "  ",
            "[^1]",
            "[^1]: ",
        ];
        proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..30).prop_map(|p| p.concat())
    }

    proptest! {
        #[test]
        fn no_hidden_link_is_left_and_no_line_moves(text in soup(), matter in proptest::bool::ANY) {
            let text = if matter { format!("---\na: \"[[secret]]\"\n{text}\n---\n{text}") } else { text };
            let types = LinkTypes::default();
            if let Some(freed) = without_links(&text, &types, "非公開", &mut is_hidden) {
                let links = page::parse(&freed, &types).links;
                prop_assert!(!links.iter().any(|link| is_hidden(link.kind, &link.target)), "{text}\n--\n{freed}");
                prop_assert!(!page::sites(&freed, &types).iter().any(|site| is_hidden(site.kind, &site.target)));
                prop_assert_eq!(line_breaks(&freed), line_breaks(&text));
            }
        }
    }
}
