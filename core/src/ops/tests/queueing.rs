//! Types that sentences state, the queue, and how often suggestions are right.

use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::ports::Source;
use crate::suggest::decisions::FILE;

fn project() -> Project {
    Project::with_pages([
        (
            "login.md",
            "---\nstatus: draft\n---\n# Login\n\nLogin depends on [[User DB]]. It is old.\n\n- Replaced by [[SSO]]\n",
        ),
        ("user-db.md", "# User DB\n\nUser accounts. See [[SSO]].\n"),
        (
            "sso.md",
            "---\npartOf: \"[[User DB]]\"\nsuperseded_by:\n  - \"[[Future]]\"\n---\n# SSO\n\nSSO is part of [[User DB]].\n",
        ),
        ("future.md", "# Future\n\nThe login page and the user db are words here.\n"),
    ])
}

fn ask(project: &Project, name: &str, params: Value) -> Value {
    let answer = project.context().call(name, params.clone());
    answer.unwrap_or_else(|error| panic!("{name} {params}: {error}"))
}

fn types(project: &Project) -> Vec<(String, String, String)> {
    let answer = ask(project, "suggest_types", json!({ "threshold": 0 }));
    let suggestions = answer["suggestions"].as_array().unwrap().iter();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let mut all: Vec<_> =
        suggestions.map(|one| (text(one, "source"), text(one, "type"), text(one, "target"))).collect();
    all.sort();
    all
}

fn triple(source: &str, link_type: &str, target: &str) -> (String, String, String) {
    (source.into(), link_type.into(), target.into())
}

#[test]
fn of_many_keys_with_links_the_most_frequent_ones_are_types() {
    let keys: String = (0..300).map(|number| format!("a{number:03} of: \"[[B]]\"\n")).collect();
    let page = format!("---\n{keys}zz_by: \"[[B]]\"\n---\nIt is zz by [[B]]. It was caused by [[B]].\n");
    let project = Project::with_pages([
        ("a.md", page.as_str()),
        ("b.md", "---\ncaused_by: [\"[[C]]\", \"[[D]]\"]\n---\n"),
        ("c.md", "It was caused by [[B]].\n"),
        ("d.md", "It is zz by [[B]].\n"),
    ]);
    assert_eq!(types(&project), [triple("a.md", "caused_by", "b.md"), triple("c.md", "caused_by", "b.md")]);
}

#[test]
fn types_are_suggested_in_the_spelling_of_the_project_unless_they_are_written_down() {
    let project = project();
    let (depends, replaced) =
        (triple("login.md", "depends_on", "user-db.md"), triple("login.md", "superseded_by", "sso.md"));
    assert_eq!(types(&project), [depends.clone(), replaced.clone()]);
    let answer = ask(&project, "suggest_types", json!({ "page": "Login", "limit": 1, "threshold": 0 }));
    let one = &answer["suggestions"][0];
    assert_eq!(
        (&one["line"], &one["filepath"], &answer["total"]),
        (&json!(6), &json!("login.md"), &json!(2))
    );
    assert_eq!(one["sentence"], "Login depends on [[User DB]].");
    // Accepting writes front matter and nothing else.
    let params = json!({ "source": "login", "target": "User DB", "type": "depends_on" });
    let done = ask(&project, "accept", params);
    assert_eq!(done["link"], "depends_on: [[user-db]]");
    project.update();
    let text = String::from_utf8(project.source.read("login.md").unwrap()).unwrap();
    assert!(
        text.starts_with("---\nstatus: draft\ndepends_on: \"[[user-db]]\"\n---\n# Login\n\nLogin depends"),
        "{text}"
    );
    assert_eq!(types(&project), [replaced]);
    ask(&project, "undo", json!({ "entry": done["audit_id"] }));
    project.update();
    assert_eq!(types(&project).len(), 2, "the decision is undone too");
}

#[test]
fn a_dismissed_type_is_not_suggested_again_and_the_link_still_is() {
    let project = project();
    let params = json!({ "source": "login", "target": "sso", "type": "superseded_by" });
    ask(&project, "dismiss", params);
    assert_eq!(types(&project), [triple("login.md", "depends_on", "user-db.md")]);
    let all = ask(&project, "suggest_types", json!({ "threshold": 0, "include_decided": true }));
    let dismissed = all["suggestions"].as_array().unwrap().iter().filter(|one| one["status"] == "dismissed");
    assert_eq!(dismissed.count(), 1);
    let decisions = String::from_utf8(project.source.read_state(FILE).unwrap().unwrap()).unwrap();
    assert!(decisions.contains("\"type\":\"superseded_by\""), "{decisions}");
    let bad = json!({ "source": "login", "target": "sso", "type": "a: b" });
    assert_eq!(project.context().call("accept", bad).unwrap_err().code(), "invalid_params");
}

