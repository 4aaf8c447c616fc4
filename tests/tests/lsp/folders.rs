//! Projects of a workspace: several, added and removed, changed by others; and what is told about them.

use std::time::Duration;

use super::*;

fn folder(uri: &str) -> Value {
    json!({ "uri": uri, "name": "x" })
}

fn changed_folders(editor: &mut Editor, added: &[&str], removed: &[&str]) {
    let all = |uris: &[&str]| uris.iter().map(|uri| folder(uri)).collect::<Vec<_>>();
    let event = json!({ "event": { "added": all(added), "removed": all(removed) } });
    editor.client.notify("workspace/didChangeWorkspaceFolders", &event).unwrap();
}

fn told_of_change(editor: &Editor, root: &str, what: &str) {
    let told = editor.client.until(&format!("told of {what}"), |heard| {
        heard
            .iter()
            .find(|own| {
                own["method"] == "ubp/changed" && own["params"] == json!({ "what": what, "root": root })
            })
            .map(|_| ())
    });
    told.unwrap();
}

#[test]
fn several_folders_are_served_each_with_its_own_pages() {
    let other =
        Terminal::vault([("Login.md", "# Other login\n\n[[Alone]]\n"), ("Alone.md", "# Alone\n")]).unwrap();
    let second = address(other.folder());
    let mut editor = Editor::that(|params| {
        let own = params["workspaceFolders"][0].clone();
        params["workspaceFolders"] = json!([own, folder(&second)]);
    });
    editor.settle();
    editor
        .client
        .until("told of both", |heard| {
            let begun =
                |own: &&Value| own["method"] == "$/progress" && own["params"]["value"]["kind"] == "end";
            (heard.iter().filter(begun).count() == 2).then_some(())
        })
        .unwrap();
    let found = editor.ask("workspace/symbol", &json!({ "query": "log" }));
    assert_eq!(places(&json!(each_location(&found))).len(), 2, "{found}");
    // Without an address, a call could be about either.
    assert_eq!(editor.errors("ubp/call", &json!({ "operation": "status" })), -32602);
    for (uri, title) in [(address(&other.path("Alone.md")), "Alone"), (second.clone(), "Alone")] {
        let listed = editor.ask("ubp/call", &json!({ "operation": "list_pages", "uri": uri }));
        assert!(listed.to_string().contains(title) && !listed.to_string().contains("Sessions"), "{listed}");
    }
    // Links do not leave their project.
    let uri = address(&other.path("New.md"));
    editor.open_uri(&uri, "# N\n\n[[Login]] [[Sessions]]\n");
    let links = editor.ask("textDocument/documentLink", &json!({ "textDocument": { "uri": uri } }));
    assert_eq!(each(&links, "target"), [address(&other.path("Login.md"))]);
    changed_folders(&mut editor, &[], &[&second]);
    // A document that is open keeps its project.
    assert!(
        !editor.ask("textDocument/documentLink", &json!({ "textDocument": { "uri": uri } }))[0].is_null()
    );
    editor.client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } })).unwrap();
    changed_folders(&mut editor, &[], &[&second]);
    assert!(editor.ask("ubp/call", &json!({ "operation": "status" })).is_object());
}

fn each_location(symbols: &Value) -> Vec<Value> {
    symbols
        .as_array()
        .unwrap()
        .iter()
        .filter(|own| own["kind"] == 1)
        .map(|own| own["location"].clone())
        .collect()
}

#[test]
fn a_folder_that_is_added_is_indexed_with_progress_and_followed() {
    let mut editor = Editor::new();
    editor.settle();
    let other = Terminal::vault([("A.md", "# A\n")]).unwrap();
    let uri = address(other.folder());
    editor.client.forget();
    changed_folders(&mut editor, &[&uri], &[]);
    let ended = |heard: &[Value]| {
        let values: Vec<_> = heard
            .iter()
            .filter(|own| own["method"] == "$/progress")
            .map(|own| own["params"]["value"].clone())
            .collect();
        (values.len() == 2).then_some(values)
    };
    let progress = editor.client.until("progress", ended).unwrap();
    assert_eq!((&progress[0]["kind"], &progress[0]["title"]), (&json!("begin"), &json!("Indexing pages")));
    assert_eq!(progress[1]["kind"], "end");
    let created = editor.client.told("window/workDoneProgress/create");
    assert_eq!(created[0]["token"], editor.client.told("$/progress")[0]["token"]);
    other.write("B.md", "# B\n").unwrap();
    told_of_change(&editor, &uri, "pages");
    // The same folder twice, and one of its own folders removed, change nothing.
    changed_folders(&mut editor, &[&uri], &[]);
    let below = format!("{uri}/below");
    changed_folders(&mut editor, &[], &[&below]);
    editor.ask("ubp/call", &json!({ "operation": "status", "uri": uri }));
    editor.client.forget();
    other.write("C.md", "# C\n").unwrap();
    told_of_change(&editor, &uri, "pages");
}

#[test]
fn a_client_without_progress_is_sent_none() {
    let mut editor = Editor::that(|params| params["capabilities"]["window"] = Value::Null);
    editor.settle();
    editor.terminal.write("pages/More.md", "# More\n").unwrap();
    told_of_change(&editor, &address(editor.terminal.folder()), "pages");
    assert_eq!(editor.client.told("$/progress"), Vec::<Value>::new());
    assert_eq!(editor.client.told("window/workDoneProgress/create"), Vec::<Value>::new());
}

