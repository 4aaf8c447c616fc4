//! Pages of memories: whatever the text, it is read back unchanged.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::page::{LinkTypes, parse};

fn memory(
    topic: &str,
    content: &str,
    tags: &[&str],
    examples: &[&str],
    source: Option<&str>,
) -> Option<Memory> {
    let owned = |list: &[&str]| Some(list.iter().map(|item| (*item).to_owned()).collect());
    let given = Given::new(topic, content, owned(tags), owned(examples), source).ok()?;
    let fields = Fields {
        memory_type: MemoryType::Tech,
        topic: given.topic,
        aliases: Vec::new(),
        tags: given.tags.unwrap(),
        confidence: 1.0,
        created_at: None,
        supersedes: Vec::new(),
        conflicts_with: Vec::new(),
        valid_until: None,
        source: given.source,
        merged: Vec::new(),
        examples: None,
    };
    Some(Memory { fields, content: given.content, examples: given.examples.unwrap() })
}

fn now() -> Timestamp {
    Timestamp::from_second(1_737_021_600).unwrap()
}

const ID: &str = "6f1f7c9e-0000-4000-8000-000000000001";

fn written(memory: &Memory) -> String {
    new_page(memory, ID, now()).unwrap()
}

/// The memory on a page, without its times.
fn said(page: &str) -> Memory {
    let mut memory = read(page).unwrap().unwrap();
    memory.fields.created_at = None;
    memory.fields.examples = None;
    memory
}

#[test]
fn a_page_is_readable_markdown() {
    let memory = memory(
        "Rustの非同期プログラミング",
        "Rustでは `async` を使います。\n\n- a\n- b",
        &["rust", "async"],
        &["async fn main() {}", "```sh\ncargo run\n```"],
        Some("https://example.org/a: b"),
    );
    assert_eq!(
        written(&memory.unwrap()),
        "---\nid: 6f1f7c9e-0000-4000-8000-000000000001\ntype: tech\ntopic: Rustの非同期プログラミング\n\
         tags: [rust, async]\nconfidence: 1.0\ncreated_at: 2025-01-16T10:00:00Z\nupdated_at: 2025-01-16T10:00:00Z\n\
         source: \"https://example.org/a: b\"\n---\n\n# Rustの非同期プログラミング\n\nRustでは `async` を使います。\n\n\
         - a\n- b\n\n## Examples\n\n```\nasync fn main() {}\n```\n\n```sh\ncargo run\n```\n"
    );
}

#[test]
fn texts_that_look_like_parts_of_a_page_are_read_back_unchanged() {
    for (content, examples) in [
        ("x\n\n## Examples\n\n```\na\n```", &[][..]),
        ("x\n\n## Examples\n\n```\na\n```", &["b"]),
        ("x\n\n## Examples", &["b"]),
        ("```\nopen", &["b"]),
        ("a\n## Examples\n```\nx", &["b", "~~~\nc"]),
        ("a\n## Examples\n~~~\nx", &["b"]),
        ("---\ntopic: other\n---\nx", &["---\n"]),
        ("x", &["```\nfenced\n```", "````md\n```\nx\n```\n````", "## Examples\n\n```\nx\n```", "~~~\n~~~"]),
        ("x", &["```js\na\n```\n```\nb", "a\n\n\nb", "  indented", "`", "```"]),
        ("    code first", &[]),
        ("# Another heading\n\nx", &["y"]),
        ("T\n=\n\nx", &[]),
        ("<!-- open", &["y"]),
        ("[[T]] and #tag ^block", &["[[x]]"]),
    ] {
        let memory = memory("T", content, &[], examples, None).unwrap();
        assert_eq!(said(&written(&memory)), memory, "{content:?} {examples:?}:\n{}", written(&memory));
    }
}

