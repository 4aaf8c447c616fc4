//! What is shown of a page on the screen, over projects in memory.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::*;
use crate::Context;
use crate::drafts::Drafts;
use crate::index::tests::Project;
use crate::message::{Language, Message};
use crate::ports::{Symbol, SymbolHashes, SymbolPart, Symbols, Target};

mod completing;
mod finding;
mod referring;
mod showing;

/// Knows `fn name` at the beginning of lines.
struct Functions;

impl Functions {
    fn of(bytes: &[u8]) -> Vec<Symbol> {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut at = 0;
        let mut found = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if let Some(name) = line.trim_end().strip_prefix("fn ") {
                let range = at..at + line.trim_end().len();
                let lines = (number + 1, number + 1);
                let part =
                    SymbolPart { kind: "function", lines, range: range.clone(), signature: range, doc: None };
                let hashes = SymbolHashes::unknown();
                found.push(Symbol { name: name.to_owned(), hashes, body: None, parts: vec![part] });
            }
            at += line.len();
        }
        found
    }
}

impl Symbols for Functions {
    fn knows(&self, path: &str) -> bool {
        path.ends_with(".rs")
    }

    fn find(&self, _path: &str, bytes: &[u8], names: &[&str]) -> Vec<Target> {
        let all = Self::of(bytes);
        let one = |name: &&str| all.iter().find(|symbol| symbol.name == **name).cloned();
        names.iter().map(|name| one(name).map_or(Target::Nothing(Vec::new()), Target::Symbol)).collect()
    }

    fn all(&self, _path: &str, bytes: &[u8]) -> Vec<Symbol> {
        Self::of(bytes)
    }

    fn tokens(&self, _path: &str, _bytes: &[u8]) -> Option<String> {
        None
    }
}

const LOGIN: &str = "---
aliases: [Sign in]
tags: [auth, auth/basic]
source_refs:
  - src/login.rs#check
---
# Login

Needs [[Users|depends_on]], [[Users#Fields]] and [[Nobody]].

## Errors | codes

Five. ^limit

Calls [[src/login.rs#check]].
";

const USERS: &str =
    "# Users\n\nSee [[Sign in]], [[#Fields]], [[Login#^limit]] and [x](Login.md).\n\n## Fields\n\nName.\n";

fn project() -> Project {
    let project = Project::with_pages([
        ("Login.md", LOGIN),
        ("Users.md", USERS),
        ("a/Same.md", "# Same\n"),
        ("b/Same.md", "# Same\n"),
    ]);
    project.source.put_source("src/login.rs", b"// Code\nfn check\nfn other\n", Timestamp::UNIX_EPOCH);
    project
}

fn context(project: &Project) -> Context<'_> {
    Context { symbols: &Functions, ..project.context() }
}

/// A page as it is typed, and the drafts that hold it.
fn typed(context: &Context<'_>, path: &str, text: &str) -> (Drafts, OpenPage) {
    let mut drafts = Drafts::default();
    drafts.set(path, text);
    let open = OpenPage::of(context, &drafts, path).unwrap();
    (drafts, open)
}

fn saved(context: &Context<'_>, path: &str) -> OpenPage {
    OpenPage::of(context, &Drafts::default(), path).unwrap()
}

fn plain(message: &Message) -> String {
    message.in_language(Language::ENGLISH)
}

#[test]
fn lines_have_no_indentation_and_no_line_break() {
    let project = project();
    let context = context(&project);
    let (_, open) = typed(&context, "New.md", "one\r\n  two \rthree\n\n");
    let line = |number| &open.text[open.line(number)];
    assert_eq!([1, 2, 3, 4, 5, 6, 99].map(line), ["one", "two", "three", "", "", "", ""]);
}

#[test]
fn the_link_at_a_byte_is_the_one_that_starts_there_or_contains_it() {
    let project = project();
    let context = context(&project);
    let (_, open) = typed(&context, "New.md", "é [[A]][[B]] [[C]]");
    let at = |offset| open.link_at(offset).map(|link| link.target.as_str());
    assert_eq!(
        [0, 2, 3, 5, 7, 8, 13, 14].map(at),
        [None, None, Some("A"), Some("A"), Some("A"), Some("B"), Some("B"), Some("C")]
    );
}
