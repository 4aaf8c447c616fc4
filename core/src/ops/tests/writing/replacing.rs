//! `replace` over several pages: one change, with a dry run and one undo.

use super::*;

fn vault() -> Project {
    Project::with_pages([
        ("a.md", "Sign in, then sign in.\r\nSign out.\r\n"),
        ("guides/b.md", "---\ntitle: How to sign in\n---\nsign in\n"),
        ("guides/locked.md", "---\nagents: read-only\n---\nsign in\n"),
        ("guidebook.md", "sign in\n"),
        ("other.md", "nothing\n"),
    ])
}

#[test]
fn all_pages_change_together_and_one_undo_restores_them() {
    let project = vault();
    let before = everything(&project);
    let params = |dry_run: bool| json!({ "old": "sign in", "new": "log in", "dry_run": dry_run });
    let dry = call(&project, "replace", params(true)).unwrap();
    assert_eq!(everything(&project), before);
    let done = call(&project, "replace", params(false)).unwrap();
    assert_eq!(done["diff"], dry["diff"]);
    assert_eq!(done["replaced_count"], 5);
    let pages: Vec<&str> =
        done["pages"].as_array().unwrap().iter().filter_map(|page| page["filepath"].as_str()).collect();
    assert_eq!(pages, ["a.md", "guidebook.md", "guides/b.md", "guides/locked.md"]);
    assert_eq!(text(&project, "a.md"), "Sign in, then log in.\r\nSign out.\r\n", "letter case counts");
    assert_eq!(text(&project, "guides/b.md"), "---\ntitle: How to log in\n---\nlog in\n");
    project.embed();
    assert!(project.dump() == project.rebuilt());
    call(&project, "undo", json!({ "entry": done["audit_id"] })).unwrap();
    assert_eq!(everything(&project), before);
    let none = call(&project, "replace", json!({ "old": "sign up", "new": "" })).unwrap();
    assert_eq!((&none["replaced_count"], &none["audit_id"]), (&json!(0), &Value::Null));
}

#[test]
fn regular_expressions_match_lines_and_fill_in_groups() {
    let project = vault();
    let params =
        json!({ "old": "(?i)^sign (in|out)", "new": "${1}side\n", "regex": true, "paths": ["a.md"] });
    let done = call(&project, "replace", params).unwrap();
    assert_eq!(done["replaced_count"], 2);
    assert_eq!(text(&project, "a.md"), "inside\r\n, then sign in.\r\noutside\r\n.\r\n");
    for (old, message) in
        [("(", "not a valid regular expression"), ("x*", "matches empty text"), ("", "`old` is empty")]
    {
        let error = call(&project, "replace", json!({ "old": old, "new": "", "regex": true })).unwrap_err();
        assert!(error.code() == "invalid_params" && error.to_string().contains(message), "{error}");
    }
}

#[test]
fn paths_limit_the_replacement_to_pages_and_folders() {
    let project = vault();
    let count = |paths: Value| {
        let params = json!({ "old": "sign in", "new": "x", "paths": paths, "dry_run": true });
        call(&project, "replace", params).map(|answer| answer["replaced_count"].as_u64().unwrap())
    };
    assert_eq!(count(json!(["guides"])).unwrap(), 3);
    assert_eq!(count(json!(["guides/", "./a.md"])).unwrap(), 4);
    assert_eq!(count(json!(["."])).unwrap(), 5);
    assert_eq!(count(json!(["guide"])).unwrap_err().to_string(), "guide: no such page or folder");
    assert_eq!(count(json!(["../x"])).unwrap_err().code(), "outside_project");
}

#[test]
fn an_agent_needs_the_hash_of_a_dry_run_and_read_only_pages_are_skipped() {
    let project = vault();
    let context = agent(&project);
    let ask = |params: Value| context.call("replace", params);
    let params = json!({ "old": "sign in", "new": "log in" });
    assert!(ask(params.clone()).unwrap_err().to_string().starts_with("`expected_hash` is missing"));
    let mut dry = params.clone();
    dry["dry_run"] = true.into();
    let shown = ask(dry.clone()).unwrap();
    assert_eq!(shown["skipped"][0]["filepath"], "guides/locked.md");
    let mut real = params.clone();
    real["expected_hash"] = shown["content_hash"].clone();
    real["new"] = "something else".into();
    let refused = |params: &Value| ask(params.clone()).unwrap_err().to_string();
    assert!(refused(&real).starts_with("`expected_hash` does not match"));
    real["new"] = "log in".into();
    project.put("other.md", "sign in\n");
    assert!(refused(&real).starts_with("`expected_hash` does not match"), "another page contains it now");
    real["expected_hash"] = ask(dry).unwrap()["content_hash"].clone();
    let done = ask(real).unwrap();
    assert_eq!((&done["replaced_count"], text(&project, "other.md")), (&json!(5), "log in\n".to_owned()));
    assert!(text(&project, "guides/locked.md").contains("sign in"));
}

#[test]
fn a_replacement_that_breaks_front_matter_is_refused() {
    let project = vault();
    let before = everything(&project);
    let error = call(&project, "replace", json!({ "old": "How to", "new": "'How" })).unwrap_err();
    assert!(error.code() == "front_matter" && error.to_string().starts_with("guides/b.md: "), "{error}");
    assert_eq!(everything(&project), before);
}
