//! Problems of pages, and what repairs them.

use super::*;

/// The actions that are offered at a place, with what is wrong there.
fn offered(editor: &mut Editor, path: &str, range: &Value, diagnostics: &[Value]) -> Value {
    let params = json!({
        "textDocument": { "uri": editor.uri(path) }, "range": range, "context": { "diagnostics": diagnostics }
    });
    editor.ask("textDocument/codeAction", &params)
}

#[track_caller]
fn titled(actions: &Value, title: &str) -> Value {
    let found = actions.as_array().unwrap().iter().find(|action| action["title"] == title);
    found.unwrap_or_else(|| panic!("no {title:?} in {actions}")).clone()
}

fn run(editor: &mut Editor, action: &Value) -> Value {
    let command = &action["command"];
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    editor.ask("workspace/executeCommand", &params)
}

#[test]
fn problems_are_told_with_their_place_code_and_explanation() {
    let mut editor = Editor::new();
    let text = "---\nsource_refs:\n  - src/session.ts\n  - src/gone.ts\n---\n# New\n\n[[Nobody]] [[Login#Nothing]] [[src/session.ts#gone]] [[Login#^limit]]\n";
    editor.open_with("pages/New.md", text);
    let found = editor.diagnostics("pages/New.md", |found| found.len() >= 5);
    let told: Vec<_> = found
        .iter()
        .map(|own| {
            (
                own["code"].as_str().unwrap(),
                own["range"]["start"]["line"].as_u64().unwrap(),
                own["range"]["start"]["character"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("missing_source", 3, 4),
            ("unresolved_link", 7, 0),
            ("missing_heading", 7, 11),
            ("missing_symbol", 7, 29),
            ("missing_heading", 7, 53)
        ]
    );
    for own in &found {
        assert_eq!(own["source"], "ubp");
        assert!(
            own["codeDescription"]["href"].as_str().unwrap().ends_with("docs/editors.md#problems"),
            "{own}"
        );
        assert!(own["severity"].is_number() && !own["message"].as_str().unwrap().is_empty(), "{own}");
    }
    // Taken back with the document.
    editor.close_document("pages/New.md");
    editor.diagnostics("pages/New.md", <[Value]>::is_empty);
}

#[test]
fn a_client_that_pulls_is_not_pushed_to() {
    let mut editor = Editor::that(pulls);
    editor.open("pages/Login.md");
    editor.settle();
    let report = editor.about("diagnostic", "pages/Login.md");
    assert_eq!(report["kind"], "full");
    assert_eq!(codes(report["items"].as_array().unwrap()), ["unresolved_link"]);
    editor.type_all("pages/Login.md", 2, "# Login\n\n[[Sessions]] [[Guide]]\n");
    assert_eq!(editor.about("diagnostic", "pages/Login.md")["items"], json!([]));
    let all = editor.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let told: Vec<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|page| page["items"].as_array().is_some_and(|items| !items.is_empty()))
        .map(|page| page["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect();
    // Links on the disk are gone from the screen.
    assert!(!told.contains(&"Login.md".to_owned()), "{told:?}");
    editor.close_document("pages/Login.md");
    let all = editor.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let pages = all["items"].as_array().unwrap();
    let login = pages.iter().find(|page| page["uri"].as_str().unwrap().ends_with("Login.md")).unwrap();
    assert!(codes(login["items"].as_array().unwrap()).contains(&"unresolved_link"), "{all}");
    assert_eq!(editor.client.told("textDocument/publishDiagnostics"), Vec::<Value>::new());
}

#[test]
fn problems_of_all_pages_are_taken_back_when_they_are_gone() {
    let mut editor = Editor::that(pulls);
    editor.settle();
    let report = |editor: &mut Editor, before: &Value| {
        let all = editor.ask("workspace/diagnostic", &json!({ "previousResultIds": before }));
        let pages = all["items"].as_array().unwrap().clone();
        let login = pages.iter().find(|page| page["uri"].as_str().unwrap().ends_with("Login.md")).cloned();
        let ids = pages
            .iter()
            .map(|page| json!({ "uri": page["uri"], "value": page["resultId"] }))
            .collect::<Vec<_>>();
        (login, json!(ids))
    };
    let (login, before) = report(&mut editor, &json!([]));
    assert_eq!(login.unwrap()["kind"], "full");
    let (login, before) = report(&mut editor, &before);
    assert_eq!(login.unwrap()["kind"], "unchanged");
    editor
        .terminal
        .write("pages/Login.md", "# Login\n\n[[Sessions]] and [[Guide]]. More.\n\n## Errors\n\nX ^limits\n")
        .unwrap();
    editor.call("add", &json!({}));
    let (login, _) = report(&mut editor, &before);
    let login = login.unwrap();
    assert_eq!((&login["kind"], &login["items"]), (&json!("full"), &json!([])));
}

#[test]
fn a_missing_page_is_created() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    let found = editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
    let actions = offered(&mut editor, "pages/Login.md", &found[0]["range"], &found);
    let create = titled(&actions, "Create the page 'Nowhere'");
    assert_eq!((&create["kind"], &create["diagnostics"]), (&json!("quickfix"), &json!(found)));
    let created = run(&mut editor, &create);
    assert_eq!(created["filepath"], "Nowhere.md");
    assert!(fs::read_to_string(editor.terminal.path("pages/Nowhere.md")).unwrap().contains("# Nowhere"));
    editor.diagnostics("pages/Login.md", <[Value]>::is_empty);
    let shown = editor.client.told("window/showDocument");
    assert_eq!(shown[0]["uri"], json!(editor.uri("pages/Nowhere.md")));
}

#[test]
fn a_page_that_is_created_for_a_link_with_a_folder_is_where_the_link_leads() {
    let mut editor = Editor::new();
    for (number, link) in
        ["guides/New page", "team/Other", "Guide/Deep/Page.md", "Ünïcode 日本", "what? why: *"]
            .iter()
            .enumerate()
    {
        let path = format!("pages/from{number}.md");
        editor.open_with(&path, &format!("# From {number}\n\n[[{link}]]\n"));
        let found = editor.diagnostics(&path, |found| codes(found).contains(&"unresolved_link"));
        let broken: Vec<Value> =
            found.iter().filter(|own| own["code"] == "unresolved_link").cloned().collect();
        let actions = offered(&mut editor, &path, &broken[0]["range"], &broken);
        run(&mut editor, &actions[0]);
        editor.diagnostics(&path, |found| !codes(found).contains(&"unresolved_link"));
    }
}

#[test]
fn a_missing_heading_is_replaced_by_the_closest() {
    let mut editor = Editor::new();
    let text = "# New\n\n[[Login#Erors]]\n";
    editor.open_with("pages/New.md", text);
    let found = editor.diagnostics("pages/New.md", |found| codes(found).contains(&"missing_heading"));
    let actions = offered(&mut editor, "pages/New.md", &found[0]["range"], &found);
    let change = titled(&actions, "Change to '#Errors'");
    let edit = &change["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"]["version"], 1);
    assert_eq!(edit["edits"], json!([{ "range": range((2, 8), (2, 13)), "newText": "Errors" }]));
}

#[test]
fn sections_are_moved_to_pages_of_their_own_and_embedded_pages_are_put_in_place() {
    let mut editor = Editor::new();
    let text = "# New\n\n## Part: one/two | three\n\nText.\n\n### Below\n\nMore.\n\n## Rest\n\n![[Guide]]\n";
    editor.open_with("pages/New.md", text);
    editor.settle();
    let actions = offered(&mut editor, "pages/New.md", &range((2, 3), (2, 3)), &[]);
    let extract = actions
        .as_array()
        .unwrap()
        .iter()
        .find(|action| action["kind"] == "refactor.extract")
        .unwrap_or_else(|| panic!("{actions}"));
    let changes = &extract["edit"]["documentChanges"];
    assert_eq!(changes[0]["kind"], "create");
    let created = changes[1]["edits"][0]["newText"].as_str().unwrap();
    assert!(created.ends_with("\n\nText.\n\n### Below\n\nMore.\n"), "{created}");
    let left = &changes[2]["edits"][0];
    assert_eq!(left["range"], range((2, 0), (10, 0)));
    // The link that stays leads to the page that was made.
    let file = changes[0]["uri"].as_str().unwrap().strip_prefix(SCHEME).unwrap().replace("%20", " ");
    fs::write(file, created).unwrap();
    let now = format!("# New\n\n{}", left["newText"].as_str().unwrap());
    editor.call("add", &json!({}));
    editor.type_all("pages/New.md", 2, &now);
    let links = editor.about("documentLink", "pages/New.md");
    assert_eq!(links[0]["target"], changes[0]["uri"], "{now}");
    editor.type_all("pages/New.md", 3, text);
    let actions = offered(&mut editor, "pages/New.md", &range((12, 5), (12, 5)), &[]);
    let inline = titled(&actions, "Replace with the text of 'Guide'");
    assert_eq!(inline["edit"]["documentChanges"][0]["edits"][0]["newText"], json!(GUIDE.trim()));
    // Of an editor that cannot create files, text would be lost.
    for capabilities in [
        json!({}),
        json!({ "workspaceEdit": { "documentChanges": true } }),
        json!({ "workspaceEdit": { "resourceOperations": ["create"] } }),
    ] {
        let mut plain = Editor::that(|params| params["capabilities"]["workspace"] = capabilities.clone());
        plain.open_with("pages/New.md", text);
        let actions = offered(&mut plain, "pages/New.md", &range((2, 3), (2, 3)), &[]);
        assert!(
            actions.as_array().unwrap().iter().all(|action| action["kind"] != "refactor.extract"),
            "{capabilities}"
        );
    }
}

#[test]
fn only_the_wanted_kinds_of_actions_are_offered() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.settle();
    let at = position_of(&text, "Errors");
    for (only, expected) in [
        ("refactor", true),
        ("refactor.extract", true),
        ("refactor.inline", false),
        ("quickfix", false),
        ("source", false),
        ("refactor.ex", false),
    ] {
        let params = json!({
            "textDocument": { "uri": editor.uri("pages/Login.md") }, "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "only": [only] }
        });
        let actions = editor.ask("textDocument/codeAction", &params);
        assert_eq!(!actions.as_array().unwrap().is_empty(), expected, "{only}: {actions}");
    }
}

