//! History of single files, with real git.
#![allow(clippy::unwrap_used)]

use std::fs;

use ubp_core::ports::History;
use ubp_testing::conformance::Repository as _;

use super::super::tests::{Scratch, run};
use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

fn scratch(prefix: &'static str) -> Scratch {
    let mut scratch = Scratch::new(prefix);
    let long = "a line that stays\n".repeat(10);
    scratch.commit(&[("src/設計 [x].rs", "one\n"), ("src/old.rs", &long)], at(0));
    scratch.commit(&[("src/設計 [x].rs", "two\n")], at(60));
    scratch.commit(&[("other.rs", "x\n")], at(120));
    scratch
}

#[test]
fn revisions_of_a_file_and_their_contents_are_read() {
    for prefix in ["", "packages/the app"] {
        let mut scratch = scratch(prefix);
        let path = "src/設計 [x].rs";
        let history = GitHistory::new(&scratch.path(""));
        let revisions = history.revisions(path, 10).unwrap();
        let times: Vec<_> = revisions.iter().map(|revision| revision.commit.time).collect();
        assert_eq!(times, [at(60), at(0)]);
        assert_eq!(revisions[0].subject, "change");
        assert_eq!(history.revisions(path, 1).unwrap().len(), 1);
        let read = |at: usize| history.read_at(&revisions[at].commit.id, path).unwrap();
        assert_eq!((read(0).unwrap(), read(1).unwrap()), (b"two\n".to_vec(), b"one\n".to_vec()));
        assert_eq!(history.read_at(&revisions[0].commit.id, "none.rs").unwrap(), None);
        scratch.edit(path, "three\n");
        let diff = history.diff_since(&revisions[1].commit.id, path).unwrap().unwrap();
        assert!(diff.contains("-one\n+three\n"), "{diff}");
        let changed = history.changed_since("HEAD~1").unwrap();
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["other.rs", path]);
    }
}

#[test]
fn a_renamed_file_is_found() {
    for prefix in ["", "packages/the app"] {
        let mut scratch = scratch(prefix);
        let history = GitHistory::new(&scratch.path(""));
        assert_eq!(history.renamed_to("src/old.rs").unwrap(), None);
        fs::create_dir_all(scratch.path("lib")).unwrap();
        fs::rename(scratch.path("src/old.rs"), scratch.path("lib/new.rs")).unwrap();
        fs::remove_file(scratch.path("other.rs")).unwrap();
        scratch.commit(&[], at(180));
        let moved = history.renamed_to("src/old.rs").unwrap().unwrap();
        assert_eq!((moved.path.as_str(), moved.similarity), ("lib/new.rs", 1.0));
        assert_eq!(history.renamed_to("other.rs").unwrap(), None, "it was deleted");
        assert_eq!(history.renamed_to("never.rs").unwrap(), None);
    }
}

#[test]
fn without_commits_or_a_repository_a_file_has_no_history() {
    let dir = tempfile::tempdir().unwrap();
    let empty = Scratch::new("");
    for history in [GitHistory::new(dir.path()), GitHistory::new(&empty.path(""))] {
        assert!(history.revisions("a.rs", 5).unwrap().is_empty());
        assert_eq!(history.read_at(&"a".repeat(40), "a.rs").unwrap(), None);
        assert_eq!(history.renamed_to("a.rs").unwrap(), None);
        assert_eq!(history.changed_since("HEAD").unwrap_err().code(), "invalid_params");
    }
}

#[test]
fn revisions_are_never_read_as_options_and_paths_outside_are_refused() {
    let scratch = scratch("");
    let history = GitHistory::new(&scratch.path(""));
    for odd in ["--output=stolen", "-h", "", "HEAD:src/old.rs", "no such", "HEAD..HEAD"] {
        assert_eq!(history.changed_since(odd).unwrap_err().code(), "invalid_params", "{odd}");
        assert_eq!(history.read_at(odd, "src/old.rs").unwrap(), None, "{odd}");
        assert_eq!(history.diff_since(odd, "src/old.rs").unwrap(), None, "{odd}");
    }
    for outside in ["../a.rs", "/etc/passwd", "src/../../a"] {
        assert!(history.revisions(outside, 5).unwrap().is_empty());
        assert_eq!(history.renamed_to(outside).unwrap(), None);
    }
    assert!(!scratch.path("stolen").exists());
}

#[test]
fn the_boundary_commit_of_a_shallow_clone_is_not_a_revision() {
    let scratch = scratch("");
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clone.path(), &["clone", "--quiet", "--depth=1", &url, "clone"]);
    let history = GitHistory::new(&clone.path().join("clone"));
    assert!(history.revisions("src/old.rs", 5).unwrap().is_empty());
}
