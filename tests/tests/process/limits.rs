//! Limits on memory and disk use of a command.

use std::time::Duration;

use serde_json::Value;

use super::{command, json, project};

/// The peak memory of a command in MB, and its answer.
fn peak(folder: &std::path::Path, arguments: &[&str]) -> (usize, Value) {
    use std::io::Read;
    let mut child = command(folder, arguments).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).unwrap();
        text
    });
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = kilobytes.unwrap_or(0).max(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success());
    (peak / 1024, serde_json::from_slice(&reader.join().unwrap()).unwrap())
}

#[test]
fn a_page_of_32_mb_is_indexed_in_part_and_in_bounded_memory() {
    let prose = format!("{}\n\n", "plain words of a paragraph ".repeat(20));
    for unit in [prose.as_str(), "[", "[[a]]", "# a\n", "*a", "`` ` ", "- a\n"] {
        let folder = project(3);
        std::fs::write(folder.path().join("big.md"), unit.repeat((32 << 20) / unit.len())).unwrap();
        let (megabytes, listed) = peak(folder.path(), &["list", "--json"]);
        assert!(listed["pages"].as_array().unwrap().iter().any(|page| page["filepath"] == "big.md"));
        assert!(megabytes < 400, "{megabytes} MB for a page of {unit:?}");
        let found = json(folder.path(), &["doctor", "--json", "--no-refresh"]);
        let part = |finding: &&Value| finding["code"] == "page_in_part" && finding["filepath"] == "big.md";
        assert!(found["findings"].as_array().unwrap().iter().any(|finding| part(&finding)), "{unit:?}");
    }
}

/// Runs the command with a file size limit of 0, which has the effect of a full disk.
fn on_a_full_disk(folder: &std::path::Path, arguments: &[&str]) -> std::process::Output {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -f 0; trap '' 25; exec \"$@\"", "sh"]).arg(super::program());
    shell.arg("-C").arg(folder).args(arguments).output().unwrap()
}

#[test]
fn reading_works_on_a_full_disk() {
    let folder = project(5);
    json(folder.path(), &["list", "--json"]);
    std::fs::write(folder.path().join("new.md"), "# New\n\nwritten by another program about zebras\n")
        .unwrap();
    for (arguments, expected) in [
        (&["list"][..], "New"),
        (&["get", "new.md"], "another program"),
        (&["search", "zebras"], "new.md"),
        (&["status"], ""),
    ] {
        let output = on_a_full_disk(folder.path(), arguments);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && out.contains(expected), "{arguments:?}: {out}{err}");
        assert!(err.contains("the disk is full: its index is kept in memory"), "{arguments:?}: {err}");
    }
}
