//! A server that computes vectors.

use serde_json::json;

use super::Desk;
use super::embedding_server::{EmbeddingServer, vectors};

fn manifest(desk: &Desk) -> serde_json::Value {
    let text = std::fs::read_to_string(desk.project().join(".ubp/manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_server_is_asked_for_vectors() {
    let server = EmbeddingServer::start(vectors);
    let desk = Desk::new();
    let url = server.url.trim_end_matches("/v1");
    let chosen = desk.run(&["model", "use", "nomic-embed-text", "--endpoint", url, "--json"]).ok().json();
    assert_eq!((&chosen["location"], &chosen["endpoint"]), (&json!("endpoint"), &json!(server.url)));
    let model = &manifest(&desk)["embedding_model"];
    assert_eq!(model["dimensions"], 3);
    assert_eq!(model["endpoint"]["prefixes"]["query"], "search_query: ");
    assert!(
        desk.run(&["model"])
            .ok()
            .out
            .contains(&format!("In use: nomic-embed-text (3 dimensions, {})", server.url))
    );
    let added = desk.run(&["add"]).ok();
    assert!(!added.err.contains("sent to"), "this machine needs no warning: {}", added.err);
    let found = desk.run(&["search", "how long does a session last", "--json"]).ok().json();
    assert_eq!(found["search_type"], "hybrid");
    let asked: Vec<String> = server.requests().iter().map(|(_, body)| body["input"][0].to_string()).collect();
    assert!(asked.iter().any(|text| text.contains("search_document: Login")), "{asked:?}");
    assert!(asked.last().unwrap().contains("search_query: how long"), "{asked:?}");
}

#[test]
fn without_the_server_words_answer_and_the_output_says_so() {
    let server = EmbeddingServer::start(|number, body| match number {
        1..=4 => vectors(number, body),
        _ => (500, json!({ "error": "out of memory" })),
    });
    let desk = Desk::new();
    desk.run(&["model", "use", "bge-m3", "--endpoint", &server.url]).ok();
    desk.run(&["add"]).ok();
    let found = desk.run(&["search", "password"]).ok();
    assert!(found.out.contains("login.md"), "{}", found.out);
    assert!(found.err.contains("the server that computes vectors cannot be reached"), "{}", found.err);
    desk.page("new.md", "# New\n\nA page without vectors.\n");
    desk.run(&["add"]).fails(&["status 500: out of memory", "try again later"]);
}

#[test]
fn another_machine_has_to_be_permitted_and_is_named_in_a_warning() {
    let desk = Desk::new();
    let before = manifest(&desk);
    let model = ["model", "use", "bge-m3", "--endpoint", "http://192.0.2.1:9"];
    desk.run(&model).fails(&["http://192.0.2.1:9 is another machine", "--allow-remote"]);
    assert_eq!(manifest(&desk), before);
    let mut settings = before.clone();
    settings["embedding_model"]["endpoint"] = json!({ "url": "http://192.0.2.1:9/v1" });
    let path = desk.project().join(".ubp/manifest.json");
    std::fs::write(&path, settings.to_string()).unwrap();
    desk.run(&["status"]).fails(&["192.0.2.1 is another machine", "allow_remote"]);
    settings["embedding_model"]["endpoint"]["allow_remote"] = true.into();
    std::fs::write(&path, settings.to_string()).unwrap();
    let status = desk.run(&["status", "--no-refresh"]).ok();
    assert!(status.err.contains("pages and queries are sent to http://192.0.2.1:9"), "{}", status.err);
}

#[test]
fn the_built_in_model_replaces_a_server_without_a_trace() {
    let server = EmbeddingServer::start(vectors);
    let desk = Desk::new();
    let before = manifest(&desk);
    desk.run(&["model", "use", "bge-m3", "--endpoint", &server.url]).ok();
    desk.run(&["model", "use", "all-MiniLM-L6-v2"]).ok();
    assert_eq!(manifest(&desk)["embedding_model"]["name"], before["embedding_model"]["name"]);
    assert!(manifest(&desk)["embedding_model"].get("endpoint").is_none());
}

#[test]
fn a_server_that_does_not_answer_changes_nothing() {
    let desk = Desk::new();
    let before = manifest(&desk);
    desk.run(&["model", "use", "bge-m3", "--endpoint", "http://127.0.0.1:1"])
        .fails(&["http://127.0.0.1:1 cannot be reached"]);
    assert_eq!(manifest(&desk), before);
}
