//! What a client asked and got is recorded, and `ubp sessions` shows it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::terminal::Terminal;

use super::{server, text};
use crate::parity::vault;

fn ubp(terminal: &Terminal, command: &str) -> Value {
    let ran = terminal.ubp(&format!("{command} --json"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.json()
}

fn empty() -> Terminal {
    let terminal = vault();
    std::fs::remove_dir_all(terminal.path(".ubp/sessions")).unwrap();
    terminal.ubp("add");
    terminal
}

/// The only session, and its answers except to the status, with which `server` begins, once there are `count`. They are
/// written after they are sent.
fn recorded(terminal: &Terminal, count: usize) -> (Value, Vec<Value>) {
    let begun = Instant::now();
    loop {
        let listed = ubp(terminal, "sessions");
        if let [one] = listed["sessions"].as_array().unwrap().as_slice() {
            let whole = ubp(terminal, &format!("sessions {}", one["session"].as_str().unwrap()));
            let answers = whole["answers"].as_array().unwrap().iter();
            let answers: Vec<Value> = answers.filter(|one| one["tool"] != "ubp_status").cloned().collect();
            if answers.len() == count {
                return (one.clone(), answers);
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{listed}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn each_answer_is_kept_as_the_client_got_it() {
    let terminal = empty();
    let long = format!("# Long\n\nFirst.\n\n## Second\n\n{}", "Words of a long page.\n\n".repeat(400));
    terminal.write("long.md", &long).unwrap();
    let mut client = server(terminal.folder(), &[]);
    let found = client.call("ubp_search", json!({ "query": "session token" })).unwrap();
    let read = client.call("ubp_get_page", json!({ "page": "long", "max_tokens": 300 })).unwrap();
    let refused = client.call("ubp_get_page", json!({ "page": "no such page" })).unwrap();
    client.request("resources/read", json!({ "uri": "ubp://page/island.md" })).unwrap();
    let (listed, answers) = recorded(&terminal, 4);
    let id = listed["session"].as_str().unwrap();
    assert!(listed["agent"].as_str().is_some_and(|agent| agent.contains(' ')), "{listed}");
    assert_eq!(listed["error_count"], 1);

    let told: Vec<&str> = answers.iter().map(|one| one["tool"].as_str().unwrap()).collect();
    assert_eq!(told, ["ubp_search", "ubp_get_page", "ubp_get_page", "resources/read"]);
    assert_eq!(answers[0]["params"], json!({ "query": "session token" }));
    let sections = |part: &Value| (part["filepath"].clone(), part["heading"].clone(), part["lines"].clone());
    let first = &found["structuredContent"]["results"][0];
    let given = (
        first["filepath"].clone(),
        first["sections"][0]["heading"].clone(),
        first["sections"][0]["lines"].clone(),
    );
    assert_eq!(sections(&answers[0]["given"][0]), given);
    assert_eq!(answers[1]["omitted"][0]["heading"], "Second");
    assert_eq!(answers[1]["omitted"][0]["reason"], "max_tokens");
    assert_eq!(answers[2]["error"], "page_not_found");
    assert_eq!(answers[3]["given"][0]["filepath"], "island.md");
    for (answer, result) in answers.iter().zip([&found, &read, &refused]) {
        let kept = ubp(&terminal, &format!("sessions {id} --answer {}", answer["number"]));
        assert_eq!(kept["text"], text(result));
    }
    let shown = terminal.ubp(&format!("sessions {id}"));
    assert!(shown.out.contains("left out to fit max_tokens"), "{}", shown.out);

    terminal.ubp(&format!("sessions delete {id}"));
    assert_eq!(ubp(&terminal, "sessions")["total"], 0);
}

#[test]
fn changes_are_recorded_with_their_proposals() {
    let terminal = empty();
    let mut client = server(terminal.folder(), &["--write"]);
    let edit = json!({ "page": "island", "old": "Nobody", "new": "Somebody", "reason": "It has links." });
    let proposed = client.call("ubp_update_page", edit.clone()).unwrap();
    let (listed, answers) = recorded(&terminal, 1);
    let (id, number) = (listed["session"].as_str().unwrap(), &answers[0]["number"]);
    let kept = ubp(&terminal, &format!("sessions {id} --answer {number}"));
    assert_eq!((&kept["params"], &kept["error"]), (&edit, &Value::Null));
    assert_eq!(kept["text"], text(&proposed));
}

#[test]
fn a_file_that_is_not_a_session_hides_no_session() {
    let terminal = empty();
    let mut client = server(terminal.folder(), &[]);
    client.call("ubp_search", json!({ "query": "session token" })).unwrap();
    let (listed, _) = recorded(&terminal, 1);
    std::fs::create_dir(terminal.path(".ubp/sessions/0a.jsonl")).unwrap();
    terminal.write(".ubp/sessions/0b.jsonl", [0xff, 0xfe, b'\n', b'{']).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/dev/null", terminal.path(".ubp/sessions/0c.jsonl")).unwrap();
    let (again, _) = recorded(&terminal, 1);
    assert_eq!(again["session"], listed["session"]);
}

#[test]
fn nothing_is_recorded_if_the_manifest_or_the_flag_says_so() {
    let terminal = empty();
    let mut client = server(terminal.folder(), &["--no-sessions"]);
    client.call("ubp_search", json!({ "query": "token" })).unwrap();
    drop(client);
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    let off = manifest.replacen('{', "{\n  \"sessions\": {\"record\": false},", 1);
    terminal.write(".ubp/manifest.json", off).unwrap();
    let mut client = server(terminal.folder(), &[]);
    client.call("ubp_search", json!({ "query": "token" })).unwrap();
    // On again, without a restart.
    terminal.write(".ubp/manifest.json", manifest).unwrap();
    let begun = Instant::now();
    while !terminal.path(".ubp/sessions").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        client.call("ubp_search", json!({ "query": "turned on" })).unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = ubp(&terminal, "sessions")["sessions"][0]["session"].clone();
    let answers = ubp(&terminal, &format!("sessions {}", id.as_str().unwrap()))["answers"].clone();
    assert_eq!(answers[0]["params"], json!({ "query": "turned on" }));
}

#[test]
fn an_answer_is_given_although_it_cannot_be_recorded() {
    let terminal = empty();
    terminal.write(".ubp/sessions", "a file in the place of the folder").unwrap();
    let mut client = server(terminal.folder(), &[]);
    let found = client.call("ubp_search", json!({ "query": "session token" })).unwrap();
    assert!(text(&found).contains("tokens.md"));
    let kept = std::fs::read_to_string(terminal.path(".ubp/sessions")).unwrap();
    assert_eq!(kept, "a file in the place of the folder");
}