#[test]
fn the_queue_has_everything_that_waits_for_a_person() {
    let project = project();
    for (topic, content) in [
        ("API port", "The public API listens on port 80."),
        ("Port of the API", "The public API listens on port 90."),
    ] {
        ask(&project, "remember", json!({ "type": "tech", "topic": topic, "content": content }));
        project.update();
    }
    let answer = ask(&project, "queue", json!({ "from": 0, "limit": 100 }));
    let items = answer["items"].as_array().unwrap();
    let of = |kind: &str| items.iter().filter(|item| item["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(of("contradiction").len(), 1, "{answer}");
    assert_eq!(items[0]["kind"], "contradiction", "what is no estimate comes first");
    assert_eq!(of("type").len(), 2);
    assert!(!of("link").is_empty());
    let confidences: Vec<f64> = items.iter().filter_map(|item| item["confidence"].as_f64()).collect();
    assert!(confidences.is_sorted_by(|a, b| a >= b), "{confidences:?}");
    let dismiss = of("contradiction")[0]["dismiss"].clone();
    let accept = &of("type")[0]["accept"];
    ask(&project, accept["operation"].as_str().unwrap(), accept["params"].clone());
    project.update();
    let left = ask(&project, "queue", json!({ "from": 0, "kinds": ["type"] }));
    assert_eq!(left["counts"], json!([{ "kind": "type", "count": 1 }]));
    // Whoever knows that two memories agree, or that both may be true, is not asked again.
    let both = json!({ "source": "api-port", "target": "port-of-the-api", "type": "conflicts_with" });
    for (operation, params) in [("dismiss", dismiss["params"].clone()), ("accept", both)] {
        let done = ask(&project, operation, params);
        project.update();
        let none = ask(&project, "queue", json!({ "kinds": ["contradiction"] }));
        assert_eq!(none["counts"], json!([{ "kind": "contradiction", "count": 0 }]), "{operation}");
        ask(&project, "undo", json!({ "entry": done["audit_id"] }));
        project.update();
        let again = ask(&project, "queue", json!({ "kinds": ["contradiction"] }));
        assert_eq!(again["items"].as_array().unwrap().len(), 1, "{operation}");
    }
    let between = ask(&project, "queue", json!({ "from": 0.2, "below": 0.21, "kinds": ["link"] }));
    assert!(
        between["items"].as_array().unwrap().iter().all(|item| item["confidence"].as_f64().unwrap() < 0.21)
    );
    let wrong = project.context().call("queue", json!({ "from": 0.8, "below": 0.5 })).unwrap_err();
    assert_eq!(wrong.code(), "invalid_params");
}

#[test]
fn suggestions_are_measured_against_removed_links() {
    let project = project();
    let tasks = json!([
        { "page": "future", "gold": ["Login", "User DB"] },
        { "page": "future", "gold": ["nowhere"] },
        { "page": "nowhere", "gold": ["Login"] },
    ]);
    let answer = ask(&project, "evaluate_suggestions", json!({ "tasks": tasks }));
    assert_eq!((&answer["task_count"], &answer["skipped_task_count"]), (&json!(1), &json!(2)));
    assert_eq!((&answer["recall_at_5"], &answer["recall_at_10"]), (&json!(1.0), &json!(1.0)));
    let bins = answer["bins"].as_array().unwrap();
    let sum = |key: &str| bins.iter().map(|bin| bin[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("count"), sum("right_count")), (3, 2), "{answer}");
    let by_hand: f64 = bins
        .iter()
        .map(|bin| {
            let of = |key: &str| bin[key].as_f64().unwrap();
            (of("confidence") - of("share")).abs() * of("count")
        })
        .sum();
    assert!((answer["expected_calibration_error"].as_f64().unwrap() - by_hand / 3.0).abs() < 0.001);
    let none = project.context().call("evaluate_suggestions", json!({ "tasks": [] })).unwrap_err();
    assert_eq!(none.code(), "invalid_params");
}
