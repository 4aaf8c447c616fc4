//! Freshness in a git repository: the answer is the same in every clone, does not depend on file times, and is never
//! "fresh" by mistake.

mod clones;
mod histories;
mod hostile_sources;
mod replay;
mod sections;
mod symbols;
mod touched;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use ubp_cli::ExitStatus;
use ubp_tests::terminal::{Ran, Terminal};

const DAY: i64 = 86_400;

fn now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().cast_signed()
}

fn git(folder: &Path, days_ago: i64, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_COMMITTER_DATE", format!("@{} +0000", now() - days_ago * DAY))
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

struct Repository(Terminal);

impl Repository {
    /// Three pages and two sources, reviewed and committed sixty days ago.
    fn new() -> Self {
        let terminal = Terminal::vault([
            (
                "docs/login.md",
                "---\nsource_refs: [src/login.ts]\n---\n# Login\n\nSee [[users|depends_on]].\n",
            ),
            ("docs/users.md", "---\nsource_refs: [src/users.ts]\n---\n# Users\n\nA tabel.\n"),
            ("docs/island.md", "# Island\n\nNothing depends on it.\n"),
        ])
        .unwrap();
        terminal.write("src/login.ts", "export const login = 1\n").unwrap();
        terminal.write("src/users.ts", "export const users = 1\n").unwrap();
        Self::reviewed(terminal)
    }

    /// Of these files, all pages reviewed, committed sixty days ago.
    fn reviewed(terminal: Terminal) -> Self {
        let repository = Self::committed(terminal);
        assert!(repository.0.ubp("review --all --still-accurate").succeeded());
        repository.commit(60);
        repository
    }

    /// Of these files, committed sixty days ago.
    fn committed(terminal: Terminal) -> Self {
        terminal.write(".gitignore", ".ubp/metadata.db*\n.ubp/audit.jsonl\n").unwrap();
        git(terminal.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
        let repository = Self(terminal);
        repository.commit(60);
        repository
    }

    /// Replaces text by text of another length: a file keeps its time, so git would not see an equally long one.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.0.path(file)).unwrap();
        assert!(text.contains(from), "{text}");
        self.0.write(file, text.replace(from, to)).unwrap();
    }

    fn commit(&self, days_ago: i64) {
        git(self.0.folder(), days_ago, &["add", "--all"]);
        git(self.0.folder(), days_ago, &["commit", "--quiet", "--allow-empty", "-m", "change"]);
    }

    fn clone(&self, name: &str, options: &[&str]) -> String {
        let (from, to) =
            (format!("file://{}", self.0.folder().display()), self.0.path(&format!("../{name}")));
        let to = to.display().to_string();
        git(self.0.folder(), 0, &[&["clone", "--quiet"], options, &[from.as_str(), to.as_str()]].concat());
        to
    }

    /// The reported pages, with their freshness.
    fn stale(&self, flags: &str) -> (ExitStatus, Vec<(String, String)>) {
        let ran = self.0.ubp(&format!("stale --json --exit-code {flags}"));
        (ran.status, reported(&ran))
    }
}

fn reported(ran: &Ran) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pages = ran.json()["pages"].as_array().unwrap().clone();
    pages.iter().map(|page| (text(&page["filepath"]), text(&page["staleness"]))).collect()
}

fn pages(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(path, status)| ((*path).to_owned(), (*status).to_owned())).collect()
}

const CHANGED: &[(&str, &str)] = &[("docs/users.md", "stale"), ("docs/login.md", "fresh")];

