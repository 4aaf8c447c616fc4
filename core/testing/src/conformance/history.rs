//! Conformance suite for histories.

use std::ops::ControlFlow;

use jiff::Timestamp;

use ubp_core::ports::{History, Removing, SourceChange};

/// A project under version control, for tests to change.
pub trait Repository {
    /// The project's history.
    fn history(&self) -> &dyn History;
    /// Writes the files and commits them at `time`.
    fn commit(&mut self, files: &[(&str, &str)], time: Timestamp);
    /// Writes a file without committing it.
    fn edit(&mut self, path: &str, text: &str);
}

/// The last change is the newest commit that touched a path, uncommitted edits have priority, and unknown paths are
/// absent. `repository` has no commits yet.
pub fn history(repository: &mut dyn Repository) {
    let at = |seconds: i64| Timestamp::from_second(1_700_000_000 + seconds).unwrap();
    assert_eq!(repository.history().head().unwrap(), None);
    assert_eq!(changes(repository, &["src/a.rs"]), [None]);

    repository.commit(&[("src/a.rs", "1"), ("src/b.rs", "1"), ("docs/設計 [x].md", "1")], at(0));
    let first = repository.history().head().unwrap().unwrap();
    repository.commit(&[("src/a.rs", "2")], at(60));
    let second = repository.history().head().unwrap().unwrap();
    assert!(first != second && first.len() >= 40 && first.bytes().all(|b| b.is_ascii_hexdigit()));

    let committed = |change: &Option<SourceChange>| match change {
        Some(SourceChange::Committed(commit)) => (commit.id.clone(), commit.time),
        other => panic!("expected a commit, found {other:?}"),
    };
    let found = changes(repository, &["src/a.rs", "src/b.rs", "docs/設計 [x].md", "src/none.rs"]);
    assert_eq!(committed(&found[0]), (second.clone(), at(60)));
    assert_eq!(committed(&found[1]), (first.clone(), at(0)));
    assert_eq!(committed(&found[2]), (first.clone(), at(0)));
    assert_eq!(found[3], None);
    assert_eq!(changes(repository, &["src"]), [None], "a folder has no last change");
    assert!(repository.history().last_changes(&[]).unwrap().is_empty());

    snapshots(repository.history(), &first, &second);
    assert_eq!(
        removals(repository.history(), Removing::History(10)),
        ([(Some(second.clone()), "1".into(), "2".into())].into(), true)
    );
    assert!(!removals(repository.history(), Removing::History(0)).1);
    let between = Removing::Between(&first, Some(&second));
    assert_eq!(removals(repository.history(), between), ([(None, "1".into(), "2".into())].into(), true));
    let commits = |from, to| removals(repository.history(), Removing::Commits(from, to)).0;
    assert_eq!(commits(&first, Some(&second)), [(Some(second.clone()), "1".into(), "2".into())]);
    assert_eq!(commits(&first, None), commits(&first, Some(&second)));
    assert_eq!(commits(&second, None), []);

    repository.edit("src/b.rs", "changed");
    repository.edit("src/new.rs", "new");
    let found = changes(repository, &["src/b.rs", "src/new.rs", "docs/設計 [x].md"]);
    assert_eq!(found[0], Some(SourceChange::Uncommitted));
    assert_eq!(found[1], Some(SourceChange::Uncommitted));
    assert_eq!(committed(&found[2]), (first.clone(), at(0)));
    let edited = repository.history().changed_since(&first).unwrap();
    assert_eq!(edited.into_iter().collect::<Vec<_>>(), ["src/a.rs", "src/b.rs", "src/new.rs"]);
    changes_of_commits(repository.history(), &first, &second);
    snapshots(repository.history(), &first, &second);
}

/// What was removed from `src/a.rs` in `place`, and by which commit; and whether all commits were read.
fn removals(history: &dyn History, place: Removing<'_>) -> (Vec<(Option<String>, String, String)>, bool) {
    let mut found = Vec::new();
    let walked = history.removals(place, &mut |removal| {
        if removal.path == "src/a.rs" {
            let commit = removal.revision.map(|revision| revision.commit.id.clone());
            found.push((commit, removal.removed.join("\n"), removal.added.join("\n")));
        }
        ControlFlow::Continue(())
    });
    (found, walked.unwrap().is_complete)
}

