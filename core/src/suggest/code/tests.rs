//! Which names lead to code.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::ports::{Symbol, SymbolHashes, SymbolPart, Target};

/// Reads lines such as `function login`.
struct Lines;

impl Symbols for Lines {
    fn tokens(&self, _path: &str, _bytes: &[u8]) -> Option<String> {
        None
    }

    fn knows(&self, path: &str) -> bool {
        path.ends_with(".ts") || path.ends_with(".rs")
    }

    fn find(&self, _path: &str, _bytes: &[u8], names: &[&str]) -> Vec<Target> {
        names.iter().map(|_| Target::Nothing(Vec::new())).collect()
    }

    fn all(&self, _path: &str, bytes: &[u8]) -> Vec<Symbol> {
        let text = std::str::from_utf8(bytes).unwrap();
        let symbol = |line: &str| {
            let (kind, name) = line.split_once(' ')?;
            let kinds = ["function", "method", "class", "field", "implementation"];
            let kind = kinds.into_iter().find(|known| *known == kind)?;
            let part = SymbolPart { kind, lines: (1, 1), range: 0..1, signature: 0..1, doc: None };
            let parts = vec![part];
            Some(Symbol { name: name.into(), hashes: SymbolHashes::unknown(), body: None, parts })
        };
        text.lines().filter_map(symbol).collect()
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "src/auth/session.ts",
        "class SessionStore\nimplementation SessionStore\nmethod SessionStore.refresh\nfunction signInAgain\n\
         function content_hash\nfunction greet\nmethod Store.Trait.method\n",
    ),
    (
        "src/users/mod.rs",
        "function load_users\nmethod Users.refresh\nfield Users.last_seen\nfunction twice_defined\n",
    ),
    ("src/other.rs", "function twice_defined\nfunction print \"content_hash\"\n"),
    ("tests/session.ts", "function signInAgain\n"),
    ("src/auth/session.test.ts", "function load_users\n"),
    ("config/app.json", "{}"),
    ("src/app.json", "{}"),
];

fn named(text: &str) -> Option<String> {
    let files: Vec<String> = FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
    let read =
        |file: &str| FILES.iter().find(|(known, _)| *known == file).map(|(_, text)| text.as_bytes().to_vec());
    let wanted = wanted([text].into_iter());
    let code = Code::read(&files, &wanted, &Lines, &read, &Cancel::default()).unwrap();
    code.named(text, "docs").map(|(target, _)| target)
}

#[test]
fn a_name_with_one_meaning_leads_to_it() {
    for (text, expected) in [
        ("SessionStore", "src/auth/session.ts#SessionStore"),
        ("SessionStore.refresh", "src/auth/session.ts#SessionStore.refresh"),
        ("SessionStore::refresh()", "src/auth/session.ts#SessionStore.refresh"),
        ("SessionStore#refresh", "src/auth/session.ts#SessionStore.refresh"),
        ("signInAgain", "src/auth/session.ts#signInAgain"),
        ("signInAgain(user, 3)", "src/auth/session.ts#signInAgain"),
        ("greet()", "src/auth/session.ts#greet"),
        ("load_users", "src/users/mod.rs#load_users"),
        ("users::load_users", "src/users/mod.rs#load_users"),
        ("crate::users::load_users", "src/users/mod.rs#load_users"),
        ("Store.Trait.method", "src/auth/session.ts#Store.Trait.method"),
        ("src/auth/session.ts", "src/auth/session.ts"),
        ("../config/app.json", "config/app.json"),
        ("auth/session.ts", "src/auth/session.ts"),
        ("other.rs", "src/other.rs"),
    ] {
        assert_eq!(named(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_name_that_may_mean_something_else_leads_nowhere() {
    for text in [
        // Two definitions, a field, a key of JSON.
        "refresh",
        "refresh()",
        "twice_defined",
        "last_seen",
        "Users.last_seen",
        "content_hash",
        // Words, settings, and parts of other things.
        "greet",
        "users",
        "editor.tabSize",
        "users.refresh",
        "auth::greet::x",
        "Trait::method",
        "other::load_users",
        "app.json",
        "session",
        "ubp review",
        "--load_users",
        "load-users",
        "greet(\"x\")",
        "greet(load_users())",
        "",
        "()",
        "::",
        "nothing.rs",
        "src/nothing.ts",
        "../../src/other.rs",
        "/etc/passwd",
    ] {
        assert_eq!(named(text), None, "{text}");
    }
}

#[test]
fn code_spans_are_found_outside_of_links_and_blocks() {
    let text = "---\na: `x`\n---\n# On `head`\n\nuse ``a`b``, [`Ref::x`] and [`in`](x), [[y|`z`]]\n\n    `indented`\n\n| `c` |\n|---|\n| `d` |\n";
    let spans = code_spans(text, text.find("# On").unwrap());
    let found: Vec<(&str, &str, bool)> =
        spans.iter().map(|span| (&text[span.range.clone()], span.text.as_str(), span.heading)).collect();
    assert_eq!(
        found,
        [("`head`", "head", true), ("``a`b``", "a`b", false), ("`c`", "c", false), ("`d`", "d", false)]
    );
}

#[test]
fn pages_about_what_was_are_recognised() {
    for page in ["CHANGELOG.md", "docs/changelog-2.md", "History.md"] {
        assert!(is_history(page), "{page}");
    }
    for page in ["docs/page-history.md", "newsletter.md", "guide.md"] {
        assert!(!is_history(page), "{page}");
    }
}

#[test]
fn addresses_are_relative_and_escaped() {
    assert_eq!(destination("docs/guide", "src/a.ts#Session.refresh"), "../../src/a.ts#Session.refresh");
    assert_eq!(destination("", "src/a b(1).ts"), "src/a%20b%281%29.ts");
    let span = &code_spans("say `x()` now", 0)[0];
    let (after, link) = linked("say `x()` now", span, "a.ts#x").unwrap();
    assert_eq!((after.as_str(), link.as_str()), ("say [`x()`](a.ts#x) now", "[`x()`](a.ts#x)"));
}
