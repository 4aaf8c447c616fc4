//! Ranges, lines and indentation of excerpts. Symbols are tested with real grammars in `tests/tests/source_blocks.rs`.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::index::tests::Project;

fn found(named: &str, text: &[u8]) -> std::result::Result<Vec<Excerpt>, String> {
    let project = Project::with_pages([("a.md", "# A\n")]);
    project.source.put_source("src/main.rs", text, Timestamp::UNIX_EPOCH);
    project.source.put_source(".env", b"secret", Timestamp::UNIX_EPOCH);
    let context = project.context();
    let found = Excerpts::new(&context).find(named, Extent::Whole).unwrap();
    found.map_err(|told| told.to_string())
}

fn one(named: &str, text: &str) -> (usize, usize, String) {
    let [Excerpt { lines, text, .. }] =
        <[Excerpt; 1]>::try_from(found(named, text.as_bytes()).unwrap()).unwrap();
    (lines.0, lines.1, text)
}

#[test]
fn a_file_and_lines_of_it_are_shown() {
    let text = "fn main() {\r\n    one();\r\n    two();\r\n}\r\n";
    assert_eq!(one("src/main.rs", text), (1, 4, "fn main() {\n    one();\n    two();\n}".into()));
    assert_eq!(one("./src/main.rs#L2-L3", text), (2, 3, "one();\ntwo();".into()));
    assert_eq!(one("src/main.rs#L3-2", text), (2, 3, "one();\ntwo();".into()));
    assert_eq!(one("src/main.rs#4", text), (4, 4, "}".into()));
    assert_eq!(one("src/main.rs#L3-L99", text), (3, 4, "    two();\n}".into()));
    assert_eq!(one("src/main.rs", "\u{feff}fn f() {}\n"), (1, 1, "fn f() {}".into()));
    assert_eq!(one("src/main.rs", ""), (1, 1, String::new()));
}

#[test]
fn what_cannot_be_shown_has_a_reason() {
    let told = |named: &str, text: &[u8]| found(named, text).unwrap_err();
    assert_eq!(told("src/main.rs#L5", b"a\nb\n"), "src/main.rs has no line 5; it has 2 lines.");
    assert_eq!(told("src/main.rs#L0", b"a\n"), "src/main.rs has no line 0; it has 1 line.");
    assert_eq!(told("src/none.rs#f", b""), "src/none.rs does not exist in this project.");
    assert_eq!(told("../x.rs", b""), "'../x.rs' is not inside the project");
    assert!(told(".env", b"").contains("is not shown, because it is hidden"));
    assert!(told("src/main.rs", b"a\0b").contains("not UTF-8 text"));
    assert!(told("src/main.rs", &b"x\n".repeat(401)).contains("it has 401 lines"));
    assert!(told("src/main.rs", &b"x".repeat(70_000)).contains("too large to show"));
    assert!(told("src/main.rs#f", b"fn f() {}").contains("cannot be told"));
    assert!(found("src/main.rs", &b"x\n".repeat(400)).is_ok());
}

#[test]
fn the_extension_names_the_language() {
    for (file, expected) in [("src/a.TS", "ts"), ("Makefile", "makefile"), ("a.c++", ""), ("x/.env", "env")] {
        assert_eq!(language(file), expected, "{file}");
    }
}

proptest! {
    #[test]
    fn any_text_and_any_lines_are_safe(text in "\\PC{0,40}(\r?\n[ \t]{0,3}\\PC{0,9}){0,9}", name in "[LC0-9-]{0,9}") {
        let shown = found(&format!("src/main.rs#{name}"), text.as_bytes());
        if let Ok(shown) = shown {
            for Excerpt { lines, text: part, .. } in shown {
                prop_assert!(lines.0 <= lines.1 && lines.1 <= text.matches('\n').count() + 1);
                prop_assert!(part.lines().all(|line| text.contains(line)));
            }
        }
    }
}
