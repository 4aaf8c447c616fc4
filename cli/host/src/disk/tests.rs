//! Normal use of the disk; attacks are in `hostile_tests`.
#![allow(clippy::unwrap_used)]

use tempfile::TempDir;
use ubp_testing::conformance::{self, SourceFixture};

use super::*;

pub(super) struct Project {
    pub(super) dir: TempDir,
    pub(super) source: DiskSource,
}

impl Project {
    pub(super) fn new(pages_dir: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(pages_dir)).unwrap();
        let source = DiskSource::new(dir.path(), pages_dir).unwrap();
        Self { dir, source }
    }

    /// Writes a file at a path relative to the project.
    pub(super) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(super) fn pages(&self) -> Vec<String> {
        self.source.list().unwrap().pages.into_iter().map(|page| page.path).collect()
    }

    pub(super) fn unreadable(&self) -> Vec<(String, String)> {
        let listing = self.source.list().unwrap();
        listing.unreadable.into_iter().map(|item| (item.path, item.reason.to_string())).collect()
    }
}

impl SourceFixture for Project {
    fn source(&self) -> &dyn Source {
        &self.source
    }

    fn put_page(&self, path: &str, bytes: &[u8]) {
        self.put(&format!("docs/pages/{path}"), bytes);
    }

    fn put_source(&self, path: &str, bytes: &[u8]) {
        self.put(path, bytes);
    }

    fn remove_page(&self, path: &str) {
        fs::remove_file(self.path("docs/pages").join(path)).unwrap();
    }
}

#[test]
fn conforms() {
    conformance::source(|| Project::new("docs/pages"));
}

#[test]
fn only_notes_of_a_vault_are_listed() {
    let project = Project::new(".");
    for path in [
        "note.md",
        "Deep/er/Note.Markdown",
        "image.png",
        "md",
        ".hidden.md",
        ".obsidian/x.md",
        ".ubp/trash/old.md",
        ".ubp-Ab1.tmp",
        ".git/x.md",
        "node_modules/lib/readme.md",
        "Deep/node_modules/readme.md",
    ] {
        project.put(path, "x");
    }
    fs::create_dir(project.path("folder.md")).unwrap();
    assert_eq!(project.pages(), ["Deep/er/Note.Markdown", "note.md"]);
    assert!(project.unreadable().is_empty());
    for path in [".obsidian/x.md", ".git/x.md", "node_modules/lib/readme.md", "image.png", "folder.md"] {
        assert_eq!(project.source.stat(path).unwrap(), None, "{path}");
        assert!(project.source.read(path).is_err(), "{path}");
    }
}

#[test]
fn ignore_files_apply_without_git_and_up_to_the_repository() {
    let project = Project::new("sub/pages");
    for path in ["a.md", "b.tmp.md", "out/c.md", "keep/out/d.md", "e.md", "private/f.md"] {
        project.put(&format!("sub/pages/{path}"), "x");
    }
    project.put("sub/.gitignore", "*.tmp.md\r\nout/\r\n");
    project.put("sub/pages/keep/.gitignore", "!out/\n");
    project.put("sub/pages/.ubpignore", "private\n");
    project.put(".gitignore", "e.md\n");
    assert_eq!(project.pages(), ["a.md", "keep/out/d.md"]);

    // A project in a subfolder of a repository follows the repository's rules, except one that would exclude the
    // whole project.
    let inner = || DiskSource::new(&project.path("sub"), "pages").unwrap();
    assert_eq!(inner().list().unwrap().pages.len(), 3, "e.md: rules of the folder above do not apply");
    fs::create_dir(project.path(".git")).unwrap();
    project.put(".gitignore", "e.md\n/sub/\n");
    let names: Vec<String> = inner().list().unwrap().pages.into_iter().map(|page| page.path).collect();
    assert_eq!(names, ["a.md", "keep/out/d.md"]);

    for ignored in ["b.tmp.md", "out/c.md", "private/f.md"] {
        assert_eq!(project.source.stat(ignored).unwrap(), None, "{ignored}");
    }
    assert!(project.source.stat("keep/out/d.md").unwrap().is_some());
    let error = project.source.write("out/new.md", b"x", None).unwrap_err();
    assert!(error.to_string().contains(".gitignore"), "{error}");
    assert!(!project.path("sub/pages/out/new.md").exists());
}

