//! Setting fields changes these fields only.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::page::FrontMatter;

fn set_one(text: &str, key: &str, value: &str) -> String {
    set_fields("a.md", text, &[(key, value)]).unwrap()
}

fn refused(text: &str, key: &str) -> String {
    match set_fields("a.md", text, &[(key, "new")]) {
        Err(Error::FrontMatter { path, message }) => {
            assert_eq!(path, "a.md");
            message.to_string()
        }
        other => unreachable!("{other:?}"),
    }
}

fn front(text: &str) -> FrontMatter {
    read(text).front_matter
}

#[test]
fn a_value_is_replaced_in_place() {
    for (before, after) in [
        ("k: old\n", "k: new\n"),
        ("k: old # comment\nl: 1\n", "k: new # comment\nl: 1\n"),
        ("# c\nk:   old   \n\n# d\n", "# c\nk:   new   \n\n# d\n"),
        ("k: 'old'\n", "k: 'new'\n"),
        ("k: \"old\" # c\n", "k: \"new\" # c\n"),
        ("\"k\": old\n", "\"k\": new\n"),
        ("k:\n", "k: new\n"),
        ("k: # comment\nl: 1\n", "k: new # comment\nl: 1\n"),
        ("k:   \nl: 1\n", "k: new   \nl: 1\n"),
        ("k: ~\n", "k: new\n"),
        ("k: null\n", "k: new\n"),
        ("k:\n  old\nl: 1\n", "k:\n  new\nl: 1\n"),
        ("k: old\n  and more\nl: 1\n", "k: new\nl: 1\n"),
        ("k: |\n  old\n  text\n\nl: 1\n", "k: new\n\nl: 1\n"),
        ("k: >-\n  old\n# c\nl: 1\n", "k: new\n# c\nl: 1\n"),
        ("k: |\nl: 1\n", "k: new\nl: 1\n"),
        ("k: &a old\nl: 1\n", "k: &a new\nl: 1\n"),
        ("l: &a old\nk: *a\n", "l: &a old\nk: new\n"),
        ("k: !!str old\n", "k: !!str new\n"),
        ("? k\n: old\n", "? k\n: new\n"),
        ("認証: 設計\nk: 鍵\n名: 前\n", "認証: 設計\nk: new\n名: 前\n"),
        ("k:\told\n", "k:\tnew\n"),
        ("{k: old, l: [1, 2]}\n", "{k: new, l: [1, 2]}\n"),
        ("{l: 1, k: }\n", "{l: 1, k: new }\n"),
        ("m:\n  k: inner\nk: old\n", "m:\n  k: inner\nk: new\n"),
        ("k: old\nk: again\n", "k: new\nk: again\n"),
    ] {
        for eol in ["\n", "\r\n"] {
            let page = |yaml: &str| format!("---\n{yaml}---\n\n# Text\nk: old\n").replace('\n', eol);
            assert_eq!(set_one(&page(before), "k", "new"), page(after));
        }
    }
}

#[test]
fn a_missing_key_is_added_at_the_end() {
    for (before, after) in [
        ("", "k: new\n"),
        ("a: 1\n", "a: 1\nk: new\n"),
        ("a: 1\n# the end\n\n", "a: 1\n# the end\n\nk: new\n"),
        ("a: |\n  text\n", "a: |\n  text\nk: new\n"),
        ("a:\n- 1\n- 2\n", "a:\n- 1\n- 2\nk: new\n"),
        ("a:\n  k: 1\n", "a:\n  k: 1\nk: new\n"),
        ("  a: 1\n", "  a: 1\n  k: new\n"),
        ("{a: 1}\n", "{a: 1, k: new}\n"),
        ("{a: 1, }\n", "{a: 1,k: new }\n"),
        ("{}\n", "{k: new}\n"),
        ("{ a: [1] }\n", "{ a: [1], k: new }\n"),
        ("# only a comment\n", "# only a comment\nk: new\n"),
    ] {
        for eol in ["\n", "\r\n", "\r"] {
            let page = |yaml: &str| format!("---\n{yaml}---\ntext").replace('\n', eol);
            assert_eq!(set_one(&page(before), "k", "new"), page(after));
        }
    }
}

#[test]
fn a_missing_block_is_added_at_the_top() {
    assert_eq!(set_one("", "k", "new"), "---\nk: new\n---\n");
    assert_eq!(set_one("# A\r\ntext", "k", "new"), "---\r\nk: new\r\n---\r\n# A\r\ntext");
    assert_eq!(set_one("\u{feff}# A\n", "k", "new"), "\u{feff}---\nk: new\n---\n# A\n");
    assert_eq!(set_one("---\nno end", "k", "new"), "---\nk: new\n---\n---\nno end");
    assert_eq!(set_one("---\n---", "k", "new"), "---\nk: new\n---");
    assert_eq!(set_one("\u{feff}---\na: 1\n---", "k", "new"), "\u{feff}---\na: 1\nk: new\n---");
    let both = set_fields("a.md", "text\n", &[("id", "1f"), ("title", "A: b")]).unwrap();
    assert_eq!(both, "---\nid: 1f\ntitle: \"A: b\"\n---\ntext\n");
}

#[test]
fn setting_the_current_value_changes_nothing() {
    for text in ["---\nk: 'new'   # c\n---\n", "---\nk: >-\n  new\n---\n", "---\nk: \"\\u006eew\"\n---\n"] {
        assert_eq!(set_one(text, "k", "new"), text);
    }
    assert_eq!(set_one("---\nk:\n---\n", "k", ""), "---\nk: \"\"\n---\n");
    assert_eq!(set_one("---\nk: \"\"\n---\n", "k", ""), "---\nk: \"\"\n---\n");
    assert_eq!(set_fields("a.md", "text", &[]).unwrap(), "text");
}

