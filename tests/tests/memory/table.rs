//! Runs the tables of docs/memory.md and docs/hail-mary.md row by row, at the terminal and over MCP.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};
use ubp_tests::terminal::Terminal;

use super::{server, ubp, vault};
use crate::mcp::text;
use crate::process::{self, command};

#[test]
fn every_table_has_tests() {
    assert_eq!(tables::headings("memory"), ["Where memories are"]);
    assert_eq!(tables::headings("hail-mary"), ["Coming from hail-mary"]);
}

#[test]
fn every_type_is_stored_in_the_documented_folder() {
    let kept: fn(&Row) = of_type;
    let types = ["`tech`", "`project-tech`", "`domain`"];
    tables::run("memory", "Where memories are", &types.map(|name| (name, kept)));
}

#[test]
fn every_hail_mary_feature_exists_or_has_a_replacement() {
    tables::run(
        "hail-mary",
        "Coming from hail-mary",
        &[
            ("`hail-mary mcp`", mcp),
            ("`hail-mary mcp --daemon`", daemon),
            ("tool `remember`, its parameters and results", remember),
            ("tool `recall`, its parameters and results", recall),
            ("`hail-mary memory document`", document),
            ("`hail-mary memory document --type tech`", document_of_type),
            ("`hail-mary memory document --output ./docs/`", document_elsewhere),
            ("`hail-mary memory reindex`", reindex),
            ("`hail-mary memory reindex --dry-run`", reindex_dry_run),
            ("`hail-mary memory reindex --verbose`", reindex_verbose),
            ("table `memories`", in_sql),
            ("`tags` with commas", tags),
            ("`deleted`", deleted),
            ("full text of `porter unicode61`", full_text),
            ("`data/memory.db`, `~/.local/share/hail-mary/`", places),
            ("`data/archive/`", archive),
            ("`MemoryError::NotFound`, `InvalidInput`", errors),
            ("`MemoryError::DuplicateTopic`", duplicate),
            ("`MemoryError::Database`", damaged),
        ],
    );
}

/// Three memories, one of each type.
fn with_memories() -> Terminal {
    let terminal = vault();
    for (memory_type, topic) in [("tech", "Rust async"), ("project-tech", "Errors"), ("domain", "Invoice")] {
        let remember = format!(
            "memory remember --type {memory_type} '{topic}' 'About {topic}.' --tag rust --example 'let x;'"
        );
        assert_eq!(ubp(&terminal, &remember)["action"], "created");
    }
    terminal
}

/// The same, with an additional duplicate.
fn with_twins() -> Terminal {
    let terminal = with_memories();
    ubp(&terminal, "memory remember --type tech 'Async in Rust' 'About Rust async.' --example 'let x;'");
    terminal
}

/// The number of memories.
fn count(terminal: &Terminal) -> Value {
    ubp(terminal, "memory list")["total_count"].clone()
}

/// Runs the command in the row, which must succeed, and returns its standard output.
fn run(terminal: &Terminal, row: &Row) -> String {
    let ran = terminal.ubp(row.commands(1)[0]);
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.out
}

/// The arguments of the command in the row.
fn arguments(row: &Row) -> Vec<&str> {
    row.commands(1)[0].split(' ').skip(1).collect()
}

fn of_type(row: &Row) {
    let name = row.code(0)[0];
    let terminal = vault();
    let kept = ubp(&terminal, &format!("memory remember --type {name} 'A topic' 'Text.'"));
    assert_eq!(kept["filepath"], format!("memory/{name}/a-topic.md"));
    assert_eq!(ubp(&terminal, &format!("memory recall --type {name}"))["memories"][0]["type"], name);
    assert!(!terminal.ubp(&format!("memory remember --type {name}s 'A topic' 'Text.'")).succeeded());
}

fn mcp(row: &Row) {
    let terminal = vault();
    let arguments = arguments(row);
    let mut client = server(terminal.folder(), &arguments);
    let tools: BTreeSet<String> = client.tool_names().unwrap().into_iter().collect();
    assert_eq!(tools, BTreeSet::from(["ubp_remember".to_owned(), "ubp_recall".to_owned()]));
    // Without permission to write, memories can only be recalled.
    let reading: Vec<&str> =
        arguments.iter().copied().filter(|argument| *argument != "--write=apply").collect();
    assert_eq!(server(terminal.folder(), &reading).tool_names().unwrap(), ["ubp_recall"]);
    assert_eq!(client.close().unwrap(), Some(0));

    let own = [&["mcp-server"], &arguments[..], &[row.code(1)[1]]].concat();
    let mut own = command(terminal.folder(), &own);
    own.env("XDG_DATA_HOME", terminal.path("home"));
    let mut own = McpClient::start_fresh(own, "recall", &json!({})).unwrap();
    let params = json!({ "type": "tech", "topic": "Editor", "content": "Helix." });
    assert_eq!(own.ask("remember", params).unwrap()["action"], "created");
    assert!(terminal.path("home/ubp/memory/memory/tech/editor.md").exists());
    assert_eq!(count(&terminal), 0, "no memory of the project");
}

