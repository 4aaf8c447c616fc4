//! With equal parameters and an equal index, the command line, HTTP and the operation table give equal JSON.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::ops::{OPERATIONS, find};
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::fixture::engine;
use ubp_tests::terminal::Terminal;

use crate::viewer::{self, Viewer};

/// A vault and calls on it, shared with the tests of the Node package.
static FIXTURE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("parity/cases.json")).unwrap());

/// The files of the vault.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = FIXTURE["files"].as_object().unwrap();
    files.iter().map(|(path, text)| (path.as_str(), text.as_str().unwrap()))
}

pub fn vault() -> Terminal {
    let terminal = Terminal::vault(files()).unwrap();
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    let manifest = manifest.replacen('{', "{\n  \"templates_dir\": \"meta/templates\",", 1);
    terminal.write(".ubp/manifest.json", manifest).unwrap();
    // Old files of sessions are deleted.
    for file in std::fs::read_dir(terminal.path(".ubp/sessions")).unwrap() {
        let file = std::fs::File::options().append(true).open(file.unwrap().path()).unwrap();
        file.set_modified(std::time::SystemTime::now()).unwrap();
    }
    terminal
}

/// The answer of the operation table in the same project.
pub fn table(terminal: &Terminal, name: &str, params: &Value) -> Value {
    let engine = engine(terminal.folder(), None).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Person, true, &Silent, &cancel);
    // As every host does before it answers.
    context.refresh(false).unwrap();
    context.call(name, params.clone()).unwrap()
}

/// The calls: as a command, and as an operation with its parameters.
pub fn cases() -> Vec<(&'static str, &'static str, Value)> {
    let cases = FIXTURE["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let text = |field: &str| case[field].as_str().unwrap();
            (text("command"), text("operation"), case["params"].clone())
        })
        .collect()
}

/// `answer` without times and other values that differ with each run.
pub fn without_times(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.remove("latency_ms");
            // Every change gets a new id.
            fields.remove("audit_id");
            // A page that does not exist yet is dated by the call.
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
fn the_terminal_prints_the_answers_of_the_operation_table() {
    let terminal = vault();
    // The first of two reviews writes the lock.
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

/// Changes of the vault, in order, with calls that show their results. They need a separate vault. Steps without a
/// command are for programs only.
pub fn steps() -> Vec<(Option<&'static str>, &'static str, &'static Value)> {
    let steps = FIXTURE["steps"].as_array().unwrap().iter();
    steps
        .map(|step| (step["command"].as_str(), step["operation"].as_str().unwrap(), &step["params"]))
        .collect()
}

/// The ids of changes and memories so far. In later steps, `{entry}` stands for the latest one.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn named_in(&self, text: &str) -> String {
        text.replace("{entry}", self.0.last().map_or("", String::as_str))
    }

    fn named_in_params(&self, params: &Value) -> Value {
        serde_json::from_str(&self.named_in(&params.to_string())).unwrap()
    }

    /// The answer without values that differ with each run: times are replaced, ids are numbered.
    fn taken_from(&mut self, answer: &Value) -> Value {
        let new = ["audit_id", "memory_id", "comment"].into_iter().filter_map(|field| answer[field].as_str());
        let new = new.chain(answer["accepted"][0]["audit_id"].as_str());
        self.0.extend(new.map(str::to_owned));
        let counted = self.0.iter().enumerate();
        let text =
            counted.fold(answer.to_string(), |text, (at, name)| text.replace(name, &format!("name {at}")));
        without_any_time(serde_json::from_str(&text).unwrap())
    }
}

