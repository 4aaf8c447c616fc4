//! An agent can list and undo only its own changes.

use super::*;

#[test]
fn an_agent_lists_and_undoes_only_its_own_changes() {
    let project = Project::with_pages([("a.md", "one\n"), ("b.md", "two\n")]);
    let named =
        |name: &'static str| Context { caller: Caller::Agent, agent: Some(name), ..project.context() };
    let edit = |context: Context<'_>, page: &str| {
        let params = json!({ "page": page, "mode": "append", "content": "More." });
        context.call("update_page", params).unwrap()["audit_id"].clone()
    };
    let (writer, later, other) = (named("writer 1.0"), named("writer 1.1"), named("other 1.0"));
    let own = edit(writer, "a.md");
    let others = edit(other, "b.md");
    let persons = edit(project.context(), "b.md");

    let listed = later.call("audit", json!({})).unwrap();
    assert_eq!(
        (&listed["total"], &listed["entries"][0]["group"]),
        (&json!(1), &own),
        "the version does not matter"
    );
    assert_eq!(listed["entries"][0]["diff"], "", "lists have no diffs");
    let one = later.call("audit", json!({ "entry": own })).unwrap();
    assert!(one["entries"][0]["diff"].as_str().unwrap().contains("+More."));
    for entry in [&others, &persons] {
        for name in ["audit", "undo"] {
            let error = writer.call(name, json!({ "entry": entry })).unwrap_err();
            assert!(error.to_string().starts_with("unknown change"), "{error}");
        }
    }
    let before = text(&project, "b.md");
    let undone = later.call("undo", json!({ "entry": own })).unwrap();
    assert_eq!((text(&project, "a.md").as_str(), text(&project, "b.md")), ("one\n", before));
    let error = writer.call("undo", json!({ "entry": own })).unwrap_err();
    assert!(error.to_string().contains("was undone already"), "{error}");
    writer.call("undo", json!({ "entry": undone["audit_id"] })).unwrap();
    assert_eq!(text(&project, "a.md"), "one\n\nMore.\n");
    // An undo by a person is a change by a person.
    let back = call(&project, "undo", json!({ "entry": own })).unwrap();
    assert!(writer.call("undo", json!({ "entry": back["audit_id"] })).is_err());
    assert_eq!(call(&project, "audit", json!({})).unwrap()["total"], 6);
}

#[test]
fn an_agent_cannot_undo_a_change_of_a_read_only_page() {
    let project = Project::with_pages([("a.md", "---\nagents: x\n---\none\n")]);
    let context = agent(&project);
    let params = json!({ "page": "a.md", "old": "agents: x", "new": "agents: read-only" });
    let locked = context.call("update_page", params).unwrap();
    let error = context.call("undo", json!({ "entry": locked["audit_id"] })).unwrap_err();
    assert_eq!(error.code(), "read_only");
}
