//! The catalogues against the templates of the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ubp_cli::language::{Entry, entries, texts};

use super::templates;

/// The crates whose messages reach a terminal.
const SOURCES: [&str; 5] = ["core/src", "core/engines/src", "cli/src", "cli/host/src", "cli/servers/src"];

/// Words in the code that are the same in every language, so that no catalogue has them.
fn has_words(template: &str) -> bool {
    let mut rest = template.to_owned();
    for name in placeholders(template) {
        rest = rest.replace(&format!("{{{name}}}"), "");
    }
    rest.chars().any(char::is_alphabetic)
}

fn placeholders(template: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut rest = template.replace("{{", "").replace("}}", "");
    while let Some((name, after)) = rest.split_once('{').and_then(|(_, from)| from.split_once('}')) {
        names.insert(name.to_owned());
        rest = after.to_owned();
    }
    names
}

/// What is wrong with a catalogue: a line for each template that it lacks, each entry that nothing uses, and each
/// translation with other placeholders.
fn complaints(templates: &BTreeSet<String>, help: &BTreeSet<String>, catalogue: &[Entry]) -> Vec<String> {
    let mut known = BTreeMap::new();
    let mut wrong = Vec::new();
    for Entry { english, translated } in catalogue {
        if known.insert(english.as_str(), translated.as_str()).is_some() {
            wrong.push(format!("twice: {english}"));
        }
        // Help has no placeholders; its braces are text.
        if templates.contains(english) && placeholders(english) != placeholders(translated) {
            wrong.push(format!("other placeholders: {english}"));
        }
        if !templates.contains(english) && !help.contains(english) {
            wrong.push(format!("not used: {english}"));
        }
    }
    let needed = templates.iter().filter(|template| has_words(template)).chain(help);
    wrong.extend(
        needed.filter(|text| !known.contains_key(text.as_str())).map(|text| format!("missing: {text}")),
    );
    wrong
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            files(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

fn templates_of_the_code() -> BTreeSet<String> {
    let mut found = Vec::new();
    SOURCES.iter().for_each(|folder| files(&root().join(folder), &mut found));
    assert!(found.len() > 300, "the sources are there");
    found.iter().flat_map(|path| templates::of(&fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn the_japanese_catalogue_has_every_message_and_no_other() {
    let wrong = complaints(&templates_of_the_code(), &texts(), &entries("ja"));
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_translation_is_in_japanese() {
    // Names and numbers alone may be the same.
    let same = |entry: &&Entry| {
        entry.translated.is_ascii()
            && has_words(&entry.english)
            && entry.translated.split_whitespace().count() > 3
    };
    let all = entries("ja");
    let untranslated: Vec<&Entry> = all.iter().filter(same).collect();
    assert!(all.len() > 900 && untranslated.is_empty(), "{untranslated:?}");
}

#[test]
fn a_missing_an_unused_and_a_wrong_entry_are_found() {
    let entry =
        |english: &str, translated: &str| Entry { english: english.into(), translated: translated.into() };
    let templates = templates::of(
        "fn f() { message!(\"{count} found\", count); message!(\"gone \\\"{{x}}\\\" \\\n   now\"); counted(n, \"hit\", \"hits\") }",
    );
    let help = BTreeSet::from(["Print {this}".to_owned()]);
    let full = [
        entry("{count} found", "検出 {count} 件"),
        entry("gone \"{{x}}\" now", "なし"),
        entry("{number} hit", "{number} 件"),
        entry("Print {this}", "印刷"),
    ];
    assert!(complaints(&templates, &help, &full).is_empty(), "{:?}", complaints(&templates, &help, &full));
    assert_eq!(complaints(&templates, &help, &full[1..]), ["missing: {count} found"]);
    assert_eq!(complaints(&templates, &help, &full[..3]), ["missing: Print {this}"]);
    let mut other = full.clone();
    other[0] = entry("{count} found", "検出 {number} 件");
    assert_eq!(complaints(&templates, &help, &other), ["other placeholders: {count} found"]);
    let mut more = full.to_vec();
    more.push(entry("never said", "言わない"));
    assert_eq!(complaints(&templates, &help, &more), ["not used: never said"]);
}
