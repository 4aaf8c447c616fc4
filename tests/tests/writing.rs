//! Concurrent writers on one project: every accepted edit is in a file or in the audit log, every other edit is
//! rejected, and nothing is overwritten.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine};
use ubp_tests::clients::at_once;
use ubp_tests::fixture::engine;
use ubp_tests::terminal::Terminal;

const CLIENTS: usize = 8;
const EDITS: usize = 30;
const PAGES: usize = 5;

fn ask(engine: &Engine, name: &str, params: Value) -> ubp_core::Result<Value> {
    let cancel = Cancel::default();
    engine.context(Caller::Agent, false, &Silent, &cancel).call(name, params)
}

/// Appends lines to shared pages; returns the accepted lines and the number of rejected ones.
fn write(terminal: &Terminal, client: usize) -> (Vec<String>, usize) {
    let engine = engine(terminal.folder(), None).unwrap();
    let (mut accepted, mut refused) = (Vec::new(), 0);
    for edit in 0..EDITS {
        let page = format!("page-{}.md", (client + edit) % PAGES);
        let read = ask(&engine, "get_page", json!({ "page": page })).unwrap();
        let mark = format!("mark-{client}-{edit}.");
        let params = json!({
            "page": page, "mode": "append", "content": mark, "expected_hash": read["content_hash"],
        });
        match ask(&engine, "update_page", params) {
            Ok(written) => {
                assert!(written["diff"].as_str().unwrap().contains(&mark));
                accepted.push(mark);
            }
            Err(error) => {
                assert_eq!(error.code(), "conflict", "{error}");
                refused += 1;
            }
        }
    }
    (accepted, refused)
}

#[test]
fn no_accepted_edit_is_lost_among_many_clients() {
    let names: Vec<String> = (0..PAGES).map(|page| format!("page-{page}.md")).collect();
    let terminal = Terminal::vault(names.iter().map(|name| (name.as_str(), "# Page\n"))).unwrap();
    terminal.ubp("add");
    let results = at_once(CLIENTS, |client| write(&terminal, client));
    let accepted: BTreeSet<&String> = results.iter().flat_map(|(accepted, _)| accepted).collect();
    let refused: usize = results.iter().map(|(_, refused)| refused).sum();
    assert_eq!(accepted.len() + refused, CLIENTS * EDITS);
    assert!(accepted.len() >= EDITS, "{} accepted", accepted.len());
    let text: String =
        names.iter().map(|name| std::fs::read_to_string(terminal.path(name)).unwrap()).collect();
    let found: BTreeSet<String> =
        text.lines().filter(|line| line.starts_with("mark-")).map(ToOwned::to_owned).collect();
    assert_eq!(found.iter().collect::<BTreeSet<_>>(), accepted);
    let log = terminal.ubp("audit -n 1000 --json").json();
    let done: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().filter(|entry| entry["outcome"] == "done").collect();
    assert_eq!(done.len(), accepted.len());
    assert!(done.iter().all(|entry| entry["caller"] == "agent"));
    // No line of the audit log is torn.
    let record = std::fs::read_to_string(terminal.path(".ubp/audit.jsonl")).unwrap();
    assert!(record.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    // Every edit can be undone, the latest first.
    for entry in done.iter().take(10) {
        let ran = terminal.ubp(&format!("undo {}", entry["group"].as_str().unwrap()));
        assert!(ran.succeeded(), "{}", ran.transcript());
    }
}

#[test]
fn pages_with_the_same_name_created_at_once_are_separate_files() {
    let terminal = Terminal::vault([("other.md", "x\n")]).unwrap();
    terminal.ubp("add");
    let made = at_once(CLIENTS, |client| {
        let params = json!({ "title": "Same", "content": format!("by {client}"), "allow_same_name": true });
        let made = ask(&engine(terminal.folder(), None).unwrap(), "create_page", params).unwrap();
        made["filepath"].as_str().unwrap().to_owned()
    });
    let made: BTreeSet<String> = made.into_iter().collect();
    assert_eq!(made.len(), CLIENTS);
    for page in &made {
        assert!(std::fs::read_to_string(terminal.path(page)).unwrap().contains("by "), "{page}");
    }
}
