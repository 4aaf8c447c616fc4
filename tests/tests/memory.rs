//! Memory as its users know it: every line of the table in `docs/memory.md` is run, at the terminal and over
//! MCP; many clients lose nothing; personal memories are nobody else's.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_cli::host::{GitHistory, Project, SystemClock};
use ubp_core::index::Index;
use ubp_core::ops::{Caller, Engine};
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use crate::mcp::text;
use crate::process::program;

const CLIENTS: usize = 8;

fn vault() -> Terminal {
    Terminal::vault([("other.md", "# Other\n\nNothing to remember.\n")]).unwrap()
}

/// What `ubp` answers as JSON; it must succeed.
fn ubp(terminal: &Terminal, arguments: &str) -> Value {
    let ran = terminal.ubp(&format!("{arguments} --json"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.json()
}

/// The rows of the last table of the page: what was typed there, and what is typed here.
fn rows() -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/memory.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("\n## For users of hail-mary\n").nth(1).unwrap();
    let cells = |line: &str| {
        let mut cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned());
        Some((cells.next()?, cells.next()?))
    };
    table.lines().filter(|line| line.starts_with("| ")).filter_map(cells).collect()
}

/// The command of this program in a row.
fn command_of(rows: &[(String, String)], there: &str) -> String {
    let row = rows
        .iter()
        .find(|(left, _)| *left == format!("`{there}`"))
        .unwrap_or_else(|| panic!("no row {there}"));
    row.1.split('`').nth(1).unwrap().strip_prefix("ubp ").unwrap().to_owned()
}

