//! A commit shows its files and is read-only.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::ports::MemoryHistory;

#[test]
fn the_source_of_a_commit_is_read_only() {
    let history = MemoryHistory::default();
    let files = [
        ("docs/a.md", Some("# A")),
        ("docs/.hidden/b.md", Some("b")),
        ("docs/sub/c.md", Some("c")),
        ("src/x.rs", Some("x")),
        (".ubp/refs.lock", Some("lock")),
        ("a.md", Some("outside")),
    ];
    history.record("one", Timestamp::UNIX_EPOCH, &files);
    let blobs = Blobs::default();
    let mut files = history.files_at("one").unwrap();
    let at = |files: &BTreeMap<String, CommittedFile>, dir: &str| {
        RevisionSource::new(&history, &blobs, files.clone(), dir)
    };
    let paths = |source: &RevisionSource<'_>| -> Vec<String> {
        source.list().unwrap().pages.into_iter().map(|page| page.path).collect()
    };
    let docs = at(&files, "docs");
    assert_eq!(paths(&docs), ["a.md", "sub/c.md"]);
    assert_eq!(paths(&at(&files, "")), ["a.md", "docs/a.md", "docs/sub/c.md"]);
    docs.load_pages().unwrap();
    assert_eq!(docs.read("a.md").unwrap(), b"# A");
    assert_eq!(docs.read_source("src/x.rs").unwrap(), b"x");
    assert_eq!(docs.read_state("refs.lock").unwrap().as_deref(), Some(b"lock".as_slice()));
    assert_eq!(docs.stat_source(".ubp/refs.lock").unwrap(), None);
    assert_eq!(
        docs.match_sources(&["**".into()]).unwrap(),
        ["a.md", "docs/.hidden/b.md", "docs/a.md", "docs/sub/c.md", "src/x.rs"]
    );
    assert_eq!(docs.read("none.md").unwrap_err().code(), "io");
    assert_eq!(docs.read("../a.md").unwrap_err().code(), "outside_project");
    assert!(docs.write("a.md", b"", None).is_err() && docs.write_state("refs.lock", b"", None).is_err());

    files.get_mut("docs/sub/c.md").unwrap().ignored = Some("docs/sub".into());
    assert_eq!(paths(&at(&files, "docs")), ["a.md"]);
    assert_eq!(
        paths(&at(&files, "docs/sub")),
        ["c.md"],
        "ignore rules for the pages folder itself do not apply"
    );
}
