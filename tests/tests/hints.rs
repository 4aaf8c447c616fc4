//! Hints fit their reader: commands of `ubp` at the terminal, tools of the server for agents, and calls and buttons
//! elsewhere.

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

/// Follows a command in a hint for an agent, because only a person can run it.
const FOR_A_PERSON: &str = "` (for the person you work for, in a terminal)";

/// Calls that together cause every error that reading and writing can cause.
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

/// The vault of the parity suite with typical problems added: a stale page, duplicate page names, broken links and a
/// damaged lock of reviews.
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

/// The `ubp` commands between backticks, without the program's name.
fn commands(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|quoted| quoted.strip_prefix("ubp ")).map(str::to_owned).collect()
}

#[test]
fn every_command_in_a_hint_is_valid() {
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

/// The complete result of a tool, as text.
fn said(result: &Value) -> String {
    // Undo the escaping of quotes, as in text of pages.
    result.to_string().replace("\\\"", "\"")
}

/// The results of all cases, including the failing ones, from a server with these tools.
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
fn hints_for_agents_name_available_tools_and_mark_commands_as_for_a_person() {
    for arguments in [&[][..], &["--write"], &["--tools", "all,query,memory,documents", "--write=apply"]] {
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
fn hints_in_the_viewer_name_its_buttons() {
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

/// For errors and notes that no test can cause: the source code of the engine and of the server for agents must not
/// contain commands.
#[test]
fn no_message_of_the_engine_contains_a_command() {
    let root = Path::new("..");
    let mut read = 0;
    for folder in ["core/src", "cli/servers/src/mcp"] {
        for path in sources(&root.join(folder), &["rs"]) {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
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
