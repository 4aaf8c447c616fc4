//! Equal parameters on an equal index give equal JSON, at the terminal and through the table.

use std::sync::LazyLock;

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::ops::find;
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::fixture::engine;
use ubp_tests::terminal::Terminal;

/// A vault and questions about it, which the tests of the Node package ask as well.
static FIXTURE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("parity/cases.json")).unwrap());

pub fn vault() -> Terminal {
    let files = FIXTURE["files"].as_object().unwrap();
    Terminal::vault(files.iter().map(|(path, text)| (path.as_str(), text.as_str().unwrap()))).unwrap()
}

/// What the table answers in the same project.
pub fn table(terminal: &Terminal, name: &str, params: &Value) -> Value {
    let engine = engine(terminal.folder(), None).unwrap();
    let cancel = Cancel::default();
    engine.context(Caller::Person, true, &Silent, &cancel).call(name, params.clone()).unwrap()
}

/// What is asked at the terminal, and of the table by name and parameters.
pub fn cases() -> Vec<(&'static str, &'static str, Value)> {
    let cases = FIXTURE["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let text = |field: &str| case[field].as_str().unwrap();
            (text("command"), text("operation"), case["params"].clone())
        })
        .collect()
}

/// `answer` without what the clock says, which is never the same twice.
pub fn without_times(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.remove("latency_ms");
            // Every change gets a name of its own.
            fields.remove("audit_id");
            // A page that is not there yet is as old as the question.
            if fields.get("dry_run") == Some(&json!(true)) && fields.contains_key("same_name") {
                fields.retain(|name, _| name != "created_at" && name != "updated_at");
            }
            fields.values_mut().for_each(|value| *value = without_times(value.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = without_times(value.take())),
        _ => {}
    }
    answer
}

#[test]
fn the_terminal_prints_exactly_what_the_table_answers() {
    let terminal = vault();
    // The first of two reviews is the one that writes.
    for command in FIXTURE["before"].as_array().unwrap() {
        let ran = terminal.ubp(command.as_str().unwrap());
        assert!(ran.succeeded(), "{}", ran.transcript());
    }
    for (command, name, params) in cases() {
        let ran = terminal.ubp(&format!("{command} --json"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        let (printed, answered) = (ran.json(), table(&terminal, name, &params));
        assert_eq!(without_times(printed), without_times(answered), "{command}");
    }
}

/// Makes a page and takes that back; returns what the latter is called in the audit log.
fn made_and_taken_back(terminal: &Terminal) -> String {
    let made = terminal.ubp("new Passing --json").json();
    let undone = terminal.ubp(&format!("undo {} --json", made["audit_id"].as_str().unwrap())).json();
    undone["audit_id"].as_str().unwrap().to_owned()
}

#[test]
fn what_was_changed_is_told_and_taken_back_alike() {
    let terminal = vault();
    terminal.ubp("add");
    let entry = made_and_taken_back(&terminal);
    for (command, name, params) in [
        (format!("audit {entry}"), "audit", json!({ "entry": entry })),
        (format!("undo {entry} --dry-run"), "undo", json!({ "entry": entry, "dry_run": true })),
    ] {
        let ran = terminal.ubp(&format!("{command} --json"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        assert_eq!(ran.json(), table(&terminal, name, &params), "{command}");
    }
}

#[test]
fn every_answer_is_what_its_schema_says() {
    let terminal = vault();
    terminal.ubp("add");
    let entry = made_and_taken_back(&terminal);
    let page = table(&terminal, "read_page", &json!({ "page": "login.md" }));
    let programs = [
        (
            "replacing a section",
            "update_page",
            json!({ "page": "login.md", "section": "login-feature/flow", "content": "New.", "dry_run": true }),
        ),
        ("a page as HTML", "render_page", json!({ "page": "login.md" })),
        ("a page for an editor", "read_page", json!({ "page": "login.md" })),
        (
            "saving it as it is",
            "save_page",
            json!({ "page": "login.md", "text": page["text"], "expected_hash": page["content_hash"] }),
        ),
        ("addresses", "addresses", json!({})),
        ("favourites", "favorites", json!({ "add": ["login.md"] })),
        ("changes of code", "source_diff", json!({ "page": "login.md" })),
        ("one change", "audit", json!({ "entry": entry })),
        ("making it again", "undo", json!({ "entry": entry, "dry_run": true })),
    ];
    for (command, name, params) in cases().into_iter().chain(programs) {
        let operation = find(name).unwrap();
        let input = (operation.input_schema)().to_value();
        jsonschema::validator_for(&input)
            .unwrap()
            .validate(&params)
            .unwrap_or_else(|e| panic!("{command}: {e}"));
        let output = (operation.output_schema)().to_value();
        let validator = jsonschema::validator_for(&output).unwrap();
        let answer = table(&terminal, name, &params);
        let errors: Vec<String> = validator
            .iter_errors(&answer)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{command}: {errors:#?}");
    }
}

#[test]
fn unknown_parameters_are_refused_by_every_operation() {
    let terminal = vault();
    terminal.ubp("add");
    let engine = engine(terminal.folder(), None).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Agent, true, &Silent, &cancel);
    for operation in ubp_core::ops::OPERATIONS {
        let error = context.call(operation.name, json!({ "colour": "red" })).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{}", operation.name);
        assert!(error.to_string().contains("colour"), "{}: {error}", operation.name);
        let error = context.call(operation.name, json!([1])).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{}: {error}", operation.name);
    }
    assert_eq!(context.call("nonsense", json!({})).unwrap_err().code(), "invalid_params");
}

/// Two revisions are compared without the index, and HEAD with the working folder by it.
#[test]
fn a_comparison_is_the_same_everywhere() {
    let terminal = vault();
    terminal.git("init --quiet --initial-branch=main");
    terminal.git("add --all");
    terminal.git("commit --quiet -m one");
    terminal.write("tokens.md", "# Tokens\n\nchanged [[elsewhere]]\n").unwrap();
    terminal.write("src/login.ts", "export const changed = 1\n").unwrap();
    terminal.git("commit --quiet --all -m two");
    terminal.write("island.md", "[[login]]\n").unwrap();
    for (command, params) in [
        ("diff", json!({})),
        ("diff HEAD~1..HEAD --depth 2 -n 1", json!({ "range": "HEAD~1..HEAD", "depth": 2, "limit": 1 })),
    ] {
        let ran = terminal.ubp(&format!("{command} --json"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        let answer = table(&terminal, "diff", &params);
        assert_eq!(ran.json(), answer, "{command}");
        let schema = (find("diff").unwrap().output_schema)().to_value();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&answer).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}
