//! Memories: runs every row of the tables in `docs/memory.md` and `docs/hail-mary.md`, at the terminal and over MCP;
//! many clients at once lose nothing; personal memories stay private.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::clients::at_once;
use ubp_tests::fixture::engine;
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use crate::process::command;

mod table;

const CLIENTS: usize = 8;

fn vault() -> Terminal {
    Terminal::vault([("other.md", "# Other\n\nNothing to remember.\n")]).unwrap()
}

/// Runs a `ubp` command that must succeed, and returns its JSON.
fn ubp(terminal: &Terminal, arguments: &str) -> Value {
    let ran = terminal.ubp(&format!("{arguments} --json"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.json()
}

/// A server with the memory tools and an up-to-date index.
fn server(folder: &Path, arguments: &[&str]) -> McpClient {
    let server = command(folder, &[&["mcp-server"], arguments].concat());
    McpClient::start_fresh(server, "recall", &json!({})).unwrap()
}

#[test]
fn memory_tools_are_not_in_the_default_sets() {
    let terminal = vault();
    for arguments in [&["--write=apply"][..], &["--write=apply", "--tools", "all"]] {
        let mut client = crate::mcp::server(terminal.folder(), arguments);
        let tools = client.tool_names().unwrap();
        assert!(!tools.iter().any(|name| name == "ubp_remember" || name == "ubp_recall"), "{tools:?}");
    }
}

const ROUNDS: usize = 6;
const TOPICS: usize = 4;

/// Remembers and recalls topics shared by all clients. Returns the number of pages created.
fn remember_and_recall(client: &mut McpClient, number: usize) -> usize {
    let mut created = 0;
    for round in 0..ROUNDS {
        for at in 0..TOPICS {
            let topic = (at + number) % TOPICS;
            // Clients spell the topic differently.
            let name = if (number + round).is_multiple_of(2) {
                format!("Topic {topic}")
            } else {
                format!("TOPIC  {topic}")
            };
            let params = json!({
                "type": "tech", "topic": name, "content": format!("said by {number} in round {round}"),
            });
            created += usize::from(client.ask("remember", params).unwrap()["action"] == "created");
            let own = json!({
                "type": "domain", "topic": format!("Own {number} {round} {at}"), "content": "only mine",
            });
            assert_eq!(client.ask("remember", own).unwrap()["action"], "created");
            let found =
                client.ask("recall", json!({ "query": "said", "type": "tech", "limit": 50 })).unwrap();
            let memories = found["memories"].as_array().unwrap();
            let topics: BTreeSet<String> =
                memories.iter().map(|memory| memory["topic"].as_str().unwrap().to_lowercase()).collect();
            assert_eq!(topics.len(), memories.len(), "a topic is there once: {found}");
        }
    }
    created
}

#[test]
fn eight_clients_on_the_same_topics_lose_and_duplicate_nothing() {
    let terminal = vault();
    terminal.let_agents_write_often().unwrap();
    let created = at_once(CLIENTS, |number| {
        let mut client = server(terminal.folder(), &["--tools", "memory", "--write=apply"]);
        let created = remember_and_recall(&mut client, number);
        assert_eq!(client.close().unwrap(), Some(0));
        created
    });
    let created: usize = created.into_iter().sum();
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
    // Every text is on a page or in the audit log, from where it can be restored.
    let log = fs::read_to_string(terminal.path(".ubp/audit.jsonl")).unwrap();
    for number in 0..CLIENTS {
        for round in 0..ROUNDS {
            assert!(log.contains(&format!("said by {number} in round {round}")), "{number} {round}");
        }
    }
    assert_eq!(ubp(&terminal, "doctor")["counts"]["errors"].as_u64().unwrap_or(0), 0);
}

#[test]
fn personal_memories_are_in_the_users_folder_only() {
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
    // Also outside of any project, over MCP.
    let nowhere = tempfile::tempdir().unwrap();
    let mut own = command(nowhere.path(), &["mcp-server", "--tools", "memory", "--user"]);
    own.env("XDG_DATA_HOME", &home);
    let mut client = McpClient::start_fresh(own, "recall", &json!({})).unwrap();
    assert_eq!(client.ask("recall", json!({ "query": "helix" })).unwrap()["total_count"], 1);
    let ran = vault().ubp("memory list --user");
    assert!(ran.err.contains("set HOME"), "{}", ran.transcript());
}

#[test]
fn documents_written_by_a_person_are_never_overwritten() {
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
fn the_terminal_reports_the_result_of_each_command() {
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
    let first = terminal.ubp("memory list -n 1");
    assert!(first.err.contains("1 memory of 2; a higher limit shows more"), "{}", first.transcript());
    let listed = terminal.ubp("memory list");
    assert!(listed.succeeded() && listed.err.contains("memory/tech/broken.md:"), "{}", listed.transcript());
}

#[test]
fn every_answer_matches_its_schema() {
    let terminal = vault();
    terminal.ubp("add");
    let engine = engine(terminal.folder(), None).unwrap();
    let cancel = Cancel::default();
    for (name, params) in [
        ("remember", json!({ "type": "tech", "topic": "Rust", "content": "x" })),
        ("remember", json!({ "type": "tech", "topic": "Rusts", "content": "x" })),
        ("recall", json!({ "query": "x" })),
        ("recall", json!({})),
        ("list_memories", json!({ "type": "tech" })),
        (
            "remember",
            json!({ "type": "tech", "topic": "Ruby", "content": "Use 3 cores.", "supersedes": ["Rust"] }),
        ),
        (
            "remember",
            json!({ "type": "tech", "topic": "Ruby", "content": "Use 4 cores.", "valid_until": "2020-01-01" }),
        ),
        ("review_memories", json!({})),
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
