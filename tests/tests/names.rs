//! What UBP prints can be typed: every path, id, title and section in an answer, as text or JSON, is accepted by every
//! command and operation that takes a page, from every folder of a project. The operations come from the operation
//! table and the commands from the help, so new ones are tested automatically.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use ubp_core::ops::{OPERATIONS, Operation, find};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, path};
use ubp_tests::fixture::engine;
use ubp_tests::terminal::{Terminal, split};

use crate::parity;

/// Parameters that identify one or more pages.
const NAMING: [&str; 9] =
    ["page", "pages", "filepath", "id", "page_id", "center_page_id", "source", "target", "add"];

/// The current folders: the project, its pages, a subfolder, and an unrelated folder.
const FOLDERS: [&str; 4] = ["", "pages", "pages/db", "src"];

/// Error codes for a name that was not understood.
const NOT_UNDERSTOOD: [&str; 3] = ["page_not_found", "ambiguous_page", "outside_project"];

/// The vault of the parity suite, with its pages in a folder, and some pages with similar names.
fn project() -> Terminal {
    let files = parity::files().map(|(path, text)| {
        match (path.strip_prefix("meta/templates/"), path::is_page(path)) {
            (Some(name), _) => (format!("templates/{name}"), text),
            (None, true) => (format!("pages/{path}"), text),
            (None, false) => (path.to_owned(), text),
        }
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

/// Id, path and title of each page.
fn pages(context: &Context<'_>) -> Vec<[String; 3]> {
    let listed = context.call("list_pages", json!({})).unwrap();
    let text = |page: &Value, field: &str| page[field].as_str().unwrap().to_owned();
    let listed = listed["pages"].as_array().unwrap().iter();
    listed.map(|page| ["doc_id", "filepath", "title"].map(|field| text(page, field))).collect()
}

/// Every page name in an answer, with the path of the page that it identifies; and every section.
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
                    // Not names: text of pages, and paths in the trash.
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

/// The answers of all operations to the cases of the parity suite. Changes are dry runs.
fn printed(context: &Context<'_>, known: &[[String; 3]]) -> Printed {
    let mut printed = Printed::default();
    // Templates are not pages.
    for (_, name, params) in parity::cases().into_iter().filter(|(_, name, _)| *name != "list_templates") {
        let answer = context.call(name, params).unwrap();
        printed.collect(&answer, None, known);
    }
    printed
}

fn has(operation: &Operation, parameter: &str) -> bool {
    let schema = (operation.input_schema)().to_value();
    let has = |name: &str| schema["properties"].get(name).is_some();
    // `source` without `target` is the origin of a memory, not a page.
    has(parameter) && (parameter != "source" || has("target"))
}

/// How to call an operation with a page: the other parameters, and the name of the parameter for the page.
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
            // A link has two pages, `source` and `target`; all other operations take one.
            let others = NAMING.iter().filter(|other| !["source", "target"].contains(other));
            others.for_each(|other| drop(params.remove(*other)));
            params.remove("file");
            params.remove("section");
            (Value::Object(params), name)
        })
        .collect()
}

#[test]
fn every_operation_accepts_names_from_any_answer() {
    let project = project();
    let engine = engine(project.folder(), None).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    let known = pages(&context);
    let printed = printed(&context, &known);
    // Pages that a dry run would create or move do not exist there.
    let strange: Vec<&str> = printed.strange.iter().map(String::as_str).collect();
    let unwritten = [
        "accounts/users.md",
        "db/Session store.md",
        "notes/Keep tokens.md",
        "people/login.md",
        "people/tokens.md",
    ];
    assert_eq!(strange, unwritten);
    assert!(printed.names.len() >= 3 * known.len(), "{:?}", printed.names.keys());
    let mut asked = BTreeSet::new();
    for operation in OPERATIONS {
        for (base, parameter) in askings(operation) {
            for (name, path) in &printed.names {
                let is_path = name == path;
                let is_title = known.iter().any(|[_, _, title]| title == name);
                // Parameters for paths or ids accept no titles.
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

/// Commands that take a page, according to their help; `{page}` is the placeholder.
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

/// The paths in the output of commands, both in text and separated by NUL bytes.
fn printed_paths(project: &Terminal, folder: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for (command, ..) in parity::cases() {
        // Pages that a dry run would create do not exist, and templates are not pages.
        if command.contains("--dry-run") || command == "new --templates" {
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
        // Splitting at blanks leaves only the end of a name with blanks.
        paths.extend(
            words
                .filter(is_path)
                .filter(|word| !word.contains("words.md") && !word.contains("templates/"))
                .map(str::to_owned),
        );
    }
    let found = project.ubp_in(folder, &["search", "session token", "-l", "-0", "-n", "20"]);
    let found: Vec<&str> = found.out.split_terminator('\0').collect();
    assert!(found.iter().any(|path| path.ends_with("two words.md")), "{found:?}");
    paths.extend(found.into_iter().map(str::to_owned));
    paths
}

/// The path, relative to the pages folder, of a page that was printed in `folder`: either an existing path seen from
/// there, or a path relative to the pages folder.
fn lies(project: &Terminal, folder: &str, typed: &str) -> String {
    let file = typed.rsplit_once(':').filter(|(page, _)| path::is_page(page)).map_or(typed, |(page, _)| page);
    let seen = path::join(folder, file).filter(|place| project.path(place).is_file());
    let page = seen.and_then(|place| place.strip_prefix("pages/").map(str::to_owned));
    let page = page.unwrap_or_else(|| file.to_owned());
    assert!(project.path(&format!("pages/{page}")).is_file(), "{typed} in '{folder}' is no page");
    page
}

#[test]
fn every_command_accepts_printed_paths_from_every_folder() {
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
fn paths_are_printed_relative_to_the_current_folder() {
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

/// The page that `get` finds for what is typed in `folder`, and the messages.
fn got(project: &Terminal, folder: &str, typed: &str) -> (Value, String) {
    let ran = project.ubp_in(folder, &["get", typed, "--json"]);
    (ran.json()["filepath"].clone(), ran.err.clone())
}

#[test]
fn for_an_ambiguous_path_the_page_at_that_path_wins_with_a_note() {
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
fn a_folder_means_all_pages_in_it() {
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
    // Only the page with sources is reviewed.
    let ran = project.ubp_in("", &["review", "pages", "--json", "--still-accurate"]);
    assert_eq!(ran.json()["reviewed"][0]["filepath"], "login.md", "{}", ran.transcript());
    assert_eq!(ran.json()["without_sources"], json!([]), "{}", ran.transcript());
    let ran = project.ubp_in("pages", &["review", "db"]);
    assert!(ran.err.contains("db: no page in this folder has sources"), "{}", ran.transcript());
}

#[test]
fn a_new_path_is_relative_to_the_current_folder_within_the_pages() {
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
fn the_audit_log_finds_a_deleted_page_by_its_path() {
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
fn every_operation_with_a_page_parameter_is_tested() {
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
