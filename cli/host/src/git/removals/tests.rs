//! What commits took away, with real git.
#![allow(clippy::unwrap_used)]

use std::fs;

use ubp_core::ports::History;
use ubp_testing::conformance::Repository as _;

use super::super::tests::{Scratch, run};
use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

/// Each removal as `<second of the commit> <path> <removed lines> / <added lines>`.
fn told(history: &GitHistory) -> (Vec<String>, Walked) {
    told_in(history, Removing::History(100))
}

fn told_in(history: &GitHistory, place: Removing<'_>) -> (Vec<String>, Walked) {
    let mut all = Vec::new();
    let walked = history
        .removals(place, &mut |removal| {
            let second = match removal.revision {
                Some(revision) => (revision.commit.time.as_second() - 1_700_000_000).to_string(),
                None => "now".into(),
            };
            let deletes = if removal.deletes_file { "deleted " } else { "" };
            let (removed, added) = (removal.removed.join(" "), removal.added.join(" "));
            all.push(format!("{second} {} {deletes}{removed} / {added}", removal.path));
            ControlFlow::Continue(())
        })
        .unwrap();
    (all, walked)
}

#[test]
fn lines_that_look_like_headers_are_read_as_lines() {
    let mut scratch = Scratch::new("");
    let text = "-- a/x\n//0123\n@@ -1 +1 @@\ndiff --git a/x b/x\nlast";
    scratch.commit(&[("sql 設計.txt", text)], at(0));
    scratch.commit(&[("sql 設計.txt", "++ b/y\n")], at(60));
    let (all, walked) = told(&GitHistory::new(&scratch.path("")));
    assert_eq!(all, ["60 sql 設計.txt -- a/x //0123 @@ -1 +1 @@ diff --git a/x b/x last / ++ b/y"]);
    assert_eq!(walked, Walked { commits: 1, is_complete: true });
}

#[test]
fn renames_are_deletions_and_files_outside_of_the_project_are_left_out() {
    let mut scratch = Scratch::new("app");
    scratch.commit(&[("a.rs", "one\ntwo\n")], at(0));
    fs::write(scratch.dir.path().join("outside.rs"), "x\n").unwrap();
    scratch.commit(&[], at(60));
    fs::rename(scratch.path("a.rs"), scratch.path("b.rs")).unwrap();
    fs::write(scratch.dir.path().join("outside.rs"), "y\n").unwrap();
    scratch.commit(&[], at(120));
    fs::write(scratch.path("b.rs"), "one\n").unwrap();
    let (all, _) = told(&GitHistory::new(&scratch.path("")));
    assert_eq!(all, ["now b.rs two / ", "120 a.rs deleted  / ", "120 a.rs deleted one two / "]);
}

#[test]
fn the_configuration_of_the_user_does_not_change_the_answer() {
    let mut scratch = Scratch::new("");
    let lines = |changed: &str| format!("1\n2\n3\n{changed}\n5\n6\n7\n{changed}\n");
    scratch.commit(&[("a.rs", &lines("old"))], at(0));
    scratch.commit(&[("a.rs", &lines("new"))], at(60));
    let settings = [
        "diff.noprefix=true",
        "diff.interHunkContext=10",
        "diff.context=5",
        "color.ui=always",
        "diff.renames=copies",
        "diff.algorithm=patience",
        "log.follow=true",
    ];
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        scratch.git(&["config", name, value]);
    }
    let (all, _) = told(&GitHistory::new(&scratch.path("")));
    assert_eq!(all, ["60 a.rs old / new", "60 a.rs old / new"]);
}

#[test]
fn a_shallow_clone_says_that_there_is_more() {
    let mut scratch = Scratch::new("");
    scratch.commit(&[("a.rs", "1\n")], at(0));
    scratch.commit(&[("a.rs", "2\n")], at(60));
    scratch.commit(&[("a.rs", "3\n")], at(120));
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clone.path(), &["clone", "--quiet", "--depth=2", &url, "."]);
    let (all, walked) = told(&GitHistory::new(clone.path()));
    assert_eq!(all, ["120 a.rs 2 / 3"]);
    assert!(!walked.is_complete);
}

#[test]
fn a_limit_and_a_break_end_the_walk() {
    let mut scratch = Scratch::new("");
    for second in 0..5 {
        scratch.commit(&[("a.rs", &format!("{second}\n"))], at(second * 60));
    }
    let history = GitHistory::new(&scratch.path(""));
    let mut count = 0;
    let mut look = |_: &Removal<'_>| {
        count += 1;
        ControlFlow::Continue(())
    };
    let walked = history.removals(Removing::History(2), &mut look).unwrap();
    assert_eq!((walked, count), (Walked { commits: 2, is_complete: false }, 2));
    let walked = history.removals(Removing::History(10), &mut |_| ControlFlow::Break(())).unwrap();
    assert!(!walked.is_complete);
}
