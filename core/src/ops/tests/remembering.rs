//! Memories are saved, found, merged and forgotten without losing text.

use std::io::ErrorKind;

use serde_json::{Value, json};

use crate::hint::Commands;
use crate::index::tests::Project;
use crate::ports::{MemorySource, Source};
use crate::testing::FaultySource;
use crate::{Caller, Context};

pub(super) fn project() -> Project {
    Project::with_pages([("login.md", "# Login\n\nSessions expire.\n")])
}

pub(super) fn ask<S: Source>(project: &Project<S>, name: &str, params: Value) -> Value {
    let answer = project.context().call(name, params.clone());
    answer.unwrap_or_else(|error| panic!("{name} {params}: {error}"))
}

pub(super) fn refused<S: Source>(project: &Project<S>, name: &str, params: Value) -> String {
    let error = project.context().call(name, params).unwrap_err();
    format!("{}: {error}", error.code())
}

pub(super) fn remember<S: Source>(project: &Project<S>, topic: &str, content: &str) -> Value {
    let kept = ask(project, "remember", json!({ "type": "tech", "topic": topic, "content": content }));
    project.update();
    kept
}

pub(super) fn recall<S: Source>(project: &Project<S>, params: Value) -> Vec<String> {
    let found = ask(project, "recall", params);
    let memories = found["memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["topic"].as_str().unwrap().to_owned()).collect()
}

pub(super) fn text<S: Source>(project: &Project<S>, page: &str) -> String {
    String::from_utf8(project.source.read(page).unwrap()).unwrap()
}

#[test]
fn a_remembered_memory_is_recalled() {
    let project = project();
    let params = json!({
        "type": "project-tech", "topic": "エラー処理", "content": "Use `anyhow`.", "tags": ["error-handling", "rust"],
        "examples": ["fn f() -> anyhow::Result<()> {}"], "source": "review of 2025",
    });
    let kept = ask(&project, "remember", params.clone());
    assert_eq!(kept["action"], "created");
    assert_eq!(kept["filepath"], "memory/project-tech/エラー処理.md");
    let id = kept["memory_id"].as_str().unwrap();
    assert_eq!((id.len(), id.as_bytes()[14]), (36, b'4'), "{id} is a UUID v4");
    let found = ask(&project, "recall", json!({ "query": "anyhow" }));
    let memory = &found["memories"][0];
    for key in ["type", "topic", "content", "tags", "examples", "source"] {
        assert_eq!(memory[key], params[key], "{key}");
    }
    assert_eq!((&memory["id"], &found["total_count"]), (&kept["memory_id"], &json!(1)));
    assert_eq!((&memory["reference_count"], &memory["confidence"]), (&json!(0), &json!(1.0)));
    assert_eq!(memory["created_at"], 1_000_000);
    // Search finds the page too; recall finds only memories.
    let pages = ask(&project, "search", json!({ "query": "anyhow" }));
    assert_eq!(pages["results"][0]["filepath"], kept["filepath"]);
    assert!(recall(&project, json!({ "query": "sessions expire" })).is_empty());
    let again = ask(&project, "recall", json!({ "query": "anyhow" }));
    assert_eq!(again["memories"][0]["last_accessed"], 1_000_000, "the first recall was recorded");
}

#[test]
fn remembering_a_topic_again_updates_it_and_the_old_text_can_be_restored() {
    let project = project();
    let first = remember(&project, "Straße Café", "One.");
    let before = text(&project, "memory/tech/straße-café.md");
    let params = json!({ "type": "tech", "topic": "STRASSE  CAFE\u{301}", "content": "Two." });
    let second = ask(&project, "remember", params.clone());
    assert_eq!((&second["action"], &second["memory_id"]), (&json!("updated"), &first["memory_id"]));
    assert_eq!(second["topic"], "Straße Café", "the topic keeps its spelling");
    let memory = &ask(&project, "recall", json!({ "query": "" }))["memories"][0];
    assert_eq!((&memory["content"], &memory["reference_count"]), (&json!("Two."), &json!(1)));
    let third = ask(&project, "remember", params);
    assert_eq!((&third["action"], &third["audit_id"]), (&json!("known"), &Value::Null), "nothing changed");
    assert_eq!(ask(&project, "recall", json!({}))["memories"][0]["reference_count"], 2);
    ask(&project, "undo", json!({ "entry": second["audit_id"] }));
    assert_eq!(text(&project, "memory/tech/straße-café.md"), before);
    // The same topic with another type is another memory.
    let other = json!({ "type": "domain", "topic": "straße café", "content": "Three." });
    assert_eq!(ask(&project, "remember", other)["action"], "created");
}

#[test]
fn omitted_fields_are_kept() {
    let project = project();
    let all = json!({ "type": "tech", "topic": "T", "content": "One.", "tags": ["a"], "examples": ["x"], "source": "s" });
    ask(&project, "remember", all);
    ask(&project, "remember", json!({ "type": "tech", "topic": "t", "content": "Two." }));
    let memory = ask(&project, "recall", json!({}))["memories"][0].take();
    assert_eq!(memory["tags"], json!(["a"]));
    assert_eq!((&memory["examples"], &memory["source"]), (&json!(["x"]), &json!("s")));
    ask(
        &project,
        "remember",
        json!({ "type": "tech", "topic": "t", "content": "Two.", "tags": [], "examples": [] }),
    );
    let memory = ask(&project, "recall", json!({}))["memories"][0].take();
    assert_eq!((&memory["tags"], &memory["examples"]), (&json!([]), &json!([])));
}

#[test]
fn topics_with_equal_file_names_are_separate_memories() {
    let project = project();
    let topics = ["a b", "a/b", "a: b", "[[a b]]", "..", "🎉", "🎈", "con", "CON:"];
    let paths: Vec<String> = topics
        .iter()
        .map(|topic| remember(&project, topic, topic)["filepath"].as_str().unwrap().to_owned())
        .collect();
    let mut distinct = paths.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), topics.len(), "{paths:?}");
    assert!(
        paths.iter().all(|path| path.starts_with("memory/tech/") && path.matches('/').count() == 2),
        "{paths:?}"
    );
    for topic in topics {
        let kept = ask(&project, "remember", json!({ "type": "tech", "topic": topic, "content": "again" }));
        assert_eq!(kept["action"], "updated", "{topic}");
    }
    assert_eq!(ask(&project, "list_memories", json!({}))["total_count"], topics.len());
}