fn daemon(row: &Row) {
    let terminal = vault();
    terminal.ubp("add");
    // Another server may use the default port.
    let start = [&["mcp-server"], &arguments(row)[..], &["--http", "127.0.0.1:0"]].concat();
    let started = process::json(terminal.folder(), &[&start[..], &["--json"]].concat());
    let status = process::ubp(terminal.folder(), &["mcp-server", "--status"]);
    process::json(terminal.folder(), &["mcp-server", "--stop", "--json"]);
    assert!(started["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{started}");
    assert!(status.status.success(), "{status:?}");
}

/// Asserts that the tool has exactly these parameters.
fn has_parameters(client: &mut McpClient, name: &str, expected: &[&str]) {
    let tools = client.tools().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    let found: BTreeSet<&String> = tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(found, expected.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().iter().collect());
}

/// Asserts that the answer has exactly these fields.
fn has_fields<'a>(answer: &'a Value, expected: impl IntoIterator<Item = &'a str>, more: &[&'a str]) {
    let found: BTreeSet<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, expected.into_iter().chain(more.iter().copied()).collect::<BTreeSet<_>>());
}

/// A memory with all optional fields.
fn memory() -> Value {
    json!({
        "type": "project-tech", "topic": "エラーハンドリング規約",
        "content": "すべてのエラーは `anyhow::Result` を使用して処理します。", "tags": ["error-handling", "rust"],
        "examples": ["use anyhow::Result;"], "source": "会議",
    })
}

fn writer(terminal: &Terminal) -> McpClient {
    server(terminal.folder(), &["--tools", "memory", "--write=apply"])
}

fn remember(row: &Row) {
    let terminal = vault();
    let mut client = writer(&terminal);
    let [_, rest @ ..] = &row.code(1)[..] else { panic!("{row:?}") };
    let (parameters, fields) = rest.split_at(4);
    let known = ["type", "topic", "content", "tags", "examples", "source"];
    has_parameters(&mut client, "ubp_remember", &[&known[..], parameters].concat());
    let result = client.call("remember", memory()).unwrap();
    let kept = &result["structuredContent"];
    has_fields(kept, ["memory_id", "action", "similar_count"], fields);
    assert_eq!((&kept["action"], &kept["similar_count"]), (&json!("created"), &json!(0)));
    let words = "Remembered `memory/project-tech/エラーハンドリング規約.md`";
    assert!(text(&result).contains(words), "{}", text(&result));
    let again = client.ask("remember", memory()).unwrap();
    assert_eq!((&again["action"], &again["memory_id"]), (&json!("known"), &kept["memory_id"]));
    for wrong in [
        json!({ "type": "tech", "topic": "T" }),
        json!({ "type": "other", "topic": "T", "content": "x" }),
        json!({ "type": "tech", "topic": "a\u{0}b", "content": "x" }),
        json!({ "type": "tech", "topic": "T", "content": "password = hunter2" }),
    ] {
        assert_eq!(client.refusal("remember", wrong).unwrap().0, "invalid_params");
    }
    let secret = json!({ "type": "tech", "topic": "T", "content": "password = hunter2", "force": true });
    let refused = client.call("remember", secret).unwrap();
    let words = refused["content"][0]["text"].as_str().unwrap();
    assert!(
        words.starts_with("error (invalid_params)") && words.contains("`ubp memory remember --force`"),
        "{words}"
    );
    let like = json!({ "type": "tech", "topic": "エラーハンドリングの規約", "content": "x" });
    assert_eq!(client.ask("remember", like).unwrap()["similar_count"], 1);
}

