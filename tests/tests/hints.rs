//! Hints are in the words of whoever asks: commands that `ubp` takes at a terminal, tools that the server has for an
//! agent, and calls and buttons elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use ubp_core::ops::OPERATIONS;
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::{Ran, Terminal, split};

use crate::mcp::server;
use crate::parity;
use crate::viewer::{self, Viewer};

/// What stands behind a command that an agent is told of, since only a person can run it.
const FOR_A_PERSON: &str = "` (for the person you work for, in a terminal)";

/// Questions that end in each of the errors that a question can end in, and changes that do.
fn failing() -> Vec<(&'static str, Value)> {
    vec![
        ("get_page", json!({ "page": "nowhere at all" })),
        ("get_page", json!({ "page": "logni" })),
        ("get_page", json!({ "page": "tokens", "section": "none" })),
        ("get_page", json!({ "page": "alike" })),
        ("get_page", json!({})),
        ("get_page", json!({ "page": "login.md", "max_tokens": 1 })),
        ("search", json!({ "query": "" })),
        ("search", json!({ "query": "x", "link_types": ["bogus"] })),
        ("get_impact", json!({ "page": "src/none.rs" })),
        ("refs", json!({ "file": "../outside.rs" })),
        ("query", json!({ "sql": "SELECT nothing FROM nowhere" })),
        ("query", json!({ "sql": "SELECT embed('x')" })),
        ("audit", json!({ "entry": "000000000000" })),
        ("undo", json!({ "entry": "000000000000" })),
        ("create_page", json!({ "title": "Outside", "path": "../outside.md" })),
        ("update_page", json!({ "page": "login.md", "content": "x" })),
        ("update_page", json!({ "page": "login.md", "content": "x", "expected_hash": "sha256:00" })),
        ("update_page", json!({ "page": "law.md", "content": "x", "expected_hash": "sha256:00" })),
        ("delete_page", json!({ "page": "login.md" })),
        ("rename_page", json!({ "page": "login.md", "path": "db/users.md", "expected_hash": "sha256:00" })),
        ("review_page", json!({})),
        ("review_page", json!({ "page": "login.md" })),
        ("accept", json!({ "source": "login.md", "target": "island.md" })),
        ("forget", json!({ "memory": "nothing" })),
        ("delete_document", json!({ "filename": "nothing.md" })),
    ]
}

/// The vault of the parity suite with what goes wrong in projects: an overtaken page, two pages of one name, broken
/// links, a damaged lock of reviews.
fn project() -> Terminal {
    let project = parity::vault();
    for (path, text) in [
        ("one/alike.md", "# Alike\n\n[[nowhere]] [[alike]]\n"),
        ("two/alike.md", "# Alike\n"),
        ("law.md", "---\nagents: read-only\n---\n# Law\n"),
        ("gone.md", "---\nsource_refs: [src/gone.ts]\n---\n# Gone\n"),
    ] {
        project.write(path, text).unwrap();
    }
    assert!(project.ubp("add").succeeded());
    assert!(project.ubp("review login.md --still-accurate").succeeded());
    project.write("src/login.ts", "export const changed = true\n").unwrap();
    let lock = fs::read_to_string(project.path(".ubp/refs.lock")).unwrap();
    project.write(".ubp/refs.lock", format!("{lock}nonsense\n")).unwrap();
    project
}

/// What stands between backticks and begins as a command does.
fn commands(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|quoted| quoted.strip_prefix("ubp ")).map(str::to_owned).collect()
}

