//! Versions of files across renames, with real git.
#![allow(clippy::unwrap_used)]

use std::fs;

use ubp_core::ports::History;
use ubp_testing::conformance::Repository as _;

use super::super::tests::{Scratch, run};
use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

const LINES: &str = "a line that stays\nanother one\nand a third\n";

/// A page that was renamed, edited, deleted and created again.
fn scratch(prefix: &'static str) -> Scratch {
    let mut scratch = Scratch::new(prefix);
    scratch.commit(&[("pages/old.md", LINES), ("other.md", "x\n")], at(0));
    fs::rename(scratch.path("pages/old.md"), scratch.path("pages/-設計 [x].md")).unwrap();
    scratch.commit(&[], at(60));
    scratch.commit(&[("pages/-設計 [x].md", &format!("{LINES}more\n"))], at(120));
    scratch.commit(&[("other.md", "y\n")], at(180));
    fs::remove_file(scratch.path("pages/-設計 [x].md")).unwrap();
    scratch.commit(&[], at(240));
    scratch.commit(&[("pages/-設計 [x].md", "new\n")], at(300));
    scratch
}

#[test]
fn versions_follow_renames_and_leave_out_deletions() {
    for prefix in ["", "packages/the app"] {
        let scratch = scratch(prefix);
        let history = GitHistory::new(&scratch.path(""));
        let page = "pages/-設計 [x].md";
        let versions = history.versions(page, 10).unwrap();
        let told: Vec<(i64, &str)> = versions
            .iter()
            .map(|version| (version.commit.time.as_second() - 1_700_000_000, version.path.as_str()))
            .collect();
        assert_eq!(told, [(300, page), (120, page), (60, page), (0, "pages/old.md")]);
        assert!(versions.iter().all(|version| version.author == "T" && version.subject == "change"));
        assert!(versions.iter().all(|version| !version.is_boundary));
        let first = versions.last().unwrap();
        let bytes = history.read_at(&first.commit.id, &first.path).unwrap().unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), LINES);
        assert_eq!(history.versions(page, 2).unwrap(), versions[..2]);
    }
}

#[test]
fn versions_end_where_the_file_was_outside_of_the_project() {
    let mut scratch = Scratch::new("app");
    fs::write(scratch.dir.path().join("outside.md"), LINES).unwrap();
    scratch.commit(&[], at(0));
    fs::rename(scratch.dir.path().join("outside.md"), scratch.path("inside.md")).unwrap();
    scratch.commit(&[], at(60));
    let versions = GitHistory::new(&scratch.path("")).versions("inside.md", 10).unwrap();
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[0].commit.time, at(60));
}

#[test]
fn files_of_a_submodule_have_their_versions_there() {
    let mut library = Scratch::new("");
    library.commit(&[("lib.md", "1\n")], at(0));
    library.commit(&[("lib.md", "2\n")], at(60));
    let mut scratch = Scratch::new("");
    scratch.git(&["submodule", "--quiet", "add", &library.dir.path().to_string_lossy(), "pages/lib"]);
    scratch.commit(&[("a.md", "1\n")], at(120));
    let history = GitHistory::new(&scratch.path(""));
    let versions = history.versions("pages/lib/lib.md", 10).unwrap();
    assert_eq!(versions.len(), 2);
    assert!(versions.iter().all(|version| version.path == "pages/lib/lib.md"));
    let bytes = history.read_at(&versions[1].commit.id, &versions[1].path).unwrap();
    assert_eq!(bytes.unwrap(), b"1\n");
}

#[test]
fn the_oldest_version_in_a_shallow_clone_is_marked() {
    let mut scratch = scratch("");
    scratch.commit(&[("other.md", "z\n")], at(360));
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clone.path(), &["clone", "--quiet", "--depth=1", &url, "clone"]);
    let versions = GitHistory::new(&clone.path().join("clone")).versions("pages/-設計 [x].md", 10).unwrap();
    assert_eq!(versions.len(), 1);
    assert!(versions[0].is_boundary);
}

#[test]
fn a_partial_clone_lists_versions_and_fetches_nothing() {
    let scratch = scratch("");
    scratch.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clone.path(), &["clone", "--quiet", "--filter=blob:none", &url, "clone"]);
    let history = GitHistory::new(&clone.path().join("clone"));
    let versions = history.versions("pages/-設計 [x].md", 10).unwrap();
    assert!(versions.len() >= 3, "{versions:?}");
    assert_eq!(history.read_at(&versions[1].commit.id, &versions[1].path).unwrap(), None);
}

#[test]
fn a_damaged_repository_is_an_error_with_the_message_of_git() {
    let scratch = scratch("");
    let head = scratch.git(&["rev-parse", "HEAD~1"]);
    let head = head.trim();
    // Not deleted, because git marks it read-only.
    let object = scratch.path(".git/objects").join(&head[..2]).join(&head[2..]);
    fs::rename(&object, object.with_extension("gone")).unwrap();
    let error = GitHistory::new(&scratch.path("")).versions("other.md", 10).unwrap_err();
    assert_eq!(error.code(), "io");
    assert!(error.to_string().contains("git"), "{error}");
}

#[test]
fn without_commits_or_for_odd_paths_there_are_no_versions() {
    let empty = Scratch::new("");
    assert!(GitHistory::new(&empty.path("")).versions("a.md", 5).unwrap().is_empty());
    let scratch = scratch("");
    let history = GitHistory::new(&scratch.path(""));
    for odd in ["../a.md", "/etc/passwd", "never.md", "--output=stolen", ""] {
        assert!(history.versions(odd, 5).unwrap().is_empty(), "{odd}");
    }
    assert!(!scratch.path("stolen").exists());
}
