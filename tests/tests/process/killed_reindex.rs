//! A kill while memories are merged loses nothing: every memory is on a page or in the trash, and the merge can be
//! undone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{command, json, project, ubp};

const PAIRS: usize = 20;

/// Pairs of memories with equal text and different tags, and a page that links to one of each pair.
fn vault() -> tempfile::TempDir {
    let folder = project(0);
    let memories = folder.path().join("memory/tech");
    fs::create_dir_all(&memories).unwrap();
    let mut links = String::from("# Links\n\n");
    for pair in 0..PAIRS {
        for (side, tag) in [("a", "left"), ("b", "right")] {
            let text = format!(
                "---\nid: 6f1f7c9e-0000-4000-8000-0000{pair:04}000{side}\ntype: tech\ntopic: Topic {pair:02}{side}\n\
                 tags: [{tag}-{pair}]\n---\n\n# Topic {pair:02}{side}\n\nWhat is known of {pair}.\n"
            );
            fs::write(memories.join(format!("topic-{pair:02}{side}.md")), text).unwrap();
        }
        links += &format!("[[memory/tech/topic-{pair:02}b]]\n");
    }
    fs::write(folder.path().join("links.md"), links).unwrap();
    folder
}

fn files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
}

/// Every page outside of the trash.
fn pages(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    files(&folder.join("memory"), &mut found);
    found.insert(folder.join("links.md"), fs::read(folder.join("links.md")).unwrap());
    found.into_iter().map(|(path, text)| (path.strip_prefix(folder).unwrap().to_path_buf(), text)).collect()
}

/// The page without the time of its last change.
fn without_time(text: &[u8]) -> String {
    let text = String::from_utf8(text.to_vec()).unwrap();
    text.lines().filter(|line| !line.starts_with("updated_at: ")).collect::<Vec<_>>().join("\n")
}

/// The number of completed steps: pages that were changed or deleted.
fn changed(folder: &Path, before: &BTreeMap<PathBuf, Vec<u8>>) -> usize {
    let now = pages(folder);
    before.iter().filter(|(path, text)| now.get(*path) != Some(*text)).count()
}

#[test]
fn a_kill_at_any_step_loses_no_memory() {
    let example = vault();
    let before = pages(example.path());
    let done = json(example.path(), &["memory", "reindex", "--json"]);
    assert_eq!(done["merged"].as_array().unwrap().len(), PAIRS, "{done}");
    let after = pages(example.path());
    let steps = changed(example.path(), &before);
    assert_eq!(steps, 2 * PAIRS + 1, "every page changes");

    let mut unfinished = 0;
    for step in [1, 2, 5, 11, PAIRS, PAIRS + 1, PAIRS + 2, PAIRS + 7, 2 * PAIRS - 3, 2 * PAIRS, 2 * PAIRS + 1]
    {
        let folder = vault();
        let folder = folder.path();
        assert!(ubp(folder, &["status"]).status.success());
        let mut child = command(folder, &["memory", "reindex"]).spawn().unwrap();
        let begun = Instant::now();
        while changed(folder, &before) < step && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "step {step} never came");
        }
        let _ = child.kill();
        child.wait().unwrap();

        let now = pages(folder);
        let mut trash = BTreeMap::new();
        files(&folder.join(".ubp/trash"), &mut trash);
        for (path, text) in &before {
            let now = now.get(path).map(|text| without_time(text));
            let old_or_new = [Some(text), after.get(path)].into_iter().flatten();
            let old_or_new = old_or_new.map(|text| without_time(text)).any(|one| now == Some(one));
            assert!(
                old_or_new || trash.values().any(|kept| kept == text),
                "step {step}: {} is lost",
                path.display()
            );
        }
        let all: Vec<u8> = now.values().flatten().copied().collect();
        let all = String::from_utf8(all).unwrap();
        for pair in 0..PAIRS {
            assert!(all.contains(&format!("What is known of {pair}.")), "step {step}: {pair} is on no page");
            for side in ["left", "right"] {
                assert!(
                    all.contains(&format!("{side}-{pair}")),
                    "step {step}: the tag of {side} {pair} is on no page"
                );
            }
        }
        let log = json(folder, &["audit", "-n", "1000", "--json"]);
        let entries = log["entries"].as_array().unwrap();
        unfinished += usize::from(entries[0]["outcome"] == "unfinished");
        let undone = ubp(folder, &["undo", entries[0]["group"].as_str().unwrap()]);
        assert!(undone.status.success(), "step {step}: {}", String::from_utf8_lossy(&undone.stderr));
        assert!(pages(folder) == before, "step {step}: undo restores the original state");
        // The merge can be repeated.
        let again = json(folder, &["memory", "reindex", "--json"]);
        assert_eq!(again["merged"].as_array().unwrap().len(), PAIRS, "step {step}");
    }
    assert!(unfinished >= 5, "{unfinished} of 11 were killed during the merge");
}

#[test]
fn after_a_kill_the_next_run_completes_the_merge() {
    let folder = vault();
    let folder = folder.path();
    let before = pages(folder);
    assert!(ubp(folder, &["status"]).status.success());
    let mut child = command(folder, &["memory", "reindex"]).spawn().unwrap();
    while changed(folder, &before) < PAIRS + 4 && child.try_wait().unwrap().is_none() {}
    let _ = child.kill();
    child.wait().unwrap();
    assert!(ubp(folder, &["memory", "reindex"]).status.success());
    let listed = json(folder, &["memory", "list", "--json"]);
    assert_eq!(listed["total_count"], PAIRS, "{listed}");
    let mut tags: Vec<String> = Vec::new();
    for memory in listed["memories"].as_array().unwrap() {
        tags.extend(memory["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap().to_owned()));
    }
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 2 * PAIRS);
}