#[test]
fn every_command_that_a_hint_names_is_one_that_ubp_takes() {
    let project = project();
    let mut told = BTreeSet::new();
    let mut hear = |ran: &Ran| told.extend(commands(&ran.out).into_iter().chain(commands(&ran.err)));
    for (command, ..) in parity::cases() {
        hear(&project.ubp(command));
    }
    for command in [
        "get 'nowhere at all'",
        "audit nothing",
        "undo nothing",
        "search 'nothing like it' --folder none",
        "search --fulltext xqzzyw",
        "review login.md",
        "suggest-links --threshold 0",
        "new 'Made now'",
        "-C / status",
        "doctor",
        "stale",
        "rm gone.md",
    ] {
        hear(&project.ubp(command));
    }
    let told: Vec<String> = told.into_iter().collect();
    assert!(told.len() >= 8, "{told:?}");
    for command in told {
        let arguments = split(&command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = project.ubp_in("", &arguments);
        for misread in ["Usage:", "unexpected argument", "unrecognized subcommand"] {
            assert!(!ran.err.contains(misread), "`ubp {command}`: {}", ran.err);
        }
    }
}

/// All that a result of a tool says, in every form.
fn said(result: &Value) -> String {
    // Text of pages and of programs is quoted, and says nothing for the tool.
    result.to_string().replace("\\\"", "\"")
}

/// What a server with these arguments says to every case, and to what fails.
fn hear(client: &mut McpClient, tools: &[String]) -> Vec<(String, String)> {
    let mut heard = Vec::new();
    let cases = parity::cases().into_iter().map(|(_, name, params)| (name, params));
    for (name, params) in cases.chain(failing()) {
        let tool = ubp_core::ops::find(name).unwrap().mcp_name;
        if tools.iter().any(|known| known == tool) {
            let result = client.call(tool, params.clone()).unwrap();
            heard.push((format!("{tool} {params}"), said(&result)));
        }
    }
    heard
}

#[test]
fn an_agent_is_told_of_tools_that_its_server_has_and_of_commands_only_for_a_person() {
    for arguments in [&[][..], &["--write"], &["--tools", "all,query,memory,documents", "--write"]] {
        let project = project();
        project.let_agents_write_often().unwrap();
        let mut client = server(project.folder(), arguments);
        let tools = client.tool_names().unwrap();
        let heard = hear(&mut client, &tools);
        assert!(heard.len() > 20, "{arguments:?}: {}", heard.len());
        let every: BTreeSet<&str> = OPERATIONS.iter().map(|row| row.mcp_name).collect();
        let mut recommended = 0;
        for (call, said) in &heard {
            for (at, _) in said.match_indices("`ubp ") {
                let rest = &said[at + 1..];
                let end = rest.find('`').unwrap();
                assert!(rest[end..].starts_with(FOR_A_PERSON), "{call}: {said}");
                let command = &rest["ubp ".len()..end];
                let has_tool = |row: &&ubp_core::ops::Operation| {
                    !row.facts.command.is_empty()
                        && command.starts_with(row.facts.command)
                        && tools.iter().any(|tool| tool == row.mcp_name)
                };
                assert!(
                    !OPERATIONS.iter().any(|row| has_tool(&row)),
                    "{call} names a command for a tool: {command}"
                );
                recommended += 1;
            }
            let words = said.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words.filter(|word| word.starts_with("ubp_") && every.contains(word)) {
                assert!(
                    tools.iter().any(|tool| tool == word),
                    "{call} names {word}, which this server has not: {said}"
                );
                recommended += 1;
            }
        }
        assert!(recommended > 3, "{arguments:?}: {recommended}");
    }
}

#[test]
fn the_viewer_tells_of_its_own_buttons() {
    let viewer = Viewer::on(Arc::new(viewer::with_app(project())), "");
    let answer = viewer.post("get_page", &json!({ "page": "nowhere at all" })).json();
    assert_eq!(answer["hint"], "the list of pages shows every page");
    let app = sources(Path::new("../web-viewer/src"), &["ts", "svelte"]);
    let app: String = app.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    for row in OPERATIONS {
        let labels = row.facts.button.split(['“', '”']).skip(1).step_by(2);
        for label in labels {
            assert!(app.contains(label), "{}: the web app has no button '{label}'", row.name);
        }
    }
}

fn sources(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match path.is_dir() {
            true => found.extend(sources(&path, endings)),
            false if endings.contains(&ending) => found.push(path),
            false => {}
        }
    }
    found
}

/// Errors and notes that no test can bring about are held here: the engine, which speaks to everybody, and the server
/// for agents write no command down.
#[test]
fn no_sentence_of_the_engine_names_a_command() {
    let root = Path::new("..");
    let mut read = 0;
    for folder in ["core/src", "cli/servers/src/mcp"] {
        for path in sources(&root.join(folder), &["rs"]) {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name.ends_with("/hint.rs") || name.contains("tests") || name.contains("/background/") {
                continue;
            }
            read += 1;
            let text = fs::read_to_string(&path).unwrap();
            let code = text
                .split("#[cfg(test)]\n#[allow")
                .next()
                .unwrap()
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap();
            for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
                assert!(!line.contains("`ubp "), "{name}: {line}");
            }
        }
    }
    assert!(read > 150, "{read}");
}
