//! Renames by the editor: of what the cursor is on, and of files and folders.

use super::*;

/// The edits of an answer as `file:line:from-to text`, and the files that get other names, in their order.
#[track_caller]
fn edits(answer: &Value) -> Vec<String> {
    let name = |uri: &Value| uri.as_str().unwrap().rsplit('/').next().unwrap().replace("%20", " ");
    let changes = answer["documentChanges"].as_array().unwrap_or_else(|| panic!("no edits: {answer}"));
    let mut told = Vec::new();
    for change in changes {
        if change["kind"] == "rename" {
            told.push(format!("{} -> {}", name(&change["oldUri"]), name(&change["newUri"])));
            continue;
        }
        for edit in change["edits"].as_array().unwrap() {
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            assert_eq!(start["line"], end["line"], "{edit}");
            let file = name(&change["textDocument"]["uri"]);
            let (line, from, to) = (&start["line"], &start["character"], &end["character"]);
            told.push(format!("{file}:{line}:{from}-{to} {}", edit["newText"].as_str().unwrap()));
        }
    }
    told
}

#[track_caller]
fn renamed(editor: &mut Editor, path: &str, position: &Value, new: &str) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": editor.uri(path) }, "position": position, "newName": new });
    edits(&editor.ask("textDocument/rename", &params))
}

fn moved(editor: &mut Editor, files: &[(&str, &str)]) -> Value {
    let files: Vec<_> = files
        .iter()
        .map(|(old, new)| json!({ "oldUri": editor.uri(old), "newUri": editor.uri(new) }))
        .collect();
    editor.ask("workspace/willRenameFiles", &json!({ "files": files }))
}

#[test]
fn headings_blocks_tags_and_aliases_are_renamed_with_their_links() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.settle();
    let path = "pages/Login.md";
    assert_eq!(
        renamed(&mut editor, path, &position_of(&text, "Errors"), "Failures"),
        ["Login.md:11:3-9 Failures", "Guide.md:2:7-19 Login#Failures"]
    );
    assert_eq!(
        renamed(&mut editor, path, &position_of(&text, "limits"), "^five"),
        ["Login.md:13:29-35 five", "Sessions.md:2:28-41 Login#^five"]
    );
    assert_eq!(
        renamed(&mut editor, path, &position_of(&text, "auth/basic"), "security"),
        ["Login.md:17:44-54 security"]
    );
    assert_eq!(
        renamed(&mut editor, path, &position_of(&text, "Signing"), "Sign on"),
        ["Login.md:2:10-20 Sign on"]
    );
}

#[test]
fn a_page_is_renamed_by_its_title_with_its_file() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.settle();
    let found = renamed(&mut editor, "pages/Login.md", &position_of(&text, "Login\naliases"), "Sign on");
    assert_eq!(found.last().unwrap(), "Login.md -> Sign on.md");
    for expected in ["Sessions.md:2:10-15 Sign on", "Guide.md:2:49-60 ../Sign%20on.md"] {
        assert!(found.iter().any(|edit| edit == expected), "{expected} in {found:?}");
    }
    // An editor that cannot rename files keeps the name of the file, to which the links still lead.
    let mut editor = Editor::that(|params| {
        params["capabilities"]["workspace"]["workspaceEdit"] = json!({ "documentChanges": true });
    });
    editor.open("pages/Login.md");
    editor.settle();
    let found = renamed(&mut editor, "pages/Login.md", &position_of(&text, "Login\naliases"), "Sign on");
    assert!(found.iter().all(|edit| edit.starts_with("Login.md:")), "{found:?}");
}

