//! The tables of docs/documents.md and docs/devrag.md, row by row, on folders that are not projects, and what the tables do
//! not say.

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

/// Much longer than a server takes to hear of a file.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder with documents, and nothing else.
struct Folder(tempfile::TempDir);

/// What a server said to people that was not asked anything, and its exit status.
struct Started {
    said: String,
    status: Option<i32>,
}

impl Folder {
    fn empty() -> Self {
        Self(tempfile::Builder::new().prefix("ubp-documents-").tempdir().unwrap())
    }

    /// Three documents.
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

    /// The command as somebody runs it whose own folder is `home` in this one.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.0.path(), arguments);
        command.env("HOME", self.path("home")).env_remove("XDG_DATA_HOME");
        command
    }

    fn server(&self, arguments: &[&str]) -> McpClient {
        McpClient::start(self.command(&[&["mcp-server"], arguments].concat())).unwrap()
    }

    /// The server of a `config.json` that is there, or will be.
    fn documents(&self) -> McpClient {
        self.server(&["--tools", "documents", "--config", "config.json"])
    }

    /// Starts the server with these settings.
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

    /// A command that must succeed; what it printed.
    fn ubp(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Started {
    /// The lines of a level, such as `[WARN]`.
    fn lines(&self, level: &str) -> Vec<&str> {
        self.said.lines().filter(|line| line.starts_with(&format!("{level} "))).collect()
    }

    /// Asserts that it went on, and returns itself.
    fn went_on(self) -> Self {
        assert_eq!(self.status, Some(0), "{}", self.said);
        self
    }

    /// Asserts that it ended with a line of `[FATAL]` that has these words.
    fn ended_for(&self, words: &str) {
        assert_eq!(self.status, Some(2), "{}", self.said);
        assert!(self.lines("[FATAL]").iter().any(|line| line.contains(words)), "{words}: {}", self.said);
    }

    /// Whether a line of `[WARN]` has these words.
    fn warned(&self, words: &str) -> bool {
        self.lines("[WARN]").iter().any(|line| line.contains(words))
    }
}

/// The list once it has `count` documents.
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
        assert!(begun.elapsed() < PATIENCE, "it is never so that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_table_is_run() {
    // `tests/bench/documents` measures the limits of "Size and speed".
    let run = ["Tools", "Settings", "GPU", "Messages", "Paths"];
    assert_eq!(tables::headings("documents"), run, "a table that none of the tests below runs");
    assert_eq!(tables::headings("devrag"), ["Coming from devrag", "Size and speed"]);
}

#[test]
fn in_a_project_writing_has_to_be_allowed() {
    let folder = Folder::new();
    folder.ubp(&["init", "--pages-dir", "documents"]);
    let names = |arguments: &[&str]| folder.server(arguments).tool_names().unwrap();
    assert_eq!(names(&["--tools", "documents"]), ["ubp_search_documents", "ubp_list_documents"]);
    assert_eq!(names(&["--tools", "documents", "--write"]), TOOLS);
    assert_eq!(names(&["--tools", "search"]), ["ubp_search"], "the operation of that name, and not the tool");
    assert_eq!(names(&["--tools", "search_documents"]), ["ubp_search_documents"]);
    let refused = folder.command(&["mcp-server", "--tools", "delete_document"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--write"), "{refused:?}");
    for name in names(&[]) {
        assert!(name.starts_with("ubp_"), "every tool says whose it is: {name}");
    }
}

#[test]
fn it_runs_in_the_background_too() {
    let folder = Folder::new();
    folder.ubp(&["mcp-server", "--config", "config.json", "--http", "127.0.0.1:0", "--daemon", "--json"]);
    folder.ubp(&["mcp-server", "--config", "--status"]);
    folder.ubp(&["mcp-server", "--config", "--stop"]);
    let log = folder.read(".ubp/mcp-server.log");
    assert!(log.contains("[INFO] listening on http://127.0.0.1:") && log.contains("[INFO] No GPU"), "{log}");
}