fn recall(row: &Row) {
    let terminal = vault();
    let mut client = writer(&terminal);
    let [_, parameter, rest @ ..] = &row.code(1)[..] else { panic!("{row:?}") };
    let (of_answer, of_memory) = rest.split_at(rest.iter().position(|field| *field == "score").unwrap());
    has_parameters(&mut client, "ubp_recall", &["query", "type", "tags", "limit", parameter]);
    let kept = client.ask("remember", memory()).unwrap();
    client.ask("remember", memory()).unwrap();
    let query = json!({ "query": "エラー", "type": "project-tech", "tags": ["rust"], "limit": 5 });
    let result = client.call("recall", query).unwrap();
    let found = &result["structuredContent"];
    has_fields(found, ["memories", "total_count"], of_answer);
    assert_eq!(found["total_count"], 1);
    let recalled = &found["memories"][0];
    let fields = ["id", "type", "topic", "tags", "content", "examples", "reference_count", "confidence"];
    has_fields(recalled, fields.into_iter().chain(["created_at"]), of_memory);
    for (key, value) in memory().as_object().unwrap() {
        assert_eq!(recalled[key], *value, "{key}");
    }
    assert_eq!((&recalled["id"], &recalled["reference_count"]), (&kept["memory_id"], &json!(1)));
    assert!(recalled["created_at"].is_i64() && recalled["confidence"] == 1.0, "{recalled}");
    assert!(text(&result).contains("anyhow::Result"), "{}", text(&result));
    for other in [json!({ "type": "tech" }), json!({ "tags": ["rust", "go"] }), json!({ "query": "nothing" })]
    {
        assert_eq!(client.ask("recall", other.clone()).unwrap()["total_count"], 0, "{other}");
    }
    for wrong in [json!({ "query": "x", "limit": 1_000 }), json!({ "query": "x", "more": 1 })] {
        assert_eq!(client.refusal("recall", wrong).unwrap().0, "invalid_params");
    }
    for number in 0..10 {
        let params = json!({ "type": "domain", "topic": format!("Topic {number}"), "content": "x" });
        client.ask("remember", params).unwrap();
    }
    let all = client.ask("recall", json!({ "query": "" })).unwrap();
    assert_eq!((all["memories"].as_array().unwrap().len(), &all["total_count"]), (10, &json!(11)));
}

fn document(row: &Row) {
    let terminal = with_memories();
    run(&terminal, row);
    for (name, title, topic) in [
        ("tech.md", "# Technical Knowledge", "## Rust async"),
        ("project-tech.md", "# Project Technical Standards", "## Errors"),
        ("domain.md", "# Domain Knowledge", "## Invoice"),
    ] {
        let text = fs::read_to_string(terminal.path(&format!("memory-docs/{name}"))).unwrap();
        assert!(text.starts_with(title) && text.contains(topic), "{text}");
        assert!(text.contains("*Tags: rust*\n*References: 0, Confidence: 1.00*\n"), "{text}");
        assert!(text.contains("### Examples:\n") && text.contains("let x;"), "{text}");
    }
    // Here the documents are in the vault, but they are not memories.
    assert_eq!(count(&terminal), 3);
}

fn document_of_type(row: &Row) {
    let terminal = with_memories();
    run(&terminal, row);
    assert!(terminal.path("memory-docs/tech.md").exists());
    assert_eq!(fs::read_dir(terminal.path("memory-docs")).unwrap().count(), 1);
}

fn document_elsewhere(row: &Row) {
    let terminal = with_memories();
    run(&terminal, row);
    assert!(fs::read_to_string(terminal.path("docs/tech.md")).unwrap().contains("## Rust async"));
    assert!(!terminal.path("memory-docs").exists());
}

fn reindex(row: &Row) {
    let terminal = with_twins();
    let command = row.commands(1)[0];
    assert_eq!(ubp(&terminal, command)["merged"].as_array().unwrap().len(), 1);
    assert_eq!(count(&terminal), 3);
    assert_eq!(ubp(&terminal, command)["merged"], json!([]), "nothing left to merge");
    // The topics of merged memories refer to the one that is kept.
    let again = ubp(&terminal, "memory remember --type tech 'Async in Rust' 'About the runtime.'");
    let stays = ubp(&terminal, "memory remember --type tech 'Rust async' 'About Rust async.'");
    assert_eq!((&again["action"], &again["memory_id"]), (&json!("updated"), &stays["memory_id"]));
}

fn reindex_dry_run(row: &Row) {
    let terminal = with_twins();
    assert!(run(&terminal, row).contains("-About Rust async."));
    assert_eq!(count(&terminal), 4);
}

