//! Which memories still hold, what contradicts them, and which to look at.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::remembering::{ask, project, recall, refused, remember, text};
use crate::index::tests::Project;
use crate::ports::FixedClock;

/// Moves the clock to this many seconds since 1970.
fn later(project: &mut Project, seconds: i64) {
    project.clock = FixedClock::at(Timestamp::from_second(seconds).unwrap());
}

fn paths(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

#[test]
fn what_is_known_is_not_remembered_again() {
    let mut project = project();
    let first = remember(&project, "Rust async", "Use tokio to run futures in Rust.");
    let before = text(&project, "memory/tech/rust-async.md");
    later(&mut project, 2_000_000);
    for (topic, content) in [
        ("rust ASYNC", "Use tokio to run futures in Rust.\n"),
        ("Async in Rust", "use  tokio to run futures in Rust"),
    ] {
        let known = remember(&project, topic, content);
        let told = (&known["action"], &known["memory_id"], &known["created_at"]);
        assert_eq!(told, (&json!("known"), &first["memory_id"], &json!(1_000_000)), "{topic}: {known}");
    }
    assert_eq!(text(&project, "memory/tech/rust-async.md"), before);
    let memories = ask(&project, "recall", json!({}));
    assert_eq!(
        (&memories["total_count"], &memories["memories"][0]["reference_count"]),
        (&json!(1), &json!(2))
    );
    // A short text needs its topic, and another number is another thing.
    for (topic, content) in
        [("Rust port", "8080."), ("Go port", "8080."), ("Rust async 2", "Use tokio to run futures in Rust.")]
    {
        assert_eq!(remember(&project, topic, content)["action"], "created", "{topic}");
    }
}

#[test]
fn a_contradiction_is_reported_and_settled_by_replacing_or_keeping_both() {
    let project = project();
    remember(&project, "API port", "The public API listens on port 8080.");
    let second = remember(&project, "Port of the API", "The public API listens on port 9090.");
    assert_eq!(second["action"], "created");
    let found = &second["contradictions"][0];
    assert_eq!(
        (&found["filepath"], &found["difference"], &found["held"], &found["given"]),
        (
            &json!("memory/tech/api-port.md"),
            &json!("number"),
            &json!("The public API listens on port 8080."),
            &json!("The public API listens on port 9090.")
        )
    );
    let review = ask(&project, "review_memories", json!({}));
    assert_eq!(review["counts"]["contradictory"], 1, "{review}");
    let again = |field: &str| {
        let mut params = json!({
            "type": "tech", "topic": "Port of the API", "content": "The public API listens on port 9090.",
        });
        params[field] = json!(["API port"]);
        let done = ask(&project, "remember", params);
        project.update();
        done
    };
    let both = again("conflicts_with");
    assert_eq!((&both["action"], &both["contradictions"]), (&json!("updated"), &json!([])));
    let page = text(&project, "memory/tech/port-of-the-api.md");
    assert!(page.contains("conflicts_with: [\"[[memory/tech/api-port]]\"]"), "{page}");
    let links = ask(&project, "get_page", json!({ "page": "memory/tech/port-of-the-api.md" }));
    assert_eq!(links["outlinks"][0]["link_type"], "conflicts_with", "{links}");
    let one = again("supersedes");
    assert_eq!(one["action"], "updated");
    let page = text(&project, "memory/tech/port-of-the-api.md");
    assert!(page.contains("supersedes: [") && !page.contains("conflicts_with"), "a conflict is over: {page}");
    assert_eq!(again("supersedes")["action"], "known");
    // The replacement comes first even if only the old text has the words.
    for query in ["8080", "port", ""] {
        let found = ask(&project, "recall", json!({ "query": query }));
        assert_eq!(found["memories"][0]["topic"], "Port of the API", "{query}");
        let old = &found["memories"][1];
        assert_eq!((&old["topic"], &old["current"]), (&json!("API port"), &json!(false)), "{query}");
        assert_eq!(paths(&old["superseded_by"]), ["memory/tech/port-of-the-api.md"]);
        assert_eq!(paths(&found["memories"][0]["supersedes"]), ["memory/tech/api-port.md"]);
    }
    let back =
        json!({ "type": "tech", "topic": "API port", "content": "x", "supersedes": ["Port of the API"] });
    assert!(refused(&project, "remember", back).contains("cannot replace each other"));
    let review = ask(&project, "review_memories", json!({}));
    assert_eq!((&review["counts"]["contradictory"], &review["counts"]["replaced"]), (&json!(0), &json!(1)));
}

#[test]
fn memories_cannot_replace_each_other_through_others() {
    let project = project();
    let replacing = |topic: &str, old: &str| json!({ "type": "tech", "topic": topic, "content": format!("The text about {topic}."), "supersedes": [old] });
    remember(&project, "First", "The text about First.");
    for (topic, old) in [("Second", "First"), ("Third", "Second")] {
        ask(&project, "remember", replacing(topic, old));
        project.update();
    }
    assert!(refused(&project, "remember", replacing("First", "Third")).contains("cannot replace each other"));
    assert_eq!(recall(&project, json!({}))[0], "Third");
}

#[test]
fn an_update_says_what_it_contradicts_in_the_previous_text() {
    let project = project();
    remember(&project, "Deploys", "We deploy on Fridays.");
    let update = remember(&project, "Deploys", "We do not deploy on Fridays.");
    let found = &update["contradictions"][0];
    assert_eq!(
        (&update["action"], &found["difference"], &found["filepath"]),
        (&json!("updated"), &json!("negation"), &update["filepath"])
    );
    let meant = json!({ "type": "tech", "topic": "deploys", "content": "We deploy on Fridays.", "supersedes": ["Deploys"] });
    assert_eq!(ask(&project, "remember", meant)["contradictions"], json!([]));
    assert!(!text(&project, "memory/tech/deploys.md").contains("supersedes"));
}

#[test]
fn expired_memories_come_last_and_can_be_renewed() {
    let mut project = project();
    let day = |end: &str| json!({ "type": "tech", "topic": "Freeze", "content": "The main branch is frozen.", "valid_until": end });
    ask(&project, "remember", day("1970-01-12"));
    project.update();
    remember(&project, "Branch", "The main branch is protected.");
    later(&mut project, 1_036_799);
    assert_eq!(
        ask(&project, "recall", json!({}))["memories"][1]["current"],
        true,
        "until the end of the day"
    );
    later(&mut project, 1_036_800);
    let found = ask(&project, "recall", json!({ "query": "frozen" }));
    let last = found["memories"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["topic"], &last["current"]), (&json!("Freeze"), &json!(false)));
    assert_eq!(ask(&project, "review_memories", json!({}))["expired"][0]["topic"], "Freeze");
    assert_eq!(ask(&project, "remember", day("1971-01-01"))["action"], "updated");
    project.update();
    assert_eq!(ask(&project, "list_memories", json!({}))["memories"][1]["current"], true);
    ask(&project, "remember", day(""));
    assert!(!text(&project, "memory/tech/freeze.md").contains("valid_until"));
    assert!(refused(&project, "remember", day("soon")).contains("must be a day"));
}

