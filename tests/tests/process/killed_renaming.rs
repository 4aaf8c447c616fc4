//! A kill during a rename of several files: every file has either its old or its new content, the audit log lists all
//! of them, and undo restores the original state.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{command, json, project, ubp};

const LINKING: usize = 60;

fn vault() -> tempfile::TempDir {
    let folder = project(0);
    let text = "# Old name\n\nsee [[Old name]] itself\n";
    fs::write(folder.path().join("Old name.md"), text).unwrap();
    for page in 0..LINKING {
        let text = format!("# Page {page}\n\n[[Old name]] and [[Old name|shown {page}]]\r\nend\n");
        fs::write(folder.path().join(format!("page {page:02}.md")), text).unwrap();
    }
    folder
}

fn pages(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.is_file())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap_or_default())
        })
        .filter(|(name, _)| name.ends_with(".md"))
        .collect()
}

#[test]
fn undo_restores_a_page_that_was_moved_but_not_yet_rewritten() {
    let folder = vault();
    let folder = folder.path();
    let before = pages(folder);
    assert!(ubp(folder, &["mv", "Old name", "New name"]).status.success());
    // The state after a kill directly behind the first step.
    for (name, text) in &before {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::rename(folder.join("Old name.md"), folder.join("New name.md")).unwrap();
    let path = folder.join(".ubp/audit.jsonl");
    let log = fs::read_to_string(&path).unwrap();
    let entries: Vec<&str> = log.lines().filter(|line| !line.contains("\"outcome\"")).collect();
    fs::write(&path, entries.join("\n") + "\n").unwrap();

    let log = json(folder, &["audit", "--json"]);
    assert_eq!(log["entries"][0]["outcome"], "unfinished");
    let undone = ubp(folder, &["undo", log["entries"][0]["group"].as_str().unwrap()]);
    assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    assert!(pages(folder) == before);
}

/// The number of existing files that changed so far.
fn changed(folder: &Path, before: &BTreeMap<String, Vec<u8>>) -> usize {
    pages(folder).iter().filter(|(name, text)| before.get(*name) != Some(*text)).count()
}

#[test]
fn after_a_kill_at_any_step_no_file_is_damaged_and_undo_restores_all() {
    let example = vault();
    let before = pages(example.path());
    assert!(ubp(example.path(), &["mv", "Old name", "New name"]).status.success());
    let after = pages(example.path());
    assert_eq!(changed(example.path(), &before), LINKING + 1, "each of them changes");

    let mut unfinished = 0;
    for step in [1, 2, 3, 5, 9, 17, 30, 45, 58, 60, 61] {
        let folder = vault();
        let folder = folder.path();
        assert!(ubp(folder, &["status"]).status.success());
        let mut child = command(folder, &["mv", "Old name", "New name"]).spawn().unwrap();
        let begun = Instant::now();
        while changed(folder, &before) < step && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "step {step} never came");
        }
        let _ = child.kill();
        child.wait().unwrap();

        for (name, text) in pages(folder) {
            let whole = match name.as_str() {
                // The page moves first, then its links to itself are rewritten.
                "New name.md" => text == after[&name] || text == before["Old name.md"],
                _ => Some(&text) == before.get(&name) || Some(&text) == after.get(&name),
            };
            assert!(whole, "step {step}: {name} is {:?}", String::from_utf8_lossy(&text));
        }
        let either = |name: &str| folder.join(name).exists();
        assert!(
            either("Old name.md") != either("New name.md"),
            "step {step}: exactly one of the two files exists"
        );

        let log = json(folder, &["audit", "-n", "1000", "--json"]);
        let entries = log["entries"].as_array().unwrap();
        assert_eq!(entries.len(), LINKING + 1, "step {step}: every change is logged before the first one");
        unfinished += usize::from(entries[0]["outcome"] == "unfinished");
        let undone = ubp(folder, &["undo", entries[0]["group"].as_str().unwrap()]);
        assert!(undone.status.success(), "step {step}: {}", String::from_utf8_lossy(&undone.stderr));
        assert!(pages(folder) == before, "step {step}: undoing leads back to the beginning");
    }
    assert!(unfinished >= 5, "{unfinished} of 11 were killed on the way");
}