#[test]
fn a_change_is_reported_in_every_clone_until_it_is_reviewed() {
    let repository = Repository::new();
    let project = &repository.0;
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));

    // Touching a file, or saving it unchanged, changes nothing.
    for path in ["src/login.ts", "src/users.ts", "docs/users.md"] {
        let text = std::fs::read_to_string(project.path(path)).unwrap();
        std::fs::write(project.path(path), text).unwrap();
    }
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));

    // If a source changes, only its page and the pages that depend on that page are reported.
    project.write("src/users.ts", "export const users = 22\n").unwrap();
    repository.commit(30);
    assert_eq!(repository.stale(""), (ExitStatus::Finding, pages(CHANGED)));
    assert_eq!(repository.stale("--only stale"), (ExitStatus::Finding, pages(&CHANGED[..1])));
    assert_eq!(repository.stale("--only possibly_stale"), (ExitStatus::Success, vec![]));
    assert_eq!(repository.stale("--changed-since HEAD~1"), (ExitStatus::Finding, pages(CHANGED)));
    assert_eq!(repository.stale("--changed-since HEAD"), (ExitStatus::Success, vec![]));

    // A fixed typo makes the page newer than its source, but no less stale.
    project.write("docs/users.md", "---\nsource_refs: [src/users.ts]\n---\n# Users\n\nA table.\n").unwrap();
    repository.commit(20);
    assert_eq!(repository.stale(""), (ExitStatus::Finding, pages(CHANGED)));
    let text = project.ubp("stale").out;
    assert!(text.contains("[STALE] docs/users.md — src/users.ts changed on "), "{text}");
    assert!(text.contains("edited later, but not reviewed"), "{text}");
    assert!(text.contains("[SUSPECT] docs/login.md — depends on docs/users.md"), "{text}");

    // A clone gives the same answer, byte for byte, although its files have other times.
    let name = format!("{}-clone", project.folder().file_name().unwrap().to_string_lossy());
    let clone = repository.clone(&name, &[]);
    let cloned = project.ubp(&format!("-C {clone} stale --json --exit-code"));
    let without_times = |ran: &Ran| -> Vec<Value> {
        let mut pages = ran.json()["pages"].as_array().unwrap().clone();
        for page in &mut pages {
            let fields = page.as_object_mut().unwrap();
            fields.remove("created_at");
            fields.remove("updated_at");
        }
        pages
    };
    assert_eq!(cloned.status, ExitStatus::Finding);
    assert_eq!(without_times(&cloned), without_times(&project.ubp("stale --json")));
    let _ = std::fs::remove_dir_all(clone);

    // A review shows what changed, and has to be confirmed.
    let lock = std::fs::read_to_string(project.path(".ubp/refs.lock")).unwrap();
    let refused = project.ubp("review docs/users.md");
    assert_eq!(refused.status, ExitStatus::Finding);
    assert!(
        refused.out.starts_with("not recorded: docs/users.md  [STALE]\n  src/users.ts changed"),
        "{}",
        refused.out
    );
    assert!(refused.out.contains("-export const users = 1"), "{}", refused.out);
    assert!(refused.out.contains("+export const users = 22"), "{}", refused.out);
    assert_eq!(std::fs::read_to_string(project.path(".ubp/refs.lock")).unwrap(), lock);
    assert!(project.ubp("review docs/users.md --still-accurate").succeeded());
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));
}

#[test]
fn a_shallow_clone_is_never_fresh_by_mistake() {
    let repository = Repository::new();
    let project = &repository.0;
    let name = |end: &str| format!("{}-{end}", project.folder().file_name().unwrap().to_string_lossy());
    // The lock of reviews identifies sources by content, so a shallow clone is enough.
    let clone = repository.clone(&name("reviewed"), &["--depth=1"]);
    assert_eq!(reported(&project.ubp(&format!("-C {clone} stale --json"))), []);
    let _ = std::fs::remove_dir_all(clone);

    project.write("src/users.ts", "export const users = 22\n").unwrap();
    repository.commit(30);
    let clone = repository.clone(&name("changed"), &["--depth=1"]);
    let ran = project.ubp(&format!("-C {clone} stale --json --exit-code"));
    let expected = [("docs/users.md", "possibly_stale"), ("docs/login.md", "fresh")];
    assert_eq!((ran.status, reported(&ran)), (ExitStatus::Finding, pages(&expected)));
    let _ = std::fs::remove_dir_all(clone);

    // Without the lock of reviews, the shallow history cannot show whether a page is fresh.
    std::fs::remove_file(project.path(".ubp/refs.lock")).unwrap();
    repository.commit(20);
    let clone = repository.clone(&name("unknown"), &["--depth=1"]);
    let ran = project.ubp(&format!("-C {clone} stale --json --exit-code"));
    let expected = [("docs/login.md", "possibly_stale"), ("docs/users.md", "possibly_stale")];
    assert_eq!((ran.status, reported(&ran)), (ExitStatus::Finding, pages(&expected)));
    let _ = std::fs::remove_dir_all(clone);
}

#[test]
fn two_branches_that_review_different_pages_merge() {
    let repository = Repository::new();
    let project = &repository.0;
    git(project.folder(), 50, &["checkout", "--quiet", "-b", "other"]);
    project.write("src/users.ts", "export const users = 22\n").unwrap();
    assert!(project.ubp("review docs/users.md --still-accurate").succeeded());
    repository.commit(40);
    git(project.folder(), 40, &["checkout", "--quiet", "main"]);
    project.write("docs/a.md", "---\nsource_refs: [src/a.ts]\n---\n# A\n").unwrap();
    project.write("src/a.ts", "a\n").unwrap();
    assert!(project.ubp("review docs/a.md").succeeded());
    repository.commit(40);
    git(project.folder(), 30, &["merge", "--quiet", "other", "-m", "both"]);
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));
    assert_eq!(std::fs::read_to_string(project.path(".ubp/refs.lock")).unwrap().lines().count(), 3);
}