#[test]
fn secrets_are_refused_with_the_line_unless_forced() {
    let project = project();
    let params = |force: bool| {
        json!({
            "type": "tech", "topic": "Staging", "content": "The database:\n\npassword = hunter2", "force": force,
        })
    };
    let said = refused(&project, "remember", params(false));
    assert!(said.contains("line 3 of content looks like a password"), "{said}");
    assert!(!said.contains("hunter2"), "the secret is not repeated");
    let example = json!({ "type": "tech", "topic": "T", "content": "x", "examples": ["a", "b\nAPI_KEY=9f8e7d6c5b4a39281706"] });
    let said = refused(&project, "remember", example);
    assert!(said.contains("line 2 of example 2 looks like a secret"), "{said}");
    assert_eq!(ask(&project, "list_memories", json!({}))["total_count"], 0);
    let agent = Context { caller: Caller::Agent, ..project.context() };
    let hint = agent.call("remember", params(true)).unwrap_err().hint().unwrap().told(&Commands);
    assert!(hint.ends_with("if it is not a secret, `ubp memory remember --force` saves it"), "{hint}");
    assert_eq!(ask(&project, "remember", params(true))["action"], "created");
}

#[test]
fn without_a_query_memories_are_sorted_by_use_and_age() {
    let project = project();
    for topic in ["one", "two", "three"] {
        remember(&project, topic, &format!("about {topic}"));
    }
    remember(&project, "two", "about two, again");
    let all = recall(&project, json!({}));
    assert_eq!(all[0], "two");
    assert_eq!(all.len(), 3);
    assert_eq!(recall(&project, json!({ "limit": 1 })), ["two"]);
    assert_eq!(recall(&project, json!({ "type": "domain" })), [""; 0]);
    let tagged = json!({ "type": "domain", "topic": "four", "content": "x", "tags": ["lang/rust", "b"] });
    ask(&project, "remember", tagged);
    assert_eq!(recall(&project, json!({ "tags": ["LANG"] })), ["four"]);
    assert_eq!(recall(&project, json!({ "tags": ["lang/rust", "b"], "query": "x" })), ["four"]);
    assert_eq!(recall(&project, json!({ "tags": ["lang/rust", "c"] })), [""; 0]);
    assert!(refused(&project, "recall", json!({ "limit": 0 })).contains("from 1 to 100"));
    assert!(refused(&project, "recall", json!({ "type": "other" })).contains("project-tech"));
}

