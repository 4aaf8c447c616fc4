//! The background server: one per project, found by later commands, stopped on request, and never confused with the
//! files that a killed server left behind.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use ubp_tests::signal;

use crate::process::{command, project, ubp};

/// Stops any server that the test started.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(project(3))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn server(&self, arguments: &[&str]) -> Output {
        ubp(self.path(), &[&["mcp-server"], arguments].concat())
    }

    fn start(&self) -> Output {
        self.server(&["--http", "127.0.0.1:0", "--daemon", "--json"])
    }

    fn status(&self) -> (Option<i32>, Value) {
        let output = self.server(&["--status", "--json"]);
        (output.status.code(), json(&output))
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path().join(".ubp/mcp-server.log")).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.server(&["--stop"]);
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn process_exists(pid: u64) -> bool {
    signal::send("-0", pid.try_into().unwrap())
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Lists the server's tools, as a client would.
fn answers(folder: &Folder, url: &str) -> bool {
    use std::io::{Read, Write};
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return false };
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let token = std::fs::read_to_string(folder.path().join(".ubp/mcp-server.token")).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        token.trim(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).is_ok() && head.starts_with(b"HTTP/1.1 200")
}

#[test]
fn the_server_starts_is_found_and_stops() {
    let folder = Folder::new();
    let (code, status) = folder.status();
    assert_eq!((code, &status["running"], &status["url"]), (Some(1), &Value::Bool(false), &Value::Null));

    let started = folder.start();
    assert!(started.status.success(), "{started:?}");
    let said = json(&started);
    let url = said["url"].as_str().unwrap();
    assert_eq!(said["token_file"], ".ubp/mcp-server.token");
    assert!(
        !folder
            .log()
            .contains(&std::fs::read_to_string(folder.path().join(".ubp/mcp-server.token")).unwrap()[..64])
    );
    assert!(answers(&folder, url), "it listens before the command ends");
    let (code, status) = folder.status();
    assert_eq!((code, &status), (Some(0), &said));
    assert!(process_exists(said["pid"].as_u64().unwrap()));
    assert!(folder.log().contains(&format!("listening on {url}")), "{}", folder.log());

    let second = folder.server(&["--daemon"]);
    assert_eq!(second.status.code(), Some(2));
    let words = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(words.contains("already") && words.contains(url) && words.contains("--stop"), "{words}");

    let stopped = folder.server(&["--stop", "--json"]);
    assert!(stopped.status.success() && json(&stopped)["pid"] == said["pid"], "{stopped:?}");
    wait_for("its end", || !process_exists(said["pid"].as_u64().unwrap()));
    assert!(!answers(&folder, url));
    assert_eq!(folder.status().0, Some(1));
    assert!(folder.log().trim_end().ends_with("ended"), "{}", folder.log());
    let again = folder.server(&["--stop"]);
    assert!(again.status.success(), "stopping without a server is not an error");
}

#[test]
fn an_older_project_keeps_its_files_out_of_git() {
    let folder = Folder::new();
    let ignored = folder.path().join(".ubp/.gitignore");
    std::fs::write(&ignored, "/metadata.db*").unwrap();
    for _ in 0..2 {
        assert!(folder.start().status.success());
        folder.server(&["--stop"]);
    }
    assert_eq!(std::fs::read_to_string(&ignored).unwrap(), "/metadata.db*\n/mcp-server.*\n");
}

#[test]
fn the_message_for_people_names_the_address_and_how_to_stop_the_server() {
    let folder = Folder::new();
    let started = folder.server(&["--http", "127.0.0.1:0", "--daemon"]);
    let words = String::from_utf8_lossy(&started.stdout).into_owned();
    for part in ["http://127.0.0.1:", "/mcp", "background", ".ubp/mcp-server.log", "--stop"] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn after_a_kill_status_reports_no_server_and_the_next_one_starts() {
    let folder = Folder::new();
    let said = json(&folder.start());
    let pid = said["pid"].as_u64().unwrap();
    assert!(signal::send("-9", pid.try_into().unwrap()));
    wait_for("its end", || folder.status().0 == Some(1));
    assert!(folder.path().join(".ubp/mcp-server.json").exists(), "its state file remains");
    assert!(json(&folder.server(&["--stop", "--json"]))["pid"].is_null(), "and nobody is ended for it");
    let again = folder.start();
    assert!(again.status.success(), "{again:?}");
    assert_ne!(json(&again)["pid"], said["pid"]);
    assert!(answers(&folder, json(&again)["url"].as_str().unwrap()));
}

#[test]
fn an_unrelated_process_with_a_reused_pid_is_never_killed() {
    let folder = Folder::new();
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let state = format!(
        r#"{{"instance":"x","pid":{},"url":"http://127.0.0.1:1/mcp","started_at":"2026-01-01T00:00:00Z","version":"1"}}"#,
        stranger.id()
    );
    std::fs::write(folder.path().join(".ubp/mcp-server.json"), state).unwrap();
    std::fs::write(folder.path().join(".ubp/mcp-server.lock"), "").unwrap();
    assert_eq!(folder.status().0, Some(1));
    folder.server(&["--stop"]);
    assert!(stranger.try_wait().unwrap().is_none(), "an unrelated process");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn a_port_in_use_is_reported_and_no_state_file_remains() {
    let folder = Folder::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = folder.server(&["--http", &address, "--daemon"]);
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains(&address) && words.contains("choose another port"), "{words}");
    assert_eq!(folder.status().0, Some(1));
    assert!(!folder.path().join(".ubp/mcp-server.json").exists());
}

#[test]
fn a_server_that_other_machines_can_reach_needs_a_token() {
    let folder = Folder::new();
    let output = folder.server(&["--http", "0.0.0.0:0", "--daemon", "--no-token"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("leave out --no-token"), "{output:?}");
    assert_eq!(folder.status().0, Some(1));
}

#[test]
fn of_many_concurrent_starts_only_one_succeeds() {
    let folder = Folder::new();
    let starts: Vec<_> = (0..6)
        .map(|_| {
            command(folder.path(), &["mcp-server", "--http", "127.0.0.1:0", "--daemon", "--json"])
                .spawn()
                .unwrap()
        })
        .collect();
    let outputs: Vec<Output> = starts.into_iter().map(|start| start.wait_with_output().unwrap()).collect();
    let succeeded: Vec<Value> = outputs.iter().filter(|output| output.status.success()).map(json).collect();
    assert_eq!(succeeded.len(), 1, "{outputs:?}");
    for output in outputs.iter().filter(|output| !output.status.success()) {
        let words = json(output)["error"]["message"].as_str().unwrap().to_owned();
        assert!(words.contains("already") || words.contains("just started"), "{words}");
    }
    assert_eq!(folder.status().1["pid"], succeeded[0]["pid"]);
}

#[test]
fn conflicting_flags_are_rejected() {
    let folder = Folder::new();
    for arguments in [
        &["--status", "--stop"][..],
        &["--status", "--daemon"],
        &["--stop", "--http"],
        &["--allow-host", "x"],
        &["--daemon", "--print-config", "cursor"],
    ] {
        assert_eq!(folder.server(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
