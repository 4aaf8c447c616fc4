//! History with real git, in temporary repositories.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::process::Command;

use tempfile::TempDir;
use ubp_testing::conformance::{self, Repository};

use super::*;

pub(crate) struct Scratch {
    pub(super) dir: TempDir,
    history: GitHistory,
    prefix: &'static str,
}

impl Scratch {
    /// A repository with the project in the folder `prefix`.
    pub(crate) fn new(prefix: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(prefix);
        fs::create_dir_all(&root).unwrap();
        run(dir.path(), &["init", "--quiet", "--initial-branch=main"]);
        Self { history: GitHistory::new(&root), dir, prefix }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(self.prefix).join(path)
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        run(self.dir.path(), arguments)
    }

    pub(super) fn change(&self, path: &str) -> Option<SourceChange> {
        changes(&self.history, &[path]).remove(path)
    }

    fn time(&self, path: &str) -> i64 {
        match self.change(path) {
            Some(SourceChange::Committed(commit)) => commit.time.as_second() - START,
            other => panic!("{path}: {other:?}"),
        }
    }

    fn commit_at(&mut self, files: &[(&str, &str)], seconds: i64) {
        self.commit(files, at(seconds));
    }
}

impl Repository for Scratch {
    fn history(&self) -> &dyn History {
        &self.history
    }

    fn commit(&mut self, files: &[(&str, &str)], time: Timestamp) {
        for (path, text) in files {
            self.edit(path, text);
        }
        self.git(&["add", "--all"]);
        commit(self.dir.path(), &["--quiet", "--allow-empty", "-m", "change"], time);
    }

    fn edit(&mut self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const START: i64 = 1_700_000_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(START + seconds).unwrap()
}

fn scratch_git(folder: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments);
    git
}

pub(super) fn run(folder: &Path, arguments: &[&str]) -> String {
    finish(scratch_git(folder, arguments))
}

fn commit(folder: &Path, arguments: &[&str], time: Timestamp) {
    let mut git = scratch_git(folder, &["commit"]);
    let date = format!("@{} +0000", time.as_second());
    // The author's time differs, to test that the committer's is used.
    git.args(arguments).env("GIT_COMMITTER_DATE", date).env("GIT_AUTHOR_DATE", "@1000000000 +0000");
    finish(git);
}

