//! Recorded sessions of agents, and previews of their answers.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::index::tests::Project;
use crate::ports::Source;
use crate::sessions::{Beginning, KeptParams, Line, Outcome, Recorded, Witness};
use crate::show::{MarkdownPage, MarkdownReader, Tools};
use crate::{Caller, Context};

fn project() -> Project {
    let long = "A long paragraph about sign in.\n\n".repeat(200);
    let page = format!("# Login\n\nShort, see [[users]].\n\n## Flow\n\n{long}\n## End\n\nThe end.\n");
    Project::with_pages([("login.md", page.as_str()), ("users.md", "# Users\n\nTable of users.\n")])
}

fn line(text: &str, day: u32) -> Vec<u8> {
    let answer = json!({ "filepath": "login.md", "content": text });
    let outcome = Outcome::Answer(&answer);
    let at = format!("1970-01-{day:02}T00:00:00Z");
    Line::Answer(Box::new(Recorded::new(
        at,
        1,
        "ubp_get_page",
        KeptParams::default(),
        &outcome,
        text,
        &Witness::default(),
    )))
    .written()
}

fn put(project: &Project, id: &str, day: u32, texts: &[&str]) {
    let beginning =
        Beginning { agent: Some("claude 1.0".into()), started_at: format!("1970-01-{day:02}T00:00:00Z") };
    let mut bytes = Line::Session(beginning).written();
    texts.iter().for_each(|text| bytes.extend(line(text, day)));
    project.source.write_state(&format!("sessions/{id}.jsonl"), &bytes, None).unwrap();
}

fn call(project: &Project, operation: &str, params: Value) -> Value {
    project.context().call(operation, params).unwrap()
}

