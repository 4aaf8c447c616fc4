//! The catalogues against the templates of the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use ubp_cli::language::{Entry, JAPANESE, LIBRARIES, STORED, entries, texts};
use ubp_core::message::Message;

use super::source::{self, Texts};

/// The crates whose messages reach a terminal.
const SOURCES: [&str; 6] =
    ["core/src", "core/engines/src", "cli/src", "cli/host/src", "cli/postgres/src", "cli/servers/src"];

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
/// translation with other placeholders. Templates of stored texts have a file of their own.
fn complaints(code: &Texts, help: &BTreeSet<String>, catalogue: &[Entry]) -> Vec<String> {
    let mut known = BTreeMap::new();
    let mut wrong = Vec::new();
    let is_used = |english: &String| code.told.contains(english) || code.stored.contains(english);
    for Entry { domain, english, translated } in catalogue {
        if known.insert(english.as_str(), translated.as_str()).is_some() {
            wrong.push(format!("twice: {english}"));
        }
        let is_template = is_used(english) || *domain == LIBRARIES;
        // Help has no placeholders; its braces are text.
        if is_template && placeholders(english) != placeholders(translated) {
            wrong.push(format!("other placeholders: {english}"));
        }
        if !is_template && !help.contains(english) {
            wrong.push(format!("not used: {english}"));
        }
        if code.stored.contains(english) != (*domain == STORED) {
            wrong.push(format!("in the wrong file: {english}"));
        }
    }
    let templates = code.told.union(&code.stored);
    let needed = templates.filter(|template| has_words(template)).chain(help);
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
        if path.is_dir() && name != "tests" && !name.ends_with("_tests") {
            files(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The texts of every source file, with its path.
fn code() -> Vec<(String, Texts)> {
    let mut found = Vec::new();
    SOURCES.iter().for_each(|folder| files(&root().join(folder), &mut found));
    assert!(found.len() > 300, "the sources are there");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        (name, source::texts(&fs::read_to_string(path).unwrap()))
    };
    found.into_iter().map(read).collect()
}

#[test]
fn the_japanese_catalogue_has_every_message_and_no_other() {
    let mut all = Texts::default();
    for (_, texts) in code() {
        all.told.extend(texts.told);
        all.stored.extend(texts.stored);
    }
    let wrong = complaints(&all, &texts(), &entries("ja"));
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

/// Files whose sentences are not for people at a terminal or in the viewer, or are not told in the reader's language.
const FOR_OTHERS: &[(&str, &str)] = &[
    ("cli/host/src/documents/", "the log of a server of documents"),
    ("cli/servers/src/mcp/arguments.rs", "for agents"),
    ("cli/servers/src/mcp/asking.rs", "for agents"),
    ("cli/servers/src/mcp/call.rs", "for agents"),
    ("cli/servers/src/mcp/endpoint/", "for clients, and programs that watch a server"),
    ("cli/servers/src/mcp/http.rs", "for clients"),
    ("cli/servers/src/mcp/hub.rs", "for agents"),
    ("cli/servers/src/mcp/limit.rs", "for agents"),
    ("cli/servers/src/mcp/lines.rs", "for clients"),
    ("cli/servers/src/mcp/prompts.rs", "for agents"),
    ("cli/servers/src/mcp/hub_resources.rs", "for agents"),
    ("cli/servers/src/mcp/resources.rs", "for agents"),
    ("cli/servers/src/mcp/server.rs", "for agents"),
    ("cli/servers/src/mcp/tools.rs", "for agents"),
    ("cli/src/agents/instructions.rs", "for agents"),
    ("cli/src/commands/diff/markdown.rs", "a comment on a pull request"),
    ("cli/src/commands/hook/", "for agents"),
    ("core/src/claims/exempt.rs", "words of pages"),
    ("core/src/claims/past.rs", "words of code"),
    ("core/src/export/words.rs", "has its own translations, which pages of a site choose"),
    ("core/src/memory/contradiction/words.rs", "words of pages"),
    ("core/src/ops/sets/documents/", "tools that only agents have"),
    ("core/src/show/markdown.rs", "for agents"),
    ("core/src/suggest/relations/vocabulary.rs", "words of pages"),
];

/// Beginnings of texts that are not for people, or the same in every language.
const SAME: &[&str] = &[
    // For agents.
    "Memories record what was learned here before.",
    "This project's documentation:",
    "the documents folder",
    "this agent",
    // For programs, and for programmers.
    "a text, a list or a map of them",
    "`oldUri` and `newUri`",
    "`uri` is not a file",
    "SET search_path",
    "expected parameters as application/json",
    "in memory",
    "no project is open",
    "operations need POST",
    "rows without a page",
    "several projects are open",
    "ubp guest ",
    "without code",
    "the address",
    "the cookie",
    "the file is ",
    "the id is neither",
    "the project",
    "the server ",
    "this id is in use",
    "unknown command",
    "unknown method",
    "unknown operation",
    // Given to embedding models.
    "A page describes a system, and its links say what depends on what.",
    "Instruct: Given a question",
    "Represent this sentence",
    "task: search result",
    "title: none",
    // Written into files.
    "# Pages whose code this commit changes",
    "# What belongs to this machine alone",
    "<!-- ",
    "\n\\ No newline at end of file",
    "rename from ",
    // Compared with what others say.
    "cannot use bare repository",
    "must be run in a work tree",
    "no such",
    "not a git repository",
    "unrecognized token",
    // Names, formats and code.
    " = ?2\n             UNION ALL SELECT 1 FROM",
    " AS source\n         FROM links",
    "CASE WHEN target GLOB",
    "MMM do, yyyy",
    "My first page",
    "\nconst secret = ",
    "\nwithout full text",
    "cargo install",
    "description, folder, fields, headings, links",
    "description, kind, values, default, required",
    "external image",
    "link missing",
    "link source",
    "link text",
    "noopener noreferrer",
    "query board",
    "ubp hub view",
    "ubp viewer",
    "{:.4} = meaning {:.4}",
];

#[test]
fn every_sentence_for_people_is_in_the_catalogue() {
    let known: BTreeSet<String> = entries("ja").into_iter().map(|entry| entry.english).collect();
    let (mut wrong, mut allowed) = (Vec::new(), BTreeSet::new());
    for (path, texts) in code() {
        for (line, text) in texts.others.into_iter().filter(|(_, text)| !known.contains(text)) {
            let of_file = FOR_OTHERS.iter().map(|(start, _)| *start).find(|start| path.starts_with(start));
            match of_file.or(SAME.iter().copied().find(|same| text.starts_with(same))) {
                Some(why) => _ = allowed.insert(why),
                None => wrong.push(format!("{path}:{line}: {text:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences in no template:\n{}", wrong.len(), wrong.join("\n"));
    let unused = FOR_OTHERS.iter().map(|(start, _)| *start).chain(SAME.iter().copied());
    let unused: Vec<&str> = unused.filter(|why| !allowed.contains(why)).collect();
    assert!(unused.is_empty(), "not needed: {unused:?}");
}

#[test]
fn words_of_libraries_and_stored_texts_are_told_in_japanese() {
    let cases: Value = serde_json::from_str(include_str!("retold.json")).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let told = Message::reported(case[0].as_str().unwrap()).in_language(JAPANESE);
        assert_eq!(told, case[1].as_str().unwrap(), "{}", case[0]);
    }
}

/// The files of the catalogue that the web app loads with the engine (`web-viewer/messages.ts`).
const OF_THE_ENGINE: [&str; 4] = ["answers", "errors", STORED, LIBRARIES];

#[test]
fn browsers_get_every_message_of_the_engine() {
    let domains: BTreeMap<String, &str> =
        entries("ja").into_iter().map(|entry| (entry.english, entry.domain)).collect();
    let is_elsewhere =
        |template: &String| domains.get(template).is_some_and(|domain| !OF_THE_ENGINE.contains(domain));
    let engine = code().into_iter().filter(|(path, _)| path.starts_with("core/src/"));
    let wrong: Vec<String> = engine
        .flat_map(|(_, texts)| texts.told.into_iter().filter(is_elsewhere).collect::<Vec<_>>())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
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
    let of = |domain, english: &str, translated: &str| Entry {
        domain,
        english: english.into(),
        translated: translated.into(),
    };
    let entry = |english: &str, translated: &str| of("answers", english, translated);
    let templates = source::texts(
        "fn f() { message!(\"{count} found\", count); reported!(\"no {x}\"); counted(n, \"hit\", \"hits\") }",
    );
    let help = BTreeSet::from(["Print {this}".to_owned()]);
    let full = [
        entry("{count} found", "検出 {count} 件"),
        of(STORED, "no {x}", "{x} なし"),
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
    more.push(of(LIBRARIES, "no such column: {name}", "列 {name} なし"));
    assert_eq!(complaints(&templates, &help, &more), ["not used: never said"]);
    more = full.to_vec();
    more[1].domain = "answers";
    assert_eq!(complaints(&templates, &help, &more), ["in the wrong file: no {x}"]);
}