#[test]
fn a_topic_that_looks_like_markup_or_yaml_is_kept() {
    for topic in [
        "[[x]]",
        "#tag",
        "a *b* _c_ `d`",
        "<b>",
        "x: y",
        "- a",
        "'",
        "\"",
        "1",
        "true",
        "~",
        "# #",
        "^a",
        "![x](y)",
        "🎉",
        "\u{2028}",
        "a\u{200b}b",
        "[a, b]",
        "{a: b}",
        "&a",
        "*a",
        "!x",
        "| a",
        "---",
        "...",
        "a  b",
    ] {
        let Some(memory) = memory(topic, "x", &[], &[], None) else { continue };
        let page = written(&memory);
        assert_eq!(said(&page), memory, "{page}");
        let parsed = parse(&page, &LinkTypes::default());
        let body = parsed.front_matter.range.end;
        assert!(parsed.links.iter().all(|link| link.range.start < body), "{topic}: its heading links");
        assert_eq!(parsed.title.unwrap(), topic.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

#[test]
fn input_cannot_inject_front_matter_fields() {
    let hostile = "x\"\nagents: nobody\n---\n# y";
    assert!(memory("T", "x", &[], &[], Some(hostile)).is_none(), "a source is one line");
    for source in
        ["x: y", "\"x\": y", "x #y", "{a: b}", "'", "|", "> z", "- x", "*a", "!!str x", "\\n", "---"]
    {
        let memory =
            memory("T", "x", &["a: b", "c]", "\"", "'", "{d}", "e#f", "-", "~", "true"], &[], Some(source));
        let memory = memory.unwrap();
        let page = written(&memory);
        assert_eq!(said(&page), memory, "{page}");
        let keys: Vec<String> =
            parse(&page, &LinkTypes::default()).front_matter.fields.into_iter().map(|f| f.0).collect();
        assert_eq!(keys, ["id", "type", "topic", "tags", "confidence", "created_at", "updated_at", "source"]);
    }
}

#[test]
fn an_edit_changes_only_what_differs() {
    let page = "---\r\n# mine\r\ntype: tech\r\ntopic: T\r\nauthor: me # always\r\ntags:\r\n  - a\r\n  - b\r\n\
                confidence: 0.5\r\n---\r\n\r\n# T\r\n\r\nOld.\r\n";
    let old = read(page).unwrap().unwrap();
    assert_eq!((old.content.as_str(), old.fields.tags.len()), ("Old.", 2));
    let mut new = old.clone();
    new.content = "New\nlines.".into();
    new.fields.tags = vec!["c d".into()];
    new.fields.aliases = vec!["U".into()];
    new.fields.source = Some("s".into());
    new.examples = vec!["x".into()];
    let edited = edited("t.md", page, &old, &new, now()).unwrap();
    assert_eq!(
        edited,
        "---\r\n# mine\r\ntype: tech\r\ntopic: T\r\nauthor: me # always\r\ntags: [c d]\r\nconfidence: 0.5\r\n\
         aliases: [U]\r\nsource: s\r\nupdated_at: 2025-01-16T10:00:00Z\r\n---\r\n\r\n# T\r\n\r\nNew\r\nlines.\r\n\r\n\
         ## Examples\r\n\r\n```\r\nx\r\n```\r\n"
    );
    let back = read(&edited).unwrap().unwrap();
    assert_eq!((back.content, back.examples), (new.content.clone(), new.examples.clone()));
    assert_eq!(super::edited("t.md", page, &old, &old, now()).unwrap(), page, "nothing new, nothing written");
    let odd = page.replace("tags:", "\"tags\":");
    let error = super::edited("t.md", &odd, &old, &new, now()).unwrap_err();
    assert_eq!(error.code(), "front_matter", "{error}");
}

#[test]
fn other_pages_and_invalid_memories_are_told_apart() {
    assert!(read("# Just a page\n").is_none());
    assert!(read("---\ntype: tech\n---\nx\n").is_none());
    for (page, line, reason) in [
        ("---\ntopic: T\ntype: other\n---\nx\n", 1, "'other'"),
        ("---\ntopic: T\n---\nx\n", 1, "it is missing"),
        ("---\ntopic: T\ntype: tech\nconfidence: high\n---\nx\n", 1, "from 0 to 1"),
        ("---\ntopic: T\ntype: tech\nconfidence: 7\n---\nx\n", 1, "from 0 to 1"),
        ("---\ntopic: T\ntype: tech\ntags: [a\n---\nx\n", 5, "YAML"),
    ] {
        let (found, said) = read(page).unwrap().unwrap_err();
        assert!(said.to_string().contains(reason), "{page}: {said}");
        assert!(line == 5 || found == line, "{page}: {found}");
    }
}

/// Random texts of Markdown syntax.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("```\n".to_owned()),
        Just("````js\n".to_owned()),
        Just("~~~\n".to_owned()),
        Just("## Examples\n".to_owned()),
        Just("# T\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("---\n".to_owned()),
        Just("topic: x\n".to_owned()),
        Just("- item\n".to_owned()),
        Just("    code\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("<!--".to_owned()),
        Just("[[x]]".to_owned()),
        "\\PC{0,12}",
        "[a-z `~#\\n]{0,20}",
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_memory_is_read_back_unchanged(
        topic in "\\PC{1,30}",
        content in text(),
        tags in prop::collection::vec("\\PC{0,10}", 0..4),
        examples in prop::collection::vec(text(), 0..4),
        source in prop::option::of("\\PC{0,30}"),
    ) {
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let examples: Vec<&str> = examples.iter().map(String::as_str).collect();
        if let Some(memory) = memory(&topic, &content, &tags, &examples, source.as_deref()) {
            let page = written(&memory);
            prop_assert_eq!(said(&page), memory);
        }
    }

    #[test]
    fn remembering_again_replaces_the_memory(
        before in text(),
        after in text(),
        examples in prop::collection::vec(text(), 0..3),
        tags in prop::collection::vec("\\PC{0,10}", 0..3),
    ) {
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let examples: Vec<&str> = examples.iter().map(String::as_str).collect();
        let (Some(old), Some(new)) =
            (memory("T", &before, &["a"], &["x"], Some("s")), memory("T", &after, &tags, &examples, Some("s")))
        else {
            return Ok(());
        };
        let page = written(&old);
        let edited = edited("t.md", &page, &read(&page).unwrap().unwrap(), &new, now()).unwrap();
        prop_assert_eq!(said(&edited), new);
    }
}
