//! Runs the tables of docs/documents.md and docs/devrag.md row by row, in folders that are not projects, and tests some
//! behaviour beyond the tables.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;
use ubp_tests::tables;

use crate::process::command;

mod moving;
mod paths;
mod settings;
mod starting;
mod tools;

const TOOLS: [&str; 5] = [
    "ubp_search_documents",
    "ubp_index_markdown",
    "ubp_list_documents",
    "ubp_delete_document",
    "ubp_reindex_document",
];

/// Much longer than a server takes to notice a changed file.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that contains documents only.
struct Folder(tempfile::TempDir);

/// Standard error and exit status of a server that got no requests.
struct Started {
    said: String,
    status: Option<i32>,
}

impl Folder {
    fn empty() -> Self {
        Self(tempfile::Builder::new().prefix("ubp-documents-").tempdir().unwrap())
    }

    /// A folder with three documents.
    fn new() -> Self {
        let folder = Self::empty();
        folder.write(
            "documents/project.md",
            "# Project\n\nJWTトークンを使った認証の実装方法を説明する。\n\nTokens expire after an hour.\n",
        );
        folder.write("documents/note1.md", "# Note\n\nA zebra has stripes.\n");
        folder.write(
            "documents/sub/api.md",
            &format!("# API\n\n{}\n", "One sentence about interfaces. ".repeat(60)),
        );
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The command, with `home` in this folder as the user's home.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.0.path(), arguments);
        command.env("HOME", self.path("home")).env_remove("XDG_DATA_HOME");
        command
    }

    fn server(&self, arguments: &[&str]) -> McpClient {
        McpClient::start(self.command(&[&["mcp-server"], arguments].concat())).unwrap()
    }

    /// A server that reads `config.json`, which may not exist yet.
    fn documents(&self) -> McpClient {
        self.server(&["--tools", "documents", "--config", "config.json"])
    }

    /// Starts the server with this `config.json`.
    fn start(&self, config: &Value) -> Started {
        self.start_with(&config.to_string())
    }

    fn start_with(&self, config: &str) -> Started {
        self.write("config.json", config);
        self.start_as_is()
    }

    fn start_as_is(&self) -> Started {
        let output = self.command(&["mcp-server", "--config"]).output().unwrap();
        assert_eq!(output.stdout, b"", "standard output belongs to the protocol");
        Started { said: String::from_utf8(output.stderr).unwrap(), status: output.status.code() }
    }

    /// Runs a command that must succeed, and returns its standard output.
    fn ubp(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Started {
    /// The lines with this level, such as `[WARN]`.
    fn lines(&self, level: &str) -> Vec<&str> {
        self.said.lines().filter(|line| line.starts_with(&format!("{level} "))).collect()
    }

    /// Asserts that the server started, and returns itself.
    fn went_on(self) -> Self {
        assert_eq!(self.status, Some(0), "{}", self.said);
        self
    }

    /// Asserts that the server exited with a `[FATAL]` line that contains these words.
    fn ended_for(&self, words: &str) {
        assert_eq!(self.status, Some(2), "{}", self.said);
        assert!(self.lines("[FATAL]").iter().any(|line| line.contains(words)), "{words}: {}", self.said);
    }

    /// Whether a `[WARN]` line contains these words.
    fn warned(&self, words: &str) -> bool {
        self.lines("[WARN]").iter().any(|line| line.contains(words))
    }
}

/// The documents, once there are `count` of them.
fn listed(client: &mut McpClient, count: usize) -> Vec<Value> {
    let mut documents = Vec::new();
    eventually("the list is complete", || {
        documents = client.ask("list_documents", json!({})).unwrap()["documents"].as_array().unwrap().clone();
        documents.len() == count
    });
    documents
}

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_table_has_tests() {
    // `tests/bench/documents` measures the limits of "Size and speed".
    let run = ["Tools", "Settings", "GPU", "Messages", "Paths"];
    assert_eq!(tables::headings("documents"), run, "a table that none of the tests below runs");
    assert_eq!(tables::headings("devrag"), ["Coming from devrag", "Size and speed"]);
}

#[test]
fn in_a_project_writing_needs_permission() {
    let folder = Folder::new();
    folder.ubp(&["init", "--pages-dir", "documents"]);
    let names = |arguments: &[&str]| folder.server(arguments).tool_names().unwrap();
    assert_eq!(names(&["--tools", "documents"]), ["ubp_search_documents", "ubp_list_documents"]);
    assert_eq!(names(&["--tools", "documents", "--write=apply"]), TOOLS);
    assert_eq!(names(&["--tools", "search"]), ["ubp_search"], "the operation of that name, and not the tool");
    assert_eq!(names(&["--tools", "search_documents"]), ["ubp_search_documents"]);
    let refused = folder.command(&["mcp-server", "--tools", "delete_document"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--write"), "{refused:?}");
    for name in names(&[]) {
        assert!(name.starts_with("ubp_"), "tool without prefix: {name}");
    }
}

#[test]
fn the_server_also_runs_in_the_background() {
    let folder = Folder::new();
    folder.ubp(&["mcp-server", "--config", "config.json", "--http", "127.0.0.1:0", "--daemon", "--json"]);
    folder.ubp(&["mcp-server", "--config", "--status"]);
    folder.ubp(&["mcp-server", "--config", "--stop"]);
    let log = folder.read(".ubp/mcp-server.log");
    assert!(log.contains("[INFO] listening on http://127.0.0.1:") && log.contains("[INFO] No GPU"), "{log}");
}
