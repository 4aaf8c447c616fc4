//! The rows about messages at startup: the device that models run on, and log levels.

use std::fs::File;

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};

use super::{Folder, Started, listed};

#[test]
fn the_reported_device_is_the_one_in_use() {
    tables::run("documents", "GPU", &[("`auto`", auto), ("`gpu`", gpu), ("`cpu`", cpu)]);
}

#[test]
fn every_log_level_has_the_documented_meaning() {
    tables::run(
        "documents",
        "Messages",
        &[("`[INFO]`", info), ("`[WARN]`", warn), ("`[ERROR]`", error), ("`[FATAL]`", fatal)],
    );
}

/// Starts a server for the device in the row.
fn started(row: &Row, fallback_to_cpu: bool) -> Started {
    let compute = json!({ "device": row.code(0)[0], "fallback_to_cpu": fallback_to_cpu });
    Folder::new().start(&json!({ "compute": compute }))
}

const USED: &str = "[INFO] GPU detected, using GPU";

fn auto(row: &Row) {
    let started = started(row, true).went_on();
    let (with, without) = (row.code(1)[0], row.code(2)[0]);
    assert_eq!(with, USED);
    let said = [with, without].map(|words| started.said.contains(words));
    assert_eq!(said.iter().filter(|said| **said).count(), 1, "{}", started.said);
}

fn gpu(row: &Row) {
    let [instead, setting, missing] = row.code(2)[..] else { panic!("{row:?}") };
    let started = |fallback: bool| started(row, fallback);
    let usual = started(true).went_on();
    assert!(usual.said.contains(USED) != usual.said.contains(instead), "{}", usual.said);
    assert_eq!(setting, "fallback_to_cpu: false");
    let demanded = started(false);
    if usual.said.contains(USED) {
        demanded.went_on();
    } else {
        demanded.ended_for("no GPU is available");
        assert!(demanded.said.contains(missing), "{}", demanded.said);
        assert_eq!(demanded.status.unwrap() as u64, row.numbers(2)[0]);
    }
}

fn cpu(row: &Row) {
    assert_eq!(row.cell(2), "the same");
    for fallback in [true, false] {
        let started = started(row, fallback).went_on();
        assert!(started.said.contains(row.code(1)[0]) && !started.said.contains("GPU,"), "{}", started.said);
    }
}

/// Asserts that every line has a level.
fn levelled(said: &str) {
    for line in said.lines() {
        let level =
            ["[INFO] ", "[WARN] ", "[ERROR] ", "[FATAL] "].iter().any(|level| line.starts_with(level));
        assert!(level, "a line without a level: {line}");
    }
}

/// The level in the row.
fn level(row: &Row) -> &str {
    row.code(0)[0]
}

fn info(row: &Row) {
    let folder = Folder::new();
    folder.start_as_is();
    let started = folder.start_as_is().went_on();
    levelled(&started.said);
    assert!(!started.lines(level(row)).is_empty(), "{}", started.said);
    assert!(started.lines("[ERROR]").is_empty() && started.lines("[FATAL]").is_empty(), "{}", started.said);
}

fn warn(row: &Row) {
    let folder = Folder::new();
    let started = folder.start_with("{").went_on();
    levelled(&started.said);
    assert!(started.lines(level(row)).iter().any(|line| line.contains("config.json")), "{}", started.said);
    listed(&mut folder.documents(), 3);
}

fn error(row: &Row) {
    let folder = Folder::new();
    let log = File::create(folder.path("log")).unwrap();
    let mut client = McpClient::start_with_log(folder.command(&["mcp-server", "--config"]), log).unwrap();
    client.refusal("delete_document", json!({ "filename": "../secret.md" })).unwrap();
    listed(&mut client, 3);
    assert_eq!(client.close().unwrap(), Some(0));
    let said = folder.read("log");
    levelled(&said);
    let line = format!("{} ubp_delete_document: ../secret.md: outside of the documents folder", level(row));
    assert!(said.contains(&line), "{said}");
}

fn fatal(row: &Row) {
    let started = Folder::new().start(&json!({ "documents_dir": "no/such/folder" }));
    levelled(&started.said);
    assert_eq!(level(row), "[FATAL]");
    started.ended_for("no such folder");
    assert_eq!(Value::from(started.status), row.numbers(1)[0]);
}