fn ids(project: &Project, params: Value) -> Vec<String> {
    let listed = call(project, "list_sessions", params);
    listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["session"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn sessions_are_listed_latest_first_and_not_after_they_expire() {
    let mut project = project();
    // The clock of the tests is at the twelfth day.
    for (id, day) in [("a1", 11), ("a2", 12), ("b3", 3)] {
        put(&project, id, day, &["text"]);
    }
    assert_eq!(ids(&project, json!({})), ["a2", "a1", "b3"]);
    assert_eq!(ids(&project, json!({ "since": "1970-01-11" })), ["a2", "a1"]);
    assert_eq!(ids(&project, json!({ "limit": 1 })), ["a2"]);
    assert_eq!(ids(&project, json!({ "page": "users" })), Vec::<String>::new());
    assert_eq!(ids(&project, json!({ "page": "login", "agent": "claude" })).len(), 3);
    assert_eq!(ids(&project, json!({ "agent": "claud" })), Vec::<String>::new());
    project.manifest.sessions.keep_days = 2;
    assert_eq!(ids(&project, json!({})), ["a2", "a1"]);
    let ambiguous = project.context().call("get_session", json!({ "session": "a" })).unwrap_err();
    assert!(ambiguous.to_string().contains("2 sessions begin with 'a'"), "{ambiguous}");
    assert_eq!(call(&project, "get_session", json!({ "session": "A1" }))["session"], "a1");
    for unknown in ["", "c", "b3", "../a1"] {
        let error = project.context().call("get_session", json!({ "session": unknown })).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{unknown}");
    }
}

#[test]
fn damaged_lines_hide_no_others() {
    let project = project();
    put(&project, "a1", 12, &["one"]);
    let name = "sessions/a1.jsonl";
    let mut bytes = project.source.read_state(name).unwrap().unwrap();
    let hash = crate::ports::ContentHash::of(&bytes);
    bytes.extend(b"{\"answer\":{\"at\":\"19\n\xff\xfe\n");
    bytes.extend(line("two", 12));
    project.source.write_state(name, &bytes, Some(hash)).unwrap();
    project.source.write_state("sessions/b2.jsonl", b"not a session\n", None).unwrap();
    assert_eq!(ids(&project, json!({})), ["a1"]);
    let session = call(&project, "get_session", json!({ "session": "a1" }));
    assert_eq!((&session["answer_count"], &session["tokens"]), (&json!(2), &json!(2)));
    assert_eq!(call(&project, "get_answer", json!({ "session": "a1", "answer": 2 }))["text"], "two");
    let error = project.context().call("get_answer", json!({ "session": "a1", "answer": 3 })).unwrap_err();
    assert!(error.to_string().contains("its last one is 2"), "{error}");
    // Also what cannot be read is deleted.
    assert_eq!(call(&project, "delete_sessions", json!({ "all": true }))["deleted"], json!(["a1", "b2"]));
    assert!(project.source.session_files().unwrap().is_empty());
}

#[test]
fn a_long_timeline_is_read_from_its_end() {
    let project = project();
    put(&project, "a1", 12, &["x"; 7]);
    let numbers = |params: Value| -> Vec<u64> {
        let session = call(&project, "get_session", params);
        session["answers"].as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(json!({ "session": "a1", "limit": 3 })), [5, 6, 7]);
    assert_eq!(numbers(json!({ "session": "a1", "limit": 3, "before": 5 })), [2, 3, 4]);
    assert_eq!(numbers(json!({ "session": "a1", "limit": 3, "before": 2 })), [1]);
    assert_eq!(numbers(json!({ "session": "a1", "before": 0 })), Vec::<u64>::new());
}

#[test]
fn sessions_that_are_too_old_to_be_listed_can_be_deleted() {
    let mut project = project();
    for (id, day) in [("a1", 12), ("b1", 3), ("c1", 2)] {
        put(&project, id, day, &["text"]);
    }
    project.source.write_state("sessions/d1.jsonl", b"not a session\n", None).unwrap();
    project.manifest.sessions.keep_days = 2;
    assert_eq!(ids(&project, json!({})), ["a1"]);
    assert_eq!(call(&project, "delete_sessions", json!({ "before": "5d" }))["deleted"], json!(["b1", "c1"]));
    put(&project, "b1", 3, &["text"]);
    let named = json!({ "sessions": ["b", "D1"] });
    assert_eq!(call(&project, "delete_sessions", named)["deleted"], json!(["b1", "d1"]));
    assert_eq!(project.source.session_files().unwrap(), ["sessions/a1.jsonl"]);
}

#[test]
fn nothing_is_deleted_unless_the_choice_is_clear() {
    let project = project();
    put(&project, "a1", 12, &[]);
    put(&project, "b1", 3, &[]);
    for params in [json!({}), json!({ "all": true, "sessions": ["a1"] }), json!({ "sessions": ["a1", "zz"] })]
    {
        assert_eq!(project.context().call("delete_sessions", params).unwrap_err().code(), "invalid_params");
    }
    assert_eq!(ids(&project, json!({})).len(), 2);
    assert_eq!(call(&project, "delete_sessions", json!({ "before": "5d" }))["deleted"], json!(["b1"]));
    assert_eq!(ids(&project, json!({})), ["a1"]);
}

/// The text of an answer to an agent, as the server makes it.
fn told(project: &Project, operation: &str, params: Value) -> String {
    let tools = Tools::of_readers();
    let reader = MarkdownReader::new(tools.clone());
    let mut page = MarkdownPage::new(tools);
    let context = Context { caller: Caller::Agent, reader: Some(&reader), ..project.context() };
    let row = crate::ops::named(operation).unwrap();
    (row.call)(&context, params, Some(&mut page)).unwrap();
    page.finish()
}

#[test]
fn a_preview_is_the_answer_that_an_agent_gets() {
    let project = project();
    for operation in ["get_page", "get_context"] {
        for max_tokens in [300, 1000, 12_500] {
            let preview = call(
                &project,
                "preview_answer",
                json!({ "page": "Login", "operation": operation, "max_tokens": max_tokens }),
            );
            let text = told(&project, operation, json!({ "filepath": "login.md", "max_tokens": max_tokens }));
            assert_eq!(preview["text"], Value::String(text));
            assert!(preview["tokens"].as_u64().unwrap() <= max_tokens);
            let is_whole = max_tokens == 12_500;
            assert_eq!(
                preview["omitted"].as_array().unwrap().is_empty(),
                is_whole,
                "{operation} {max_tokens}"
            );
        }
    }
    let error = project.context().call("preview_answer", json!({ "page": "Login", "depth": 1 })).unwrap_err();
    assert!(error.to_string().contains("`depth` is for get_context"), "{error}");
}

#[test]
fn a_preview_names_what_the_limit_leaves_out() {
    let project = project();
    let preview = call(&project, "preview_answer", json!({ "page": "login.md", "max_tokens": 400 }));
    let named = |list: &str| -> Vec<String> {
        let parts = preview[list].as_array().unwrap().iter().filter(|part| part["kind"] == "text");
        parts.map(|part| part["heading"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(named("given"), ["Login"]);
    assert_eq!(named("omitted"), ["Flow", "End"]);
    assert!(preview["omitted"].as_array().unwrap().iter().all(|part| part["reason"] == "max_tokens"));
    let context = json!({ "page": "login.md", "operation": "get_context", "max_tokens": 400 });
    let context = call(&project, "preview_answer", context);
    let cut: Vec<&Value> = context["omitted"].as_array().unwrap().iter().collect();
    assert_eq!((cut.len(), &cut[0]["filepath"], &cut[0]["cut"]), (1, &json!("login.md"), &json!(true)));
    let (given, lost) = (context["given"][0]["tokens"].as_u64().unwrap(), cut[0]["tokens"].as_u64().unwrap());
    assert!((1_600..1_700).contains(&(given + lost)), "{given} + {lost}");
}
