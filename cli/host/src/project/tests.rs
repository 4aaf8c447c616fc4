//! Finding and starting projects.
#![allow(clippy::unwrap_used)]

use tempfile::TempDir;
use ubp_core::hint::Commands;
use ubp_core::manifest::FrontMatterMode;
use ubp_core::ports::{FixedClock, Source};

use super::*;

fn clock() -> FixedClock {
    FixedClock::at("2026-11-21T10:00:00Z".parse().unwrap())
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn start(dir: &TempDir, pages_dir: Option<&str>) -> Result<InitSummary> {
    let options = InitOptions { pages_dir: pages_dir.map(Into::into), ..InitOptions::default() };
    init(dir.path(), &options, &clock())
}

fn read(dir: &TempDir, path: &str) -> String {
    fs::read_to_string(dir.path().join(path)).unwrap()
}

#[test]
fn a_new_project_has_all_files_and_folders() {
    let dir = folder(&[]);
    let summary = start(&dir, None).unwrap();
    assert!(!summary.already);
    assert_eq!(summary.created, ["pages/", ".ubp/", ".ubp/.gitignore", ".gitignore", MANIFEST_PATH]);
    assert!(summary.changed.is_empty() && summary.enclosing.is_none());
    assert_eq!(read(&dir, ".gitignore"), ".ubp/metadata.db\n.ubp-*.tmp\n");
    let ignored = read(&dir, ".ubp/.gitignore");
    for line in [
        "/metadata.db*",
        "/serve.lock",
        "/serve.state",
        "/serve.ask",
        "/vectors.lock",
        "/trash/",
        "/audit.jsonl",
        "/models/",
    ] {
        assert!(ignored.lines().any(|found| found == line), "{line}");
    }
    assert_eq!(
        read(&dir, MANIFEST_PATH),
        "{\n  \"version\": \"1.0.0\",\n  \"schema_version\": 1,\n  \"embedding_model\": {\n    \"name\": \
         \"all-MiniLM-L6-v2\",\n    \"version\": \"1.0\",\n    \"dimensions\": 384\n  },\n  \"pages_dir\": \
         \"pages\",\n  \"created_at\": \"2026-11-21T10:00:00Z\",\n  \"frontmatter\": \"managed\"\n}\n"
    );
    let project = summary.project;
    assert_eq!(project.database, project.root.join(".ubp/metadata.db"));
    assert_eq!(project.pages_dir, project.root.join("pages"));
    assert!(project.source().list().unwrap().pages.is_empty());
}

#[test]
fn existing_pages_are_preserved() {
    let dir = folder(&[("Note.md", "x"), ("sub/Other.md", "y"), (".obsidian/app.json", "{}")]);
    let summary = start(&dir, Some(".")).unwrap();
    assert_eq!(summary.existing_pages, 2);
    assert_eq!(summary.project.manifest.frontmatter, FrontMatterMode::Preserved);
    assert_eq!(summary.project.manifest.pages_dir, ".");
    assert_eq!(summary.project.source().list().unwrap().pages.len(), 2);
    assert_eq!(read(&dir, "Note.md"), "x");

    let dir = folder(&[("Note.md", "x")]);
    let managed = FrontMatterMode::Managed;
    let options =
        InitOptions { pages_dir: Some(".".into()), frontmatter: Some(managed), ..InitOptions::default() };
    assert_eq!(init(dir.path(), &options, &clock()).unwrap().project.manifest.frontmatter, managed);
}

#[test]
fn notes_outside_the_pages_folder_are_counted() {
    let dir = folder(&[("Note.md", "x"), ("sub/Other.md", "y"), (".hidden/No.md", "z")]);
    let summary = start(&dir, None).unwrap();
    assert_eq!((summary.existing_pages, summary.notes_elsewhere), (0, 2));
    let dir = folder(&[("README.md", "x"), ("pages/Note.md", "y")]);
    assert_eq!(start(&dir, None).unwrap().notes_elsewhere, 0);
}

#[test]
fn running_init_again_changes_nothing() {
    let dir = folder(&[]);
    start(&dir, Some("docs/pages")).unwrap();
    let before = read(&dir, MANIFEST_PATH);
    fs::write(dir.path().join("docs/pages/a.md"), "x").unwrap();
    for pages_dir in [None, Some("docs/pages"), Some("./docs/pages/")] {
        let again = start(&dir, pages_dir).unwrap();
        assert!(again.already && again.created.is_empty() && again.changed.is_empty(), "{again:?}");
        assert_eq!(again.project.manifest.frontmatter, FrontMatterMode::Managed);
    }
    assert_eq!(read(&dir, MANIFEST_PATH), before);
}

#[test]
fn init_changes_the_pages_folder_of_a_project() {
    let dir = folder(&[("Note.md", "x"), ("sub/Other.md", "y")]);
    start(&dir, None).unwrap();
    let again = start(&dir, Some(".")).unwrap();
    assert_eq!((again.moved_from.as_deref(), again.existing_pages), (Some("pages"), 2));
    assert_eq!(
        (again.changed.as_slice(), again.removed.as_deref()),
        (&[MANIFEST_PATH.into()][..], Some("pages"))
    );
    let manifest = again.project.manifest;
    assert_eq!((manifest.pages_dir.as_str(), manifest.frontmatter), (".", FrontMatterMode::Preserved));
    assert!(!dir.path().join("pages").exists());
    assert_eq!(read(&dir, "Note.md"), "x");
    let managed = InitOptions { frontmatter: Some(FrontMatterMode::Managed), ..InitOptions::default() };
    assert_eq!(
        init(dir.path(), &managed, &clock()).unwrap().project.manifest.frontmatter,
        FrontMatterMode::Managed
    );
}

#[test]
fn a_former_pages_folder_with_files_is_kept() {
    let dir = folder(&[("Note.md", "x"), ("pages/a.txt", "kept")]);
    start(&dir, Some("pages")).unwrap();
    assert_eq!(start(&dir, Some(".")).unwrap().removed, None);
    assert_eq!(read(&dir, "pages/a.txt"), "kept");
}

#[test]
fn changing_the_pages_folder_of_a_project_with_reviews_needs_an_option() {
    let dir = folder(&[("Note.md", "x"), ("docs/a.md", "y")]);
    start(&dir, Some("docs")).unwrap();
    fs::write(dir.path().join(".ubp/refs.lock"), "# reviews\n").unwrap();
    let before = read(&dir, MANIFEST_PATH);
    let error = start(&dir, Some(".")).unwrap_err().to_string();
    assert!(error.contains("'docs'") && error.contains("refs.lock") && error.contains("--yes"), "{error}");
    assert_eq!(read(&dir, MANIFEST_PATH), before);
    let options = InitOptions { pages_dir: Some(".".into()), leave_reviews: true, ..InitOptions::default() };
    assert_eq!(init(dir.path(), &options, &clock()).unwrap().project.manifest.pages_dir, ".");
    assert_eq!(read(&dir, ".ubp/refs.lock"), "# reviews\n");
}

#[test]
fn a_clone_is_completed() {
    let dir = folder(&[(MANIFEST_PATH, "{\"team\": 1}")]);
    let summary = start(&dir, None).unwrap();
    assert!(summary.already);
    assert_eq!(summary.created, ["pages/", ".ubp/.gitignore", ".gitignore"]);
    assert_eq!(read(&dir, MANIFEST_PATH), "{\"team\": 1}");
}

#[test]
fn the_ignore_line_is_added_once_with_the_line_ending_of_the_file() {
    for (before, after) in [
        ("", ".ubp/metadata.db\n.ubp-*.tmp\n"),
        ("/target", "/target\n.ubp/metadata.db\n.ubp-*.tmp\n"),
        ("/target\r\n*.log\r\n", "/target\r\n*.log\r\n.ubp/metadata.db\r\n.ubp-*.tmp\r\n"),
        ("/target\r\n*.log", "/target\r\n*.log\r\n.ubp/metadata.db\r\n.ubp-*.tmp\r\n"),
        ("a\n.ubp/metadata.db\nb", "a\n.ubp/metadata.db\nb"),
        ("/.ubp/metadata.db*\r\n", "/.ubp/metadata.db*\r\n"),
        ("#.ubp/metadata.db\n", "#.ubp/metadata.db\n.ubp/metadata.db\n.ubp-*.tmp\n"),
    ] {
        let dir = folder(&[(".gitignore", before)]);
        let summary = start(&dir, None).unwrap();
        assert_eq!(read(&dir, ".gitignore"), after);
        assert_eq!(summary.changed.is_empty(), before == after, "{before:?}");
        assert!(start(&dir, None).unwrap().changed.is_empty());
        assert_eq!(read(&dir, ".gitignore"), after);
    }
}

#[test]
fn a_project_is_found_from_a_subfolder() {
    let dir = folder(&[("pages/deep/a.md", "x")]);
    start(&dir, None).unwrap();
    // A `.ubp` folder without a manifest is not a project.
    fs::create_dir_all(dir.path().join("pages/.ubp")).unwrap();
    let project = Project::find(&dir.path().join("pages/deep")).unwrap();
    assert_eq!(project.root, fs::canonicalize(dir.path()).unwrap());

    let inner = dir.path().join("packages/inner");
    fs::create_dir_all(&inner).unwrap();
    let summary = init(&inner, &InitOptions::default(), &clock()).unwrap();
    assert_eq!(summary.enclosing, Some(project.root));
    assert_eq!(Project::find(&inner.join("pages")).unwrap().root, fs::canonicalize(&inner).unwrap());
}

#[test]
fn without_a_project_the_error_suggests_init() {
    let dir = folder(&[]);
    let error = Project::find(dir.path()).unwrap_err();
    assert_eq!(error.code(), "no_project");
    assert!(error.to_string().contains(&*dir.path().to_string_lossy()));
    let hint = error.hint().unwrap().told(&Commands);
    assert!(hint.contains("`ubp init`"), "{hint}");
    assert_eq!(Project::find(&dir.path().join("nowhere")).unwrap_err().code(), "io");
}

#[test]
fn a_damaged_manifest_is_reported_and_kept() {
    let dir = folder(&[(MANIFEST_PATH, "{\n  \"pages_dir\": ,\n}")]);
    for error in [Project::find(dir.path()).unwrap_err(), start(&dir, None).unwrap_err()] {
        assert_eq!(error.code(), "manifest");
        assert!(error.to_string().starts_with(".ubp/manifest.json:2: "), "{error}");
    }
    assert!(!dir.path().join("pages").exists());
    fs::write(dir.path().join(MANIFEST_PATH), b"\xff").unwrap();
    assert_eq!(Project::find(dir.path()).unwrap_err().code(), "io");
}

#[test]
fn the_manifest_is_saved_in_place() {
    let dir = folder(&[(MANIFEST_PATH, "{\"team\": 1}\n")]);
    let mut project = Project::load(dir.path()).unwrap();
    project.manifest.search.limit = Some(7);
    project.save_manifest().unwrap();
    let again = Project::load(dir.path()).unwrap();
    assert_eq!(again.manifest.search.limit, Some(7));
    assert!(read(&dir, MANIFEST_PATH).contains("\"team\": 1"));
}

#[test]
fn refused_pages_folders_leave_no_files() {
    let dir = folder(&[]);
    for pages_dir in ["..", "/tmp", ".ubp", ""] {
        assert!(start(&dir, Some(pages_dir)).is_err(), "{pages_dir}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    // A file in the way.
    fs::write(dir.path().join("pages"), "x").unwrap();
    assert_eq!(start(&dir, None).unwrap_err().code(), "io");
    assert!(!dir.path().join(MANIFEST_PATH).exists());
}

#[cfg(unix)]
#[test]
fn symbolic_links_in_place_of_ubp_files_are_refused() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("precious", "x")]);
    for own in ["metadata.db", "refs.lock", "trash"] {
        let dir = folder(&[]);
        start(&dir, None).unwrap();
        symlink(outside.path().join("precious"), dir.path().join(".ubp").join(own)).unwrap();
        assert!(Project::load(dir.path()).unwrap_err().to_string().contains("symbolic link"), "{own}");
    }
    let dir = folder(&[]);
    symlink(outside.path(), dir.path().join(".ubp")).unwrap();
    assert!(start(&dir, None).is_err());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    // A `.gitignore` that is a symbolic link is not changed.
    let dir = folder(&[]);
    symlink(outside.path().join("precious"), dir.path().join(".gitignore")).unwrap();
    assert!(start(&dir, None).unwrap().changed.is_empty());
    assert_eq!(read(&outside, "precious"), "x");
}