/// Commits are listed oldest first, each with the hashes of what it changed.
fn changes_of_commits(history: &dyn History, first: &str, second: &str) {
    let commits = history.first_parents(10).unwrap();
    let ids: Vec<&str> = commits.iter().map(|commit| commit.commit.id.as_str()).collect();
    assert_eq!(ids, [first, second]);
    let paths: Vec<&str> = commits[0].files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["docs/設計 [x].md", "src/a.rs", "src/b.rs"]);
    assert!(commits[0].files.iter().all(|file| file.before.is_none() && file.after.is_some()));
    let [changed] = commits[1].files.as_slice() else { panic!("{commits:?}") };
    let ids = [&changed.before, &changed.after].map(|id| ("src/a.rs", id.as_deref().unwrap()));
    assert_eq!(history.contents(&ids).unwrap(), ["1", "2"].map(|text| Some(text.as_bytes().to_vec())));
    let newest = history.first_parents(1).unwrap();
    assert!(newest.len() == 1 && newest[0] == commits[1], "{newest:?}");
    assert_eq!(history.changes_by(second, "src/b.rs").unwrap(), commits[1].files);
    assert_eq!(history.changes_by(first, "src/b.rs").unwrap(), [], "it has no parent");
    assert_eq!(history.changes_by(&"0".repeat(40), "src/b.rs").unwrap(), []);
    let since = history.changes_since(first, "src/b.rs").unwrap();
    let found: Vec<(&str, bool, bool)> =
        since.iter().map(|file| (file.path.as_str(), file.before.is_some(), file.after.is_some())).collect();
    assert_eq!(
        found.iter().map(|(path, before, _)| (*path, *before)).collect::<Vec<_>>(),
        [("src/a.rs", true), ("src/b.rs", true), ("src/new.rs", false)],
    );
    assert!(!found[1].2 && !found[2].2, "what is not committed has no hash: {found:?}");
}

/// The two commits of [`history`] have the same files, whatever was edited later.
fn snapshots(history: &dyn History, first: &str, second: &str) {
    assert_eq!(history.resolve("HEAD").unwrap(), second);
    assert_eq!(history.resolve(first).unwrap(), first);
    assert_eq!(history.resolve("no such").unwrap_err().code(), "invalid_params");
    let (then, now) = (history.files_at(first).unwrap(), history.files_at(second).unwrap());
    let paths = ["docs/設計 [x].md", "src/a.rs", "src/b.rs"];
    assert!(then.keys().eq(paths.iter()) && now.keys().eq(paths.iter()), "{then:?} {now:?}");
    let differing: Vec<&str> = paths.into_iter().filter(|path| then[*path] != now[*path]).collect();
    assert_eq!(differing, ["src/a.rs"]);
    assert_eq!(now["src/a.rs"].size, 1);
    let asked: Vec<(&str, &str)> = [("src/a.rs", &then), ("src/a.rs", &now), ("src/b.rs", &now)]
        .map(|(path, files)| (path, files[path].id.as_str()))
        .into();
    let texts = history.contents(&asked).unwrap();
    assert_eq!(texts, ["1", "2", "1"].map(|text| Some(text.as_bytes().to_vec())));
    let absent = "0".repeat(40);
    assert_eq!(history.contents(&[("src/a.rs", &absent)]).unwrap(), [None]);
    let asked = ["src/a.rs".to_string(), "src/none.rs".to_string()];
    let changes = history.last_changes_at(first, &asked).unwrap();
    assert_eq!(changes.len(), 1);
    assert!(matches!(&changes["src/a.rs"], SourceChange::Committed(commit) if commit.id == first));
    let versions = history.versions("src/a.rs", 10).unwrap();
    assert!(versions.iter().map(|version| version.commit.id.as_str()).eq([second, first]), "{versions:?}");
    assert!(versions.iter().all(|version| version.path == "src/a.rs" && !version.is_boundary));
    assert_eq!(history.versions("src/a.rs", 1).unwrap().len(), 1);
    assert!(history.versions("src/none.rs", 10).unwrap().is_empty());
    let texts = [second, first].map(|commit| history.read_at(commit, "src/a.rs").unwrap().unwrap());
    assert_eq!(texts, [b"2", b"1"]);
    assert_eq!(history.read_at(first, "src/none.rs").unwrap(), None);
    let changes = history.last_changes_at(second, &asked).unwrap();
    assert!(matches!(&changes["src/a.rs"], SourceChange::Committed(commit) if commit.id == second));
}

/// Without version control everything is unknown, without errors.
pub fn without_history(history: &dyn History) {
    assert_eq!(history.head().unwrap(), None);
    let paths = ["src/a.rs".to_string(), "../outside".to_string()];
    assert!(history.last_changes(&paths).unwrap().is_empty());
    assert_eq!(history.resolve("HEAD").unwrap_err().code(), "invalid_params");
    assert_eq!(removals(history, Removing::History(10)), (Vec::new(), false));
    assert!(history.files_at(&"a".repeat(40)).unwrap().is_empty());
    assert!(history.versions("src/a.rs", 10).unwrap().is_empty());
    assert_eq!(history.contents(&[("src/a.rs", &"a".repeat(40))]).unwrap(), [None]);
    assert!(history.last_changes_at(&"a".repeat(40), &paths).unwrap().is_empty());
}

fn changes(repository: &dyn Repository, paths: &[&str]) -> Vec<Option<SourceChange>> {
    let asked: Vec<String> = paths.iter().map(ToString::to_string).collect();
    let found = repository.history().last_changes(&asked).unwrap();
    assert!(found.keys().all(|path| asked.contains(path)), "{found:?}");
    asked.iter().map(|path| found.get(path).cloned()).collect()
}