#[test]
fn sources_respect_ignore_rules_but_may_be_hidden() {
    let project = Project::new("pages");
    for path in ["src/a.rs", "target/b.rs", ".github/c.rs", "node_modules/d.rs", ".git/e.rs", ".ubp/f.rs"] {
        project.put(path, "x");
    }
    project.put(".gitignore", "/target\n");
    let globs = ["**/*.rs".to_string()];
    assert_eq!(project.source.match_sources(&globs).unwrap(), [".github/c.rs", "src/a.rs"]);
    // Sources may be ignored files, but not files of git or UBP.
    assert!(project.source.stat_source("target/b.rs").unwrap().is_some());
    for private in [".git/e.rs", ".GIT/e.rs", ".ubp/f.rs"] {
        assert_eq!(project.source.stat_source(private).unwrap(), None, "{private}");
        assert!(project.source.read_source(private).is_err(), "{private}");
    }
}

#[test]
fn a_missing_pages_folder_is_an_error_until_the_first_page_is_written() {
    let project = Project::new("pages");
    fs::remove_dir(project.path("pages")).unwrap();
    let source = DiskSource::new(project.dir.path(), "pages").unwrap();
    let error = source.list().unwrap_err();
    assert!(error.to_string().contains("pages_dir"), "{error}");
    source.write("new/a.md", b"x", None).unwrap();
    assert_eq!(source.list().unwrap().pages.len(), 1);
}

#[test]
fn a_changed_file_of_equal_size_and_time_has_another_fingerprint() {
    let project = Project::new(".");
    project.put("a.md", "one");
    let before = project.source.stat("a.md").unwrap().unwrap();
    let modified = fs::metadata(project.path("a.md")).unwrap().modified().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.put("a.md", "two");
    fs::File::options().write(true).open(project.path("a.md")).unwrap().set_modified(modified).unwrap();
    let after = project.source.stat("a.md").unwrap().unwrap();
    assert_eq!((before.size, before.modified), (after.size, after.modified));
    assert_eq!(before.fingerprint != after.fingerprint, cfg!(unix));
}

