//! Equal parameters on an equal index give equal JSON, at the terminal and through the table.

use serde_json::{Value, json};
use ubp_cli::host::{GitHistory, Project, SystemClock};
use ubp_core::index::Index;
use ubp_core::ops::{Caller, Engine, find};
use ubp_core::progress::{Cancel, Silent};
use ubp_tests::terminal::Terminal;

pub fn vault() -> Terminal {
    let terminal = Terminal::vault([
        (
            "login.md",
            "---\ntitle: Login Feature\ntype: spec\ntags: [security]\nsource_refs: [src/login.ts]\nstatus: approved\n---\n\
             # Login Feature\n\nUsers sign in; see [[User Database|depends_on]] and [[tokens]].\n\n## Flow\n\nA session \
             token is issued by `src/login.ts`.\n",
        ),
        ("db/users.md", "---\ntitle: User Database\naliases: [UserDB]\ntype: db-schema\n---\nTable of users.\n"),
        ("tokens.md", "# Tokens\n\nA session token expires. [[nowhere]] [[src/login.ts]]\n\n## 認証\n\n認証の流れ\n"),
        ("island.md", "Nobody links here.\n"),
    ])
    .unwrap();
    terminal.write("src/login.ts", "export {}\n").unwrap();
    let queries = "{\"_id\": 1, \"text\": \"session token\"}\n{\"id\": \"2\", \"text\": \"認証\"}\n";
    terminal.write("questions/queries.jsonl", queries).unwrap();
    terminal.write("questions/qrels.tsv", "1\ttokens\t2\n2\tLogin Feature\t1\n").unwrap();
    terminal
}

/// What the table answers in the same project.
pub fn table(terminal: &Terminal, name: &str, params: &Value) -> Value {
    let project = Project::find(terminal.folder()).unwrap();
    let engine = Engine {
        index: Index::open(&project.database).unwrap().0,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        clock: Box::new(SystemClock::default()),
        embedder: None,
        manifest: project.manifest.clone(),
    };
    let cancel = Cancel::default();
    engine.context(Caller::Person, true, &Silent, &cancel).call(name, params.clone()).unwrap()
}

