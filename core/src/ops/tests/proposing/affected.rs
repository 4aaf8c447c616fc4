//! Which code and pages a proposal affects.

use super::*;

fn shown<S: Source>(project: &Project<S>, operation: &str, params: Value) -> Value {
    let id = propose(project, operation, params).unwrap()["proposal"].clone();
    call(project, "get_proposal", json!({ "proposal": id })).unwrap()
}

fn sources(change: &Value) -> Vec<(String, String, bool, Value)> {
    let of = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        (text("source"), text("change"), one["exists"].as_bool().unwrap(), one["reason"].clone())
    };
    change["sources"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn the_code_of_a_page_is_listed_as_it_was_and_will_be() {
    let project = project();
    let now = jiff::Timestamp::from_second(1_000).unwrap();
    project.source.put_source("src/b.rs", b"b", now);
    project.source.put_source("lib/c.rs", b"c", now);
    let content =
        "---\nsource_refs: [src/b.rs, src/gone.rs, lib/]\n---\n# Login\n\nSee [[users]] and [[src/a.rs]].\n";
    let hash = hash(&project, "login.md");
    let params = json!({ "page": "login", "content": content, "mode": "replace", "expected_hash": hash });
    let answer = shown(&project, "update_page", params);
    let expected = |source: &str, change: &str, exists: bool, reason: Value| {
        (source.to_owned(), change.to_owned(), exists, reason)
    };
    let login = &answer["changes"][0];
    assert_eq!(
        sources(login),
        [
            expected("lib/", "added", true, Value::Null),
            expected("src/a.rs", "kept", true, json!("changed")),
            expected("src/b.rs", "added", true, Value::Null),
            expected("src/gone.rs", "added", false, Value::Null),
        ]
    );
    assert_eq!(login["source_count"], 4);

    let params = json!({ "title": "New", "content": "About [[src/b.rs]] and [[users]].", "folder": "notes" });
    let answer = shown(&project, "create_page", params);
    assert_eq!(sources(&answer["changes"][0]), [expected("src/b.rs", "added", true, Value::Null)]);
    assert_eq!(answer["affected_count"], 0, "nothing depends on a page that is new");

    let params = json!({ "page": "login", "confirm": true, "unlink": true, "expected_hash": hash });
    let answer = shown(&project, "delete_page", params);
    let removed = answer["changes"].as_array().unwrap().iter().find(|one| one["change"] == "deleted");
    assert_eq!(sources(removed.unwrap()), [expected("src/a.rs", "removed", true, json!("changed"))]);
}

#[test]
fn pages_that_the_changed_ones_affect_are_those_of_the_impact() {
    let project = project();
    project.put("deep.md", "---\ndepends_on: \"[[links]]\"\n---\n# Deep\n");
    project.update();
    let params = json!({ "page": "users", "old": "there", "new": "here" });
    let answer = shown(&project, "update_page", params);
    let impact = call(&project, "get_impact", json!({ "page": "users" })).unwrap();
    assert_eq!(answer["affected"], impact["affected"]);
    assert_eq!(answer["affected_count"], impact["total_affected"]);
    let paths: Vec<&str> =
        answer["affected"].as_array().unwrap().iter().map(|one| one["filepath"].as_str().unwrap()).collect();
    assert!(paths.contains(&"login.md") && paths.contains(&"deep.md"), "{paths:?}");
}

#[test]
fn a_proposal_says_in_lists_whether_it_only_adds() {
    let project = project();
    let params = json!({ "page": "login", "content": "Four.", "mode": "append" });
    propose(&project, "update_page", params).unwrap();
    propose(&project, "update_page", json!({ "page": "users", "old": "there", "new": "here" })).unwrap();
    propose(&project, "create_page", json!({ "title": "New", "content": "Text." })).unwrap();
    propose(&project, "dismiss", json!({ "source": "users", "target": "login" })).unwrap();
    let listed = call(&project, "list_proposals", json!({})).unwrap();
    let adding = |one: &&Value| one["only_adds"] == true;
    let mut adding: Vec<&Value> =
        listed["proposals"].as_array().unwrap().iter().filter(adding).map(|one| &one["proposal"]).collect();
    let dry = json!({ "all": true, "only_additions": true, "dry_run": true });
    let accepted = call(&project, "accept_proposal", dry).unwrap();
    let mut accepted: Vec<&Value> =
        accepted["accepted"].as_array().unwrap().iter().map(|one| &one["proposal"]).collect();
    let text = |value: &&Value| value.as_str().unwrap().to_owned();
    adding.sort_by_key(text);
    accepted.sort_by_key(text);
    assert_eq!(adding.len(), 2);
    assert_eq!(adding, accepted);
}