#[test]
fn a_link_back_is_added_where_there_is_none() {
    let mut editor = Editor::new();
    let text = editor.open("pages/guides/Guide.md");
    editor.settle();
    let at = position_of(&text, "Login#");
    let actions = offered(&mut editor, "pages/guides/Guide.md", &json!({ "start": at, "end": at }), &[]);
    let back = titled(&actions, "Add a link back on 'Login'");
    let edit = &back["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"]["uri"], json!(editor.uri("pages/Login.md")));
    assert_eq!(edit["edits"][0]["newText"], "\n[[Guide]]\n");
    let login = editor.open("pages/Login.md");
    let at = position_of(&login, "Sessions|");
    let actions = offered(&mut editor, "pages/Login.md", &json!({ "start": at, "end": at }), &[]);
    assert!(!actions.to_string().contains("Add a link back"), "Sessions links to Login: {actions}");
}

#[test]
fn a_mention_becomes_a_link() {
    let terminal = project();
    terminal.write("pages/Notes.md", "# Notes\n\nThe Sessions are short.\n").unwrap();
    let mut editor = Editor::on(terminal, |_| {});
    editor.open("pages/Notes.md");
    editor.settle();
    let actions = offered(&mut editor, "pages/Notes.md", &range((2, 6), (2, 6)), &[]);
    let link = titled(&actions, "Link 'Sessions' to 'Sessions'");
    run(&mut editor, &link);
    let text = fs::read_to_string(editor.terminal.path("pages/Notes.md")).unwrap();
    assert!(text.contains("[[Sessions]]"), "{text}");
}