fn finish(mut git: Command) -> String {
    let output = git.output().unwrap();
    assert!(output.status.success(), "{git:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn changes(history: &GitHistory, paths: &[&str]) -> BTreeMap<String, SourceChange> {
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    history.last_changes(&paths).unwrap()
}

#[test]
fn history_conforms_at_the_repository_root_and_in_a_subfolder() {
    conformance::history(&mut Scratch::new(""));
    conformance::history(&mut Scratch::new("packages/the app"));
}

#[test]
fn without_a_repository_there_is_no_history() {
    let dir = tempfile::tempdir().unwrap();
    conformance::without_history(&GitHistory::new(dir.path()));
    conformance::without_history(&GitHistory::new(&dir.path().join("nowhere")));
    // A folder that only looks like a repository.
    fs::create_dir(dir.path().join(".git")).unwrap();
    conformance::without_history(&GitHistory::new(dir.path()));
}

#[test]
fn files_with_unusual_names_are_found() {
    let mut scratch = Scratch::new("");
    let mut names = vec!["a b.rs", "-x.rs", "[x].rs", "日本.rs"];
    if cfg!(not(windows)) {
        names.extend([":(top)a.rs", "*.rs", "line\nfeed.rs", "\nfirst.rs", "q\"uo\\te.rs"]);
    }
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "1")).collect();
    scratch.commit_at(&files, 0);
    scratch.commit_at(&[("other.rs", "1")], 60);
    for name in &names {
        assert_eq!(scratch.time(name), 0, "{name:?}");
    }
    let found =
        changes(&scratch.history, &["../etc/passwd", "/etc/passwd", "", ".", "a/../a b.rs", ":/a b.rs"]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn many_paths_get_the_same_answers_as_few() {
    let mut scratch = Scratch::new("sub");
    let names: Vec<String> = (0..200).map(|number| format!("src/{number:03}.rs")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    scratch.commit_at(&files, 0);
    scratch.commit_at(&[("src/007.rs", "2")], 60);
    scratch.edit("src/008.rs", "edited");
    scratch.edit("src/new.rs", "new");
    let mut paths = names.clone();
    paths.extend(["src/new.rs".to_string(), "src/none.rs".to_string()]);
    let many = scratch.history.last_changes(&paths).unwrap();
    assert_eq!(many.len(), 201);
    for path in ["src/006.rs", "src/007.rs", "src/008.rs", "src/new.rs"] {
        assert_eq!(many.get(path).cloned(), scratch.change(path), "{path}");
    }
    assert_eq!(many["src/008.rs"], SourceChange::Uncommitted);
}

#[test]
fn staged_deleted_ignored_and_touched_files_are_distinguished() {
    let mut scratch = Scratch::new("");
    let files = ["staged", "deleted", "removed", "touched"].map(|name| (name, "1"));
    scratch.commit_at(&files, 0);
    scratch.edit(".gitignore", "out/\n");
    scratch.edit("out/generated", "1");
    scratch.edit("staged", "2");
    scratch.git(&["add", "staged"]);
    fs::remove_file(scratch.path("deleted")).unwrap();
    scratch.git(&["rm", "--quiet", "removed"]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.edit("touched", "1");
    for path in ["staged", "deleted", "removed"] {
        assert_eq!(scratch.change(path), Some(SourceChange::Uncommitted), "{path}");
    }
    assert_eq!(scratch.change("out/generated"), None, "an ignored file has no history");
    assert_eq!(scratch.time("touched"), 0, "equal content is not a change");
    scratch.commit_at(&[], 60);
    assert_eq!(scratch.change("removed"), None);
}

#[test]
fn merges_count_only_for_their_own_changes() {
    let mut scratch = Scratch::new("");
    scratch.commit_at(&[("main", "1"), ("side", "1"), ("both", "1\n2\n3\n4\n5\n")], 0);
    scratch.git(&["checkout", "--quiet", "-b", "side"]);
    scratch.commit_at(&[("side", "2"), ("both", "1\n2\n3\n4\nside\n")], 60);
    scratch.git(&["checkout", "--quiet", "main"]);
    scratch.commit_at(&[("main", "2"), ("both", "main\n2\n3\n4\n5\n")], 120);
    scratch.git(&["merge", "--quiet", "--no-commit", "side"]);
    scratch.edit("evil", "slipped in");
    scratch.git(&["add", "--all"]);
    commit(scratch.dir.path(), &["--quiet", "-m", "merge"], at(180));
    scratch.commit_at(&[], 240);
    let times = ["side", "main", "both", "evil"].map(|path| scratch.time(path));
    assert_eq!(times, [60, 120, 180, 180]);
}

#[test]
fn in_a_shallow_clone_older_changes_are_beyond_history() {
    let mut scratch = Scratch::new("");
    scratch.commit_at(&[("old", "1"), ("sub/older", "1")], 0);
    scratch.commit_at(&[("sub/edge", "1")], 60);
    scratch.commit_at(&[("sub/new", "1")], 120);
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clones.path(), &["clone", "--quiet", "--depth=2", &url, "clone"]);
    for (folder, prefix) in [("clone", "sub/"), ("clone/sub", "")] {
        let history = GitHistory::new(&clones.path().join(folder));
        let path = |name: &str| format!("{prefix}{name}");
        let found = history.last_changes(&[path("older"), path("edge"), path("new")]).unwrap();
        assert_eq!(found[&path("older")], SourceChange::BeyondHistory);
        assert_eq!(
            found[&path("edge")],
            SourceChange::BeyondHistory,
            "the boundary commit lists every file as new"
        );
        assert!(matches!(&found[&path("new")], SourceChange::Committed(commit) if commit.time == at(120)));
    }
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let mut scratch = Scratch::new("");
    scratch.git(&["config", "uploadpack.allowFilter", "true"]);
    scratch.commit_at(&[("a/old", "1"), ("b/x", "1")], 0);
    scratch.commit_at(&[("b/x", "2")], 60);
    scratch.commit_at(&[("b/x", "3")], 120);
    let clones = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clones.path(), &["clone", "--quiet", "--filter=tree:0", &url, "clone"]);
    let history = GitHistory::new(&clones.path().join("clone"));
    let objects = || run(&clones.path().join("clone"), &["count-objects", "-v"]);
    let before = objects();
    assert_eq!(changes(&history, &["a/old"])["a/old"], SourceChange::BeyondHistory);
    assert_eq!(objects(), before);
}

#[test]
fn files_in_submodules_and_nested_repositories_have_their_history() {
    let mut library = Scratch::new("");
    library.commit_at(&[("lib.rs", "1"), ("deep/x.rs", "1")], 0);
    let mut scratch = Scratch::new("app");
    scratch.commit_at(&[("main.rs", "1")], 60);
    let url = library.dir.path().to_string_lossy().into_owned();
    scratch.git(&["submodule", "--quiet", "add", &url, "app/vendor/lib"]);
    scratch.commit_at(&[], 120);
    run(&scratch.path(""), &["clone", "--quiet", &url, "inner"]);
    scratch.edit("vendor/lib/deep/x.rs", "edited");
    let paths = ["main.rs", "vendor/lib/lib.rs", "vendor/lib/deep/x.rs", "inner/lib.rs", "vendor/lib/none"];
    let found = changes(&scratch.history, &paths);
    let time = |path: &str| match &found[path] {
        SourceChange::Committed(commit) => commit.time,
        other => panic!("{path}: {other:?}"),
    };
    assert_eq!(time("main.rs"), at(60));
    assert_eq!(time("vendor/lib/lib.rs"), at(0));
    assert_eq!(time("inner/lib.rs"), at(0));
    assert_eq!(found["vendor/lib/deep/x.rs"], SourceChange::Uncommitted);
    assert_eq!(found.len(), 4);
}

#[test]
fn a_linked_worktree_has_its_own_head() {
    let mut scratch = Scratch::new("");
    scratch.commit_at(&[("a", "1")], 0);
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("tree");
    scratch.git(&["worktree", "add", "--quiet", "-b", "other", &folder.to_string_lossy()]);
    scratch.commit_at(&[("a", "2")], 60);
    let history = GitHistory::new(&folder);
    assert_ne!(history.head().unwrap(), scratch.history.head().unwrap());
    assert!(
        matches!(&changes(&history, &["a"])["a"], SourceChange::Committed(commit) if commit.time == at(0))
    );
}

#[test]
fn first_commits_are_the_commits_that_added_the_files() {
    let mut scratch = Scratch::new("docs");
    assert!(scratch.history.first_commits(&["a.md".into()]).unwrap().is_empty(), "no commits yet");
    scratch.commit_at(&[("a.md", "1"), ("b.md", "1")], 0);
    scratch.commit_at(&[("a.md", "2")], 60);
    fs::remove_file(scratch.path("b.md")).unwrap();
    scratch.commit_at(&[("a.md", "3")], 120);
    scratch.commit_at(&[("b.md", "2")], 180);
    scratch.edit("new.md", "1");
    let asked = ["a.md", "b.md", "new.md", "none.md"].map(String::from);
    let times = scratch.history.first_commits(&asked).unwrap();
    let times: Vec<(&str, Timestamp)> = times.iter().map(|(path, time)| (path.as_str(), *time)).collect();
    assert_eq!(times, [("a.md", at(0)), ("b.md", at(0))]);
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", scratch.dir.path().display());
    run(clone.path(), &["clone", "--quiet", "--depth=1", &url, "shallow"]);
    let shallow = GitHistory::new(&clone.path().join("shallow/docs"));
    assert!(shallow.first_commits(&asked).unwrap().is_empty(), "unknown in a shallow clone");
}
