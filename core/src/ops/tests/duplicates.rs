//! Memories that say the same: in the queue, merged by name, and kept apart.

use crate::testing::HashEmbedder;
use serde_json::{Value, json};

use crate::index::tests::Project;

const TOKIO: &str =
    "Use tokio to run futures in Rust; spawn tasks on the runtime, and never block a thread of it.";

fn ask(project: &Project, name: &str, params: Value) -> Value {
    let answer = project.context().call(name, params.clone());
    answer.unwrap_or_else(|error| panic!("{name} {params}: {error}"))
}

fn remember(project: &Project, topic: &str, content: &str) -> Value {
    let done = ask(project, "remember", json!({ "type": "tech", "topic": topic, "content": content }));
    project.update();
    project.embed();
    done
}

/// Two pairs: one with the same text, one with similar texts; and one memory beside them.
fn project() -> Project {
    let mut project = Project::with_pages([("home.md", "# Home\n\nSee [[Loaf]].\n")]);
    project.embedder = HashEmbedder::named("all-MiniLM-L6-v2");
    remember(&project, "Bread", "Flour, water, salt and time.");
    remember(&project, "Loaf", "Flour, water, salt and time.");
    remember(&project, "Rust async", TOKIO);
    remember(&project, "Rust async tasks", &format!("{TOKIO}\n\n- Bound your channels."));
    remember(&project, "Ports", "The public interface listens on port 8080.");
    project
}

fn waiting(project: &Project) -> Vec<(String, String, Option<f64>)> {
    let answer = ask(project, "queue", json!({ "kinds": ["duplicate"], "from": 0 }));
    let items = answer["items"].as_array().unwrap().iter();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    items.map(|one| (text(one, "source"), text(one, "target"), one["confidence"].as_f64())).collect()
}

#[test]
fn pairs_wait_with_their_confidence_and_equal_texts_without_one() {
    let project = project();
    let found = waiting(&project);
    let [equal, similar] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (equal.0.as_str(), equal.1.as_str(), equal.2),
        ("memory/tech/bread.md", "memory/tech/loaf.md", None)
    );
    // Both were made in the same second, so the path decides which one stays.
    assert_eq!(
        (similar.0.as_str(), similar.1.as_str()),
        ("memory/tech/rust-async-tasks.md", "memory/tech/rust-async.md")
    );
    assert!(similar.2.is_some_and(|share| share > 0.0 && share < 1.0), "{similar:?}");
    let queue = ask(&project, "queue", json!({ "kinds": ["duplicate"], "limit": 1 }));
    assert_eq!(
        queue["counts"],
        json!([{ "kind": "duplicate", "count": 2 }]),
        "the limit cuts only the items"
    );
    // A model that was not measured gives no number, so only what would be merged anyway is listed.
    let mut unknown = project;
    unknown.embedder = HashEmbedder::named("another");
    unknown.embed();
    assert!(waiting(&unknown).iter().all(|(_, _, confidence)| confidence.is_none()));
    let told = remember(&unknown, "Rust futures", &format!("{TOKIO} Pin what moves."));
    assert!(told["similar_count"].as_u64().unwrap() >= 2, "{told}");
    assert_eq!(told["similar"][0]["confidence"], Value::Null);
}

#[test]
fn an_accepted_pair_is_merged_and_a_dismissed_one_stays_apart() {
    let project = project();
    let answer = ask(&project, "queue", json!({ "kinds": ["duplicate"], "from": 0 }));
    let (equal, similar) = (&answer["items"][0], &answer["items"][1]);
    let follow = |next: &Value| ask(&project, next["operation"].as_str().unwrap(), next["params"].clone());
    let dismissed = follow(&similar["dismiss"]);
    assert_eq!(waiting(&project).len(), 1);
    assert_eq!(
        ask(&project, "reindex_memories", json!({ "dry_run": true }))["merged"].as_array().unwrap().len(),
        1
    );
    let merged = follow(&equal["accept"]);
    project.update();
    assert_eq!(merged["merged"][0]["replaced"][0]["filepath"], "memory/tech/loaf.md");
    assert_eq!(merged["merged"][0]["replaced"][0]["confidence"], Value::Null);
    assert_eq!(
        ask(&project, "get_page", json!({ "page": "home" }))["outlinks"][0]["filepath"],
        "memory/tech/bread.md"
    );
    assert_eq!(waiting(&project), []);
    ask(&project, "undo", json!({ "entry": dismissed["audit_id"] }));
    assert_eq!(waiting(&project).len(), 1);
}

#[test]
fn named_memories_are_merged_although_they_differ_unless_they_must_stay_apart() {
    let project = project();
    let names = |names: [&str; 2]| json!({ "memories": names });
    let error = project.context().call("reindex_memories", json!({ "memories": ["Bread"] })).unwrap_err();
    assert!(error.to_string().contains("at least two"), "{error}");
    let error = project.context().call("reindex_memories", names(["Bread", "Nothing"])).unwrap_err();
    assert_eq!(error.code(), "page_not_found");
    ask(&project, "remember", json!({ "type": "domain", "topic": "Dough", "content": "It rises." }));
    project.update();
    let error = project.context().call("reindex_memories", names(["Bread", "Dough"])).unwrap_err();
    assert!(error.to_string().contains("stay apart"), "{error}");
    let done = ask(&project, "reindex_memories", names(["Ports", "memory/tech/bread.md"]));
    assert_eq!((&done["without_vectors"], &done["uncompared_count"]), (&Value::Null, &json!(0)));
    let replaced = &done["merged"][0]["replaced"];
    assert_eq!(replaced.as_array().unwrap().len(), 1, "{done}");
    assert!(replaced[0]["similarity"].as_f64().is_some_and(|similarity| similarity < 0.75), "{done}");
    project.update();
    let kept = done["merged"][0]["kept"]["filepath"].as_str().unwrap();
    let text = ask(&project, "get_page", json!({ "page": kept }))["content"].to_string();
    assert!(text.contains("Flour") && text.contains("8080"), "{text}");
}
