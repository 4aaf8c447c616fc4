//! The rows for users of devrag: the replacement of each of its features, and what it promised.

use std::fs;

use cargo_metadata::{Metadata, MetadataCommand};
use rusqlite::Connection;
use serde_json::json;
use ubp_tests::mcp::McpClient;
use ubp_tests::tables::{self, Row};

use super::{Folder, TOOLS, eventually, listed};
use crate::process::program;

#[test]
fn every_devrag_feature_exists_or_has_a_replacement() {
    tables::run(
        "devrag",
        "Coming from devrag",
        &[
            ("`devrag`", devrag),
            ("`go build`, with `GOOS` and `GOARCH`", build),
            ("`vectors.db` of devrag", its_index),
            ("tables `documents`, `chunks`, `vec_chunks`", its_tables),
            ("`multilingual-e5-small` inside of the program", its_model),
            ("Go, ONNX Runtime", one_program),
            ("CUDA, CoreML, ROCm", processors),
            ("synchronised at the start", synchronised),
            ("`delete_document` for good", deleted),
            ("`path traversal detected`", traversal),
        ],
    );
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path("../Cargo.toml").no_deps().exec().unwrap()
}

fn devrag(row: &Row) {
    let folder = Folder::new();
    let command: Vec<&str> = row.commands(1)[0].split(' ').collect();
    let mut client = McpClient::start(folder.command(&command)).unwrap();
    assert_eq!(client.tool_names().unwrap(), TOOLS);
    listed(&mut client, 3);
    assert!(folder.path("config.json").exists() && folder.path("vectors.db").exists());
    let mut names: Vec<String> = fs::read_dir(folder.0.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("vectors.db-"))
        .collect();
    names.sort();
    assert_eq!(names, [".ubp", "config.json", "documents", "vectors.db"]);
}

fn build(row: &Row) {
    let metadata = metadata();
    let command = row.code(1)[0];
    assert_eq!(command, "cargo build --release");
    let built = metadata.workspace_default_packages();
    let programs = built.iter().flat_map(|package| &package.targets).filter(|target| target.is_bin());
    let programs: Vec<&str> = programs.map(|target| target.name.as_str()).collect();
    assert_eq!(programs, ["ubp"], "what the command makes");
}

/// An index in the format of devrag.
fn foreign_index(folder: &Folder) {
    let database = Connection::open(folder.path("vectors.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE documents (id INTEGER PRIMARY KEY AUTOINCREMENT, filename TEXT NOT NULL UNIQUE);
             INSERT INTO documents(filename) VALUES ('project.md');",
        )
        .unwrap();
}

fn its_index(_: &Row) {
    let folder = Folder::new();
    foreign_index(&folder);
    let before = fs::read(folder.path("vectors.db")).unwrap();
    folder.start(&json!({})).ended_for("move it, or choose another path");
    assert_eq!(fs::read(folder.path("vectors.db")).unwrap(), before);
    fs::rename(folder.path("vectors.db"), folder.path("devrag.db")).unwrap();
    listed(&mut folder.documents(), 3);
    assert_eq!(fs::read(folder.path("devrag.db")).unwrap(), before);
}

fn its_tables(row: &Row) {
    let folder = Folder::new();
    let mut client = folder.documents();
    let document = &listed(&mut client, 3)[0];
    let found = client.ask("search", json!({ "query": "zebra" })).unwrap();
    // The columns of the tables in devrag.
    for field in ["filename", "indexed_at", "modified_at"] {
        assert!(document[field].is_string(), "{document}");
    }
    assert!(found["results"][0]["position"].is_u64() && found["results"][0]["chunk"].is_string(), "{found}");
    drop(client);
    let database = Connection::open(folder.path("vectors.db")).unwrap();
    let mut statement = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
    assert!(tables.contains(&"pages".to_owned()), "{tables:?}");
    let theirs = row.code(0);
    assert!(!theirs.iter().all(|table| tables.iter().any(|own| own == table)), "{tables:?}");
}

fn its_model(row: &Row) {
    let folder = Folder::new();
    let started = folder.start(&json!({})).went_on();
    let inside = row.cell(1).split(' ').next().unwrap();
    let said = started.warned(row.code(0)[0]) && started.warned(&format!("using {inside}"));
    assert!(said || started.warned("this build of ubp cannot run models"), "{}", started.said);
}

/// Copies the program alone to an empty folder and clears the environment, so that it can find nothing else.
fn one_program(_: &Row) {
    let folder = Folder::new();
    let alone = folder.path("alone");
    fs::copy(program(), &alone).unwrap();
    let mut server = std::process::Command::new(&alone);
    server.current_dir(folder.0.path()).env_clear().args(["mcp-server", "--config"]);
    let mut client = McpClient::start(server).unwrap();
    listed(&mut client, 3);
    let found = client.ask("search", json!({ "query": "zebra" })).unwrap();
    assert_eq!(found["results"][0]["document"], "note1.md");
}

fn processors(row: &Row) {
    let features: Vec<&str> = row.code(1);
    assert_eq!(features.len(), 2, "{row:?}");
    let metadata = metadata();
    let command = metadata.packages.iter().find(|package| package.name.as_str() == "ubp-cli").unwrap();
    for feature in features {
        assert!(command.features.contains_key(feature), "{feature}");
    }
}

fn synchronised(_: &Row) {
    let folder = Folder::new();
    listed(&mut folder.documents(), 3);
    // While no server runs, one document is added, one is changed and one is deleted.
    folder.write("documents/new.md", "# New\n\nauroras\n");
    folder.write("documents/note1.md", "# Note\n\nA heron.\n\n## More\n\nand a stork\n");
    fs::remove_file(folder.path("documents/project.md")).unwrap();
    let mut client = folder.documents();
    eventually("the index matches the folder", || {
        let documents = client.ask("list_documents", json!({})).unwrap()["documents"].clone();
        let names: Vec<&str> =
            documents.as_array().unwrap().iter().map(|one| one["filename"].as_str().unwrap()).collect();
        names == ["new.md", "note1.md", "sub/api.md"] && documents[1]["chunks"] == 2
    });
    // And while a server runs.
    folder.write("documents/later.md", "# Later\n\nauroras\n");
    fs::remove_file(folder.path("documents/new.md")).unwrap();
    eventually("changes while a server runs are indexed", || {
        let found = client.ask("search", json!({ "query": "auroras" })).unwrap()["results"].to_string();
        found.contains("later.md") && !found.contains("new.md")
    });
}

fn deleted(_: &Row) {
    let folder = Folder::new();
    let mut client = folder.documents();
    listed(&mut client, 3);
    let deleted = client.ask("delete_document", json!({ "filename": "sub/api.md" })).unwrap();
    let lies = folder.path(".ubp/trash").join(deleted["trash"].as_str().unwrap());
    assert!(!folder.path("documents/sub/api.md").exists() && lies.exists(), "{deleted}");
}

fn traversal(row: &Row) {
    let folder = Folder::new();
    let mut client = folder.documents();
    let (code, words) = client.refusal("index_markdown", json!({ "filepath": "../secret.md" })).unwrap();
    assert_eq!(code, row.code(1)[0], "{words}");
}
