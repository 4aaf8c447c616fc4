//! The rows about `config.json`: every key, and the file as a whole.

use std::fs;

use serde_json::{Value, json};
use ubp_tests::tables::{self, Row};

use super::{Folder, listed};

#[test]
fn every_key_and_every_state_of_the_file_is_tested() {
    tables::run(
        "documents",
        "Settings",
        &[
            ("`documents_dir`", documents_dir),
            ("`db_path`", db_path),
            ("`chunk_size`", chunk_size),
            ("`search_top_k`", search_top_k),
            ("`compute.device`", device),
            ("`compute.fallback_to_cpu`", fallback_to_cpu),
            ("`model.name`", model_name),
            ("`model.dimensions`", model_dimensions),
            ("`config.json` is not there", absent),
            ("`config.json` is wrong", wrong),
            ("`config.json` is right", right),
        ],
    );
}

/// Asserts that the server reports the line of the setting and uses the defaults for all settings.
fn refused(folder: &Folder, config: &Value) {
    let text = format!("{config:#}");
    let (name, value) = config.as_object().unwrap().iter().next().unwrap();
    let inner = value.as_object().and_then(|inner| inner.keys().next()).unwrap_or(name);
    let line = 1 + text.lines().position(|line| line.contains(&format!("\"{inner}\""))).unwrap();
    let started = folder.start_with(&text).went_on();
    assert!(started.warned(&format!("config.json:{line}: ")), "{config}: {}", started.said);
    assert!(started.warned("using the default settings"), "{}", started.said);
}

/// Asserts that no setting is reported as invalid or unknown.
fn taken(folder: &Folder, config: &Value) -> String {
    let started = folder.start(config).went_on();
    assert!(!started.said.contains("config.json"), "{config}: {}", started.said);
    started.said
}

/// The default of a setting, from the `config.json` that the server writes when there is none.
fn template(key: &str) -> Value {
    let folder = Folder::new();
    folder.start_as_is().went_on();
    let template: Value = serde_json::from_str(&folder.read("config.json")).unwrap();
    let value = key.split('.').fold(&template, |value, part| &value[part]);
    assert!(!value.is_null(), "{key}: {template}");
    value.clone()
}

