//! Names in a comment are never read as Markdown.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn names_with_markdown_become_one_code_span() {
    for hostile in [
        "a`b",
        "``",
        "`",
        "![x](http://example.org/x.png)",
        "</details><script>",
        "@somebody #1",
        "two\nlines\n\n# heading",
        "| table |",
        "",
        " ",
        "tab\tand \u{202e}direction\u{2066}",
        "<!-- ubp diff -->",
    ] {
        let span = code(hostile);
        let events: Vec<_> = pulldown_cmark::Parser::new(&span).collect();
        assert_eq!(span.lines().count(), 1, "{hostile:?}");
        let is_code = |event: &pulldown_cmark::Event<'_>| matches!(event, pulldown_cmark::Event::Code(_));
        // A paragraph with exactly one code span.
        assert!(events.len() == 3 && is_code(&events[1]), "{hostile:?}: {events:?}");
    }
    assert_eq!(code("plain.md"), "`plain.md`");
    assert_eq!(code(&"x".repeat(500)).chars().count(), LONGEST + 3);
}
