//! The real command as a separate process: killed, interrupted, run twice at once, on a full disk and without
//! permission to write.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use ubp_tests::generator::Vault;

#[cfg(unix)]
mod interrupted;
#[cfg(unix)]
mod killed_accepting;
#[cfg(unix)]
mod killed_reindex;
#[cfg(unix)]
mod killed_renaming;
#[cfg(target_os = "linux")]
mod limits;
mod together;

/// The command to test: the one that `UBP_UNDER_TEST` names, or the one built with the suites.
pub fn program() -> PathBuf {
    std::env::var_os("UBP_UNDER_TEST")
        .map_or_else(|| env!("CARGO_BIN_EXE_ubp-under-test").into(), PathBuf::from)
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn ubp(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

/// The JSON output of a command that must succeed.
pub fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = ubp(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A project of generated pages without an index.
pub(crate) fn project(pages: usize) -> TempDir {
    let folder = tempfile::Builder::new().prefix("ubp-process-").tempdir().unwrap();
    let vault = Vault { pages, page_bytes: 1_200, seed: 5, japanese: true };
    vault.write_to(folder.path()).unwrap();
    std::fs::create_dir(folder.path().join(".ubp")).unwrap();
    let manifest = r#"{"version": "1.0", "schema_version": 1, "pages_dir": ".", "frontmatter": "preserved",
        "embedding_model": {"name": "no-such-model", "version": "1.0", "dimensions": 8}}"#;
    std::fs::write(folder.path().join(".ubp/manifest.json"), manifest).unwrap();
    folder
}

/// The answers that describe the state of a project, as lines prefixed with their command.
pub(crate) fn state(folder: &Path) -> Vec<String> {
    let questions: [&[&str]; 4] = [
        &["list", "--sort", "filepath", "--json"],
        &["graph", "--format", "json", "-n", "100000"],
        &["doctor", "--json"],
        &["search", "session token", "--json", "-n", "20"],
    ];
    let mut lines = Vec::new();
    for arguments in questions {
        let answer = format!("{:#}", json(folder, arguments));
        lines.extend(answer.lines().map(|line| format!("{}: {line}", arguments[0])));
    }
    lines
}

/// Panics with the first differing lines.
#[track_caller]
pub(crate) fn equal(found: &[String], expected: &[String], when: &str) {
    if let Some(at) = (0..found.len().max(expected.len())).find(|&at| found.get(at) != expected.get(at)) {
        let around =
            |lines: &[String]| lines.iter().skip(at.saturating_sub(12)).take(16).cloned().collect::<Vec<_>>();
        panic!("{when}, line {at}: found {:#?}\nexpected {:#?}", around(found), around(expected));
    }
}

pub(crate) fn forget_index(folder: &Path) {
    for name in ["metadata.db", "metadata.db-wal", "metadata.db-shm"] {
        let _ = std::fs::remove_file(folder.join(".ubp").join(name));
    }
}
