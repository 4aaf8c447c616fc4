//! Replacing settings, index or folder of an open project.

use super::*;

#[test]
fn edited_settings_apply_without_a_restart() {
    let folder = Folder::new([("a.md", "[[b|depends_on]]"), ("b.md", "lion"), ("c.md", "[[b|mentors]]")]);
    folder.write("other/d.md", "zebra");
    let server = folder.serve();
    let mut changes = server.live.changes();
    assert_eq!(server.pages(), ["a.md", "b.md", "c.md"]);
    let types = |server: &Server| {
        let graph = server.answer("get_graph", json!({}));
        let mut types: Vec<String> = graph["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["type"].as_str().unwrap().to_owned())
            .collect();
        types.sort();
        types
    };
    assert_eq!(types(&server), ["depends_on", "references"]);
    folder.write(
        ".ubp/manifest.json",
        &MANIFEST.replace("\"frontmatter\"", r#""links": {"types": ["mentors"]}, "frontmatter""#),
    );
    assert_eq!(types(&server), ["depends_on", "mentors"]);
    folder.write(".ubp/manifest.json", &MANIFEST.replace("\"pages\"", "\"other\""));
    assert_eq!(server.pages(), ["d.md"]);
    folder.write("other/e.md", "zebra");
    server.shows(&["d.md", "e.md"]);
    assert!(std::iter::repeat_with(|| next(&mut changes)).take(10).any(|change| change == Changed::Settings));
}

#[test]
fn edited_settings_are_noticed_without_a_call() {
    let folder = Folder::new([("a.md", "zebra")]);
    let server = folder.serve();
    server.settle();
    let mut changes = server.live.changes();
    folder.write(".ubp/manifest.json", &MANIFEST.replace("\"1.0\", \"schema", "\"1.1\", \"schema"));
    assert_eq!(next(&mut changes), Changed::Settings);
}

#[test]
fn invalid_settings_are_reported_once_and_the_old_ones_stay_in_force() {
    let folder = Folder::new([("a.md", "zebra")]);
    let server = folder.serve_with(QUICK);
    assert_eq!(server.pages(), ["a.md"]);
    // Replaced atomically: a file being written could be read while empty, which is another error.
    folder.write("half.json", "{ \"version\": ");
    fs::rename(folder.path("half.json"), folder.path(".ubp/manifest.json")).unwrap();
    for _ in 0..3 {
        assert_eq!(server.pages(), ["a.md"]);
    }
    std::thread::sleep(A_WHILE);
    let warnings = server.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("manifest.json:1") && warnings[0].contains("stay in force"), "{warnings:?}");
    assert_eq!(server.live.problem().unwrap(), warnings[0]);
    folder.write("pages/b.md", "lion");
    server.shows(&["a.md", "b.md"]);
    folder.write(".ubp/manifest.json", MANIFEST);
    assert_eq!(server.pages(), ["a.md", "b.md"]);
    assert_eq!(server.live.problem(), None);
}

#[cfg(unix)]
#[test]
fn a_deleted_index_is_rebuilt() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve();
    assert_eq!(server.pages(), ["a.md", "b.md"]);
    for companions in [false, true] {
        fs::remove_file(folder.path(".ubp/metadata.db")).unwrap();
        if companions {
            for name in ["metadata.db-wal", "metadata.db-shm"] {
                let _ = fs::remove_file(folder.path(".ubp").join(name));
            }
        }
        assert_eq!(server.pages(), ["a.md", "b.md"], "in the next call");
        assert!(folder.path(".ubp/metadata.db").exists());
        fs::remove_file(folder.path(".ubp/metadata.db")).unwrap();
        eventually("rebuilt", || folder.path(".ubp/metadata.db").exists());
        assert_eq!(server.with_word("zebra"), ["a.md"]);
    }
    assert!(server.warnings().is_empty(), "{:?}", server.warnings());
}

#[cfg(unix)]
#[test]
fn a_damaged_index_is_moved_aside_by_one_process_only() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve();
    assert_eq!(server.pages(), ["a.md", "b.md"]);
    ubp_core::index::set_aside(&folder.path(".ubp/metadata.db")).unwrap();
    let other = folder.serve();
    assert_eq!(other.pages(), ["a.md", "b.md"]);
    assert_eq!(server.pages(), ["a.md", "b.md"]);
    folder.write("pages/c.md", "okapi");
    other.finds("okapi", &["c.md"]);
    assert_eq!(server.with_word("okapi"), ["c.md"]);
    assert!(!folder.path(".ubp/metadata.db.damaged-2").exists());
}

#[cfg(unix)]
#[test]
fn a_damaged_index_is_replaced_during_the_call() {
    use std::os::unix::fs::FileExt;
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let server = folder.serve();
    server.settle();
    server
        .live
        .with(Caller::Agent, &Silent, &Cancel::default(), |context| context.index.index().checkpoint())
        .unwrap();
    let file = fs::OpenOptions::new().write(true).open(folder.path(".ubp/metadata.db")).unwrap();
    let length = file.metadata().unwrap().len();
    // Overwrite all database pages except the first, which is read for every call.
    file.write_all_at(&vec![0x5a; usize::try_from(length - 4_096).unwrap()], 4_096).unwrap();
    // An open database may not notice, because it may have cached everything.
    let answer = server.answer("fulltext_search", json!({"query": "zebra"}));
    assert_eq!(answer["results"][0]["filepath"], "a.md", "{answer}");
    eventually("fresh again", || server.answer("list_pages", json!({}))["index"]["fresh"] == true);
    assert_eq!(server.pages(), ["a.md", "b.md"]);
}

#[test]
fn a_removed_project_is_an_error_until_it_comes_back() {
    let folder = Folder::new([("a.md", "zebra")]);
    let root = folder.path("project");
    fs::create_dir_all(root.join("pages")).unwrap();
    fs::create_dir_all(root.join(".ubp")).unwrap();
    fs::write(root.join(".ubp/manifest.json"), MANIFEST).unwrap();
    fs::write(root.join("pages/a.md"), "zebra").unwrap();
    let tick = Duration::from_millis(100);
    let server = serve(&root, Timing { tick, ..QUICK }, Box::new(models::load));
    assert_eq!(server.pages(), ["a.md"]);
    server.settle();
    let before = server.live.refreshes();
    fs::rename(&root, folder.path("away")).unwrap();
    std::thread::sleep(tick * 6);
    let error = server.call("list_pages", json!({})).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("no longer exists")), ("io", true), "{error}");
    assert!(server.live.refreshes() <= before + 3, "no spinning: {}", server.live.refreshes() - before);
    let warnings = server.warnings();
    assert!(warnings.len() <= 1, "{warnings:?}");
    fs::rename(folder.path("away"), &root).unwrap();
    eventually("back", || server.call("list_pages", json!({})).is_ok());
    assert_eq!(server.pages(), ["a.md"]);
}