#[test]
fn changes_by_others_are_told_and_their_problems_with_them() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
    editor.client.forget();
    editor.terminal.write("pages/Nowhere.md", "# Nowhere\n\n[[Login]]\n").unwrap();
    editor.diagnostics("pages/Login.md", <[Value]>::is_empty);
    told_of_change(&editor, &address(editor.terminal.folder()), "pages");
    for refresh in ["codeLens", "inlayHint", "semanticTokens"] {
        let method = format!("workspace/{refresh}/refresh");
        editor
            .client
            .until(&method, |heard| heard.iter().any(|own| own["method"] == *method).then_some(()))
            .unwrap();
    }
    // Clients tell what they did themselves; those notifications are accepted.
    let files = json!({ "files": [{ "uri": editor.uri("pages/X.md"), "oldUri": editor.uri("a"), "newUri": editor.uri("b") }] });
    for method in ["didRenameFiles", "didCreateFiles", "didDeleteFiles"] {
        editor.client.notify(&format!("workspace/{method}"), &files).unwrap();
    }
    editor.settle();
}

#[test]
fn a_project_that_only_a_request_named_is_followed_too() {
    let other = Terminal::vault([("A.md", "# A\n\n[[B]]\n")]).unwrap();
    let mut editor = Editor::new();
    let uri = address(other.folder());
    editor.ask("ubp/call", &json!({ "operation": "list_pages", "uri": uri }));
    std::thread::sleep(Duration::from_millis(50));
    other.write("B.md", "# B\n").unwrap();
    told_of_change(&editor, &uri, "pages");
}

#[test]
fn removing_one_of_two_folders_of_a_project_keeps_it_open() {
    let mut editor = Editor::that(|params| {
        let root = params["rootUri"].as_str().unwrap().to_owned();
        params["workspaceFolders"] =
            json!([folder(&format!("{root}/pages")), folder(&format!("{root}/src"))]);
    });
    editor.settle();
    let src = editor.uri("src");
    changed_folders(&mut editor, &[], &[&src]);
    editor.client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": src } })).unwrap();
    // `ubp/call` without an address needs an open project, and opens none.
    assert!(editor.ask("ubp/call", &json!({ "operation": "status" })).is_object());
    let pages = editor.uri("pages");
    changed_folders(&mut editor, &[], &[&pages]);
    assert_eq!(editor.errors("ubp/call", &json!({ "operation": "status" })), -32602);
}

#[test]
fn a_folder_outside_of_any_project_is_told_in_the_log_only() {
    let outside = tempfile::tempdir().unwrap();
    let uri = address(outside.path());
    let mut editor = Editor::new();
    changed_folders(
        &mut editor,
        &[&uri, "untitled:x", "file:///no/such/folder", "nonsense"],
        &["untitled:x"],
    );
    let logged = editor.client.until("a line in the log", |heard| {
        let told = |own: &&Value| own["method"] == "window/logMessage";
        heard.iter().find(told).map(|own| own["params"]["message"].as_str().unwrap().to_owned())
    });
    assert!(logged.unwrap().contains("is not in a project"));
    assert_eq!(editor.client.told("window/showMessage"), Vec::<Value>::new());
    editor.settle();
}

#[test]
fn calls_answer_like_the_operations() {
    let mut editor = Editor::new();
    let found = editor.call("search", &json!({ "query": "five errors" }));
    assert_eq!(found["results"][0]["filepath"], "Login.md");
    let by_root =
        editor.ask("ubp/call", &json!({ "operation": "search", "params": { "query": "five errors" } }));
    assert_eq!(by_root["results"], found["results"]);
    let created = editor.call("create_page", &json!({ "title": "Called" }));
    assert!(editor.terminal.path("pages").join(created["filepath"].as_str().unwrap()).exists());
    assert_eq!(
        editor.errors("ubp/call", &json!({ "operation": "status", "uri": "https://example.org" })),
        -32602
    );
    let missing = editor
        .client
        .answered("ubp/call", &json!({ "operation": "get_page", "params": { "page": "Nobody" } }))
        .unwrap();
    assert_eq!(missing["error"]["code"], -32803);
    assert!(missing["error"]["message"].as_str().unwrap().contains("Nobody"), "{missing}");
}

#[test]
fn people_read_their_language() {
    let mut editor = Editor::that(|params| params["locale"] = json!("ja-JP"));
    let text = editor.open("pages/Login.md");
    editor.settle();
    let is_japanese =
        |text: &str| text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'));
    let found = editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
    assert!(is_japanese(found[0]["message"].as_str().unwrap()), "{found:?}");
    let params = json!({
        "textDocument": { "uri": editor.uri("pages/Login.md") }, "range": found[0]["range"],
        "context": { "diagnostics": found }
    });
    for title in each(&editor.ask("textDocument/codeAction", &params), "title") {
        assert!(is_japanese(title), "{title}");
    }
    for path in ["pages/Login.md", "src/session.ts"] {
        let lenses = editor.about("codeLens", path);
        assert!(is_japanese(lenses[0]["command"]["title"].as_str().unwrap()), "{lenses}");
    }
    for word in ["Sessions|", "Nowhere", "src/session.ts#Session.check]]"] {
        let hover = editor.about_place("hover", "pages/Login.md", &position_of(&text, word));
        assert!(is_japanese(hover["contents"]["value"].as_str().unwrap()), "{hover}");
    }
    let missing = json!({ "operation": "get_page", "params": { "page": "Nobody" } });
    let refused = editor.client.answered("ubp/call", &missing).unwrap();
    assert!(is_japanese(refused["error"]["message"].as_str().unwrap()), "{refused}");
    let progress = editor.client.told("$/progress");
    assert!(is_japanese(progress[0]["value"]["title"].as_str().unwrap()), "{progress:?}");
}
