//! Agents that write: nobody's work is lost, the number of changes is limited, and a person can see and undo them.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use ubp_tests::clients::at_once;
use ubp_tests::mcp::McpClient;

use super::{server, text};
use crate::parity::vault;
use crate::process::json as ubp_json;

/// The result of a call that must succeed.
fn done(client: &mut McpClient, tool: &str, arguments: Value) -> Value {
    client.ask(tool, arguments).unwrap()
}

/// The error code of a call that must fail.
fn refused(client: &mut McpClient, tool: &str, arguments: Value) -> String {
    client.refusal(tool, arguments).unwrap().0
}

fn hash(client: &mut McpClient, page: &str) -> Value {
    done(client, "ubp_get_page", json!({ "page": page }))["content_hash"].clone()
}

#[test]
fn changing_a_page_needs_the_hash_of_its_current_text() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    let edit = |hash: Value| json!({ "page": "island.md", "mode": "replace", "content": "More.\n", "expected_hash": hash });
    let mut blind = edit(Value::Null);
    blind.as_object_mut().unwrap().remove("expected_hash");
    assert_eq!(refused(&mut client, "ubp_update_page", blind), "invalid_params");
    let before = hash(&mut client, "island.md");
    let mut dry = edit(before.clone());
    dry["dry_run"] = true.into();
    assert!(done(&mut client, "ubp_update_page", dry)["diff"].as_str().unwrap().contains("+More."));
    assert_eq!(hash(&mut client, "island.md"), before);
    let after = done(&mut client, "ubp_update_page", edit(before.clone()));
    assert_eq!(hash(&mut client, "island.md"), after["content_hash"]);
    assert_eq!(refused(&mut client, "ubp_update_page", edit(before)), "conflict");
}

#[test]
fn a_person_sees_which_client_changed_what_and_undoes_it() {
    let terminal = vault();
    let hub = "# Hub\n\nSee [[island]].\n";
    terminal.write("hub.md", hub).unwrap();
    let text_of = |path: &str| std::fs::read_to_string(terminal.path(path)).ok();
    let island = text_of("island.md");
    let mut client = server(terminal.folder(), &["--write=apply"]);
    let expected = hash(&mut client, "island.md");
    let renamed = done(
        &mut client,
        "ubp_rename_page",
        json!({ "page": "island.md", "path": "sea/atoll.md", "expected_hash": expected }),
    );
    assert_eq!(renamed["filepath"], "sea/atoll.md");
    assert_eq!(text_of("hub.md").unwrap(), hub.replace("island", "atoll"));
    let audit = ubp_json(terminal.folder(), &["audit", "--json"]);
    let entries = audit["entries"].as_array().unwrap();
    assert!(entries.iter().any(|entry| entry["agent"] == "ubp-tests 1"), "{audit}");
    let undone = terminal.ubp(&format!("undo {}", renamed["audit_id"].as_str().unwrap()));
    assert!(undone.succeeded(), "{}", undone.transcript());
    assert_eq!((text_of("hub.md").unwrap(), text_of("island.md")), (hub.to_owned(), island));
    assert_eq!(text_of("sea/atoll.md"), None);
}

#[test]
fn an_agent_lists_and_undoes_only_its_own_changes() {
    let terminal = vault();
    terminal.ubp("new Persons");
    let mut client = server(terminal.folder(), &["--write=apply"]);
    let edit = json!({ "page": "island.md", "mode": "append", "content": "More.\n" });
    let edited = done(&mut client, "ubp_update_page", edit);
    let listed = done(&mut client, "ubp_audit", json!({}));
    assert_eq!(listed["total"], 1, "changes of people are not listed: {listed}");
    assert_eq!(listed["entries"][0]["group"], edited["audit_id"]);
    done(&mut client, "ubp_undo", json!({ "entry": edited["audit_id"] }));
    let all = ubp_json(terminal.folder(), &["audit", "--json"]);
    let persons =
        all["entries"].as_array().unwrap().iter().find(|entry| entry["caller"] == "person").unwrap();
    assert_eq!(refused(&mut client, "ubp_undo", json!({ "entry": persons["group"] })), "invalid_params");
    let reader = server(terminal.folder(), &[]).tools().unwrap();
    assert!(!reader.iter().any(|tool| tool["name"] == "ubp_audit"), "a read-only server does not have it");
}