#[test]
fn unsafe_changes_are_rejected() {
    assert!(refused("---\nk: a: b\n---\n", "k").starts_with("line 2: "));
    assert!(refused("---\ntext, no YAML\n---\n", "k").contains("key: value"));
    assert!(refused("---\nk: [a]\n---\n", "k").contains("list or a map"));
    assert!(refused("---\nk:\n  a: 1\n---\n", "k").contains("list or a map"));
    assert!(refused("---\nk: &a old\nl: *a\n---\n", "k").contains("more than"));
    assert!(refused("---\nk: | # c\n  old\n---\n", "k").contains("comment"));
    assert!(refused("---\nk: &a\nl: 1\n---\n", "k").contains("anchor"));
    assert!(refused("---\n{k}\n---\n", "k").contains("colon"));
    assert!(refused("---\n{a: 1 # c\n}\n---\n", "k").contains("more than"));
    assert!(
        refused("---\na: 1\n...\n---\n", "k").contains("more than")
            || !refused("---\na: 1\n...\n---\n", "k").is_empty()
    );
}

#[test]
fn values_are_quoted_where_yaml_needs_it() {
    for (value, written) in [
        ("2026-02-07", "2026-02-07"),
        ("2026-02-07T10:00:00.123Z", "2026-02-07T10:00:00.123Z"),
        ("0199f3c2-7a1e-7000-8000-000000000000", "0199f3c2-7a1e-7000-8000-000000000000"),
        ("Plain words, with a comma", "Plain words, with a comma"),
        ("認証の設計", "認証の設計"),
        ("a:b", "a:b"),
        ("", "\"\""),
        (" a", "\" a\""),
        ("a: b", "\"a: b\""),
        ("a:", "\"a:\""),
        ("a #b", "\"a #b\""),
        ("#a", "\"#a\""),
        ("[a]", "\"[a]\""),
        ("{{a}}", "\"{{a}}\""),
        ("- a", "\"- a\""),
        ("true", "\"true\""),
        ("No", "\"No\""),
        ("1.0", "\"1.0\""),
        ("12:30", "\"12:30\""),
        ("0o7", "\"0o7\""),
        ("1e3", "\"1e3\""),
        ("2024", "\"2024\""),
        ("~", "\"~\""),
        ("say \"hi\" \\ bye", "say \"hi\" \\ bye"),
        ("\"hi\"", "\"\\\"hi\\\"\""),
        ("a\nb\tc", "\"a\\nb\\tc\""),
        ("a\u{85}\u{feff}", "\"a\\u0085\\ufeff\""),
    ] {
        let text = set_one("---\na: 1\n---\n", "k", value);
        assert_eq!(text, format!("---\na: 1\nk: {written}\n---\n"));
        assert_eq!(set_one(&text, "k", value), text);
    }
    assert_eq!(set_one("---\n{a: 1}\n---\n", "k", "x, y"), "---\n{a: 1, k: \"x, y\"}\n---\n");
    assert_eq!(set_one("---\nk: 'it''s'\n---\n", "k", "that's"), "---\nk: 'that''s'\n---\n");
}

/// Random front matter, valid and invalid.
fn yaml() -> impl Strategy<Value = String> {
    let lines = [
        "k: old",
        "k: 'old' # c",
        "k: \"o\\n\"",
        "k:",
        "k: |",
        "  text",
        "  more",
        "",
        "# comment",
        "  # indented",
        "k: >-",
        "a: 1",
        "a: [1, {b: 2}]",
        "list:",
        "- x",
        "  - y",
        "m:",
        "  k: inner",
        "  n: &a v",
        "b: *a",
        "c: &a d",
        "認証: 設計",
        "'q k': v",
        "? e",
        ": f",
        "long: some words",
        "\tt: x",
        "k: a: b",
        "{x: 1}",
        "[z]",
        "...",
        "!t k: !u v",
        "<<: {g: h}",
        "k: ~",
        "k: *a",
        "k: &a w",
        " k: s",
        "--- x",
        "%Y",
    ];
    prop::collection::vec(prop::sample::select(lines.to_vec()), 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_the_given_field_changes(
        yaml in yaml(),
        value in prop_oneof![any::<String>(), "[a-z:#\\[\\]{}, '\"-]{0,12}", Just("new".to_owned())],
        eol in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        body in "[a-z#\\- \n]{0,20}",
    ) {
        let text = format!("---\n{yaml}\n---\n{body}").replace('\n', eol);
        let before = front(&text);
        if let Ok(edited) = set_fields("a.md", &text, &[("k", &value)]) {
            let after = front(&edited);
            let rest = |fields: &[(String, Value)]| fields.iter().filter(|(key, _)| key != "k").cloned().collect::<Vec<_>>();
            prop_assert_eq!(rest(&before.fields), rest(&after.fields));
            prop_assert_eq!(front_matter::field(&after.fields, "k"), Some(&Value::Text(value.clone())));
            prop_assert_eq!(&text[before.range.end..], &edited[after.range.end..]);
            // All bytes between the common start and the common end belong to the value.
            let same = text.bytes().zip(edited.bytes()).take_while(|(old, new)| old == new).count();
            let tail = text.bytes().rev().zip(edited.bytes().rev()).take_while(|(old, new)| old == new).count();
            let replaced = text.len().saturating_sub(same + tail);
            let old = match front_matter::field(&before.fields, "k") {
                Some(Value::Text(_)) => yaml.len() + 2,
                _ => 0,
            };
            prop_assert!(replaced <= old, "{replaced} bytes of {text:?} are gone in {edited:?}");
            prop_assert_eq!(set_fields("a.md", &edited, &[("k", &value)]).unwrap(), edited);
        }
    }
}
