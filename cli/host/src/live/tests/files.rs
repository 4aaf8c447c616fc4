//! Changes of files in an open project.

use super::*;

#[test]
fn the_next_answer_includes_a_change() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve();
    assert_eq!(server.pages(), ["a.md", "b.md"]);
    server.settle();
    folder.write("pages/c.md", "giraffe");
    server.finds("giraffe", &["c.md"]);
    fs::remove_file(folder.path("pages/a.md")).unwrap();
    server.shows(&["b.md", "c.md"]);
    assert!(server.warnings().is_empty(), "{:?}", server.warnings());
}

#[test]
fn a_change_is_indexed_and_announced_without_a_call() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve();
    server.settle();
    let mut changes = server.live.changes();
    folder.write("pages/a.md", "antelope");
    fs::rename(folder.path("pages/b.md"), folder.path("pages/moved.md")).unwrap();
    folder.write("pages/new/deep/c.md", "giraffe");
    let Changed::Pages(pages) = next(&mut changes) else { panic!("no pages") };
    assert_eq!(pages.changed, ["a.md"]);
    assert_eq!(pages.added, ["new/deep/c.md"]);
    assert_eq!(pages.renamed.len(), 1, "{pages:?}");
    server.settle();
    // The folder is watched by now.
    let before = server.live.refreshes();
    folder.write("pages/new/deep/c.md", "okapi");
    let Changed::Pages(pages) = next(&mut changes) else { panic!("no pages") };
    assert_eq!(pages.changed, ["new/deep/c.md"]);
    server.settle();
    assert_eq!(server.live.refreshes(), before + 1);
}

#[test]
fn without_changes_there_are_no_refreshes() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve_with(QUICK);
    let _changes = server.live.changes();
    server.settle();
    server.pages();
    let before = server.live.refreshes();
    for _ in 0..20 {
        assert_eq!(server.with_word("zebra"), ["a.md"]);
        std::thread::sleep(A_WHILE / 20);
    }
    assert_eq!(server.live.refreshes(), before, "answers and the index itself are not changes");
}

#[test]
fn writes_to_an_index_inside_the_pages_folder_are_not_changes() {
    let folder = Folder::new([]);
    folder.write(".ubp/manifest.json", &MANIFEST.replace("\"pages\"", "\".\""));
    folder.write("a.md", "zebra");
    let server = folder.serve_with(QUICK);
    assert_eq!(server.pages(), ["a.md"]);
    server.settle();
    let before = server.live.refreshes();
    // Writes database, log and lock.
    server.answer("rebuild", json!({}));
    std::thread::sleep(A_WHILE);
    assert_eq!(server.live.refreshes(), before);
    folder.write("b.md", "lion");
    eventually("noticed", || server.live.refreshes() > before);
}

#[test]
fn many_quick_changes_are_indexed_together() {
    let folder = Folder::new([("a.md", "zebra")]);
    let server = folder.serve();
    server.settle();
    let before = server.live.refreshes();
    for number in 0..40 {
        folder.write(&format!("pages/{number}.md"), "lion");
        std::thread::sleep(Duration::from_millis(5));
    }
    eventually("indexed", || server.live.refreshes() > before && server.live.shared.pulse.is_settled());
    assert_eq!(server.live.refreshes(), before + 1);
    assert_eq!(server.pages().len(), 41);
}

#[test]
fn changed_ignore_rules_are_applied() {
    let folder = Folder::new([("a.md", "zebra"), ("drafts/b.md", "lion")]);
    let server = folder.serve();
    assert_eq!(server.pages(), ["a.md", "drafts/b.md"]);
    server.settle();
    folder.write("pages/.ubpignore", "drafts/\n");
    server.shows(&["a.md"]);
    folder.write("pages/.ubpignore", "\n");
    server.shows(&["a.md", "drafts/b.md"]);
    // Above the pages folder, which is not watched.
    folder.write(".ubpignore", "drafts/\n");
    eventually("followed", || server.pages() == ["a.md"]);
}

#[test]
fn a_renamed_folder_is_watched_under_its_new_name() {
    let folder = Folder::new([("a/x.md", "zebra"), ("keep.md", "lion")]);
    let server = folder.serve();
    server.settle();
    fs::rename(folder.path("pages/a"), folder.path("pages/b")).unwrap();
    server.shows(&["b/x.md", "keep.md"]);
    server.settle();
    for word in ["giraffe", "okapi"] {
        folder.write("pages/b/x.md", word);
        server.finds(word, &["b/x.md"]);
        // Another folder with the old name.
        folder.write("pages/a/y.md", word);
        eventually("both found", || server.with_word(word).len() == 2);
    }
}

#[test]
fn the_pages_folder_may_be_removed_and_come_back() {
    let folder = Folder::new([("a.md", "zebra"), ("sub/b.md", "lion")]);
    let server = folder.serve();
    server.settle();
    fs::remove_dir_all(folder.path("pages")).unwrap();
    eventually("noticed", || server.call("list_pages", json!({})).is_err());
    let error = server.call("list_pages", json!({})).unwrap_err();
    assert!(
        matches!(error, Error::Io { .. }) && error.to_string().contains("this folder does not exist"),
        "{error}"
    );
    folder.write("pages/sub/b.md", "leopard");
    assert_eq!(server.pages(), ["sub/b.md"]);
    assert_eq!(server.with_word("leopard"), ["sub/b.md"]);
    server.settle();
    folder.write("pages/sub/b.md", "puma");
    server.finds("puma", &["sub/b.md"]);
    let warnings = server.warnings();
    assert!(warnings.len() <= 1, "reported once: {warnings:?}");
}

#[cfg(unix)]
#[test]
fn targets_of_symbolic_links_are_watched() {
    let folder = Folder::new([("a.md", "zebra")]);
    folder.write("shared/page.md", "lion");
    folder.write("elsewhere/deep/other.md", "puma");
    std::os::unix::fs::symlink(folder.path("shared/page.md"), folder.path("pages/linked.md")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("pages/tree")).unwrap();
    let server = folder.serve();
    assert_eq!(server.pages(), ["a.md", "linked.md", "tree/deep/other.md"]);
    server.settle();
    folder.write("shared/page.md", "giraffe");
    folder.write("elsewhere/deep/other.md", "giraffe");
    server.finds("giraffe", &["linked.md", "tree/deep/other.md"]);
}

#[test]
fn a_change_without_an_event_is_found_by_polling() {
    let folder = Folder::new([("a.md", "zebra")]);
    let timing = Timing {
        tick: Duration::from_millis(50),
        reconcile: Duration::from_millis(300),
        ..Timing::default()
    };
    let server = folder.serve_with(timing);
    server.settle();
    let before = server.live.refreshes();
    eventually("compared", || server.live.refreshes() >= before + 2);
}