#[test]
fn a_stale_page_is_marked_as_reviewed() {
    let terminal = project();
    let page = "# Code\n\n## Check\n\nSee [[src/session.ts#Session.check]].\n";
    terminal.write("pages/Code.md", page).unwrap();
    terminal.write(".gitignore", ".ubp/metadata.db*\n.ubp/audit.jsonl\n").unwrap();
    terminal.git("init --quiet --initial-branch=main");
    terminal.git("add --all");
    terminal.git("commit --quiet -m first");
    assert!(terminal.ubp("review --all --still-accurate").succeeded());
    terminal.git("add --all");
    terminal.git("commit --quiet -m reviewed");
    terminal.write("src/session.ts", CODE.replace("> 0", "> 1 && user !== 'root'")).unwrap();
    let mut editor = Editor::on(terminal, |_| {});
    editor.open("pages/Code.md");
    let found = editor.diagnostics("pages/Code.md", |found| codes(found).contains(&"stale_section"));
    let stale: Vec<Value> = found.iter().filter(|own| own["code"] == "stale_section").cloned().collect();
    assert_eq!(stale[0]["range"]["start"]["line"], 2, "the section that names the symbol: {stale:?}");
    assert!(stale[0]["message"].as_str().unwrap().contains("src/session.ts#Session.check"), "{stale:?}");
    let lenses = editor.about("codeLens", "pages/Code.md");
    assert_eq!(
        (&lenses[1]["command"]["title"], &lenses[1]["range"]["start"]["line"]),
        (&json!("1 source changed"), &json!(2))
    );
    let code = editor.about("codeLens", "src/session.ts");
    assert_eq!(code[0]["command"]["title"], "Described in Code, Login (to be reviewed)");
    let actions = offered(&mut editor, "pages/Code.md", &stale[0]["range"], &stale);
    let review = titled(&actions, "Mark 'Check' as reviewed");
    run(&mut editor, &review);
    editor.diagnostics("pages/Code.md", |found| !codes(found).contains(&"stale_section"));
    assert_eq!(editor.about("codeLens", "pages/Code.md").as_array().unwrap().len(), 1);
}
