//! Agents change only what their rights allow.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::manifest::{AuthorRights, Right, RightsRule};
use crate::ports::{ContentHash, Source};
use crate::proposals::Proposing;
use crate::{Caller, Context, Error, Result};

fn project() -> Project {
    let mut project = Project::with_pages([
        ("open.md", "# Open\n\nThe plan is in [[plan]].\n"),
        ("notes/a.md", "# A\n\nold\n"),
        ("decisions/plan.md", "# Plan\n\nold\n"),
        ("private/x.md", "# X\n"),
    ]);
    let rule = |path: &str, right| RightsRule { author: "*".into(), path: path.into(), right };
    project.manifest.rights =
        vec![rule("notes/", Right::Propose), rule("decisions/", Right::Read), rule("private/", Right::Hide)];
    project
}

/// A call of an agent in a server with `--write=apply`.
fn call(project: &Project, operation: &str, params: Value) -> Result<Value> {
    let rights = AuthorRights::of(&project.manifest, Some("claude 1.0"), &[]).unwrap();
    let proposing = Proposing { params: params.clone(), only_where_required: true, ..Proposing::default() };
    let context = Context {
        caller: Caller::Agent,
        agent: Some("claude 1.0"),
        rights: Some(&rights),
        proposing: Some(&proposing),
        ..project.context()
    };
    context.call(operation, params)
}

fn edit(project: &Project, page: &str) -> Result<Value> {
    let bytes = project.source.read(page).unwrap();
    let hash = ContentHash::of(&bytes).to_string();
    call(
        project,
        "update_page",
        json!({ "page": page, "content": "# New\n", "mode": "replace", "expected_hash": hash }),
    )
}

fn forbidden(result: Result<Value>) -> String {
    match result {
        Err(error @ Error::Forbidden { .. }) => error.to_string(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_change_is_made_proposed_or_refused_by_the_right_to_the_page() {
    let project = project();
    assert_eq!(edit(&project, "open.md").unwrap()["proposal"], Value::Null);
    assert!(edit(&project, "notes/a.md").unwrap()["proposal"].is_string());
    assert_eq!(project.source.read("notes/a.md").unwrap(), b"# A\n\nold\n");
    assert_eq!(
        forbidden(edit(&project, "decisions/plan.md")),
        "decisions/plan.md: claude 1.0 may only read this"
    );
    for path in ["private/new.md", "PRIVATE/new.md"] {
        let created = call(&project, "create_page", json!({ "path": path, "title": "Something" }));
        assert_eq!(forbidden(created), format!("{path}: claude 1.0 has no access to this path"));
    }
    // People are not restricted.
    let edited = json!({ "page": "decisions/plan.md", "content": "# New\n", "mode": "replace" });
    project.context().call("update_page", edited).unwrap();
}

#[test]
fn a_change_of_several_pages_needs_the_right_to_each() {
    let project = project();
    let hash = |page: &str| ContentHash::of(&project.source.read(page).unwrap()).to_string();
    let rename = |page: &str, to: &str| {
        call(&project, "rename_page", json!({ "page": page, "path": to, "expected_hash": hash(page) }))
    };
    forbidden(rename("open.md", "decisions/open.md"));
    forbidden(rename("decisions/plan.md", "plan2.md"));
    assert!(rename("open.md", "notes/open.md").unwrap()["proposal"].is_string());
    // A rename that only this agent's page is changed for is made at once.
    assert_eq!(rename("open.md", "opened.md").unwrap()["proposal"], Value::Null);
}

#[test]
fn replacing_skips_pages_that_may_only_be_read() {
    let project = project();
    let mut params = json!({ "old": "old", "new": "new", "dry_run": true });
    let planned = call(&project, "replace", params.clone()).unwrap();
    assert_eq!(planned["skipped"][0]["filepath"], "decisions/plan.md");
    params["dry_run"] = false.into();
    params["expected_hash"] = planned["content_hash"].clone();
    assert!(call(&project, "replace", params).unwrap()["proposal"].is_string());
}

#[test]
fn a_decision_about_a_page_that_may_only_be_read_is_refused() {
    let project = project();
    forbidden(call(&project, "dismiss", json!({ "source": "plan", "target": "open" })));
    assert!(
        call(&project, "dismiss", json!({ "source": "a", "target": "open" })).unwrap()["proposal"]
            .is_string()
    );
    assert_eq!(
        call(&project, "dismiss", json!({ "source": "open", "target": "a" })).unwrap()["proposal"],
        Value::Null
    );
}

#[test]
fn without_proposals_a_change_that_may_only_be_proposed_is_refused() {
    let project = project();
    let rights = AuthorRights::of(&project.manifest, None, &[]).unwrap();
    let context = Context { caller: Caller::Agent, rights: Some(&rights), ..project.context() };
    let error = context.call("create_page", json!({ "path": "notes/b.md", "title": "B" })).unwrap_err();
    assert!(error.to_string().contains("can only be proposed"), "{error}");
}