#[test]
fn deleting_needs_confirmation_and_read_only_pages_stay() {
    let terminal = vault();
    terminal.write("law.md", "---\nagents: read-only\n---\n# Law\n\n[[island]]\n").unwrap();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    let expected = hash(&mut client, "island.md");
    let delete = json!({ "page": "island.md", "expected_hash": expected });
    assert_eq!(refused(&mut client, "ubp_delete_page", delete.clone()), "invalid_params");
    let mut meant = delete;
    meant["confirm"] = true.into();
    done(&mut client, "ubp_delete_page", meant);
    assert!(!terminal.path("island.md").exists());
    let expected = hash(&mut client, "law.md");
    let edit = json!({ "page": "law.md", "mode": "append", "content": "x", "expected_hash": expected });
    let result = client.call("ubp_update_page", edit).unwrap();
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("read-only"), "{}", text(&result));
}

#[test]
fn nothing_outside_of_the_pages_is_ever_written() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    for path in ["../outside.md", "/tmp/outside.md", ".ubp/x.md", "a/../../x.md", "x\u{0}.md"] {
        let code = refused(&mut client, "ubp_create_page", json!({ "title": "X", "path": path }));
        assert!(["outside_project", "invalid_params"].contains(&code.as_str()), "{path}: {code}");
    }
}

#[test]
fn changes_are_limited_by_the_manifest() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    for number in 0..60 {
        done(&mut client, "ubp_create_page", json!({ "title": format!("Page {number}") }));
    }
    let one_more = json!({ "title": "One more" });
    assert_eq!(refused(&mut client, "ubp_create_page", one_more.clone()), "too_many_writes");
    let mut dry = one_more;
    dry["dry_run"] = true.into();
    done(&mut client, "ubp_create_page", dry);
}

/// Every client appends lines to pages shared by all. Each accepted edit must be in its page; every other edit must
/// have been rejected as a conflict.
#[test]
fn concurrent_writers_lose_no_accepted_edit() {
    let edits: usize = if std::env::var_os("UBP_SOAK").is_some() { 2_000 } else { 200 };
    const CLIENTS: usize = 8;
    let pages = edits.div_ceil(40);
    let terminal = vault();
    terminal.let_agents_write_often().unwrap();
    for page in 0..pages {
        terminal.write(&format!("shared/{page}.md"), format!("# Shared {page}\n")).unwrap();
    }
    let conflicts = AtomicUsize::new(0);
    let accepted = at_once(CLIENTS, |me| {
        let mut client = server(terminal.folder(), &["--write=apply"]);
        let mut mine = Vec::new();
        for number in 0..edits / CLIENTS {
            let page = format!("shared/{}.md", (number * 7 + me) % pages);
            let line = format!("edit {me}-{number}");
            loop {
                let expected = hash(&mut client, &page);
                let edit = json!({ "page": page, "mode": "append", "expected_hash": expected,
                                   "content": format!("{line}\n") });
                let result = client.call("ubp_update_page", edit).unwrap();
                if result["isError"] != true {
                    break;
                }
                let code = &result["_meta"]["unified-blueprint/error"]["code"];
                assert_eq!(code, "conflict", "{result}");
                conflicts.fetch_add(1, Ordering::Relaxed);
            }
            mine.push(line);
        }
        mine
    });
    let accepted: HashSet<String> = accepted.into_iter().flatten().collect();
    let mut found = HashSet::new();
    for page in 0..pages {
        let text = std::fs::read_to_string(terminal.path(&format!("shared/{page}.md"))).unwrap();
        found.extend(text.lines().filter(|line| line.starts_with("edit ")).map(str::to_owned));
    }
    assert_eq!(found, accepted);
    assert_eq!(accepted.len(), edits / CLIENTS * CLIENTS);
    let logged = std::fs::read_to_string(terminal.path(".ubp/audit.jsonl")).unwrap();
    assert!(logged.lines().count() >= accepted.len());
    // Without a single conflict, the test would prove nothing.
    assert!(conflicts.load(Ordering::Relaxed) > 0);
}
