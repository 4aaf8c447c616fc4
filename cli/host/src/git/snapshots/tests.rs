//! Snapshots of commits, with real git.
#![allow(clippy::unwrap_used)]

use std::fs;

use jiff::Timestamp;
use ubp_core::ports::History;
use ubp_testing::conformance::Repository as _;

use super::super::tests::{Scratch, run};
use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

#[test]
fn revisions_are_never_read_as_options() {
    let mut scratch = Scratch::new("");
    scratch.commit(&[("a.md", "1")], at(0));
    let history = GitHistory::new(&scratch.path(""));
    for odd in ["--output=stolen", "-h", "", "HEAD:a.md", "no such", "HEAD..HEAD", "HEAD^{tree}", "\0"] {
        assert_eq!(history.resolve(odd).unwrap_err().code(), "invalid_params", "{odd}");
        assert!(history.files_at(odd).unwrap().is_empty(), "{odd}");
        assert_eq!(history.contents(&[("a.md", odd)]).unwrap(), [None], "{odd}");
    }
    assert!(!scratch.path("stolen").exists());
}

#[test]
fn a_commit_lists_the_same_files_as_the_disk_did() {
    let mut scratch = Scratch::new("app");
    fs::write(scratch.dir.path().join(".ubpignore"), "private.md\n").unwrap();
    // Windows has no such name.
    let odd = if cfg!(windows) { "docs/line feed.md" } else { "docs/line\nfeed.md" };
    scratch.commit(&[("docs/a.md", "page"), ("docs/private.md", "x"), (odd, "odd")], at(0));
    #[cfg(unix)]
    for (link, target) in [
        ("docs/link.md", "a.md"),
        ("docs/away.md", "/etc/passwd"),
        ("docs/out.md", "../../.ubpignore"),
        ("docs/round.md", "round.md"),
    ] {
        std::os::unix::fs::symlink(target, scratch.path(link)).unwrap();
    }
    scratch.commit(&[], at(60));
    let history = GitHistory::new(&scratch.path(""));
    let head = history.resolve("HEAD").unwrap();
    let files = history.files_at(&head).unwrap();
    let links: &[&str] = if cfg!(unix) { &["docs/link.md"] } else { &[] };
    let mut expected = vec!["docs/a.md", odd, "docs/private.md"];
    expected.extend(links);
    expected.sort_unstable();
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    assert_eq!(files["docs/private.md"].ignored.as_deref(), Some("docs/private.md"));
    assert_eq!(files["docs/a.md"].ignored, None);
    for link in links {
        assert_eq!(files[*link].id, files["docs/a.md"].id);
    }
}

#[test]
fn many_large_contents_come_from_one_process() {
    let mut scratch = Scratch::new("");
    let texts: Vec<(String, String)> =
        (0..300).map(|n| (format!("f{n}.md"), format!("{n}\n").repeat(1 + n * 40))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    scratch.commit(&files, at(0));
    let history = GitHistory::new(&scratch.path(""));
    let files = history.files_at(&history.resolve("HEAD").unwrap()).unwrap();
    let asked: Vec<(&str, &str)> =
        texts.iter().map(|(path, _)| (path.as_str(), files[path].id.as_str())).collect();
    let contents = history.contents(&asked).unwrap();
    assert!(contents.iter().zip(&texts).all(|(bytes, (_, text))| bytes.as_deref() == Some(text.as_bytes())));
}

#[test]
fn errors_in_a_shallow_clone_suggest_a_fetch() {
    let mut scratch = Scratch::new("");
    scratch.commit(&[("a.md", "1")], at(0));
    let first = GitHistory::new(&scratch.path("")).resolve("HEAD").unwrap();
    scratch.commit(&[("a.md", "2")], at(60));
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clones.path(), &["clone", "--quiet", "--depth=1", &url, "clone"]);
    let history = GitHistory::new(&clones.path().join("clone"));
    let error = history.resolve("HEAD~1").unwrap_err();
    assert!(error.to_string().contains("--unshallow"), "{error}");
    let head = history.resolve("HEAD").unwrap();
    assert_eq!(history.merge_base(&head, &first).unwrap(), None);
    let asked = ["a.md".to_string()];
    assert_eq!(history.last_changes_at(&head, &asked).unwrap()["a.md"], SourceChange::BeyondHistory);
}

#[test]
fn files_of_a_submodule_are_those_of_the_commit() {
    let mut library = Scratch::new("");
    library.commit(&[("lib.rs", "one")], at(0));
    let mut scratch = Scratch::new("app");
    scratch.commit(&[("main.rs", "1")], at(60));
    let url = library.dir.path().to_string_lossy().into_owned();
    scratch.git(&["submodule", "--quiet", "add", &url, "app/vendor/lib"]);
    scratch.commit(&[], at(120));
    let history = GitHistory::new(&scratch.path(""));
    let before = history.resolve("HEAD").unwrap();
    library.commit(&[("lib.rs", "two")], at(180));
    run(&scratch.path("vendor/lib"), &["pull", "--quiet"]);
    scratch.commit(&[], at(240));
    let after = history.resolve("HEAD").unwrap();
    let path = "vendor/lib/lib.rs";
    for (commit, text, time) in [(&before, "one", at(0)), (&after, "two", at(180))] {
        let files = history.files_at(commit).unwrap();
        let contents = history.contents(&[(path, &files[path].id)]).unwrap();
        assert_eq!(contents, [Some(text.as_bytes().to_vec())]);
        let changes = history.last_changes_at(commit, &[path.to_string()]).unwrap();
        assert!(
            matches!(&changes[path], SourceChange::Committed(found) if found.time == time),
            "{changes:?}"
        );
    }
    // Without the submodule on this machine, its files are left out without an error.
    fs::remove_dir_all(scratch.path("vendor/lib")).unwrap();
    assert_eq!(history.files_at(&after).unwrap().keys().collect::<Vec<_>>(), ["main.rs"]);
}