#[test]
fn of_equally_relevant_memories_the_most_used_comes_first() {
    let project = project();
    for (topic, content) in
        [("alpha", "Tokio runs futures."), ("beta", "Tokio runs futures."), ("gamma", "Tokio.")]
    {
        remember(&project, topic, content);
    }
    for round in 0..3 {
        remember(&project, "beta", &format!("Tokio runs futures. {round}"));
    }
    remember(&project, "beta", "Tokio runs futures.");
    let found = ask(&project, "recall", json!({ "query": "tokio futures" }));
    let scores: Vec<f64> = found["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let of = |topic: &str| {
        let memories = found["memories"].as_array().unwrap();
        memories.iter().find(|memory| memory["topic"] == topic).unwrap()["score"].as_f64().unwrap()
    };
    // 0.1 * 4 / (4 + 10)
    assert!(of("beta") > of("alpha") && of("beta") - of("alpha") <= 0.1, "{found}");
}

#[test]
fn unreadable_memories_are_reported_and_the_others_found() {
    let project = project();
    remember(&project, "whole", "Tokio.");
    project.put("memory/tech/broken.md", "---\ntype: tech\ntopic: Broken\ntags: [a\n---\nTokio.\n");
    project.put("memory/tech/odd.md", "---\ntype: other\ntopic: Odd\n---\nTokio.\n");
    project.put("memory/notes.md", "# Notes\n\nTokio.\n");
    project.put("memory/tech/by-hand.md", "---\ntype: tech\ntopic: By hand\n---\nTokio.\n");
    project.update();
    for (name, params) in [
        ("recall", json!({ "query": "tokio" })),
        ("list_memories", json!({})),
        ("document_memories", json!({})),
    ] {
        let answer = ask(&project, name, params);
        let skipped: Vec<&str> = answer["skipped"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| page["filepath"].as_str().unwrap())
            .collect();
        assert_eq!(skipped, ["memory/tech/broken.md", "memory/tech/odd.md"], "{name}");
    }
    let mut found = recall(&project, json!({ "query": "tokio" }));
    found.sort();
    assert_eq!(found, ["By hand", "whole"]);
    let said = refused(&project, "remember", json!({ "type": "tech", "topic": "broken", "content": "x" }));
    assert!(said.contains("memory/tech/broken.md") && said.contains("line"), "{said}");
    let kept = ask(&project, "remember", json!({ "type": "tech", "topic": "by HAND", "content": "New." }));
    assert_eq!(kept["filepath"], "memory/tech/by-hand.md");
    assert!(
        text(&project, "memory/tech/by-hand.md").ends_with("---\nNew.\n")
            || text(&project, "memory/tech/by-hand.md").contains("New.")
    );
}

#[test]
fn an_agent_cannot_change_a_read_only_memory() {
    let project = project();
    project.put("memory/tech/t.md", "---\ntype: tech\ntopic: T\nagents: read-only\n---\n# T\n\nMine.\n");
    project.update();
    let agent = Context { caller: Caller::Agent, agent: Some("test"), ..project.context() };
    let params = json!({ "type": "tech", "topic": "T", "content": "Yours." });
    assert_eq!(agent.call("remember", params.clone()).unwrap_err().code(), "read_only");
    assert_eq!(
        ask(&project, "recall", json!({}))["memories"][0]["reference_count"],
        0,
        "a refused call is not counted"
    );
    ask(&project, "remember", params);
    for (name, params) in [("forget", json!({ "memory": "T" })), ("reindex_memories", json!({}))] {
        assert_eq!(agent.call(name, params).unwrap_err().code(), "invalid_params", "{name}");
    }
}