#[test]
fn what_expired_first_is_listed_first() {
    let mut project = project();
    for (topic, end) in
        [("Day", "1970-01-13"), ("Zone", "1970-01-13T02:00:00+09:00"), ("Noon", "1970-01-13T12:00:00Z")]
    {
        let memory = json!({ "type": "tech", "topic": topic, "content": format!("About {topic}."), "valid_until": end });
        ask(&project, "remember", memory);
        project.update();
    }
    later(&mut project, 20 * 86_400);
    let review = ask(&project, "review_memories", json!({}));
    let topics: Vec<&str> =
        review["expired"].as_array().unwrap().iter().map(|one| one["topic"].as_str().unwrap()).collect();
    assert_eq!(topics, ["Zone", "Noon", "Day"]);
}

#[test]
fn memories_that_nobody_recalls_and_old_ones_are_listed() {
    let mut project = project();
    remember(&project, "Used", "Tokio runs futures.");
    remember(&project, "Unused", "Bread needs salt.");
    later(&mut project, 1_000_000 + 31 * 86_400);
    assert_eq!(recall(&project, json!({ "query": "tokio", "limit": 1 })), ["Used"]);
    let review = ask(&project, "review_memories", json!({}));
    assert_eq!(review["never_recalled"][0]["topic"], "Unused", "{review}");
    assert_eq!((&review["counts"]["never_recalled"], &review["counts"]["old"]), (&json!(1), &json!(0)));
    let review = ask(&project, "review_memories", json!({ "days": 30, "limit": 1 }));
    assert_eq!((&review["counts"]["old"], review["old"].as_array().unwrap().len()), (&json!(2), 1));
    assert_eq!(ask(&project, "list_memories", json!({}))["memories"][1]["recall_count"], 1);
}

#[test]
fn similar_memories_that_contradict_each_other_are_not_merged() {
    let project = project();
    let words = "Use tokio to run futures in Rust; spawn tasks on the runtime, and pin what moves.";
    remember(&project, "Runtime", &format!("{words} Keep 4 worker threads."));
    remember(&project, "Rust runtime", &format!("{words} Keep 8 worker threads."));
    let done = ask(&project, "reindex_memories", json!({}));
    assert_eq!(done["merged"], json!([]), "{done}");
    assert_eq!(done["contradictory"][0]["difference"], "number", "{done}");
    assert!(project.source.trash().is_empty());
}
