//! Versions of pages: from commits, and from the audit log.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::ports::{MemoryHistory, Source};
use crate::{Caller, Context};

fn agent(project: &Project) -> Context<'_> {
    Context { caller: Caller::Agent, agent: Some("writer 1.0"), ..project.context() }
}

fn append(context: &Context<'_>, page: &str, text: &str) {
    context.call("update_page", json!({ "page": page, "mode": "append", "content": text })).unwrap();
}

/// The moments and subjects of the versions, newest first.
fn told(answer: &Value) -> Vec<String> {
    let word = |version: &Value, name: &str| version[name].as_str().unwrap_or("-").to_owned();
    let versions = answer["versions"].as_array().unwrap();
    versions
        .iter()
        .map(|version| format!("{} {}", word(version, "moment"), word(version, "subject")))
        .collect()
}

fn history(context: &Context<'_>, page: &str) -> Value {
    context.call("page_history", json!({ "page": page })).unwrap()
}

fn version(context: &Context<'_>, page: &str, id: &Value) -> Value {
    context.call("page_version", json!({ "page": page, "version": id })).unwrap()
}

#[test]
fn texts_before_the_edits_of_agents_are_versions_without_git() {
    let project = Project::with_pages([("a.md", "one\n"), ("b.md", "other\n")]);
    append(&agent(&project), "a.md", "two");
    append(&agent(&project), "a.md", "three");
    append(&agent(&project), "b.md", "elsewhere");
    let context = project.context();
    let answer = history(&context, "a.md");
    assert_eq!(told(&answer), ["before update_page", "before update_page"]);
    assert_eq!((&answer["committed"], &answer["more"]), (&json!("unknown"), &json!(false)));
    let [newer, older] = [0, 1].map(|at| answer["versions"][at].clone());
    assert_eq!((&older["author"], &older["caller"]), (&json!("writer 1.0"), &json!("agent")));
    assert_eq!(version(&context, "a.md", &newer["id"])["text"], "one\n\ntwo\n");
    let oldest = version(&context, "a.md", &older["id"]);
    assert_eq!(oldest["text"], "one\n");
    assert_eq!((&oldest["added"], &oldest["removed"]), (&json!(4), &json!(0)));
    assert_eq!(oldest["diff"], "@@ -1 +1,5 @@\n one\n+\n+two\n+\n+three\n");
}

#[test]
fn the_text_that_an_agent_wrote_is_a_version_once_a_person_changed_it() {
    let project = Project::with_pages([("a.md", "one\n")]);
    append(&agent(&project), "a.md", "two");
    let context = project.context();
    let page = context.call("read_page", json!({ "page": "a.md" })).unwrap();
    let params = json!({ "page": "a.md", "text": "mine\n", "expected_hash": page["content_hash"] });
    context.call("save_page", params).unwrap();
    let answer = history(&context, "a.md");
    assert_eq!(told(&answer), ["after update_page", "before update_page"]);
    assert_eq!(version(&context, "a.md", &answer["versions"][0]["id"])["text"], "one\n\ntwo\n");
}

#[test]
fn a_page_keeps_its_versions_when_it_is_renamed_through_ubp() {
    let project = Project::with_pages([("a.md", "one\n")]);
    let past = MemoryHistory::default();
    past.record("1", Timestamp::UNIX_EPOCH, &[("pages/a.md", Some("committed\n"))]);
    let context = Context { history: &past, ..project.context() };
    append(&context, "a.md", "two");
    context.call("rename_page", json!({ "page": "a.md", "path": "sub/new" })).unwrap();
    append(&context, "sub/new.md", "three");
    let answer = history(&context, "sub/new.md");
    assert_eq!(told(&answer), ["before update_page", "before update_page", "commit Commit 1"]);
    assert_eq!(answer["versions"][2]["former_path"], "pages/a.md");
    assert_eq!(version(&context, "sub/new.md", &json!("1"))["text"], "committed\n");
}

