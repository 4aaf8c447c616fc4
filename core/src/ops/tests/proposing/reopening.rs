//! Decisions that are taken back.

use super::*;

fn update<S: Source>(project: &Project<S>) -> Value {
    let params = json!({ "page": "login", "old": "Two.", "new": "Two!" });
    propose(project, "update_page", params).unwrap()["proposal"].clone()
}

fn reopen<S: Source>(project: &Project<S>, id: &Value) -> Result<Value> {
    call(project, "reopen_proposal", json!({ "proposals": [id] }))
}

#[test]
fn a_rejected_proposal_waits_again_and_the_agent_hears_of_both_decisions() {
    let project = project();
    let id = update(&project);
    let open = reopen(&project, &id).unwrap_err();
    assert!(open.to_string().contains("waits for review already"), "{open}");
    let reject = json!({ "proposals": [&id], "reviewer": "Ann", "comment": "No." });
    call(&project, "reject_proposal", reject).unwrap();
    let error = propose(&project, "reopen_proposal", json!({ "proposals": [&id] })).unwrap_err();
    assert!(error.to_string().contains("only people can reopen"), "{error}");
    assert_eq!(reopen(&project, &id).unwrap()["reopened"], json!([&id]));
    assert_eq!(state(&project, &id), "pending");
    assert_eq!(call(&project, "status", json!({})).unwrap()["proposal_count"], 1);
    accept(&project, &id).unwrap();
    assert!(text(&project, "login.md").contains("Two!"));
    let heard = propose(&project, "list_proposals", json!({})).unwrap()["proposals"][0].clone();
    let earlier = &heard["earlier"][0];
    assert_eq!((&earlier["verdict"], &earlier["comment"]), (&json!("rejected"), &json!("No.")));
    assert_eq!(heard["decision"]["verdict"], "accepted");
}

#[test]
fn an_accepted_proposal_waits_again_once_its_change_is_undone() {
    let project = project();
    let id = update(&project);
    let entry = accept(&project, &id).unwrap()["accepted"][0]["audit_id"].clone();
    let in_force = reopen(&project, &id).unwrap_err();
    assert!(in_force.to_string().contains("its change is in force"), "{in_force}");
    let hint = in_force.hint().unwrap().told(&Commands);
    assert!(hint.contains(&format!("ubp undo {}", entry.as_str().unwrap())), "{hint}");
    let undone = call(&project, "undo", json!({ "entry": entry })).unwrap();
    assert_eq!(state(&project, &id), "accepted");
    // Redone: in force again.
    call(&project, "undo", json!({ "entry": undone["audit_id"] })).unwrap();
    assert!(reopen(&project, &id).is_err());
    let latest = call(&project, "audit", json!({ "limit": 1 })).unwrap()["entries"][0]["group"].clone();
    call(&project, "undo", json!({ "entry": latest })).unwrap();
    assert_eq!(text(&project, "login.md"), LOGIN);
    reopen(&project, &id).unwrap();
    assert_eq!(state(&project, &id), "pending");
    let again = accept(&project, &id).unwrap();
    assert_ne!(again["accepted"][0]["audit_id"], entry);
    assert!(text(&project, "login.md").contains("Two!"));
}

#[test]
fn all_of_them_are_reopened_or_none() {
    let project = project();
    let (one, other) = (update(&project), {
        let params = json!({ "page": "users", "old": "there", "new": "here" });
        propose(&project, "update_page", params).unwrap()["proposal"].clone()
    });
    call(&project, "reject_proposal", json!({ "proposals": [&one] })).unwrap();
    propose(&project, "withdraw_proposal", json!({ "proposal": other })).unwrap();
    let error = call(&project, "reopen_proposal", json!({ "proposals": [&one, &other] })).unwrap_err();
    assert!(error.to_string().contains("was withdrawn by the agent"), "{error}");
    assert_eq!((state(&project, &one), state(&project, &other)), ("rejected".into(), "withdrawn".into()));
}