pub fn cases() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("search 'session token'", "search", json!({ "query": "session token", "limit": 5 })),
        (
            "search token -n 3 --alpha 0.5 --depth 1 --explain --include-linked --content",
            "search",
            json!({ "query": "token", "limit": 3, "alpha": 0.5, "depth": 1, "explain": true,
                    "include_linked": true, "content": true }),
        ),
        (
            "search --fulltext users --type db-schema --folder db",
            "search",
            json!({ "query": "users", "mode": "fulltext", "doc_types": ["db-schema"], "folder": "db", "limit": 5 }),
        ),
        (
            "search sign --tag security --field status=approved --link-type depends_on --max-tokens 400",
            "search",
            json!({ "query": "sign", "tags": ["security"], "fields": { "status": "approved" },
                    "link_types": ["depends_on"], "max_tokens": 400, "limit": 5 }),
        ),
        ("search 認証", "search", json!({ "query": "認証", "limit": 5 })),
        ("get 'Login Feature'", "get_page", json!({ "page": "Login Feature" })),
        ("get UserDB", "get_page", json!({ "page": "UserDB" })),
        (
            "get login.md --section login-feature/flow --max-tokens 500",
            "get_page",
            json!({ "page": "login.md", "section": "login-feature/flow", "max_tokens": 500 }),
        ),
        ("context tokens", "get_context", json!({ "page": "tokens" })),
        (
            "context tokens --depth 1 --max-size 2000",
            "get_context",
            json!({ "page": "tokens", "depth": 1, "max_size": 2000 }),
        ),
        ("list", "list_pages", json!({})),
        (
            "list --sort updated_at --order desc --limit 2 --type spec",
            "list_pages",
            json!({ "sort": "updated_at", "order": "desc", "limit": 2, "doc_type": "spec" }),
        ),
        ("graph", "get_graph", json!({})),
        (
            "graph tokens --depth 3 --direction incoming --link-type references",
            "get_graph",
            json!({ "page": "tokens", "depth": 3, "direction": "incoming", "link_types": ["references"] }),
        ),
        (
            "traverse 'Login Feature' --depth 3 --direction out --type depends_on --type references -n 5 --max-tokens 900",
            "graph_traverse",
            json!({ "page": "Login Feature", "depth": 3, "direction": "outgoing",
                    "link_types": ["depends_on", "references"], "limit": 5, "max_tokens": 900 }),
        ),
        ("impact UserDB", "get_impact", json!({ "page": "UserDB" })),
        (
            "impact src/login.ts --depth 4 --link-type depends_on --type spec -n 3 --max-tokens 900",
            "get_impact",
            json!({ "page": "src/login.ts", "depth": 4, "link_types": ["depends_on"], "doc_types": ["spec"],
                    "limit": 3, "max_tokens": 900 }),
        ),
        ("impact src", "get_impact", json!({ "page": "src" })),
        ("status", "status", json!({})),
        ("stale", "check_staleness", json!({})),
        ("stale --only stale", "check_staleness", json!({ "only": "stale" })),
        ("refs src/login.ts", "refs", json!({ "file": "src/login.ts" })),
        (
            "review login.md --still-accurate",
            "review_page",
            json!({ "page": "login.md", "still_accurate": true }),
        ),
        ("doctor", "doctor", json!({})),
        (
            "eval questions --compare --alpha 0.5,0.7 --queries 2",
            "evaluate",
            json!({ "queries": [{ "id": "1", "text": "session token" }, { "id": "2", "text": "認証" }],
                    "judgements": [{ "query": "1", "page": "tokens", "grade": 2 },
                                   { "query": "2", "page": "Login Feature", "grade": 1 }],
                    "compare": true, "alphas": [0.5, 0.7], "examples": 2 }),
        ),
        (
            "suggest-links --page tokens --threshold 0 -n 3",
            "suggest_links",
            json!({ "page": "tokens", "threshold": 0, "limit": 3 }),
        ),
        (
            "suggest-links --threshold 0.1 --all",
            "suggest_links",
            json!({ "threshold": 0.1, "include_decided": true }),
        ),
        (
            "new 'Session store' --folder db --type api --tag security --source src/login.ts --dry-run",
            "create_page",
            json!({ "title": "Session store", "folder": "db", "doc_type": "api", "tags": ["security"],
                    "source_refs": ["src/login.ts"], "dry_run": true }),
        ),
        (
            "mv UserDB accounts/users.md --title Accounts --dry-run",
            "rename_page",
            json!({ "page": "UserDB", "path": "accounts/users.md", "title": "Accounts", "dry_run": true }),
        ),
        (
            "rm tokens --unlink --dry-run",
            "delete_page",
            json!({ "page": "tokens", "unlink": true, "confirm": true, "dry_run": true }),
        ),
        ("audit -n 3 --page tokens.md", "audit", json!({ "page": "tokens.md", "limit": 3 })),
        ("dismiss island.md UserDB", "dismiss", json!({ "source": "island.md", "target": "UserDB" })),
        ("add", "add", json!({})),
        ("rebuild", "rebuild", json!({})),
    ]
}

/// `answer` without what the clock says, which is never the same twice.
pub fn without_times(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.remove("latency_ms");
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
    terminal.ubp("add");
    // The first of two reviews is the one that writes.
    terminal.ubp("review login.md --still-accurate");
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
    let programs = [
        (
            "replacing a section",
            "update_page",
            json!({ "page": "login.md", "section": "login-feature/flow", "content": "New.", "dry_run": true }),
        ),
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
    let project = Project::find(terminal.folder()).unwrap();
    let engine = Engine {
        index: Index::open(&project.database).unwrap().0,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        clock: Box::new(SystemClock::default()),
        embedder: None,
        manifest: project.manifest.clone(),
    };
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