#[test]
fn a_forgotten_memory_can_be_restored() {
    let project = project();
    let kept = remember(&project, "T", "One.");
    remember(&project, "T", "Two.");
    project.put("a.md", "[[T]]\n");
    let dry = ask(&project, "forget", json!({ "memory": "t", "dry_run": true }));
    assert_eq!(dry["trash"], Value::Null);
    let gone = ask(&project, "forget", json!({ "memory": kept["memory_id"] }));
    assert_eq!(gone["links"][0]["filepath"], "a.md");
    assert!(recall(&project, json!({ "query": "two" })).is_empty());
    let said = refused(&project, "forget", json!({ "memory": "T" }));
    assert!(said.starts_with("page_not_found"), "{said}");
    ask(&project, "undo", json!({ "entry": gone["audit_id"] }));
    let memory = ask(&project, "recall", json!({}))["memories"][0].take();
    assert_eq!((&memory["content"], &memory["reference_count"]), (&json!("Two."), &json!(1)));
    ask(&project, "remember", json!({ "type": "domain", "topic": "T", "content": "x" }));
    assert!(refused(&project, "forget", json!({ "memory": "T" })).starts_with("ambiguous_page"));
    assert_eq!(ask(&project, "forget", json!({ "memory": "T", "type": "domain" }))["topic"], "T");
}

#[test]
fn similar_memories_are_reported() {
    let project = project();
    remember(&project, "Rust async", "Use tokio to run futures in Rust.");
    remember(&project, "Bread", "Flour, water, salt and time.");
    let kept = remember(&project, "Async in Rust", "Use tokio to run many futures in Rust.");
    assert_eq!(kept["similar_count"], 1, "{kept}");
    assert_eq!(kept["similar"][0]["topic"], "Rust async");
    assert!(kept["similar"][0]["similarity"].as_f64().unwrap() > 0.75);
    let kept = remember(&project, "Breads", "Nothing alike otherwise.");
    assert_eq!(
        (&kept["similar"][0]["topic"], &kept["similar"][0]["similarity"]),
        (&json!("Bread"), &Value::Null)
    );
}

#[test]
fn memories_can_be_recalled_if_the_disk_is_full() {
    let project = Project::over(FaultySource::new(MemorySource::default()));
    remember(&project, "T", "Tokio.");
    project.source.break_write("memory.jsonl", ErrorKind::ReadOnlyFilesystem);
    project.source.break_read("memory.jsonl", ErrorKind::PermissionDenied);
    assert_eq!(recall(&project, json!({ "query": "tokio" })), ["T"]);
}

/// Two memories with the same text, another one, and links to them in every syntax.
fn doubled() -> Project {
    let project = project();
    let add = |topic: &str, content: &str, tags: Value| {
        ask(
            &project,
            "remember",
            json!({ "type": "tech", "topic": topic, "content": content, "tags": tags }),
        );
    };
    let words =
        "Use tokio to run futures in Rust; spawn tasks on the runtime, and never block a thread of it.";
    add("Rust async", &format!("{words}\n\n- Pin what moves."), json!(["rust"]));
    add("Rust async tasks", &format!("{words}\n\n- Bound your channels."), json!(["async"]));
    add("Bread", "Flour, water, salt and time. See [[Rust async tasks]].", json!([]));
    project.put(
        "links.md",
        "[[Rust async tasks]] [[rust-async-tasks]] [[memory/tech/rust-async-tasks]] \
         [x](memory/tech/rust-async-tasks.md#rust-async-tasks) [[Rust async]]\n",
    );
    project.update();
    for _ in 0..2 {
        ask(
            &project,
            "remember",
            json!({ "type": "tech", "topic": "Rust async", "content": format!("{words}\n\n- Pin what moves.") }),
        );
    }
    ask(
        &project,
        "remember",
        json!({ "type": "tech", "topic": "Rust async tasks", "content": format!("{words}\n\n- Bound your channels.") }),
    );
    project
}