#[test]
fn a_failed_write_keeps_the_page_and_leaves_no_files() {
    let project = Project::new("pages");
    project.put("pages/a.md", "old");
    // A file in place of a folder simulates a failing disk.
    let error = project.source.write("a.md/b.md", b"new", None).unwrap_err();
    assert_eq!(error.code(), "io");
    assert!(error.to_string().starts_with("a.md/b.md: "), "{error}");
    assert_eq!(fs::read(project.path("pages/a.md")).unwrap(), b"old");
    assert_eq!(fs::read_dir(project.path("pages")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn symbolic_links_inside_the_project_are_pages_at_their_own_paths() {
    use std::os::unix::fs::symlink;
    let project = Project::new("pages");
    project.put("README.md", "readme");
    project.put("docs/guide/a.md", "a");
    project.put("pages/real/b.md", "b");
    symlink("../README.md", project.path("pages/readme.md")).unwrap();
    symlink("../docs", project.path("pages/docs")).unwrap();
    symlink("real/b.md", project.path("pages/alias.md")).unwrap();
    assert_eq!(project.pages(), ["alias.md", "docs/guide/a.md", "readme.md", "real/b.md"]);
    for page in project.source.list().unwrap().pages {
        assert_eq!(project.source.stat(&page.path).unwrap(), Some(page.stat), "{}", page.path);
    }
    assert_eq!(project.source.read("docs/guide/a.md").unwrap(), b"a");

    // Writing changes the target, and only if it is in the pages folder.
    let hash = |text: &str| Some(ContentHash::of(text.as_bytes()));
    project.source.write("alias.md", b"new", hash("b")).unwrap();
    assert_eq!(fs::read(project.path("pages/real/b.md")).unwrap(), b"new");
    assert!(fs::symlink_metadata(project.path("pages/alias.md")).unwrap().is_symlink());
    for (path, text) in [("readme.md", Some("readme")), ("docs/guide/a.md", Some("a")), ("docs/c.md", None)] {
        let error = project.source.write(path, b"new", text.and_then(hash)).unwrap_err();
        assert_eq!(error.code(), "outside_project", "{path}");
    }
    assert!(!project.path("docs/c.md").exists());
}

#[test]
fn names_reserved_on_windows_are_detected() {
    for name in
        ["con.md", "AUX", "nul .md", "com1.md", "LPT9.x.md", "a.", "a ", "a?.md", "a:b.md", "a\u{1}.md"]
    {
        assert!(is_reserved_on_windows(name), "{name}");
    }
    for name in ["console.md", "com.md", "com10.md", "a.md", "認証 (2).md", "lpt.md"] {
        assert!(!is_reserved_on_windows(name), "{name}");
    }
}

#[test]
fn ten_thousand_pages_are_listed_with_metadata() {
    let project = Project::new("pages");
    for folder in 0..100 {
        fs::create_dir(project.path(&format!("pages/{folder:02}"))).unwrap();
        for page in 0..100 {
            fs::write(project.path(&format!("pages/{folder:02}/{page:02}.md")), "x").unwrap();
        }
    }
    project.put("pages/50/.gitignore", "99.md\n");
    let started = std::time::Instant::now();
    let pages = project.source.list().unwrap().pages;
    // Printed with `--nocapture`, not asserted, because machines differ.
    println!("10,000 pages listed in {:?}", started.elapsed());
    let started = std::time::Instant::now();
    assert!(pages.iter().all(|page| project.source.read(&page.path).is_ok()));
    println!("and read in {:?}", started.elapsed());
    assert_eq!(pages.len(), 9_999);
    assert!(pages.is_sorted_by(|a, b| a.path < b.path));
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_moved_and_not_followed_when_moving() {
    let project = Project::new("pages");
    project.put("pages/real.md", "text");
    std::os::unix::fs::symlink("real.md", project.path("pages/link.md")).unwrap();
    let hash = ContentHash::of(b"text");
    for result in [
        project.source.rename("link.md", "other.md", hash),
        project.source.discard("link.md", "1/link.md", hash),
    ] {
        assert!(result.unwrap_err().to_string().contains("symbolic link"));
    }
    assert!(project.path("pages/link.md").is_symlink());
    // A trash folder that is a symbolic link is refused.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir_all(project.path(".ubp")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), project.path(".ubp/trash")).unwrap();
    assert_eq!(project.source.discard("real.md", "1/real.md", hash).unwrap_err().code(), "outside_project");
    assert_eq!(fs::read(project.path("pages/real.md")).unwrap(), b"text");
    fs::remove_file(project.path(".ubp/write.lock")).unwrap();
    let out = elsewhere.path().join("out");
    std::os::unix::fs::symlink(&out, project.path(".ubp/write.lock")).unwrap();
    assert_eq!(project.source.write("real.md", b"new", Some(hash)).unwrap_err().code(), "outside_project");
    assert!(!out.exists());
}

#[cfg(unix)]
#[test]
fn hard_links_are_two_pages() {
    let project = Project::new("pages");
    project.put("pages/a.md", "text");
    fs::hard_link(project.path("pages/a.md"), project.path("pages/A.md")).unwrap();
    let hash = ContentHash::of(b"text");
    assert_eq!(project.source.rename("a.md", "A.md", hash).unwrap_err().code(), "conflict");
    assert_eq!(project.pages(), ["A.md", "a.md"]);
}

#[test]
fn restoring_from_the_trash_removes_empty_folders() {
    let project = Project::new("pages");
    project.put("pages/deep/a.md", "text");
    let hash = ContentHash::of(b"text");
    project.source.discard("deep/a.md", "now/deep/a.md", hash).unwrap();
    assert_eq!(fs::read(project.path(".ubp/trash/now/deep/a.md")).unwrap(), b"text");
    project.source.restore("now/deep/a.md", "deep/a.md", hash).unwrap();
    assert_eq!(fs::read_dir(project.path(".ubp/trash")).unwrap().count(), 0);
}

#[test]
fn check_writable_reports_what_would_prevent_a_write() {
    let project = Project::new("pages");
    project.put("pages/a.md", "a");
    project.put("pages/marked.md", "a");
    let marked = project.path("pages/marked.md");
    let mut permissions = fs::metadata(&marked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&marked, permissions).unwrap();
    let source = &project.source;
    source.check_writable("a.md").unwrap();
    for (path, words) in
        [("marked.md", "read-only"), ("../out.md", "outside"), (".hidden.md", "cannot be a page")]
    {
        let error = source.check_writable(path).unwrap_err();
        assert!(error.to_string().contains(words), "{path}: {error}");
        let expected = Some(ContentHash::of(b"a"));
        assert_eq!(source.write(path, b"b", expected).unwrap_err().code(), error.code(), "{path}");
    }
}

#[test]
fn abandoned_temporary_files_are_deleted_and_recent_ones_kept() {
    let project = Project::new("pages");
    let (old, new) = ("pages/deep/.ubp-Ab1.tmp", "pages/.ubp-Cd2.tmp");
    for path in [old, new, ".ubp/.ubp-Ef3.tmp", "pages/.ubp-notes.md", "pages/a.md"] {
        project.put(path, "x");
    }
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for path in [old, ".ubp/.ubp-Ef3.tmp", "pages/.ubp-notes.md", "pages/a.md"] {
        fs::File::options().write(true).open(project.path(path)).unwrap().set_modified(hour_ago).unwrap();
    }
    assert_eq!(project.pages(), ["a.md"]);
    let is_there = |path: &str| project.path(path).exists();
    assert!(!is_there(old) && !is_there(".ubp/.ubp-Ef3.tmp"));
    assert!(is_there(new) && is_there("pages/.ubp-notes.md"));
}

#[test]
fn a_large_audit_log_is_rotated_and_readable_only_by_its_owner() {
    let project = Project::new("pages");
    project.put(".ubp/.gitignore", "/audit.jsonl\n");
    project.put(".ubp/audit.jsonl", "old\n");
    let log = fs::File::options().write(true).open(project.path(".ubp/audit.jsonl")).unwrap();
    log.set_len(32 << 20).unwrap();
    project.source.append("audit.jsonl", b"new\n").unwrap();
    assert_eq!(fs::read(project.path(".ubp/audit.jsonl")).unwrap(), b"new\n");
    assert_eq!(fs::metadata(project.path(".ubp/audit.1.jsonl")).unwrap().len(), 32 << 20);
    assert!(fs::read_to_string(project.path(".ubp/.gitignore")).unwrap().contains("\n/audit.1.jsonl\n"));
    project.source.append("audit.jsonl", b"newer\n").unwrap();
    let mut lines = Vec::new();
    let bytes = project.source.state_lines("audit.jsonl", &mut |line| lines.push(line.to_vec())).unwrap();
    assert_eq!((bytes, lines), (10, vec![b"new".to_vec(), b"newer".to_vec()]));
    assert_eq!(project.source.state_lines("favorites.json", &mut |_| {}).unwrap(), 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(project.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(".ubp/audit.jsonl"), 0o600);
        fs::set_permissions(project.path(".ubp/audit.jsonl"), fs::Permissions::from_mode(0o644)).unwrap();
        project.source.append("audit.jsonl", b"newest\n").unwrap();
        assert_eq!(mode(".ubp/audit.jsonl"), 0o600);
        project.source.append("decisions.jsonl", b"shared\n").unwrap();
        assert_ne!(mode(".ubp/decisions.jsonl"), 0o600, "a committed file keeps the usual mode");
    }
}

#[test]
fn templates_are_files_of_the_project_but_not_pages() {
    let project = Project::new(".");
    for path in ["a.md", "meta/b.md", "meta/forms/adr.md", "meta/forms/deep/x.md", "meta/formsX.md"] {
        project.put(path, "x");
    }
    let source = project.source.clone().with_templates_in(Some("meta/forms"));
    let listed: Vec<String> = source.list().unwrap().pages.into_iter().map(|page| page.path).collect();
    assert_eq!(listed, ["a.md", "meta/b.md", "meta/formsX.md"]);
    assert!(source.stat("meta/forms/adr.md").unwrap().is_none());
    assert!(source.read("meta/forms/adr.md").is_err());
    let error = source.write("meta/forms/new.md", b"x", None).unwrap_err().to_string();
    assert!(error.contains("meta/forms/ is the folder of the templates"), "{error}");
    assert!(!project.path("meta/forms/new.md").exists());
    assert_eq!(source.match_sources(&["meta/forms/**/*.md".into()]).unwrap().len(), 2);
    assert_eq!(source.read_source("meta/forms/adr.md").unwrap(), b"x");
}

#[test]
fn many_files_in_many_folders_are_listed_with_their_states() {
    let project = Project::new("pages");
    let mut expected = Vec::new();
    for (folder, count) in [("one", 700), ("two/deep", 3), ("two", 150), ("none", 0)] {
        fs::create_dir_all(project.path("pages").join(folder)).unwrap();
        for number in 0..count {
            let page = format!("{folder}/{number:04}.md");
            project.put(&format!("pages/{page}"), "x".repeat(number));
            expected.push((page, number as u64));
        }
    }
    expected.sort();
    let listed = project.source.list().unwrap();
    assert_eq!(listed.unreadable, []);
    for page in &listed.pages {
        assert_eq!(project.source.stat(&page.path).unwrap().as_ref(), Some(&page.stat));
    }
    let listed: Vec<(String, u64)> =
        listed.pages.into_iter().map(|page| (page.path, page.stat.size)).collect();
    assert_eq!(listed, expected);
}

#[test]
fn git_ignores_proposals_unless_the_project_commits_them() {
    let project = Project::new("pages");
    project.put(".ubp/.gitignore", "/audit.jsonl\n");
    project.source.write_state("proposals/1.json", b"{}", None).unwrap();
    let ignored = || fs::read_to_string(project.path(".ubp/.gitignore")).unwrap();
    assert_eq!(ignored(), "/audit.jsonl\n/write.lock\n/proposals/\n");
    project.put(".ubp/proposals/notes.txt", "x");
    assert_eq!(project.source.proposal_files().unwrap(), ["proposals/1.json"]);
    let committing = project.source.clone().committing_proposals(true);
    committing.write_state("proposals/2.json", b"{}", None).unwrap();
    assert_eq!(ignored(), "/audit.jsonl\n/write.lock\n");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_instead_of_the_folder_of_proposals_is_refused() {
    let (project, other) = (Project::new("pages"), tempfile::tempdir().unwrap());
    project.put(".ubp/.gitignore", "");
    std::os::unix::fs::symlink(other.path(), project.path(".ubp/proposals")).unwrap();
    assert_eq!(
        project.source.write_state("proposals/1.json", b"{}", None).unwrap_err().code(),
        "outside_project"
    );
    assert_eq!(project.source.proposal_files().unwrap_err().code(), "outside_project");
    assert!(fs::read_dir(other.path()).unwrap().next().is_none());
}