#[test]
fn a_worktree_is_judged_by_its_own_checkout() {
    let repository = Repository::new();
    let project = &repository.0;
    git(project.folder(), 50, &["branch", "other"]);
    project.write("src/users.ts", "export const users = 22\n").unwrap();
    repository.commit(30);
    let tree = format!("{}-tree", project.folder().display());
    git(project.folder(), 0, &["worktree", "add", "--quiet", &tree, "other"]);
    assert_eq!(reported(&project.ubp(&format!("-C {tree} stale --json"))), []);
    assert_eq!(repository.stale("").1, pages(CHANGED));
    // Without the lock of reviews, too, the worktree's own commits count, not those of the main folder.
    for folder in [Path::new(&tree), project.folder()] {
        std::fs::remove_file(folder.join(".ubp/refs.lock")).unwrap();
    }
    assert_eq!(reported(&project.ubp(&format!("-C {tree} stale --json"))), []);
    assert_eq!(repository.stale("").1, pages(CHANGED));
    git(Path::new(&tree), 20, &["merge", "--quiet", "--ff-only", "main"]);
    assert_eq!(reported(&project.ubp(&format!("-C {tree} stale --json"))), pages(CHANGED));
    git(project.folder(), 0, &["worktree", "remove", "--force", &tree]);
}

/// A page with a source in a submodule; `reviewed` decides whether it is judged by the lock of reviews or by times.
fn over_a_submodule(reviewed: bool) -> (Terminal, Terminal) {
    let library = Terminal::new().unwrap();
    library.write("lib.rs", "one\n").unwrap();
    git(library.folder(), 90, &["init", "--quiet", "--initial-branch=main"]);
    git(library.folder(), 90, &["add", "--all"]);
    git(library.folder(), 90, &["commit", "--quiet", "-m", "one"]);
    let project =
        Terminal::vault([("page.md", "---\nsource_refs: [vendor/lib/lib.rs]\n---\n# Page\n")]).unwrap();
    project.write(".gitignore", ".ubp/metadata.db*\n").unwrap();
    git(project.folder(), 60, &["init", "--quiet", "--initial-branch=main"]);
    let url = library.folder().display().to_string();
    git(project.folder(), 60, &["submodule", "--quiet", "add", &url, "vendor/lib"]);
    if reviewed {
        assert!(project.ubp("review --all").succeeded());
    }
    git(project.folder(), 60, &["add", "--all"]);
    git(project.folder(), 60, &["commit", "--quiet", "-m", "one"]);
    (library, project)
}

#[test]
fn a_source_in_a_submodule_is_judged_by_the_checked_out_commit() {
    for reviewed in [true, false] {
        let (library, project) = over_a_submodule(reviewed);
        let stale = || reported(&project.ubp("stale --json"));
        let is = |status: &str| pages(&[("page.md", status)]);
        assert_eq!(stale(), [], "{reviewed}");
        // The library changes, but the project's submodule stays at the old commit.
        library.write("lib.rs", "two and more\n").unwrap();
        git(library.folder(), 30, &["commit", "--quiet", "--all", "-m", "two"]);
        assert_eq!(stale(), [], "{reviewed}");
        let submodule = project.path("vendor/lib");
        git(&submodule, 0, &["pull", "--quiet"]);
        assert_eq!(stale(), is("stale"), "{reviewed}");
        git(project.folder(), 20, &["commit", "--quiet", "--all", "-m", "library"]);
        let compared = project.ubp("diff HEAD~1..HEAD --json").json();
        assert_eq!(compared["staleness"]["stale"][0]["filepath"], "page.md", "{reviewed}");
        // In a clone without the submodule's files, the page is never fresh.
        let clone = format!("{}-bare-{reviewed}", project.folder().display());
        let from = format!("file://{}", project.folder().display());
        git(project.folder(), 0, &["clone", "--quiet", &from, &clone]);
        assert_eq!(reported(&project.ubp(&format!("-C {clone} stale --json"))), is("stale"), "{reviewed}");
        let _ = std::fs::remove_dir_all(clone);
        git(&submodule, 0, &["checkout", "--quiet", "HEAD~1"]);
        assert_eq!(stale(), [], "{reviewed}");
    }
}