#[test]
fn every_command_of_the_table_does_what_it_did_there() {
    let rows = rows();
    let terminal = vault();
    for (memory_type, topic) in [("tech", "Rust async"), ("project-tech", "Errors"), ("domain", "Invoice")] {
        let kept = ubp(
            &terminal,
            &format!("memory remember --type {memory_type} '{topic}' 'About {topic}.' --tag rust"),
        );
        assert_eq!(kept["action"], "created");
    }
    let file = |path: &str| fs::read_to_string(terminal.path(path)).unwrap_or_default();

    let ran = terminal.ubp(&command_of(&rows, "hail-mary memory document"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    for (name, title, topic) in [
        ("tech.md", "# Technical Knowledge", "## Rust async"),
        ("project-tech.md", "# Project Technical Standards", "## Errors"),
        ("domain.md", "# Domain Knowledge", "## Invoice"),
    ] {
        let text = file(&format!("memory-docs/{name}"));
        assert!(text.starts_with(title) && text.contains(topic), "{text}");
        assert!(text.contains("*Tags: rust*\n*References: 0, Confidence: 1.00*\n"), "{text}");
    }
    fs::remove_dir_all(terminal.path("memory-docs")).unwrap();
    let ran = terminal.ubp(&command_of(&rows, "hail-mary memory document --type tech"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    assert_eq!(fs::read_dir(terminal.path("memory-docs")).unwrap().count(), 1);
    let ran = terminal.ubp(&command_of(&rows, "hail-mary memory document --output ./docs/"));
    assert!(ran.succeeded() && file("docs/tech.md").contains("## Rust async"), "{}", ran.transcript());
    // The documents lie among the pages here, and are none of the memories.
    assert_eq!(ubp(&terminal, "memory list")["total_count"], 3);

    ubp(&terminal, "memory remember --type tech 'Async in Rust' 'About Rust async.'");
    let dry = terminal.ubp(&command_of(&rows, "hail-mary memory reindex --dry-run"));
    assert!(dry.succeeded() && dry.out.contains("-About Rust async."), "{}", dry.transcript());
    assert_eq!(ubp(&terminal, "memory list")["total_count"], 4);
    let ran = terminal.ubp(&command_of(&rows, "hail-mary memory reindex --verbose"));
    assert!(
        ran.succeeded() && ran.out.contains("1.0000") && ran.out.contains(".ubp/trash/"),
        "{}",
        ran.transcript()
    );
    assert_eq!(ubp(&terminal, "memory list")["total_count"], 3);
    let again = ubp(&terminal, &command_of(&rows, "hail-mary memory reindex"));
    assert_eq!(again["merged"], json!([]));

    let sql = rows.iter().find(|(left, _)| left == "table `memories`").unwrap();
    let sql = sql.1.split('`').nth(1).unwrap().strip_prefix("ubp ").unwrap().replace('"', "'");
    assert_eq!(ubp(&terminal, &sql)["row_count"], 3);
    let gone = ubp(&terminal, "memory forget Invoice");
    assert!(terminal.path(&format!(".ubp/trash/{}", gone["trash"].as_str().unwrap())).exists());
    assert_eq!(ubp(&terminal, "memory list")["total_count"], 2);
    let ran = terminal.ubp("memory forget Nobody");
    assert!(ran.err.contains("no page is called 'Nobody'"), "{}", ran.transcript());
    let found = ubp(&terminal, "memory recall async --type tech");
    assert_eq!(
        (&found["total_count"], &found["memories"][0]["content"]),
        (&json!(1), &json!("About Rust async."))
    );
}

/// A server with the tools of memories, whose index is true to the files.
fn server(folder: &Path, arguments: &[&str]) -> McpClient {
    let mut command = Command::new(program());
    command.arg("-C").arg(folder).arg("mcp-server").args(arguments);
    let mut client = McpClient::start(command).unwrap();
    let begun = Instant::now();
    while client.call("recall", json!({ "query": "" })).unwrap()["structuredContent"]["index"]["fresh"]
        != true
    {
        assert!(begun.elapsed().as_secs() < 60, "the index is never fresh");
        thread::sleep(Duration::from_millis(20));
    }
    client
}

fn tools(client: &mut McpClient) -> BTreeSet<String> {
    let listed = client.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_server_of_the_table_remembers_and_recalls() {
    let terminal = vault();
    let command = command_of(&rows(), "hail-mary mcp");
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let mut client = server(terminal.folder(), &arguments);
    assert_eq!(tools(&mut client), BTreeSet::from(["remember".to_owned(), "recall".to_owned()]));
    let params = json!({
        "type": "project-tech", "topic": "エラーハンドリング規約",
        "content": "すべてのエラーは `anyhow::Result` を使用して処理します。", "tags": ["error-handling", "rust"],
        "examples": ["use anyhow::Result;"], "source": "会議",
    });
    let kept = client.call("remember", params.clone()).unwrap();
    assert_eq!(kept["structuredContent"]["action"], "created", "{kept}");
    assert!(
        text(&kept).contains("Remembered `memory/project-tech/エラーハンドリング規約.md`"),
        "{}",
        text(&kept)
    );
    let again = client.call("remember", params.clone()).unwrap();
    assert_eq!(again["structuredContent"]["action"], "updated");
    assert_eq!(again["structuredContent"]["memory_id"], kept["structuredContent"]["memory_id"]);
    let query = json!({ "query": "エラー", "type": "project-tech", "tags": ["rust"], "limit": 5 });
    let found = client.call("recall", query).unwrap();
    let memory = &found["structuredContent"]["memories"][0];
    for key in ["type", "topic", "content", "tags", "examples", "source"] {
        assert_eq!(memory[key], params[key], "{key}");
    }
    assert_eq!(memory["reference_count"], 1);
    assert!(memory["created_at"].is_i64() && memory["confidence"] == 1.0 && memory["id"].is_string());
    assert!(text(&found).contains("anyhow::Result"), "{}", text(&found));
    assert_eq!(found["structuredContent"]["total_count"], 1);
    for (tool, wrong) in [
        ("remember", json!({ "type": "tech", "topic": "T" })),
        ("remember", json!({ "type": "other", "topic": "T", "content": "x" })),
        ("remember", json!({ "type": "tech", "topic": "a\u{0}b", "content": "x" })),
        ("remember", json!({ "type": "tech", "topic": "T", "content": "password = hunter2" })),
        ("recall", json!({ "query": "x", "limit": 1000 })),
        ("recall", json!({ "query": "x", "more": 1 })),
    ] {
        let refused = client.call(tool, wrong).unwrap();
        assert_eq!(refused["isError"], true, "{refused}");
    }
    // Without the right to write, what was remembered can be recalled, and that is all.
    let mut reader = server(terminal.folder(), &["--tools", "memory"]);
    assert_eq!(tools(&mut reader), BTreeSet::from(["recall".to_owned()]));
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn the_sets_of_every_server_have_no_memories() {
    let terminal = vault();
    for arguments in [&["--write"][..], &["--write", "--tools", "all"]] {
        let mut client = crate::mcp::server(terminal.folder(), arguments);
        let tools = tools(&mut client);
        assert!(!tools.contains("remember") && !tools.contains("recall"), "{tools:?}");
    }
}

/// Lets agents write as often as they like.
fn without_limit(terminal: &Terminal) {
    let path = terminal.path(".ubp/manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["agents"] = json!({ "writes_per_minute": 10_000 });
    fs::write(path, manifest.to_string()).unwrap();
}

const ROUNDS: usize = 6;
const TOPICS: usize = 4;

/// Remembers the same topics as everybody else, and recalls them; returns how often a page was made.
fn remember_and_recall(client: &mut McpClient, number: usize) -> usize {
    let mut created = 0;
    for round in 0..ROUNDS {
        for at in 0..TOPICS {
            let topic = (at + number) % TOPICS;
            // The spelling is never the same, the topic is.
            let name = if (number + round).is_multiple_of(2) {
                format!("Topic {topic}")
            } else {
                format!("TOPIC  {topic}")
            };
            let params = json!({
                "type": "tech", "topic": name, "content": format!("said by {number} in round {round}"),
            });
            let kept = client.call("remember", params).unwrap();
            assert_ne!(kept["isError"], true, "{kept}");
            created += usize::from(kept["structuredContent"]["action"] == "created");
            let own = json!({
                "type": "domain", "topic": format!("Own {number} {round} {at}"), "content": "only mine",
            });
            assert_eq!(client.call("remember", own).unwrap()["structuredContent"]["action"], "created");
            let found =
                client.call("recall", json!({ "query": "said", "type": "tech", "limit": 50 })).unwrap();
            let memories = found["structuredContent"]["memories"].as_array().unwrap();
            let topics: BTreeSet<String> =
                memories.iter().map(|memory| memory["topic"].as_str().unwrap().to_lowercase()).collect();
            assert_eq!(topics.len(), memories.len(), "a topic is there once: {found}");
        }
    }
    created
}

#[test]
fn eight_clients_on_the_same_topics_lose_nothing_and_double_nothing() {
    let terminal = vault();
    without_limit(&terminal);
    let folder = terminal.folder();
    let created: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                scope.spawn(move || {
                    let mut client = server(folder, &["--tools", "memory", "--write"]);
                    let created = remember_and_recall(&mut client, number);
                    assert_eq!(client.close().unwrap(), Some(0));
                    created
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert_eq!(created, TOPICS, "one page was made for each topic");
    let listed = ubp(&terminal, "memory list");
    let memories = listed["memories"].as_array().unwrap();
    let of_type = |name: &str| memories.iter().filter(|memory| memory["type"] == name).collect::<Vec<_>>();
    assert_eq!(
        of_type("domain").len(),
        CLIENTS * ROUNDS * TOPICS,
        "every memory of one client alone is there"
    );
    let shared = of_type("tech");
    assert_eq!(shared.len(), TOPICS);
    let counted: u64 = shared.iter().map(|memory| memory["reference_count"].as_u64().unwrap()).sum();
    assert_eq!(counted as usize, CLIENTS * ROUNDS * TOPICS - TOPICS, "every update was counted");
    assert_eq!(listed["skipped"], json!([]));
    // What each of them said is on a page, or in the log for whoever wants it back.
    let log = fs::read_to_string(terminal.path(".ubp/audit.jsonl")).unwrap();
    for number in 0..CLIENTS {
        for round in 0..ROUNDS {
            assert!(log.contains(&format!("said by {number} in round {round}")), "{number} {round}");
        }
    }
    assert_eq!(ubp(&terminal, "doctor")["counts"]["errors"].as_u64().unwrap_or(0), 0);
}

#[test]
fn personal_memories_are_in_the_users_folder_and_in_no_project() {
    let terminal = vault();
    let home = terminal.path("home").to_string_lossy().into_owned();
    let terminal = terminal.with_variable("XDG_DATA_HOME", &home);
    let kept = ubp(&terminal, "memory remember --user --type tech 'My editor' 'Helix.'");
    assert_eq!(kept["action"], "created");
    let page = terminal.path("home/ubp/memory/memory/tech/my-editor.md");
    assert!(fs::read_to_string(&page).unwrap().contains("Helix."));
    assert_eq!(ubp(&terminal, "memory recall --user helix")["total_count"], 1);
    assert_eq!(ubp(&terminal, "memory recall helix")["total_count"], 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(terminal.path("home/ubp/memory")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
    // Outside of any project, too, and over MCP.
    let nowhere = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.arg("-C").arg(nowhere.path()).args(["mcp-server", "--tools", "memory", "--user"]);
    command.env("XDG_DATA_HOME", &home);
    let mut client = McpClient::start(command).unwrap();
    let begun = Instant::now();
    loop {
        let found = client.call("recall", json!({ "query": "helix" })).unwrap();
        if found["structuredContent"]["total_count"] == 1 {
            break;
        }
        assert!(begun.elapsed().as_secs() < 60, "{found}");
        thread::sleep(Duration::from_millis(20));
    }
    let ran = vault().ubp("memory list --user");
    assert!(ran.err.contains("set HOME"), "{}", ran.transcript());
}

#[test]
fn a_document_that_somebody_else_wrote_is_never_written_over() {
    let terminal = vault();
    ubp(&terminal, "memory remember --type tech T 'One.'");
    terminal.write("memory-docs/domain.md", "# My domain\n").unwrap();
    let ran = terminal.ubp("memory document");
    assert!(
        !ran.succeeded() && ran.err.contains("memory-docs/domain.md was not written"),
        "{}",
        ran.transcript()
    );
    assert!(!terminal.path("memory-docs/tech.md").exists(), "all or nothing");
    assert!(terminal.ubp("memory document --type tech").succeeded());
    ubp(&terminal, "memory remember --type tech U 'Two.'");
    assert!(terminal.ubp("memory document --type tech").succeeded(), "its own file is replaced");
    let path = terminal.path("memory-docs/tech.md");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("## U"));
    fs::write(&path, text.replace("Two.", "Mine.")).unwrap();
    let ran = terminal.ubp("memory document --type tech");
    assert!(!ran.succeeded() && ran.err.contains("--force"), "{}", ran.transcript());
    assert!(terminal.ubp("memory document --force").succeeded());
    assert!(
        fs::read_to_string(terminal.path("memory-docs/domain.md")).unwrap().starts_with("# Domain Knowledge")
    );
}

#[test]
fn people_are_told_what_became_of_it() {
    let terminal = vault();
    let first = terminal.ubp("memory remember --type tech 'Rust async' 'Use tokio.' --tag rust").transcript();
    let second = terminal.ubp("memory remember --type tech 'rust ASYNC' 'Use smol.'");
    assert!(first.contains("Remembered memory/tech/rust-async.md"), "{first}");
    assert!(
        second.out.contains("Updated memory/tech/rust-async.md") && second.err.contains("ubp undo"),
        "{}",
        second.err
    );
    let entry = second
        .err
        .split('`')
        .find(|part| part.starts_with("ubp undo "))
        .unwrap()
        .trim_start_matches("ubp ")
        .to_owned();
    assert!(terminal.ubp(&entry).succeeded());
    let recalled = terminal.ubp("memory recall tokio");
    assert!(recalled.out.contains("Use tokio.") && recalled.out.contains("#rust"), "{}", recalled.out);
    let list = terminal.ubp("memory remember --type tech List '- one' --tag a --example '--flag'");
    assert!(list.succeeded(), "{}", list.transcript());
    let list = ubp(&terminal, "memory recall --tag a")["memories"][0].take();
    assert_eq!((&list["content"], &list["examples"]), (&json!("- one"), &json!(["--flag"])));
    let refused = terminal.ubp("memory remember --type tech Keys 'a\n\napi_key: 9f8e7d6c5b4a39281706'");
    assert!(refused.err.contains("line 3 of content looks like a secret"), "{}", refused.err);
    terminal.write("memory/tech/broken.md", "---\ntopic: [\n---\nx\n").unwrap();
    let listed = terminal.ubp("memory list");
    assert!(listed.succeeded() && listed.err.contains("memory/tech/broken.md:"), "{}", listed.transcript());
}

/// A project as a process of its own opens it.
fn engine(terminal: &Terminal) -> Engine {
    let project = Project::load(terminal.folder()).unwrap();
    Engine {
        index: Index::open(&project.database).unwrap().0,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        clock: Box::new(SystemClock::default()),
        embedder: None,
        manifest: project.manifest.clone(),
    }
}

#[test]
fn every_answer_is_what_its_schema_says() {
    let terminal = vault();
    terminal.ubp("add");
    let engine = engine(&terminal);
    let cancel = Cancel::default();
    for (name, params) in [
        ("remember", json!({ "type": "tech", "topic": "Rust", "content": "x" })),
        ("remember", json!({ "type": "tech", "topic": "Rusts", "content": "x" })),
        ("recall", json!({ "query": "x" })),
        ("recall", json!({})),
        ("list_memories", json!({ "type": "tech" })),
        ("document_memories", json!({})),
        ("reindex_memories", json!({ "dry_run": true })),
        ("reindex_memories", json!({})),
        ("forget", json!({ "memory": "Rust" })),
    ] {
        let operation = ubp_core::ops::find(name).unwrap();
        jsonschema::validate(&(operation.input_schema)().to_value(), &params)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let answer = engine.context(Caller::Person, true, &Silent, &cancel).call(name, params).unwrap();
        jsonschema::validate(&(operation.output_schema)().to_value(), &answer)
            .unwrap_or_else(|e| panic!("{name}: {}: {e}", e.instance_path()));
    }
}
