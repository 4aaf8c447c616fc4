//! The range and the fields of front matter; see also `cases/front-matter.md`.
#![allow(clippy::unwrap_used)]

use super::*;

fn read_text(text: &str) -> Reading {
    read(text, &Lines::new(text), &LinkTypes::default())
}

fn value(yaml: &str) -> Value {
    let reading = read_text(&format!("---\nk: {yaml}\n---\n"));
    assert!(reading.sound, "{yaml}");
    field(&reading.front_matter.fields, "k").unwrap().clone()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn the_block_is_between_two_fences_at_the_top() {
    for (source, end) in [
        ("---\na: b\n---\ntext", Some(13)),
        ("---\n---\n", Some(8)),
        ("---\n---", Some(7)),
        ("---  \t\na: b\n---  \nx", Some(18)),
        ("---\r\na: b\r\n---\r\ntext", Some(16)),
        ("---\ra: b\r---\rtext", Some(13)),
        ("\u{feff}---\na: b\n---\ntext", Some(16)),
        ("---\n\na: b\n---\n", Some(14)),
        ("---\na: b\n ---\n", None),
        ("---\na: b\n----\n", None),
        ("---\na: b\n...\n", None),
        (" ---\na: b\n---\n", None),
        ("\n---\na: b\n---\n", None),
        ("--- x\na: b\n---\n", None),
        ("---", None),
        ("", None),
    ] {
        assert_eq!(find(source).map(|block| block.whole.end), end, "{source:?}");
    }
}

#[test]
fn scalars_are_kept_verbatim() {
    for plain in
        ["2026-02-07", "on", "yes", "1.0", "0o7", "1_000", "~", "12:30", ".inf", "true", "007", "認証"]
    {
        assert_eq!(value(plain), text(plain));
    }
    for null in ["", "null", "Null", "NULL", "# comment"] {
        assert_eq!(value(null), text(""), "{null}");
    }
    assert_eq!(value("\"null\""), text("null"));
    assert_eq!(value("'it''s'"), text("it's"));
    assert_eq!(value("\"\\u8a8d\\n\""), text("認\n"));
    assert_eq!(value("|\n  a\n  b"), text("a\nb\n"));
    assert_eq!(
        value("[a, [b, {c: d}]]"),
        Value::List(
            vec![text("a"), Value::List(vec![text("b"), Value::Map(vec![("c".into(), text("d"))])]),]
        )
    );
}

#[test]
fn aliases_and_merges_are_followed() {
    let reading = read_text("---\na: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\n*y : z\n---\n");
    assert!(!reading.sound, "*y is not defined");
    let reading = read_text("---\na: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: [*x, {r: 4}]\n  q: 3\n---\n");
    assert!(reading.sound && reading.diagnostics.is_empty());
    let map = |fields: &[(&str, &str)]| {
        Value::Map(fields.iter().map(|(key, value)| ((*key).to_owned(), text(value))).collect())
    };
    let fields = &reading.front_matter.fields;
    assert_eq!(field(fields, "b"), Some(&map(&[("p", "1"), ("q", "2")])));
    assert_eq!(field(fields, "c"), Some(&map(&[("q", "3"), ("p", "1"), ("r", "4")])));
    let reading = read_text("---\na: &x [*x]\n---\n");
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn the_range_of_a_link_is_its_source() {
    let page = "---\r\nup: \"[[a]]\"\r\nx: 'see [[b|c]], [[b]] and [[b]]'\r\ny: \"\\u8a8d [[d]]\"\r\nz: \"[[\\u8a8d]] [[e]]\"\r\n---\r\n";
    let sources: Vec<_> =
        read_text(page).links.iter().map(|link| (link.line, &page[link.range.clone()])).collect();
    assert_eq!(
        sources,
        [
            (2, "[[a]]"),
            (3, "[[b|c]]"),
            (3, "[[b]]"),
            (3, "[[b]]"),
            (4, "[[d]]"),
            (5, "\"[[\\u8a8d]] [[e]]\""),
            (5, "\"[[\\u8a8d]] [[e]]\""),
        ]
    );
}