#[test]
fn status_and_stale_report_the_new_path_of_a_moved_source() {
    let repository = Repository::new();
    let project = &repository.0;
    std::fs::rename(project.path("src/users.ts"), project.path("src/people.ts")).unwrap();
    repository.commit(10);
    let status = project.ubp("status --json").json();
    let stale = project.ubp("stale --json").json();
    assert_eq!(status["stale_pages"][0]["stale_refs"][0]["renamed_to"], "src/people.ts", "{status}");
    assert_eq!(status["stale_pages"][0]["stale_refs"], stale["pages"][0]["stale_ref_details"]);
    let text = project.ubp("status").out;
    assert!(text.contains("src/users.ts is missing; it was moved to src/people.ts"), "{text}");
}

#[test]
fn a_review_of_pages_without_sources_says_that_there_is_nothing_to_review() {
    let terminal = Terminal::vault([("a.md", "# A\n")]).unwrap();
    let ran = terminal.ubp("review --all");
    assert!(ran.succeeded());
    assert!(ran.err.contains("no page names sources in `source_refs`"), "{}", ran.transcript());
}

/// Sets the modification time of a file.
fn touch(project: &Terminal, path: &str, days_ago: i64) {
    let time =
        std::time::SystemTime::now() - std::time::Duration::from_secs((days_ago * DAY).cast_unsigned());
    let file = std::fs::File::options().write(true).open(project.path(path)).unwrap();
    file.set_modified(time).unwrap();
}

/// A managed project with an unreviewed page whose front matter is incomplete.
fn managed() -> Terminal {
    let terminal = Terminal::vault([]).unwrap();
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    let manifest = manifest.replace("\"preserved\"", "\"managed\"").replace("\".\"", "\"pages\"");
    terminal.write(".ubp/manifest.json", manifest).unwrap();
    terminal.write(".gitignore", ".ubp/metadata.db*\n.ubp/audit.jsonl\n.ubp/write.lock\n").unwrap();
    terminal.write("pages/login.md", "---\nsource_refs: [src/login.ts]\n---\n# Login\n").unwrap();
    terminal.write("src/login.ts", "export const login = 1\n").unwrap();
    terminal
}

#[test]
fn a_stale_page_stays_stale_after_add_and_its_commit() {
    let project = managed();
    let repository = Repository(project);
    git(repository.0.folder(), 40, &["init", "--quiet", "--initial-branch=main"]);
    repository.commit(40);
    repository.0.write("src/login.ts", "export const login = 22\n").unwrap();
    repository.commit(10);
    let stale = (ExitStatus::Finding, pages(&[("login.md", "stale")]));
    assert_eq!(repository.stale(""), stale);
    assert!(repository.0.ubp("add").succeeded());
    let text = std::fs::read_to_string(repository.0.path("pages/login.md")).unwrap();
    let day = |days_ago: i64| {
        jiff::Timestamp::from_second(now() - days_ago * DAY).unwrap().strftime("%Y-%m-%d").to_string()
    };
    assert!(text.contains(&format!("created_at: {}", day(40))), "the first commit: {text}");
    assert_eq!(repository.stale(""), stale, "before the commit");
    repository.commit(1);
    assert_eq!(repository.stale(""), stale, "after the commit");
    let name = format!("{}-clone", repository.0.folder().file_name().unwrap().to_string_lossy());
    let clone = repository.clone(&name, &[]);
    let ran = repository.0.ubp(&format!("-C {clone} stale --json --exit-code"));
    let _ = std::fs::remove_dir_all(&clone);
    assert_eq!((ran.status, reported(&ran)), stale, "in a clone");
    assert!(repository.0.ubp("add").succeeded());
    assert_eq!(repository.stale(""), stale, "nothing left to add");
    assert!(repository.0.ubp("review login --still-accurate").succeeded());
    assert_eq!(repository.stale(""), (ExitStatus::Success, vec![]));
}

#[test]
fn without_git_a_stale_page_stays_stale_after_add_and_replace() {
    let project = managed();
    touch(&project, "pages/login.md", 40);
    touch(&project, "src/login.ts", 10);
    let check = || {
        let ran = project.ubp("stale --json --exit-code");
        (ran.status, reported(&ran))
    };
    let stale = (ExitStatus::Finding, pages(&[("login.md", "stale")]));
    assert_eq!(check(), stale);
    assert!(project.ubp("add").succeeded());
    assert_eq!(check(), stale);
    assert!(project.ubp("replace Login Sign-in").succeeded());
    assert_eq!(check(), stale);
    let text = std::fs::read_to_string(project.path("pages/login.md")).unwrap();
    std::fs::write(project.path("pages/login.md"), text.replace("# Sign-in", "# How to sign in")).unwrap();
    assert_eq!(check(), (ExitStatus::Success, vec![]), "a person edited it");
}
