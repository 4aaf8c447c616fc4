//! Text that is not saved counts in every answer, and changes nothing on disk.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::*;

/// The hash of every file, without the journals of the database.
fn files(folder: &Path) -> BTreeMap<String, String> {
    fn add(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, root, found);
            } else if !path.to_string_lossy().contains("metadata.db")
                && !path.to_string_lossy().ends_with("lock")
            {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(name, format!("{:?}", Sha256::digest(fs::read(&path).unwrap())));
            }
        }
    }
    let mut found = BTreeMap::new();
    add(folder, folder, &mut found);
    found
}

/// What the database has of pages and links.
fn index(folder: &Path) -> Vec<String> {
    let database = rusqlite::Connection::open(folder.join(".ubp/metadata.db")).unwrap();
    let mut rows = Vec::new();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fts%' AND name NOT LIKE 'sqlite%' ORDER BY name";
    let mut tables = database.prepare(tables).unwrap();
    let names: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(names.iter().any(|name| name == "pages"), "{names:?}");
    for name in names {
        let mut all = database.prepare(&format!("SELECT * FROM \"{name}\"")).unwrap();
        let columns = all.column_count();
        let mut found = all.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<String> =
                (0..columns).map(|at| format!("{:?}", row.get_ref(at).unwrap())).collect();
            rows.push(format!("{name}: {}", values.join(" ")));
        }
    }
    rows
}

const TYPED: &str =
    "# Login\n\nNew words about walruses, [[Guide#Fresh]] and [[Nobody]].\n\n## Walrus\n\n[[Fres";

#[test]
fn unsaved_text_counts_in_every_answer_and_changes_nothing_on_disk() {
    let mut editor = Editor::new();
    editor.settle();
    let folder = editor.terminal.folder().to_owned();
    let (files_before, index_before) = (files(&folder), index(&folder));
    editor.open("pages/Login.md");
    editor.open("pages/guides/Guide.md");
    editor.type_all("pages/Login.md", 2, TYPED);
    editor.type_all(
        "pages/guides/Guide.md",
        2,
        "# Guide\n\n## Fresh heading\n\n## Fresh\n\nUnsaved seals.\n",
    );
    let found = editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
    assert_eq!(found[0]["range"], range((2, 46), (2, 56)), "{found:?}");
    let hover = editor.about_place("hover", "pages/Login.md", &position_of(TYPED, "Guide#"));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("Unsaved seals."), "{hover}");
    let place = editor.about_place("definition", "pages/Login.md", &position_of(TYPED, "Guide#"));
    assert_eq!(places(&place), ["Guide.md:4:0"]);
    // The links of the file to it are gone from the screen.
    let found = editor.about_place("references", "pages/guides/Guide.md", &at(0, 0));
    assert_eq!(places(&found), ["Login.md:2:26", "Sessions.md:6:15"]);
    let found = editor.about_place("references", "pages/guides/Guide.md", &at(4, 3));
    assert_eq!(places(&found), ["Login.md:2:26"]);
    editor.type_all("pages/Login.md", 3, "# Login\n\n[[Guide#fre");
    let found = editor.about_place("completion", "pages/Login.md", &at(2, 11));
    assert_eq!(each(&found["items"], "label"), ["Fresh heading", "Fresh"]);
    assert_eq!(
        each(&editor.about("documentSymbol", "pages/guides/Guide.md")[0]["children"], "name"),
        ["Fresh heading", "Fresh"]
    );
    // Everything else that can be asked, too.
    let uri = editor.uri("pages/Login.md");
    for (method, params) in requests(&uri, &at(2, 5)) {
        if method != "workspace/executeCommand" {
            editor.ask(method, &params);
        }
    }
    // The operations see the files.
    assert_eq!(editor.call("fulltext_search", &json!({ "query": "walruses" }))["results"], json!([]));
    editor.close_document("pages/Login.md");
    editor.settle();
    assert_eq!(index(&folder), index_before);
    assert_eq!(files(&folder), files_before);
    assert_eq!(editor.client.close().unwrap(), Some(0));
    assert_eq!(index(&folder), index_before);
}

#[test]
fn nothing_is_written_read_only_and_no_command_is_offered() {
    for by_flag in [true, false] {
        let terminal = project();
        let mut params = params(terminal.folder());
        let arguments: &[&str] = if by_flag { &["lsp", "--read-only"] } else { &["lsp"] };
        if !by_flag {
            params["initializationOptions"]["readOnly"] = json!(true);
        }
        let mut client = LspClient::start(command(terminal.folder(), arguments)).unwrap();
        let hello = client.initialize(&params).unwrap();
        let mut editor = Editor { terminal, client, hello };
        editor.open("pages/Login.md");
        editor.settle();
        let before = files(editor.terminal.folder());
        let uri = editor.uri("pages/Login.md");
        let found = editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
        let request = json!({
            "textDocument": { "uri": uri }, "range": found[0]["range"], "context": { "diagnostics": found }
        });
        let offered = editor.ask("textDocument/codeAction", &request);
        assert!(
            offered.as_array().unwrap().iter().all(|action| action.get("command").is_none()),
            "{offered}"
        );
        let lenses = editor.about("codeLens", "pages/Login.md");
        assert!(lenses.as_array().unwrap().iter().all(|lens| lens["command"]["command"] != "ubp.review"));
        for (command, arguments) in [
            ("ubp.createPage", json!([uri, "Nowhere", null])),
            ("ubp.review", json!([uri, null])),
            ("ubp.accept", json!([uri, "Guide.md", null])),
        ] {
            let params = json!({ "command": command, "arguments": arguments });
            assert_eq!(editor.errors("workspace/executeCommand", &params), -32803, "{command}");
        }
        for (operation, params) in [
            ("create_page", json!({ "title": "X" })),
            ("delete_page", json!({ "page": "Login.md" })),
            ("save_page", json!({ "page": "Login.md" })),
            ("undo", json!({ "entry": "x" })),
        ] {
            assert_eq!(
                editor.errors("ubp/call", &json!({ "operation": operation, "params": params })),
                -32803,
                "{operation}"
            );
        }
        editor.settle();
        assert_eq!(files(editor.terminal.folder()), before);
    }
}
