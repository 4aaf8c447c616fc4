//! The table of docs/documents.md, row by row: what the tool that it describes is asked and started with, on folders
//! that were never made a project.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::mcp::McpClient;

use crate::process::{command, program};

/// A folder with documents, and nothing else.
struct Folder(tempfile::TempDir);

impl Folder {
    fn empty() -> Self {
        Self(tempfile::Builder::new().prefix("ubp-documents-").tempdir().unwrap())
    }

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

    /// Everything that is there, without what is in `.ubp`.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn server(&self, arguments: &[&str]) -> Client {
        let mut command = Command::new(program());
        command.arg("-C").arg(self.0.path()).arg("mcp-server").args(arguments);
        Client(McpClient::start(command).unwrap())
    }

    /// As the document starts it.
    fn documents(&self) -> Client {
        self.server(&["--tools", "documents", "--config", "config.json"])
    }

    /// Starts a server that is not asked anything: what it says, and its exit status.
    fn start(&self, config: &str) -> (String, Option<i32>) {
        self.write("config.json", config);
        self.start_as_is()
    }

    fn start_as_is(&self) -> (String, Option<i32>) {
        let mut child =
            command(self.0.path(), &["mcp-server", "--config"]).stdin(Stdio::null()).spawn().unwrap();
        let status = child.wait().unwrap().code();
        let (mut said, mut printed) = (String::new(), String::new());
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(printed, "", "standard output belongs to the protocol");
        for line in said.lines() {
            let label =
                ["[INFO] ", "[WARN] ", "[ERROR] ", "[FATAL] "].iter().any(|level| line.starts_with(level));
            assert!(label, "a line without a level: {line}");
        }
        (said, status)
    }
}

struct Client(McpClient);