#[test]
fn duplicate_memories_are_merged_and_links_updated() {
    let project = doubled();
    let before: Vec<String> = ["memory/tech/rust-async.md", "memory/tech/rust-async-tasks.md", "links.md"]
        .map(|page| text(&project, page))
        .to_vec();
    let dry = ask(&project, "reindex_memories", json!({ "dry_run": true }));
    assert!(dry["diff"].as_str().unwrap().contains("+- Bound your channels."), "{dry}");
    assert_eq!(text(&project, "links.md"), before[2]);
    let done = ask(&project, "reindex_memories", json!({}));
    project.update();
    let merge = &done["merged"][0];
    assert_eq!(
        (&merge["kept"]["topic"], &merge["kept"]["reference_count"]),
        (&json!("Rust async"), &json!(3)),
        "{done}"
    );
    assert!(merge["replaced"][0]["similarity"].as_f64().unwrap() > 0.85);
    assert_eq!(done["merged"].as_array().unwrap().len(), 1);
    let page = text(&project, "memory/tech/rust-async.md");
    assert_eq!(page.matches("Use tokio to run futures").count(), 1, "{page}");
    assert!(page.contains("- Pin what moves.") && page.contains("- Bound your channels."), "{page}");
    let memory = ask(&project, "recall", json!({ "query": "tokio" }))["memories"][0].take();
    assert_eq!((&memory["tags"], &memory["reference_count"]), (&json!(["rust", "async"]), &json!(3)));
    assert!(project.source.stat("memory/tech/rust-async-tasks.md").unwrap().is_none());
    assert_eq!(project.source.trash().len(), 1, "{:?}", project.source.trash());
    // Every link leads to the merged page.
    let resolved = ask(&project, "get_page", json!({ "page": "links.md" }));
    for link in resolved["outlinks"].as_array().unwrap() {
        assert_eq!(link["filepath"], "memory/tech/rust-async.md", "{}", text(&project, "links.md"));
    }
    // The topic of a deleted duplicate now means the merged memory.
    let kept =
        ask(&project, "remember", json!({ "type": "tech", "topic": "rust ASYNC tasks", "content": "New." }));
    assert_eq!(
        (&kept["action"], &kept["filepath"]),
        (&json!("updated"), &json!("memory/tech/rust-async.md"))
    );
    ask(&project, "undo", json!({ "entry": kept["audit_id"] }));
    ask(&project, "undo", json!({ "entry": done["audit_id"] }));
    for (page, text_before) in
        ["memory/tech/rust-async.md", "memory/tech/rust-async-tasks.md", "links.md"].iter().zip(&before)
    {
        assert_eq!(text(&project, page), *text_before, "{page}");
    }
    assert!(
        ask(&project, "reindex_memories", json!({ "dry_run": true }))["merged"].as_array().unwrap().len()
            == 1
    );
}

#[test]
fn merging_again_changes_nothing() {
    let project = doubled();
    ask(&project, "reindex_memories", json!({}));
    project.update();
    let again = ask(&project, "reindex_memories", json!({}));
    assert_eq!((&again["merged"], &again["audit_id"]), (&json!([]), &Value::Null), "{again}");
}

#[test]
fn without_vectors_only_equal_texts_are_merged_with_a_note() {
    let project = doubled();
    ask(
        &project,
        "remember",
        json!({ "type": "tech", "topic": "Loaf", "content": "Flour, water, salt and time. See [[Rust async tasks]]." }),
    );
    let context = Context { embedder: None, ..project.context() };
    let done = context.call("reindex_memories", json!({})).unwrap();
    assert!(done["without_vectors"].as_str().unwrap().contains("no embedding model"), "{done}");
    assert_eq!(done["merged"].as_array().unwrap().len(), 1, "{done}");
    assert_eq!(done["merged"][0]["replaced"][0]["similarity"], 1.0);
    assert_eq!(done["uncompared_count"], 4);
}

#[test]
fn a_failed_merge_changes_nothing() {
    let project = Project::over(FaultySource::new(MemorySource::default()));
    for topic in ["one", "two", "three"] {
        remember(&project, topic, "The same for all.");
    }
    let pages = ["memory/tech/one.md", "memory/tech/two.md", "memory/tech/three.md"];
    let before = pages.map(|page| text(&project, page));
    for page in pages {
        project.source.break_write(page, ErrorKind::StorageFull);
        assert!(project.context().call("reindex_memories", json!({})).is_err(), "{page}");
        project.source.mend();
        assert_eq!(pages.map(|page| text(&project, page)), before, "{page}");
    }
    assert_eq!(
        ask(&project, "reindex_memories", json!({}))["merged"][0]["replaced"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn answers_respect_max_tokens() {
    let project = project();
    for number in 0..12 {
        remember(&project, &format!("topic {number}"), &format!("tokio {}", "word ".repeat(400)));
    }
    for max_tokens in [256, 400, 1_000, 3_000] {
        let answer = ask(&project, "recall", json!({ "query": "tokio", "max_tokens": max_tokens }));
        assert!(crate::text::estimate_tokens(&format!("{answer}\n")) <= max_tokens, "{max_tokens}");
        assert_eq!(answer["total_count"], 12);
    }
}