fn without_any_time(answer: Value) -> Value {
    match answer {
        Value::Object(fields) => {
            // Memories have their times in seconds.
            let is_time = |name: &str, value: &Value| {
                name == "latency_ms" || value.is_number() && ["created_at", "last_accessed"].contains(&name)
            };
            // The page of a memory holds its id and times, so its hash is never the same twice either.
            let is_memory = fields
                .get("filepath")
                .and_then(Value::as_str)
                .is_some_and(|path| path.starts_with("memory/"));
            let is_hash = |name: &str| is_memory && ["previous_hash", "content_hash"].contains(&name);
            let kept = fields.into_iter().filter(|(name, value)| !is_time(name, value) && !is_hash(name));
            kept.map(|(name, value)| (name, without_any_time(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(without_any_time).collect(),
        Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => "a time".into(),
        // Trash folders are named after the time and the id of the change.
        Value::String(text) if text.contains("Z-name ") => text.split_once('Z').unwrap().1.into(),
        // Diffs show front matter, and pages as agents see them their last change.
        Value::String(text) => {
            let words = text.split_inclusive(char::is_whitespace).map(|word| match word.trim_end() {
                time if time.parse::<jiff::Timestamp>().is_ok() => word.replace(time, "a time").into(),
                _ => std::borrow::Cow::Borrowed(word),
            });
            words.collect::<String>().into()
        }
        other => other,
    }
}

#[track_caller]
fn fits(schema: &schemars::Schema, value: &Value, name: &str) {
    let validator = jsonschema::validator_for(&schema.clone().to_value()).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?} in {value}");
}

#[test]
fn every_operation_has_a_case() {
    // Two need a git repository, see below, and only agents withdraw proposals (`mcp/proposing.rs`).
    let cases = cases().into_iter().map(|(_, name, _)| name);
    let asked: BTreeSet<&str> = cases
        .chain(steps().into_iter().map(|(_, name, _)| name))
        .chain(["diff", "evaluate_staleness", "withdraw_proposal"])
        .collect();
    let rows: BTreeSet<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
    assert_eq!(asked, rows, "cases of tests/tests/parity/cases.json, and rows of the table");
}

#[test]
fn changes_are_the_same_at_the_terminal_over_http_and_through_the_table() {
    let (plain, terminal, viewer) = (vault(), vault(), Viewer::on(Arc::new(viewer::with_app(vault())), ""));
    assert!(plain.ubp("add").succeeded() && terminal.ubp("add").succeeded());
    let mut names: [Names; 3] = Default::default();
    for (command, name, params) in steps() {
        let operation = find(name).unwrap();
        let given = names[0].named_in_params(params);
        fits(&(operation.input_schema)(), &given, name);
        let answer = table(&plain, name, &given);
        fits(&(operation.output_schema)(), &answer, name);
        let expected = names[0].taken_from(&answer);
        let answer = match command {
            Some(command) => {
                let ran = terminal.ubp(&format!("{} --json", names[1].named_in(command)));
                assert!(ran.succeeded(), "{}", ran.transcript());
                ran.json()
            }
            None => table(&terminal, name, &names[1].named_in_params(params)),
        };
        assert_eq!(names[1].taken_from(&answer), expected, "at the terminal: {name}, {command:?}");
        let answer = viewer.call(name, &names[2].named_in_params(params));
        assert_eq!(names[2].taken_from(&answer), expected, "over HTTP: {name}");
    }
}

#[test]
fn every_answer_matches_its_schema() {
    let terminal = vault();
    terminal.ubp("add");
    for (command, name, params) in cases() {
        let operation = find(name).unwrap();
        fits(&(operation.input_schema)(), &params, command);
        fits(&(operation.output_schema)(), &table(&terminal, name, &params), command);
    }
}

#[test]
fn every_operation_rejects_unknown_parameters() {
    let terminal = vault();
    terminal.ubp("add");
    let engine = engine(terminal.folder(), None).unwrap();
    let cancel = Cancel::default();
    let context = engine.context(Caller::Agent, true, &Silent, &cancel);
    for operation in OPERATIONS {
        let error = context.call(operation.name, json!({ "colour": "red" })).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{}", operation.name);
        assert!(error.to_string().contains("colour"), "{}: {error}", operation.name);
        let error = context.call(operation.name, json!([1])).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{}: {error}", operation.name);
    }
    assert_eq!(context.call("nonsense", json!({})).unwrap_err().code(), "invalid_params");
}

/// Comparing two revisions uses no index; comparing HEAD with the working folder does.
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
    for (command, name, params) in [
        ("diff", "diff", json!({})),
        (
            "diff HEAD~1..HEAD --depth 2 -n 1",
            "diff",
            json!({ "range": "HEAD~1..HEAD", "depth": 2, "limit": 1 }),
        ),
        ("eval --staleness --commits 100", "evaluate_staleness", json!({ "commits": 100 })),
    ] {
        let ran = terminal.ubp(&format!("{command} --json"));
        assert!(ran.succeeded(), "{}", ran.transcript());
        let answer = table(&terminal, name, &params);
        assert_eq!(ran.json(), answer, "{command}");
        fits(&(find(name).unwrap().output_schema)(), &answer, command);
    }
}