impl Client {
    fn tools(&mut self) -> Vec<String> {
        let listed = self.0.request("tools/list", json!({})).unwrap();
        listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The result of a call that must succeed.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.0.call(tool, arguments.clone()).unwrap();
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// The code and the words of one that must not.
    fn refused(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.0.call(tool, arguments.clone()).unwrap();
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let error = &result["_meta"]["unified-blueprint/error"];
        (error["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
    }

    /// The list once it has `count` documents.
    fn listed(&mut self, count: usize) -> Vec<Value> {
        let begun = Instant::now();
        loop {
            let documents = self.call("list_documents", json!({}))["documents"].as_array().unwrap().clone();
            if documents.len() == count {
                return documents;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{documents:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn the_five_tools_answer_as_they_are_described() {
    let folder = Folder::new();
    let mut client = folder.documents();
    let tools = ["search", "index_markdown", "list_documents", "delete_document", "reindex_document"];
    assert_eq!(client.tools(), tools);

    let documents = client.listed(3);
    let names: Vec<&str> = documents.iter().map(|document| document["filename"].as_str().unwrap()).collect();
    assert_eq!(names, ["note1.md", "project.md", "sub/api.md"]);
    for document in &documents {
        assert!(document["chunks"].as_u64().unwrap() > 0, "{document}");
        for time in ["indexed_at", "modified_at"] {
            let time = document[time].as_str().unwrap();
            assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
        }
    }
    assert!(documents[2]["chunks"].as_u64().unwrap() >= 4, "1,800 characters in chunks of 500");

    let found = client.call("search", json!({ "query": "認証の実装方法" }));
    let best = &found["results"][0];
    assert_eq!(best["document"], "project.md");
    assert!(best["chunk"].as_str().unwrap().contains("JWTトークン"));
    let position = usize::try_from(best["position"].as_u64().unwrap()).unwrap();
    let text: String = folder.read("documents/project.md").chars().skip(position).collect();
    assert!(text.starts_with(best["chunk"].as_str().unwrap()));
    assert!(best.get("similarity").is_some());
    let many = client.call("search", json!({ "query": "sentence interfaces", "top_k": 1 }));
    assert_eq!(many["results"].as_array().unwrap().len(), 1);
    let (code, words) = client.refused("search", json!({}));
    assert!(code == "invalid_params" && words.contains("query"), "{words}");

    let indexed =
        client.call("index_markdown", json!({ "filepath": "./documents/sub/api.md", "chunk_size": 100 }));
    assert_eq!(indexed["chunk_size"], 100);
    assert!(indexed["chunks"].as_u64().unwrap() >= 18, "{indexed}");
    let again = client.call("reindex_document", json!({ "filename": "sub/api.md" }));
    assert_eq!(again["chunks"], indexed["chunks"]);
    let usual = client.call("index_markdown", json!({ "filepath": "sub/api.md" }));
    assert_eq!((&usual["chunk_size"], &usual["chunks"]), (&json!(500), &documents[2]["chunks"]));
    let absolute = folder.path("documents/note1.md");
    let by_path = client.call("index_markdown", json!({ "filepath": absolute.to_string_lossy() }));
    assert_eq!(by_path["filename"], "note1.md");

    let deleted = client.call("delete_document", json!({ "filename": "note1.md" }));
    assert_eq!(deleted["deleted"], true);
    assert!(!absolute.exists());
    let trash = folder.path(".ubp/trash").join(deleted["trash"].as_str().unwrap());
    assert!(fs::read_to_string(trash).unwrap().contains("zebra"));
    client.listed(2);

    folder.write("documents/new.md", "# New\n\nseen by itself\n");
    client.listed(3);
    drop(client);
    assert!(folder.names().contains(&"vectors.db".to_owned()));
    assert!(
        folder.names().iter().all(|name| {
            [".ubp", "config.json", "documents"].contains(&name.as_str()) || name.starts_with("vectors.db")
        }),
        "{:?}",
        folder.names()
    );

    // What was deleted comes back once the folder is a project.
    let made = command(folder.0.path(), &["init", "--pages-dir", "documents"]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let undone = command(folder.0.path(), &["undo", deleted["audit_id"].as_str().unwrap()]).output().unwrap();
    assert!(undone.status.success(), "{undone:?}");
    assert!(fs::read_to_string(absolute).unwrap().contains("zebra"));
}

#[test]
fn paths_that_lead_out_are_refused_by_every_tool() {
    let folder = Folder::new();
    folder.write("secret.md", "secret");
    folder.write("documents-evil/x.md", "evil");
    folder.write("elsewhere/y.md", "elsewhere");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("secret.md"), folder.path("documents/link.md")).unwrap();
        std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("documents/linked")).unwrap();
    }
    let mut client = folder.documents();
    client.listed(3);
    let absolute = |name: &str| folder.path(name).to_string_lossy().into_owned();
    let attacks = [
        "../secret.md".to_owned(),
        "documents/../../secret.md".into(),
        "sub/../../secret.md".into(),
        "../documents-evil/x.md".into(),
        absolute("secret.md"),
        absolute("documents-evil/x.md"),
        format!("{}/../secret.md", absolute("documents")),
        "/etc/passwd".into(),
        "note1.md\0../../secret.md".into(),
        "..\\secret.md".into(),
        "link.md".into(),
        "linked/y.md".into(),
        "~/secret.md".into(),
        "file:///etc/passwd".into(),
        String::new(),
        ".".into(),
        "..".into(),
    ];
    for attack in &attacks {
        for (tool, field) in [
            ("index_markdown", "filepath"),
            ("delete_document", "filename"),
            ("reindex_document", "filename"),
        ] {
            let (code, words) = client.refused(tool, json!({ field: attack }));
            assert!(
                ["outside_project", "invalid_params"].contains(&code.as_str()),
                "{tool} {attack}: {words}"
            );
            if attack.contains("..")
                || attack.starts_with('/')
                || attack.contains('\0')
                || attack.contains("link")
            {
                assert_eq!(code, "outside_project", "{tool} {attack:?}: {words}");
            }
        }
    }
    assert_eq!(folder.read("secret.md"), "secret");
    assert_eq!(folder.read("documents-evil/x.md"), "evil");
    assert_eq!(folder.read("elsewhere/y.md"), "elsewhere");
    assert_eq!(client.listed(3).len(), 3);
    let found = client.call("search", json!({ "query": "secret evil elsewhere" }));
    assert_eq!(found["results"], json!([]));
}

#[test]
fn without_config_the_defaults_hold_and_a_template_is_written() {
    let folder = Folder::new();
    let (said, status) = folder.start_as_is();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("[INFO]") && said.contains("config.json was not there"), "{said}");
    let template: Value = serde_json::from_str(&folder.read("config.json")).unwrap();
    assert_eq!(
        template,
        json!({ "documents_dir": "./documents", "db_path": "./vectors.db", "chunk_size": 500, "search_top_k": 5,
                "compute": { "device": "auto", "fallback_to_cpu": true },
                "model": { "name": "multilingual-e5-small", "dimensions": 384 } })
    );
    let (said, status) = folder.start_as_is();
    assert!(status == Some(0) && !said.contains("was not there"), "{said}");
}

#[test]
fn a_config_that_is_wrong_is_named_with_its_line_and_the_defaults_hold() {
    let folder = Folder::new();
    let wrong = "{\n  \"documents_dir\": \"./elsewhere\",\n  \"chunk_size\": \"many\"\n}\n";
    let (said, status) = folder.start(wrong);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("[WARN]") && said.contains("config.json:3"), "{said}");
    assert_eq!(folder.read("config.json"), wrong, "nobody's file is written over");
    assert!(!folder.path("elsewhere").exists());
    folder.documents().listed(3);
}

#[test]
fn every_setting_of_config_is_followed() {
    let folder = Folder::new();
    folder.write("notes/a.md", &format!("# A\n\n{}\n", "Words to be found. ".repeat(40)));
    fs::create_dir(folder.path("index")).unwrap();
    folder.write(
        "config.json",
        r#"{ "documents_dir": "notes", "db_path": "index/my.db", "chunk_size": 120, "search_top_k": 2 }"#,
    );
    let mut client = folder.documents();
    let documents = client.listed(1);
    assert_eq!(documents[0]["filename"], "a.md");
    assert!(documents[0]["chunks"].as_u64().unwrap() >= 6, "{documents:?}");
    assert_eq!(client.call("index_markdown", json!({ "filepath": "a.md" }))["chunk_size"], 120);
    folder.write("notes/b.md", "# B\n\nWords to be found.\n");
    folder.write("notes/c.md", "# C\n\nWords to be found.\n");
    client.listed(3);
    assert_eq!(client.call("search", json!({ "query": "words" }))["results"].as_array().unwrap().len(), 2);
    drop(client);
    assert!(folder.path("index/my.db").exists() && !folder.path("vectors.db").exists());
    assert!(folder.path("notes/.ubp").is_dir(), "beside the index only where documents lie below it");
}

#[test]
fn folders_and_files_that_cannot_be_as_they_are_set_are_said() {
    let folder = Folder::empty();
    let (said, status) = folder.start("{}");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("[WARN] documents_dir") && folder.path("documents").is_dir(), "{said}");
    for (config, what) in [
        (r#"{ "documents_dir": "no/such/folder" }"#, "no such folder"),
        (r#"{ "documents_dir": "config.json" }"#, "is no folder"),
        (r#"{ "db_path": "no/such/file.db" }"#, "no/such"),
        (r#"{ "db_path": "mine.txt" }"#, "another program"),
        (r#"{ "db_path": "documents" }"#, "no ordinary file"),
    ] {
        folder.write("mine.txt", "what I wrote myself, and need");
        let (said, status) = folder.start(config);
        assert_eq!(status, Some(2), "{config}: {said}");
        assert!(said.contains("[FATAL]") && said.contains(what), "{config}: {said}");
        assert_eq!(folder.read("mine.txt"), "what I wrote myself, and need");
    }
}

#[test]
fn the_device_is_said_and_never_pretended() {
    let folder = Folder::new();
    let start = |device: &str, fallback: bool| {
        folder.start(&json!({ "compute": { "device": device, "fallback_to_cpu": fallback } }).to_string())
    };
    let (said, status) = start("auto", true);
    assert!(status == Some(0) && said.contains("[INFO] No GPU, using CPU"), "{said}");
    let (said, status) = start("cpu", false);
    assert!(status == Some(0) && said.contains("[INFO] using CPU"), "{said}");
    let (said, status) = start("gpu", true);
    let words = "[WARN] GPU requested but unavailable, fallback to CPU";
    assert!(status == Some(0) && said.contains(words), "{said}");
    let (said, status) = start("gpu", false);
    assert!(said.contains("[ERROR] GPU required but unavailable") && said.contains("[FATAL]"), "{said}");
    assert_eq!(status, Some(2));
}

#[test]
fn calls_that_fail_are_in_the_log() {
    let folder = Folder::new();
    let mut child =
        command(folder.0.path(), &["mcp-server", "--config"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
                "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": { "name": "delete_document", "arguments": { "filename": "../secret.md" } } }),
    ] {
        use std::io::Write;
        writeln!(input, "{message}").unwrap();
    }
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"id\":2") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut output, &mut line).unwrap() > 0);
    }
    drop(input);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert!(
        said.contains("[ERROR] delete_document: ../secret.md: outside of the documents folder"),
        "{said}"
    );
}

#[test]
fn in_a_project_writing_has_to_be_allowed() {
    let folder = Folder::new();
    let made = command(folder.0.path(), &["init", "--pages-dir", "documents"]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    assert_eq!(folder.server(&["--tools", "documents"]).tools(), ["search", "list_documents"]);
    assert_eq!(folder.server(&["--tools", "documents", "--write"]).tools().len(), 5);
    let both = folder.server(&["--tools", "search"]).tools();
    assert_eq!(both, ["ubp_search"], "the operation of that name, and not the tool");
    assert_eq!(folder.server(&["--tools", "search_documents"]).tools(), ["search"]);
    let refused = command(folder.0.path(), &["mcp-server", "--tools", "delete_document"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--write"), "{refused:?}");
    for name in folder.server(&[]).tools() {
        assert!(name.starts_with("ubp_"), "the default set stays as it is: {name}");
    }
}

#[test]
fn it_runs_in_the_background_too() {
    let folder = Folder::new();
    let ubp = |arguments: &[&str]| command(folder.0.path(), arguments).output().unwrap();
    let started =
        ubp(&["mcp-server", "--config", "config.json", "--http", "127.0.0.1:0", "--daemon", "--json"]);
    assert!(started.status.success(), "{started:?}");
    let status = ubp(&["mcp-server", "--config", "--status"]);
    assert!(status.status.success(), "{status:?}");
    let stopped = ubp(&["mcp-server", "--config", "--stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    let log = folder.read(".ubp/mcp-server.log");
    assert!(log.contains("[INFO] listening on http://127.0.0.1:") && log.contains("[INFO] No GPU"), "{log}");
}

/// What no test above ran is no row of the table.
#[test]
fn every_row_of_the_table_is_run_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let table = fs::read_to_string(root.join("docs/documents.md")).unwrap();
    // What comes then is measured, or compares.
    let table = table.split("\n## Size and speed").next().unwrap();
    let tests = fs::read_to_string(root.join("tests/tests/documents.rs")).unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let named = row.split('`').nth(1).unwrap();
        let word = named.trim_start_matches(['[', '"']).split([' ', '(', ']', '<', '"']).next().unwrap();
        let word = word.rsplit('.').next().unwrap();
        assert!(tests.contains(word), "{row}");
        rows += 1;
    }
    assert!(rows >= 30, "{rows}");
}