#[test]
fn what_can_be_renamed_is_told_before() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.settle();
    for (word, name) in
        [("Sessions|", "Sessions"), ("Storage", "Storage"), ("limits", "limits"), ("Signing", "Signing in")]
    {
        let found = editor.about_place("prepareRename", "pages/Login.md", &position_of(&text, word));
        assert_eq!(found["placeholder"], name, "{word}");
    }
    for word in ["After", "Nowhere", "src/session.ts#Session.check]]"] {
        let found = editor.about_place("prepareRename", "pages/Login.md", &position_of(&text, word));
        assert!(found.is_null(), "{word}: {found}");
    }
    let params = json!({
        "textDocument": { "uri": editor.uri("pages/Login.md") }, "position": position_of(&text, "After"), "newName": "x"
    });
    assert_eq!(editor.errors("textDocument/rename", &params), -32602);
}

#[test]
fn links_follow_files_and_folders_that_move() {
    let mut editor = Editor::new();
    editor.settle();
    assert_eq!(
        edits(&moved(&mut editor, &[("pages/guides", "pages/handbook/start")])),
        ["Guide.md:2:49-60 ../../Login.md"]
    );
    assert_eq!(
        edits(&moved(&mut editor, &[("src/session.ts", "src/auth/session.ts")])),
        [
            "Login.md:5:4-32 src/auth/session.ts#Session.check",
            "Login.md:17:11-39 src/auth/session.ts#Session.check"
        ]
    );
    // Unsaved text counts.
    editor.open_with("pages/Sessions.md", "# Sessions\n\n[[guides/Guide]]\n");
    let found = edits(&moved(&mut editor, &[("pages/guides", "pages/handbook")]));
    assert!(found.contains(&"Sessions.md:2:2-14 handbook/Guide".to_owned()), "{found:?}");
    assert!(moved(&mut editor, &[("README.md", "ABOUT.md")]).is_null());
    let taken = json!({ "files": [
        { "oldUri": editor.uri("pages/Login.md"), "newUri": editor.uri("pages/guides/Guide.md") }
    ] });
    assert_eq!(editor.errors("workspace/willRenameFiles", &taken), -32602);
}

#[test]
fn reviews_follow_files_that_the_editor_has_moved() {
    let mut editor = Editor::new();
    editor.settle();
    editor.call("review_page", &json!({ "pages": ["Login.md"], "still_accurate": true }));
    let lock = |editor: &Editor| fs::read_to_string(editor.terminal.path(".ubp/refs.lock")).unwrap();
    assert!(lock(&editor).contains("Login.md"));
    fs::rename(editor.terminal.path("pages/Login.md"), editor.terminal.path("pages/guides/Enter.md"))
        .unwrap();
    let files = json!({ "files": [
        { "oldUri": editor.uri("pages/Login.md"), "newUri": editor.uri("pages/guides/Enter.md") }
    ] });
    editor.client.notify("workspace/didRenameFiles", &files).unwrap();
    let begun = std::time::Instant::now();
    while !lock(&editor).contains("guides/Enter.md") {
        assert!(begun.elapsed().as_secs() < 20, "{}", lock(&editor));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!lock(&editor).contains("Login.md"), "{}", lock(&editor));
}

#[test]
fn incomplete_and_foreign_renames_are_refused_or_ignored() {
    let mut editor = Editor::new();
    let uri = editor.uri("pages/Login.md");
    for (method, params) in [
        ("textDocument/rename", json!({ "textDocument": { "uri": uri }, "position": at(0, 0) })),
        ("textDocument/rename", json!({ "newName": "x" })),
        ("workspace/willRenameFiles", json!({ "files": [{ "oldUri": uri }] })),
        ("workspace/willRenameFiles", json!({ "files": [{ "oldUri": "untitled:1", "newUri": uri }] })),
    ] {
        assert_eq!(editor.errors(method, &params), -32602, "{method} {params}");
    }
    let elsewhere =
        json!({ "files": [{ "oldUri": "file:///nowhere/a.md", "newUri": "file:///nowhere/b.md" }] });
    assert!(editor.ask("workspace/willRenameFiles", &elsewhere).is_null());
    assert!(editor.ask("workspace/willRenameFiles", &json!({ "files": [] })).is_null());
}
