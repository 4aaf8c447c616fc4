//! A person edits a proposal before accepting it.

use super::*;

/// Another program writes the page.
fn put(project: &Project, text: &str) {
    project.source.put("login.md", text.as_bytes(), jiff::Timestamp::from_second(998_000).unwrap());
    project.update();
}

/// An agent proposes "Two!" for "Two.".
fn proposed(project: &Project) -> Value {
    propose(project, "update_page", json!({ "page": "login", "old": "Two.", "new": "Two!" })).unwrap()
}

fn accept_as<S: Source>(project: &Project<S>, id: &Value, texts: Value) -> Result<Value> {
    call(project, "accept_proposal", json!({ "proposals": [id], "texts": texts }))
}

#[test]
fn the_reviewers_text_is_written_in_place_of_the_agents() {
    let project = project();
    let windows = LOGIN.replace('\n', "\r\n");
    put(&project, &windows);
    let made = proposed(&project);
    let id = &made["proposal"];
    // Somebody edits the page at another line.
    let before = windows.replace("Three.", "Four.");
    put(&project, &before);
    let shown = call(&project, "get_proposal", json!({ "proposal": id })).unwrap();
    let words =
        shown["changes"][0]["text"].as_str().unwrap().replace("Two!", "Two, or more.").replace('\r', "");
    let dry =
        json!({ "proposals": [id], "texts": [{ "filepath": "login.md", "text": words }], "dry_run": true });
    assert!(
        call(&project, "accept_proposal", dry).unwrap()["accepted"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("or more")
    );
    assert_eq!(text(&project, "login.md"), before);

    let accepted = accept_as(&project, id, json!([{ "filepath": "login.md", "text": words }])).unwrap();
    let accepted = &accepted["accepted"][0];
    assert_eq!((&accepted["state"], &accepted["rebased"]), (&json!("accepted"), &json!(true)), "{accepted}");
    assert_eq!(text(&project, "login.md"), before.replace("Two.", "Two, or more."));
    // The agent sees what became of it.
    let told = agent(&project, "claude 1.0", &Proposing::default())
        .call("get_proposal", json!({ "proposal": id }))
        .unwrap();
    assert_eq!(told["decision"]["edited"], json!(["login.md"]));
    call(&project, "undo", json!({ "entry": accepted["audit_id"] })).unwrap();
    assert_eq!(text(&project, "login.md"), before);
}

#[test]
fn an_unchanged_text_is_the_agents_and_one_of_another_page_is_refused() {
    let project = project();
    let made = proposed(&project);
    let id = &made["proposal"];
    for (texts, hunks, expected) in [
        (json!([{ "filepath": "users.md", "text": "Mine." }]), json!([]), "writes no text of users.md"),
        (json!([{ "filepath": "login.md", "text": "Mine." }]), json!([1]), "and no `hunks`"),
    ] {
        let params = json!({ "proposals": [id], "texts": texts, "hunks": hunks });
        let error = call(&project, "accept_proposal", params).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(text(&project, "login.md"), LOGIN);
    let same = LOGIN.replace("Two.", "Two!");
    accept_as(&project, id, json!([{ "filepath": "login.md", "text": same }])).unwrap();
    assert_eq!(text(&project, "login.md"), same);
    let shown = call(&project, "get_proposal", json!({ "proposal": id })).unwrap();
    assert_eq!(shown["decision"]["edited"], json!([]));
}

#[test]
fn the_reviewers_text_conflicts_with_later_edits_of_the_same_lines() {
    let project = project();
    let made = proposed(&project);
    put(&project, &LOGIN.replace("Three.", "Four."));
    let words = LOGIN.replace("Two.", "Two!").replace("Three.", "Five.");
    let texts = json!([{ "filepath": "login.md", "text": words }]);
    let error = accept_as(&project, &made["proposal"], texts).unwrap_err();
    assert!(matches!(error, crate::Error::ProposalConflict { .. }), "{error}");
    assert_eq!(state(&project, &made["proposal"]), "pending");
    assert_eq!(text(&project, "login.md"), LOGIN.replace("Three.", "Four."));
}