fn reindex_verbose(row: &Row) {
    let terminal = with_twins();
    let said = run(&terminal, row);
    for part in ["1.0000", "rust-async.md", "confidence 1.00", ".ubp/trash/"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(count(&terminal), 3);
}

fn in_sql(row: &Row) {
    let terminal = with_memories();
    let found = ubp(&terminal, &row.commands(1)[0].replace('"', "'"));
    assert_eq!(found["row_count"], 3);
    let topics: BTreeSet<&str> =
        found["results"].as_array().unwrap().iter().map(|row| row["topic"].as_str().unwrap()).collect();
    assert_eq!(topics, BTreeSet::from(["Errors", "Invoice", "Rust async"]));
}

fn tags(_: &Row) {
    let terminal = vault();
    ubp(&terminal, "memory remember --type tech Rust 'Text.' --tag 'rust,async io,tokio'");
    let page = fs::read_to_string(terminal.path("memory/tech/rust.md")).unwrap();
    assert!(page.contains("tags: [rust, async-io, tokio]"), "{page}");
    let found = ubp(&terminal, "memory recall --tag rust --tag tokio");
    assert_eq!(found["memories"][0]["tags"], json!(["rust", "async-io", "tokio"]));
}

fn deleted(row: &Row) {
    let terminal = with_memories();
    let forget = row.commands(1)[0].replace("TOPIC", "Invoice");
    let gone = ubp(&terminal, &forget);
    let trash = row.code(1)[1];
    assert!(terminal.path(&format!("{trash}{}", gone["trash"].as_str().unwrap())).exists());
    assert_eq!(count(&terminal), 2);
    assert_eq!(ubp(&terminal, "memory recall invoice")["total_count"], 0);
}

fn full_text(_: &Row) {
    let terminal = vault();
    ubp(&terminal, "memory remember --type domain 請求書 '消費税は切り捨てる。'");
    ubp(&terminal, "memory remember --type tech Futures 'They are polled.'");
    for (query, topic) in [("消費税", "請求書"), ("polling", "Futures")] {
        let found = ubp(&terminal, &format!("memory recall {query}"));
        assert_eq!((&found["total_count"], &found["memories"][0]["topic"]), (&json!(1), &json!(topic)));
    }
}

fn places(row: &Row) {
    let terminal = vault();
    ubp(&terminal, "memory remember --type tech Rust 'Text.'");
    assert!(terminal.path("memory/tech/rust.md").exists());
    let home = terminal.path("home");
    let terminal = terminal.with_variable("HOME", &home.to_string_lossy());
    ubp(&terminal, &format!("memory remember {} --type tech Editor 'Helix.'", row.code(1)[1]));
    let own = row.code(1)[0].strip_prefix("~/").unwrap();
    assert!(cfg!(not(target_os = "linux")) || home.join(own).join("memory/tech/editor.md").exists());
}

fn archive(row: &Row) {
    let terminal = with_twins();
    let before = ["rust-async", "async-in-rust"]
        .map(|name| fs::read_to_string(terminal.path(&format!("memory/tech/{name}.md"))).unwrap());
    let done = ubp(&terminal, "memory reindex");
    assert_eq!(fs::read_dir(terminal.path(row.code(1)[0])).unwrap().count(), 1);
    let undo = row.commands(1)[0];
    assert!(terminal.ubp(&format!("{undo} {}", done["audit_id"].as_str().unwrap())).succeeded());
    let after = ["rust-async", "async-in-rust"]
        .map(|name| fs::read_to_string(terminal.path(&format!("memory/tech/{name}.md"))).unwrap());
    assert_eq!(after, before);
}

fn errors(row: &Row) {
    let terminal = vault();
    let [not_found, invalid] = row.code(1)[..] else { panic!("{row:?}") };
    let ran = terminal.ubp("memory forget Nobody --json");
    assert_eq!(ran.json()["error"]["code"], not_found, "{}", ran.transcript());
    assert!(terminal.ubp("memory forget Nobody").err.contains("no page is called 'Nobody'"));
    let ran = terminal.ubp("memory remember --type tech Topic '' --json");
    assert_eq!(ran.json()["error"]["code"], invalid, "{}", ran.transcript());
}

fn duplicate(_: &Row) {
    let terminal = with_memories();
    let kept = ubp(&terminal, "memory remember --type tech 'RUST  async' 'Other words.'");
    assert_eq!((&kept["action"], &kept["topic"]), (&json!("updated"), &json!("Rust async")));
    assert_eq!(count(&terminal), 3);
    let found = ubp(&terminal, "memory recall --type tech");
    assert_eq!(found["memories"][0]["content"], "Other words.");
}

fn damaged(_: &Row) {
    let terminal = with_memories();
    for name in ["metadata.db-wal", "metadata.db-shm"] {
        let _ = fs::remove_file(terminal.path(&format!(".ubp/{name}")));
    }
    fs::write(terminal.path(".ubp/metadata.db"), "no database at all".repeat(1_000)).unwrap();
    assert_eq!(count(&terminal), 3);
}
