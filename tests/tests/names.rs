//! What is printed can be typed: every path, id, title and section that an answer has, in text and in JSON, is taken
//! by every command and every operation that takes a page, from every folder of a project. Answers and takers are
//! those of the table and of the help, so that a new operation is part of this by itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use ubp_core::ops::{OPERATIONS, Operation, find};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, path};
use ubp_tests::fixture::engine;
use ubp_tests::terminal::{Terminal, split};

use crate::parity;

/// Parameters that name a page, or several.
const NAMING: [&str; 9] =
    ["page", "pages", "filepath", "id", "page_id", "center_page_id", "source", "target", "add"];

/// Where commands are typed: the project, its pages, a folder of theirs, and one that has nothing to do with them.
const FOLDERS: [&str; 4] = ["", "pages", "pages/db", "src"];

/// Codes of errors that say that a name was not understood.
const NOT_UNDERSTOOD: [&str; 3] = ["page_not_found", "ambiguous_page", "outside_project"];

/// The vault of the parity suite, with its pages in a folder, and some that are called alike.
fn project() -> Terminal {
    let files = parity::files().map(|(path, text)| match path::is_page(path) {
        true => (format!("pages/{path}"), text),
        false => (path.to_owned(), text),
    });
    let mut files: Vec<(String, &str)> = files.collect();
    files.extend([
        ("pages/db/login.md".into(), "# Login of the database\n\nA session token, see [[db/two words]].\n"),
        ("pages/pages/users.md".into(), "# Users of pages\n\nA session token.\n"),
        (
            "pages/db/two words.md".into(),
            "---\naliases: [Double]\n---\n# Two words: a title\n\nA session token.\n",
        ),
        ("pages/設計/認証.md".into(), "# 認証の設計\n\n[[login|depends_on]] session token\n"),
    ]);
    let project = Terminal::project(files.iter().map(|(path, text)| (path.as_str(), *text))).unwrap();
    assert!(project.ubp("add").succeeded());
    project
}

/// The pages: id, path and title of each.
fn pages(context: &Context<'_>) -> Vec<[String; 3]> {
    let listed = context.call("list_pages", json!({})).unwrap();
    let text = |page: &Value, field: &str| page[field].as_str().unwrap().to_owned();
    let listed = listed["pages"].as_array().unwrap().iter();
    listed.map(|page| ["doc_id", "filepath", "title"].map(|field| text(page, field))).collect()
}

/// Every name of a page in an answer, and the path of the page that it must lead to; and every section.
#[derive(Default)]
struct Printed {
    names: BTreeMap<String, String>,
    sections: BTreeSet<(String, String)>,
    strange: BTreeSet<String>,
}