#[test]
fn commits_and_changes_are_merged_by_time_and_listed_in_parts() {
    let project = Project::with_pages([("a.md", "now\n")]);
    let past = MemoryHistory::default();
    let now = project.context().clock.now();
    for number in 0..5_i64 {
        let time = now + jiff::SignedDuration::from_secs(number * 60 - 150);
        let text = format!("text {number}\n");
        past.record(&number.to_string(), time, &[("pages/a.md", Some(&text))]);
    }
    append(&agent(&project), "a.md", "more");
    let context = Context { history: &past, ..project.context() };
    let whole = history(&context, "a.md");
    let expected = ["commit Commit 4", "commit Commit 3", "before update_page", "commit Commit 2"];
    assert_eq!(told(&whole)[..4], expected);
    assert_eq!(whole["committed"], "yes");
    let mut parts = Vec::new();
    for skip in [0, 2, 4] {
        let part = context.call("page_history", json!({ "page": "a.md", "limit": 2, "skip": skip })).unwrap();
        assert_eq!(part["more"], skip < 4);
        parts.extend(told(&part));
    }
    assert_eq!(parts, told(&whole));
    for bad in [json!({ "limit": 0 }), json!({ "limit": 201 }), json!({ "skip": 10_001 })] {
        let mut params = bad;
        params["page"] = json!("a.md");
        assert_eq!(context.call("page_history", params).unwrap_err().code(), "invalid_params");
    }
}

#[test]
fn a_page_that_was_never_committed_is_told_apart_from_a_project_without_git() {
    let project = Project::with_pages([("a.md", "one\n")]);
    assert_eq!(history(&project.context(), "a.md")["committed"], "unknown");
    let past = MemoryHistory::default();
    past.record("1", Timestamp::UNIX_EPOCH, &[("pages/other.md", Some("x"))]);
    let context = Context { history: &past, ..project.context() };
    assert_eq!(history(&context, "a.md")["committed"], "no");
}

#[test]
fn restoring_a_version_keeps_the_line_endings_and_the_mark_of_the_file() {
    let project = Project::with_pages([("a.md", "\u{feff}one\r\ntwo\r\n")]);
    let past = MemoryHistory::default();
    past.record("1", Timestamp::UNIX_EPOCH, &[("pages/a.md", Some("one\nzwei\nthree\n"))]);
    past.record("2", Timestamp::MAX, &[("pages/a.md", Some("one\ntwo\n"))]);
    let context = Context { history: &past, ..project.context() };
    let same = version(&context, "a.md", &json!("2"));
    assert_eq!((&same["diff"], &same["added"]), (&json!(""), &json!(0)), "only line endings differ");
    let then = version(&context, "a.md", &json!("1"));
    let save = json!({ "page": "a.md", "text": then["text"], "expected_hash": then["content_hash"] });
    context.call("save_page", save).unwrap();
    let saved = String::from_utf8(project.source.read("a.md").unwrap()).unwrap();
    assert_eq!(saved, "\u{feff}one\r\nzwei\r\nthree\r\n");
}

#[test]
fn an_unknown_version_is_an_error_and_agents_see_no_changes_of_others() {
    let project = Project::with_pages([("a.md", "one\n")]);
    append(&project.context(), "a.md", "secret");
    let error =
        project.context().call("page_version", json!({ "page": "a.md", "version": "HEAD" })).unwrap_err();
    assert_eq!(error.to_string(), "'a.md' has no version 'HEAD'; `page_history` lists them");
    assert_eq!(told(&history(&project.context(), "a.md")).len(), 1);
    assert_eq!(told(&history(&agent(&project), "a.md")).len(), 0);
}

#[test]
fn a_line_of_the_audit_log_that_was_edited_is_not_a_version() {
    let project = Project::with_pages([("a.md", "one\n")]);
    append(&agent(&project), "a.md", "two");
    let mut log = Vec::new();
    project.source.state_lines("audit.jsonl", &mut |line| log.push(line.to_vec())).unwrap();
    let forged = String::from_utf8(log[0].clone()).unwrap().replace("\"one\\n\"", "\"forged\\n\"");
    assert_ne!(forged.as_bytes(), log[0]);
    let other = Project::with_pages([("a.md", "one\n\ntwo\n")]);
    other.source.append("audit.jsonl", format!("{forged}\n").as_bytes()).unwrap();
    assert_eq!(told(&history(&other.context(), "a.md")).len(), 0);
}
