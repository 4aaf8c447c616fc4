//! The syntax of links.
#![allow(clippy::unwrap_used)]

use super::*;

fn wiki(source: &str) -> Option<(bool, String, Option<String>, Option<String>)> {
    let types = LinkTypes::with(["blocks".to_owned()]);
    parse_link(source, &types).map(|link| (link.embed, link.target, link.link_type, link.text))
}

fn parts(source: &str) -> (String, Option<String>, Option<String>) {
    let (_, target, link_type, text) = wiki(source).unwrap();
    (target, link_type, text)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_target_is_trimmed_and_composed() {
    assert_eq!(parts("[[a]]"), ("a".into(), None, None));
    assert_eq!(parts("[[  a  b ]]"), ("a  b".into(), None, None));
    assert_eq!(parts("[[cafe\u{301}]]"), ("caf\u{e9}".into(), None, None));
    assert_eq!(parts("[[#heading]]"), ("#heading".into(), None, None));
    assert_eq!(parts("[[a#^block]]"), ("a#^block".into(), None, None));
    assert_eq!(parts("[[src/auth/login.ts]]"), ("src/auth/login.ts".into(), None, None));
    assert_eq!(parts("[[Note: a colon]]"), ("Note: a colon".into(), None, None));
}

#[test]
fn the_part_after_the_pipe_is_a_type_or_a_text() {
    assert_eq!(parts("[[a|depends_on]]"), ("a".into(), some("depends_on"), None));
    assert_eq!(parts("[[a| depends_on ]]"), ("a".into(), some("depends_on"), None));
    assert_eq!(parts("[[a|blocks]]"), ("a".into(), some("blocks"), None));
    assert_eq!(parts("[[a|depends_on|A page]]"), ("a".into(), some("depends_on"), some("A page")));
    assert_eq!(parts("[[a|Depends_on]]"), ("a".into(), None, some("Depends_on")));
    assert_eq!(parts("[[a|text|depends_on]]"), ("a".into(), None, some("text|depends_on")));
    assert_eq!(parts("[[a|]]"), ("a".into(), None, None));
    assert_eq!(parts("[[a||text]]"), ("a".into(), None, some("text")));
    assert_eq!(parts("[[a|depends_on|]]"), ("a".into(), some("depends_on"), None));
}

#[test]
fn a_backslash_before_a_pipe_belongs_to_the_pipe() {
    assert_eq!(parts(r"[[a\|text]]"), ("a".into(), None, some("text")));
    assert_eq!(parts(r"[[a\|depends_on\|A page]]"), ("a".into(), some("depends_on"), some("A page")));
    assert_eq!(parts(r"[[a\|b\|c]]"), ("a".into(), None, some("b|c")));
    assert_eq!(parts(r"[[dir\a]]"), (r"dir\a".into(), None, None));
    assert_eq!(parts(r"[[a\]b]]"), ("a]b".into(), None, None));
}

#[test]
fn an_exclamation_mark_embeds() {
    assert_eq!(wiki("![[a.png|100]]"), Some((true, "a.png".into(), None, some("100"))));
}

#[test]
fn invalid_links_are_not_links() {
    for source in [
        "",
        "!",
        "[[",
        "]]",
        "[[]]",
        "[[ ]]",
        "[[|x]]",
        r"[[\|x]]",
        "[[a\nb]]",
        "[[a\r]]",
        "[[a|b\nc]]",
        "[a]",
        "[[a]",
        "[[https://example.org]]",
        "[[HTTPS://example.org|x]]",
        "[[mailto:a@example.org]]",
        "[[//example.org/a]]",
    ] {
        assert_eq!(wiki(source), None, "{source:?}");
    }
}

#[test]
fn a_destination_may_be_a_page_or_file() {
    for (destination, target) in [
        ("other.md", "other.md"),
        ("./a/../b.md#h", "./a/../b.md#h"),
        ("my%20page.md", "my page.md"),
        ("%E8%AA%8D%E8%A8%BC.md#%E8%A8%AD%E8%A8%88", "認証.md#設計"),
        ("a.md?raw=1#x", "a.md#x"),
        ("a.md#", "a.md"),
        ("../src/auth/login.ts#L10", "../src/auth/login.ts#L10"),
        ("100%.md", "100%.md"),
        ("a%2", "a%2"),
        ("%FF.md", "%FF.md"),
        ("/guide/a.md", "/guide/a.md"),
        ("Makefile", "Makefile"),
    ] {
        assert_eq!(parse_destination(destination).as_deref(), Some(target), "{destination}");
    }
}

#[test]
fn urls_and_fragments_are_not_links_to_pages() {
    for destination in [
        "",
        " ",
        "#h",
        "?q",
        "https://example.org/a.md",
        "HTTP://example.org",
        "mailto:a@example.org",
        "//example.org/a.md",
        "\\\\host\\share",
        "C:/a.md",
        "data:text/plain,a",
        "[[a]]",
        "a%0Ab.md",
    ] {
        assert_eq!(parse_destination(destination), None, "{destination:?}");
    }
}

#[test]
fn page_targets_are_told_apart_from_files() {
    assert!(leads_to_page("a.md"));
    assert!(leads_to_page("a.MARKDOWN#h"));
    assert!(leads_to_page("a#b.md"));
    assert!(!leads_to_page("a.png"));
    assert!(!leads_to_page("md"));
}
