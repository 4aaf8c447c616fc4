//! Views of projects on disk.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use ubp_core::manifest::AuthorRights;
use ubp_core::ports::{ContentHash, Source};
use ubp_core::{Error, Result};

use super::*;
use crate::Project;

const MANIFEST: &str = r#"{"pages_dir": "docs", "rights": [
  {"author": "*", "path": "private/", "right": "hide"},
  {"author": "*", "path": "/src/secret.rs", "right": "hide"}
]}"#;

struct Folder {
    root: TempDir,
    source: Box<dyn Source>,
}

impl Folder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let files = [
            (".ubp/manifest.json", MANIFEST),
            ("docs/open.md", "# Open\n"),
            ("docs/private/plan.md", "# Plan\n"),
            ("docs/private/picture.png", "png"),
            ("src/secret.rs", "fn secret() {}"),
            ("src/open.rs", "fn open() {}"),
        ];
        files.iter().for_each(|(path, text)| write(root.path(), path, text));
        let source = seen(root.path()).visible_source();
        Self { root, source }
    }

    #[cfg(unix)]
    fn link(&self, from: &str, to: &str) {
        std::os::unix::fs::symlink(to, self.root.path().join(from)).unwrap();
    }

    fn pages(&self) -> Vec<String> {
        self.source.list().unwrap().pages.into_iter().map(|page| page.path).collect()
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn seen(root: &Path) -> Project {
    let project = Project::load(root).unwrap();
    let rights = AuthorRights::of(&project.manifest, Some("agent"), &[]).unwrap();
    project.seen_in(View::of(&rights).unwrap()).unwrap()
}

fn forbidden<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Err(error @ Error::Forbidden { .. }) => error.to_string(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn hidden_files_do_not_exist() {
    let folder = Folder::new();
    let source = &folder.source;
    assert_eq!(folder.pages(), ["open.md"]);
    assert_eq!(source.stat("private/plan.md").unwrap(), None);
    let missing = source.read("private/none.md").unwrap_err().to_string();
    assert_eq!(source.read("private/plan.md").unwrap_err().to_string().replace("plan", "none"), missing);
    assert_eq!(source.match_sources(&["**".into()]).unwrap(), ["docs/open.md", "src/open.rs"]);
    assert_eq!(source.sized_sources(&["src/*".into()]).unwrap(), [("src/open.rs".into(), 12)]);
    for file in ["src/secret.rs", "docs/private/plan.md", "docs/private/picture.png", "docs/none.md"] {
        assert_eq!(source.stat_source(file).unwrap(), None, "{file}");
        assert_eq!(source.real_source(file).unwrap(), None, "{file}");
        assert!(matches!(source.read_source(file), Err(Error::Io { .. })), "{file}");
    }
}

#[test]
fn writing_where_files_are_hidden_is_refused_in_the_same_words_whether_they_exist_or_not() {
    let folder = Folder::new();
    let source = &folder.source;
    let hash = ContentHash::of(b"# Open\n");
    for (path, refused) in [
        ("private/plan.md", source.write("private/plan.md", b"x", None)),
        ("private/new.md", source.write("private/new.md", b"x", None)),
        ("Private/New.md", source.write("Private/New.md", b"x", None)),
        ("private/plan.md", source.rename("open.md", "private/plan.md", hash)),
        ("private/new.md", source.rename("open.md", "private/new.md", hash)),
        ("private/picture.png", source.create_attachment("private/picture.png", b"x")),
        ("private/plan.md", source.discard("private/plan.md", "t/plan.md", hash)),
        ("private/plan.md", source.restore("t/plan.md", "private/plan.md", hash)),
        ("private/plan.md", source.check_writable("private/plan.md")),
    ] {
        assert_eq!(forbidden(refused), format!("{path}: agent has no access to this path"));
    }
    assert_eq!(fs::read_to_string(folder.root.path().join("docs/private/plan.md")).unwrap(), "# Plan\n");
    assert!(!folder.root.path().join("docs/private/new.md").exists());
    source.write("new.md", b"x", None).unwrap();
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_does_not_lead_to_a_hidden_file() {
    let folder = Folder::new();
    assert_eq!(folder.pages(), ["open.md"]);
    folder.link("docs/link.md", "private/plan.md");
    folder.link("docs/code.rs", "../src/secret.rs");
    folder.link("docs/other.md", "open.md");
    assert_eq!(folder.pages(), ["open.md", "other.md"]);
    assert_eq!(folder.source.stat("link.md").unwrap(), None);
    assert!(folder.source.read("link.md").is_err());
    assert!(folder.source.read_source("docs/code.rs").is_err());
    let sources = folder.source.match_sources(&["docs/*".into()]).unwrap();
    assert_eq!(sources, ["docs/open.md", "docs/other.md"]);
    forbidden(folder.source.write("link.md", b"x", Some(ContentHash::of(b"# Plan\n"))));
    // A link that later leads elsewhere.
    fs::remove_file(folder.root.path().join("docs/other.md")).unwrap();
    folder.link("docs/other.md", "private/plan.md");
    assert_eq!(folder.pages(), ["open.md"]);
}

#[cfg(unix)]
#[test]
fn a_pages_folder_that_is_a_link_shows_no_hidden_page_at_its_real_path() {
    let root = tempfile::tempdir().unwrap();
    let files = [("content/open.md", "# Open\n"), ("content/private/plan.md", "# Plan\n")];
    files.iter().for_each(|(path, text)| write(root.path(), path, text));
    write(root.path(), ".ubp/manifest.json", MANIFEST);
    std::os::unix::fs::symlink("content", root.path().join("docs")).unwrap();
    let project = seen(root.path());
    let source = project.visible_source();
    let pages: Vec<String> = source.list().unwrap().pages.into_iter().map(|page| page.path).collect();
    assert_eq!(pages, ["open.md"]);
    assert_eq!(source.match_sources(&["content/**".into()]).unwrap(), ["content/open.md"]);
    for file in ["content/private/plan.md", "docs/private/plan.md"] {
        assert_eq!(source.stat_source(file).unwrap(), None, "{file}");
        assert!(source.read_source(file).is_err(), "{file}");
    }
    assert!(source.stat_source("docs/open.md").unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn a_clone_cannot_lead_a_view_out_of_the_project() {
    let folder = Folder::new();
    let outside = tempfile::tempdir().unwrap();
    let project = seen(folder.root.path());
    fs::remove_dir_all(&project.index_dir).unwrap();
    std::os::unix::fs::symlink(outside.path(), &project.index_dir).unwrap();
    let loaded = Project::load(folder.root.path()).unwrap();
    let error = loaded.seen_in(project.view().unwrap().clone()).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
}

#[test]
fn a_view_keeps_its_paths_when_settings_change() {
    let folder = Folder::new();
    let project = seen(folder.root.path());
    write(folder.root.path(), ".ubp/manifest.json", r#"{"pages_dir": "docs", "search": {"limit": 3}}"#);
    let reloaded = project.reload().unwrap();
    assert_eq!(reloaded.manifest.search.limit, Some(3));
    assert_eq!(reloaded.visible_source().list().unwrap().pages.len(), 1, "what it hides is its own");
    write(folder.root.path(), ".ubp/manifest.json", r#"{"pages_dir": "docs/private"}"#);
    assert_eq!(project.reload().unwrap().manifest.pages_dir, "docs");
}
