//! Properties of every text.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::page;
use crate::page::{LinkTypes, decode, parse_destination, parse_link};

/// Random Markdown and YAML syntax.
pub(super) fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "[[",
        "]]",
        "![[",
        "[",
        "]",
        "(",
        ")",
        "|",
        "\\|",
        "\\",
        "`",
        "```\n",
        "~~~\n",
        "$",
        "$$",
        "<!--",
        "-->",
        "<div>\n",
        "</div>\n",
        "# ",
        "## ",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "---\n",
        "===\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "\t",
        "| a | b |\n",
        "|-|-|\n",
        "a",
        "b c",
        "認証",
        "é",
        "e\u{301}",
        "😀",
        "#tag",
        " #x/y",
        "^id",
        " ^id\n",
        "[^1]",
        "[^1]: ",
        "[a]: b.md\n",
        "a.md",
        "https://x.y",
        "*",
        "**",
        "_",
        "~~",
        "&amp;",
        "&#35;",
        "\u{0}",
        "\u{feff}",
        "\u{2028}",
        "depends_on",
        "title: a\n",
        "tags: [a, b]\n",
        "tags:\n  - a\n",
        "key: \"[[a]]\"\n",
        "&a ",
        "*a",
        "<<: ",
        ": ",
        "|\n",
        ">-\n",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "%",
        "%20",
        "- [ ] ",
        "!",
        "~\n",
        "<br>",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60).prop_map(|parts| parts.concat())
}

fn fronted() -> impl Strategy<Value = String> {
    (soup(), soup()).prop_map(|(yaml, text)| format!("---\n{yaml}\n---\n{text}"))
}

fn check(text: &str) {
    let page = page(text);
    let front = page.front_matter.range.clone();
    assert!(text.is_char_boundary(front.start) && text.is_char_boundary(front.end));

    let mut end = page.sections.first().map_or(text.len(), |section| section.range.start);
    let uncovered = &text[front.end.min(end)..end];
    assert!(uncovered.trim_start_matches('\u{feff}').trim().is_empty(), "not in a section: {uncovered:?}");
    let mut last_line = 0;
    for section in &page.sections {
        assert_eq!(section.range.start, end, "sections are in order and leave nothing out");
        assert!(section.range.end > section.range.start && text.is_char_boundary(section.range.end));
        assert!(section.lines.0 > last_line && section.lines.1 >= section.lines.0);
        assert_eq!(section.level == 0, section.heading_path.is_empty());
        (end, last_line) = (section.range.end, section.lines.1);
    }
    assert!(page.sections.is_empty() || end == text.len());
    let ids: std::collections::HashSet<_> = page.sections.iter().map(|section| &section.id).collect();
    assert_eq!(ids.len(), page.sections.len(), "ids are unique");

    let lines = text.replace("\r\n", "\n").replace('\r', "\n").matches('\n').count() + 1;
    for link in &page.links {
        assert!(!link.target.is_empty() && !link.target.contains('\n'));
        assert!(text.get(link.range.clone()).is_some_and(|source| !source.is_empty()), "{link:?}");
        assert!(link.line >= 1 && link.line <= lines);
        assert!(!link.context.contains(['\n', '\r']) && link.context.chars().count() <= 200);
    }
    for tag in &page.tags {
        assert!(!tag.is_empty() && !tag.starts_with('#'));
    }
    assert!(page.diagnostics.iter().all(|found| found.line >= 1 && found.line <= lines));
    assert!(page.blocks.iter().all(|block| block.line >= 1 && block.line <= lines));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_page(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_markdown_is_a_page(text in soup()) {
        check(&text);
    }

    #[test]
    fn any_front_matter_is_read(text in fronted()) {
        check(&text);
    }

    #[test]
    fn any_bytes_are_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (text, diagnostics) = decode(&bytes);
        let is_sound = std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0'));
        prop_assert_eq!(is_sound, diagnostics.is_empty());
        check(&text);
    }

    #[test]
    fn a_parsed_target_is_parsed_the_same_again(source in soup()) {
        let types = LinkTypes::default();
        if let Some(link) = parse_link(&format!("[[{source}]]"), &types) {
            prop_assert_eq!(link.target.trim(), link.target.as_str());
            if !link.target.contains(['|', '[', ']', '\\']) {
                let again = parse_link(&format!("[[{}]]", link.target), &types).map(|link| link.target);
                prop_assert_eq!(again, Some(link.target));
            }
        }
        prop_assert!(parse_destination(&source).is_none_or(|target| !target.is_empty()));
    }
}