impl Printed {
    fn collect(&mut self, answer: &Value, page: Option<&str>, known: &[[String; 3]]) {
        match answer {
            Value::Object(fields) => {
                let page = fields.get("filepath").and_then(Value::as_str).or(page);
                if let (Some(page), Some(Value::String(section))) = (page, fields.get("section_id")) {
                    self.sections.insert((page.to_owned(), section.clone()));
                }
                for (name, value) in fields {
                    // Text of pages, and places in the trash, are no names.
                    if !["content", "diff", "text", "trash", "before", "after"].contains(&name.as_str()) {
                        self.collect(value, page, known);
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, page, known)),
            Value::String(text) => {
                if let Some([_, path, _]) = known.iter().find(|names| names.contains(text)) {
                    self.names.insert(text.clone(), path.clone());
                } else if path::is_page(text) && !text.contains(['\n', '[']) {
                    self.strange.insert(text.clone());
                }
            }
            _ => {}
        }
    }
}

/// What every operation answers to the cases of the parity suite, those that change something as a dry run.
fn printed(context: &Context<'_>, known: &[[String; 3]]) -> Printed {
    let mut printed = Printed::default();
    for (_, name, params) in parity::cases() {
        let answer = context.call(name, params).unwrap();
        printed.collect(&answer, None, known);
    }
    printed
}

fn has(operation: &Operation, parameter: &str) -> bool {
    let schema = (operation.input_schema)().to_value();
    let has = |name: &str| schema["properties"].get(name).is_some();
    // A source alone is where a memory comes from.
    has(parameter) && (parameter != "source" || has("target"))
}

/// How an operation can be asked about a page: its parameters without that, and the name of the one that names it.
fn askings(operation: &'static Operation) -> Vec<(Value, &'static str)> {
    let naming: Vec<&str> = NAMING.into_iter().filter(|name| has(operation, name)).collect();
    if naming.is_empty() {
        return Vec::new();
    }
    let asked = parity::cases().into_iter().map(|(_, name, params)| (name, params));
    let steps = parity::steps().into_iter().map(|(_, name, params)| (name, params.clone()));
    let mut params = asked.chain(steps).find(|(name, _)| *name == operation.name).unwrap().1;
    let params = params.as_object_mut().unwrap();
    if has(operation, "dry_run") {
        params.insert("dry_run".into(), true.into());
    }
    naming
        .into_iter()
        .map(|name| {
            let mut params = params.clone();
            // Two ends of a link are two pages; everything else names one page once.
            let others = NAMING.iter().filter(|other| !["source", "target"].contains(other));
            others.for_each(|other| drop(params.remove(*other)));
            params.remove("file");
            params.remove("section");
            (Value::Object(params), name)
        })
        .collect()
}

#[test]
fn every_operation_takes_what_any_operation_answers() {
    let project = project();
    let engine = engine(project.folder(), None).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    let known = pages(&context);
    let printed = printed(&context, &known);
    // What a dry run would make is not there.
    let strange: Vec<&str> = printed.strange.iter().map(String::as_str).collect();
    assert_eq!(strange, ["accounts/users.md", "db/Session store.md"]);
    assert!(printed.names.len() >= 3 * known.len(), "{:?}", printed.names.keys());
    let mut asked = BTreeSet::new();
    for operation in OPERATIONS {
        for (base, parameter) in askings(operation) {
            for (name, path) in &printed.names {
                let is_path = name == path;
                let is_title = known.iter().any(|[_, _, title]| title == name);
                // What names a page by its path, or its id, takes no title.
                let takes = match parameter {
                    "filepath" => is_path,
                    "id" | "page_id" | "center_page_id" => !is_title,
                    _ => true,
                };
                if !takes {
                    continue;
                }
                let seen = [name.clone(), format!("pages/{name}"), format!("{name}:3"), format!("./{name}")];
                for name in seen.iter().take(if is_path { 4 } else { 1 }) {
                    let list = ["pages", "add"].contains(&parameter);
                    let mut params = base.clone();
                    params[parameter] = if list { json!([name]) } else { json!(name) };
                    let answer = context.call(operation.name, params.clone());
                    asked.insert((operation.name, parameter));
                    match answer {
                        Ok(answer) => {
                            let text = answer.to_string();
                            assert!(
                                text.contains(&json!(path).to_string()) || !text.contains(".md"),
                                "{params}: {text}"
                            );
                        }
                        Err(error) => {
                            assert!(
                                !NOT_UNDERSTOOD.contains(&error.code()),
                                "{} {params}: {error}",
                                operation.name
                            );
                        }
                    }
                }
            }
        }
    }
    for (page, section) in &printed.sections {
        let answer = context.call("get_page", json!({ "page": page, "section": section })).unwrap();
        assert_eq!(answer["sections"][0]["section_id"], json!(section), "{page}");
    }
    assert!(printed.sections.len() > 3, "{:?}", printed.sections);
    assert!(asked.len() > 25, "{asked:?}");
}

/// Ways to type a command that takes a page, as its help tells them; `{page}` stands for the page.
fn commands(project: &Terminal) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let names: BTreeSet<&str> = OPERATIONS
        .iter()
        .filter_map(|row| row.facts.command.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    for name in names {
        let help = project.ubp(&format!("{name} --help")).out;
        let usage = help.lines().find(|line| line.starts_with("Usage:")).unwrap();
        let placeholders = usage.split(['<', '[']).skip(1).filter_map(|rest| rest.split(['>', ']']).next());
        let placeholders: Vec<&str> = placeholders.filter(|placeholder| *placeholder != "OPTIONS").collect();
        let dry_run = help.contains("--dry-run");
        let filled = |words: Vec<&str>| {
            let words =
                std::iter::once(name).chain(words).chain(dry_run.then_some("--dry-run")).chain(["--json"]);
            words.map(str::to_owned).collect::<Vec<String>>()
        };
        let is_page = |placeholder: &str| placeholder.split('|').any(|one| one == "PAGE");
        if placeholders.iter().any(|placeholder| is_page(placeholder)) {
            let word = |placeholder: &&str| match *placeholder {
                placeholder if is_page(placeholder) => "{page}",
                "TARGET" => "island.md",
                "PATH|TITLE" => "Another title",
                other => panic!("{name}: nothing is known to stand for {other}"),
            };
            commands.push(filled(placeholders.iter().map(word).collect()));
        }
        if help.contains("--page <PAGE>") {
            commands.push(filled(vec!["--page", "{page}"]));
        }
    }
    commands
}

/// What a terminal prints as paths, in words and between NUL bytes.
fn printed_paths(project: &Terminal, folder: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for (command, ..) in parity::cases() {
        // What would be written is not there.
        if command.contains("--dry-run") {
            continue;
        }
        let arguments = split(command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = project.ubp_in(folder, &arguments);
        let words = ran.out.split(|c: char| c.is_whitespace() || "'\"`(),;".contains(c));
        let words = words.map(|word| word.trim_end_matches([':', '.']));
        let is_path = |word: &&str| {
            let page = word.rsplit_once(':').map_or(*word, |(page, _)| page);
            path::is_page(word) || path::is_page(page)
        };
        // Of a name with blanks, a word is only the end.
        paths.extend(words.filter(is_path).filter(|word| !word.contains("words.md")).map(str::to_owned));
    }
    let found = project.ubp_in(folder, &["search", "session token", "-l", "-0", "-n", "20"]);
    let found: Vec<&str> = found.out.split_terminator('\0').collect();
    assert!(found.iter().any(|path| path.ends_with("two words.md")), "{found:?}");
    paths.extend(found.into_iter().map(str::to_owned));
    paths
}

/// The path below the pages folder of the page that is printed in `folder`: what is there, as a file that is typed,
/// or what a sentence calls by its path.
fn lies(project: &Terminal, folder: &str, typed: &str) -> String {
    let file = typed.rsplit_once(':').filter(|(page, _)| path::is_page(page)).map_or(typed, |(page, _)| page);
    let seen = path::join(folder, file).filter(|place| project.path(place).is_file());
    let page = seen.and_then(|place| place.strip_prefix("pages/").map(str::to_owned));
    let page = page.unwrap_or_else(|| file.to_owned());
    assert!(project.path(&format!("pages/{page}")).is_file(), "{typed} in '{folder}' is no page");
    page
}

#[test]
fn every_command_takes_what_any_command_prints_from_every_folder() {
    let project = project();
    let commands = commands(&project);
    assert!(commands.len() >= 12, "{commands:?}");
    for folder in FOLDERS {
        let paths = printed_paths(&project, folder);
        assert!(paths.len() >= 6, "{folder}: {paths:?}");
        let ids = project.ubp_in(folder, &["list", "--json"]).json();
        let ids = ids["pages"].as_array().unwrap().iter().flat_map(|page| {
            let text = |field: &str| page[field].as_str().unwrap().to_owned();
            [(text("doc_id"), text("filepath")), (text("title"), text("filepath"))]
        });
        let absolute = project.path("pages/db/two words.md").display().to_string();
        let paths = paths.into_iter().map(|typed| (typed.clone(), lies(&project, folder, &typed)));
        for (typed, page) in paths.chain(ids).chain([(absolute, "db/two words.md".into())]) {
            for command in &commands {
                let words: Vec<&str> = command
                    .iter()
                    .map(|word| if word == "{page}" { &typed } else { word.as_str() })
                    .collect();
                let ran = project.ubp_in(folder, &words);
                let answer = ran.json();
                let code = answer["error"]["code"].as_str().unwrap_or_default();
                assert!(!NOT_UNDERSTOOD.contains(&code), "in '{folder}': {}", ran.transcript());
                if code.is_empty() && words[0] == "get" {
                    assert_eq!(answer["filepath"], json!(page), "in '{folder}': {}", ran.transcript());
                }
            }
        }
    }
}

#[test]
fn a_path_is_printed_as_short_as_it_can_be_typed() {
    let project = project();
    for (folder, printed) in [
        ("", "pages/db/users.md"),
        ("pages", "db/users.md"),
        ("pages/db", "users.md"),
        ("src", "../pages/db/users.md"),
    ] {
        assert_eq!(project.ubp_in(folder, &["search", "UserDB", "-l", "-n", "1"]).out.trim_end(), printed);
    }
    let refs = project.ubp_in("src", &["refs", "login.ts"]);
    assert!(refs.err.contains("describe login.ts"), "{}", refs.transcript());
}

/// The page that `get` answers with where this is typed, and what it says beside it.
fn got(project: &Terminal, folder: &str, typed: &str) -> (Value, String) {
    let ran = project.ubp_in(folder, &["get", typed, "--json"]);
    (ran.json()["filepath"].clone(), ran.err.clone())
}

#[test]
fn of_two_pages_that_a_path_may_mean_the_one_that_lies_there_is_meant_and_that_is_said() {
    let project = project();
    let (page, said) = got(&project, "pages/db", "login.md");
    assert_eq!(page, "db/login.md");
    assert!(said.contains("for the other page, type ../login.md"), "{said}");
    for (folder, typed, page) in [
        ("pages/db", "../login.md", "login.md"),
        ("pages/db", "./login.md", "db/login.md"),
        ("pages/db", "db/login.md", "db/login.md"),
        ("pages/db", "tokens.md", "tokens.md"),
        ("pages", "login.md", "login.md"),
        ("", "login.md", "login.md"),
        ("", "pages/users.md", "pages/users.md"),
        ("", "pages/pages/users.md", "pages/users.md"),
        ("pages", "pages/users.md", "pages/users.md"),
        ("", "pages/tokens.md", "tokens.md"),
        ("src", "../pages/db/users.md", "db/users.md"),
        ("src", "pages/db/users.md", "db/users.md"),
    ] {
        let (found, said) = got(&project, folder, typed);
        assert_eq!(found, page, "{typed} in '{folder}'");
        assert!(!said.contains("for the other page"), "{typed} in '{folder}': {said}");
    }
}

#[test]
fn a_folder_stands_for_the_pages_in_it() {
    let project = project();
    for (folder, typed) in
        [("", "pages"), ("", "pages/"), ("", "."), ("pages", "."), ("pages/db", ".."), ("", "pages/db")]
    {
        let ran = project.ubp_in(folder, &["add", typed]);
        assert!(ran.succeeded(), "in '{folder}': {}", ran.transcript());
    }
    for typed in ["src", "questions"] {
        let ran = project.ubp_in("", &["add", typed]);
        assert!(ran.err.contains(&format!("{typed}: outside of the pages folder")), "{}", ran.transcript());
    }
    std::fs::create_dir(project.path("pages/empty")).unwrap();
    let ran = project.ubp_in("pages", &["add", "empty"]);
    assert!(ran.err.contains("empty: there are no pages in this folder"), "{}", ran.transcript());
    // Only the page that names sources is reviewed.
    let ran = project.ubp_in("", &["review", "pages", "--json", "--still-accurate"]);
    assert_eq!(ran.json()["reviewed"][0]["filepath"], "login.md", "{}", ran.transcript());
    assert_eq!(ran.json()["without_sources"], json!([]), "{}", ran.transcript());
    let ran = project.ubp_in("pages", &["review", "db"]);
    assert!(ran.err.contains("db: no page in this folder has sources"), "{}", ran.transcript());
}

#[test]
fn a_new_place_is_seen_from_the_current_folder_within_the_pages() {
    let project = project();
    for (folder, arguments, place) in [
        ("pages/db", ["mv", "login.md", "signing-in.md"], "db/signing-in.md"),
        ("", ["mv", "pages/db/signing-in.md", "pages/auth/signing-in.md"], "auth/signing-in.md"),
        ("", ["mv", "auth/signing-in.md", "db/login.md"], "db/login.md"),
        ("src", ["new", "Store", "--path=../pages/db/store.md"], "db/store.md"),
        ("pages", ["new", "Shelf", "--folder=db"], "db/Shelf.md"),
        ("", ["new", "Drawer", "--folder=pages/db"], "db/Drawer.md"),
    ] {
        let ran = project.ubp_in(folder, &arguments);
        assert!(ran.succeeded(), "{}", ran.transcript());
        assert!(project.path(&format!("pages/{place}")).exists(), "{place}: {}", ran.transcript());
    }
}

#[test]
fn a_page_that_is_gone_is_still_known_to_the_audit_log_by_its_place() {
    let project = project();
    assert!(project.ubp_in("pages/db", &["rm", "login.md"]).succeeded());
    for (folder, typed) in [
        ("pages/db", "login.md"),
        ("pages/db", "./login.md"),
        ("", "pages/db/login.md"),
        ("src", "db/login.md"),
    ] {
        let ran = project.ubp_in(folder, &["audit", "--page", typed, "--json"]);
        assert_eq!(ran.json()["total"], 1, "in '{folder}': {}", ran.transcript());
    }
    let ran = project.ubp("audit --page never.md");
    assert!(ran.err.contains("no page is called 'never.md'"), "{}", ran.transcript());
}

#[test]
fn every_row_with_a_page_is_asked() {
    for operation in OPERATIONS {
        let schema = (operation.input_schema)().to_value();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let described = property["description"].as_str().unwrap_or_default();
            let names_a_page = described.contains("path, id, title or alias");
            assert!(!names_a_page || NAMING.contains(&name.as_str()), "{}: {name}", operation.name);
        }
    }
    assert!(find("get_page").is_some());
}