fn documents_dir(row: &Row) {
    let default = *row.code(1).iter().find(|code| code.starts_with("./")).unwrap();
    assert_eq!(template("documents_dir"), default);

    let folder = Folder::empty();
    folder.write("notes/a.md", "# A\n\nx\n");
    folder.write("config.json", r#"{ "documents_dir": "notes" }"#);
    assert_eq!(listed(&mut folder.documents(), 1)[0]["filename"], "a.md");
    // Paths are relative to the folder of the file, not to the current folder.
    folder.write("elsewhere/config.json", r#"{ "documents_dir": "../notes", "db_path": "../notes.db" }"#);
    assert_eq!(listed(&mut folder.server(&["--config", "elsewhere/config.json"]), 1)[0]["filename"], "a.md");
    assert!(folder.path("notes.db").exists());

    folder.write("home/own/b.md", "# B\n\nx\n");
    let own = row.code(1).into_iter().find(|code| code.starts_with('~')).unwrap();
    folder.write("config.json", &json!({ "documents_dir": format!("{own}own") }).to_string());
    assert_eq!(listed(&mut folder.documents(), 1)[0]["filename"], "b.md");

    let started = folder.start(&json!({ "documents_dir": "made" })).went_on();
    assert!(started.warned("documents_dir") && folder.path("made").is_dir(), "{}", started.said);
    folder.start(&json!({ "documents_dir": "no/such" })).ended_for("no such folder");
    assert!(!folder.path("no").exists());
    folder.start(&json!({ "documents_dir": "config.json" })).ended_for("is not a folder");
    refused(&folder, &json!({ "documents_dir": 7 }));
}

fn db_path(row: &Row) {
    let default = row.code(1)[0];
    assert_eq!(template("db_path"), default);

    let folder = Folder::new();
    taken(&folder, &json!({}));
    assert!(folder.path(default).exists());
    fs::create_dir(folder.path("index")).unwrap();
    taken(&folder, &json!({ "db_path": "index/my.db" }));
    assert!(folder.path("index/my.db").exists());
    assert!(folder.path("documents/.ubp").is_dir(), "not in the documents folder");
    folder.start(&json!({ "db_path": "no/such/file.db" })).ended_for("no/such");
    folder.start(&json!({ "db_path": "documents" })).ended_for("is not a regular file");
    let mine = "what I wrote myself, and need";
    folder.write("mine.txt", mine);
    folder.start(&json!({ "db_path": "mine.txt" })).ended_for("another program");
    assert_eq!(folder.read("mine.txt"), mine);
    refused(&folder, &json!({ "db_path": "" }));
}

fn chunk_size(row: &Row) {
    let [least, most, default] = row.numbers(1)[..] else { panic!("{row:?}") };
    assert_eq!(template("chunk_size"), default);
    let folder = Folder::new();
    let indexed = |config: Value| {
        folder.write("config.json", &config.to_string());
        let mut client = folder.documents();
        let documents = listed(&mut client, 3);
        let answer = client.ask("index_markdown", json!({ "filepath": "note1.md" })).unwrap();
        (answer["chunk_size"].clone(), documents[2]["chunks"].as_u64().unwrap())
    };
    let (usual, small) = (indexed(json!({})), indexed(json!({ "chunk_size": 120 })));
    assert_eq!((usual.0, small.0), (json!(default), json!(120)));
    assert!(small.1 >= 3 * usual.1, "{} {}", small.1, usual.1);
    for number in [least, most] {
        taken(&folder, &json!({ "chunk_size": number }));
    }
    for number in [least - 1, most + 1] {
        refused(&folder, &json!({ "chunk_size": number }));
    }
}

fn search_top_k(row: &Row) {
    let [least, most, default] = row.numbers(1)[..] else { panic!("{row:?}") };
    assert_eq!(template("search_top_k"), default);
    let folder = Folder::empty();
    for number in 0..8 {
        folder.write(&format!("documents/{number}.md"), "# Page\n\n認証\n");
    }
    for (config, count) in [(json!({}), default), (json!({ "search_top_k": 2 }), 2)] {
        folder.write("config.json", &config.to_string());
        let mut client = folder.documents();
        listed(&mut client, 8);
        let found = client.ask("search", json!({ "query": "認証" })).unwrap();
        assert_eq!(found["results"].as_array().unwrap().len() as u64, count, "{config}");
    }
    for number in [least, most] {
        taken(&folder, &json!({ "search_top_k": number }));
    }
    for number in [least - 1, most + 1] {
        refused(&folder, &json!({ "search_top_k": number }));
    }
}

fn device(row: &Row) {
    let folder = Folder::new();
    let [choices @ .., default] = &row.code(1)[..] else { panic!("{row:?}") };
    assert_eq!((choices, template("compute.device")), (&["auto", "gpu", "cpu"][..], json!(default)));
    for choice in choices {
        taken(&folder, &json!({ "compute": { "device": choice } }));
    }
    refused(&folder, &json!({ "compute": { "device": "tpu" } }));
}

fn fallback_to_cpu(_: &Row) {
    assert_eq!(template("compute.fallback_to_cpu"), true);
    let folder = Folder::new();
    let start = |compute: Value| folder.start(&json!({ "compute": compute }));
    let absent = start(json!({ "device": "gpu" })).went_on();
    assert_eq!(start(json!({ "device": "gpu", "fallback_to_cpu": true })).went_on().said, absent.said);
    let demanded = start(json!({ "device": "gpu", "fallback_to_cpu": false }));
    if absent.warned("fallback to CPU") {
        demanded.ended_for("fallback_to_cpu is false");
    } else {
        demanded.went_on();
    }
    refused(&folder, &json!({ "compute": { "fallback_to_cpu": "no" } }));
}

/// The message of a program without models, which replaces all messages about them.
const WITHOUT_MODELS: &str = "this build of ubp cannot run models";

/// The built-in model.
const INSIDE: &str = "all-MiniLM-L6-v2";

fn model_name(row: &Row) {
    assert_eq!(template("model.name"), row.code(1)[0]);
    let folder = Folder::new();
    let unknown = folder.start(&json!({ "model": { "name": "no-such-model" } })).went_on();
    let inside = folder.start(&json!({ "model": { "name": INSIDE } })).went_on();
    if unknown.warned(WITHOUT_MODELS) {
        assert!(inside.warned(WITHOUT_MODELS), "{}", inside.said);
    } else {
        assert!(unknown.warned("'no-such-model': not installed"), "{}", unknown.said);
        assert!(unknown.warned(&format!("using {INSIDE}")), "{}", unknown.said);
        assert_eq!(inside.lines("[WARN]"), Vec::<&str>::new());
    }
    refused(&folder, &json!({ "model": { "name": 7 } }));
}

fn model_dimensions(row: &Row) {
    assert_eq!(template("model.dimensions"), row.numbers(1)[0]);
    let folder = Folder::new();
    let started = folder.start(&json!({ "model": { "name": INSIDE, "dimensions": 8 } })).went_on();
    let said = started.warned("model.dimensions is 8") && started.warned("using 384");
    assert!(said || started.warned(WITHOUT_MODELS), "{}", started.said);
    refused(&folder, &json!({ "model": { "dimensions": 0 } }));
}

fn absent(_: &Row) {
    let folder = Folder::new();
    let started = folder.start_as_is().went_on();
    let made = "config.json not found: created with the default settings";
    assert!(started.lines("[INFO]").iter().any(|line| line.contains(made)), "{}", started.said);
    let template: Value = serde_json::from_str(&folder.read("config.json")).unwrap();
    assert_eq!(
        template,
        json!({ "documents_dir": "./documents", "db_path": "./vectors.db", "chunk_size": 500, "search_top_k": 5,
                "compute": { "device": "auto", "fallback_to_cpu": true },
                "model": { "name": "multilingual-e5-small", "dimensions": 384 } })
    );
    let started = folder.start_as_is().went_on();
    assert!(!started.said.contains("config.json not found"), "{}", started.said);
}

fn wrong(_: &Row) {
    let folder = Folder::new();
    for (text, line) in [
        ("{\n  \"documents_dir\": \"./elsewhere\",\n  \"chunk_size\": \"many\"\n}\n", 3),
        ("{\n  \"documents_dir\": \"./elsewhere\"\n  \"chunk_size\": 100\n}\n", 3),
        ("not JSON at all\n", 1),
    ] {
        let started = folder.start_with(text).went_on();
        assert!(started.warned(&format!("config.json:{line}: ")), "{}", started.said);
        assert_eq!(folder.read("config.json"), text, "an existing file is not overwritten");
        assert!(!folder.path("elsewhere").exists(), "no setting is applied");
        listed(&mut folder.documents(), 3);
    }
}

fn right(_: &Row) {
    let folder = Folder::new();
    let started = folder.start(&json!({ "chunk_sise": 300, "compute": { "devise": "cpu" } })).went_on();
    for key in ["unknown setting `chunk_sise`", "unknown setting `compute.devise`"] {
        assert!(started.warned(key), "{}", started.said);
    }
    folder.write("config.json", r#"{ "search_top_k": 1 }"#);
    let mut client = folder.documents();
    listed(&mut client, 3);
    folder.write("config.json", r#"{ "search_top_k": 3 }"#);
    folder.write("documents/later.md", "# Later\n\nzebra\n");
    listed(&mut client, 4);
    let count = |client: &mut ubp_tests::mcp::McpClient| {
        client.ask("search", json!({ "query": "zebra" })).unwrap()["results"].as_array().unwrap().len()
    };
    assert_eq!(count(&mut client), 1, "changes apply after a restart");
    drop(client);
    let mut client = folder.documents();
    listed(&mut client, 4);
    assert!(count(&mut client) > 1);
}
