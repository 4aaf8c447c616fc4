//! Texts, addresses and places that no editor should send: every request has an answer, and the server goes on.

use super::*;

fn hostile_texts() -> Vec<(&'static str, String)> {
    let front = |text: &str| format!("---\n{text}\n---\n# T\n\n[[Login]]\n");
    vec![
        ("empty", String::new()),
        ("NUL", "# A\0B\n\n[[Lo\0gin]] \0\n".into()),
        ("lone CR", "# A\r\r[[Login]]\r## B\r\r#tag\r".into()),
        ("mixed ends", "# A\r\n\n\r[[Login]]\n\r\r\n## B\n".into()),
        ("emoji", "# 👩‍💻🏳️‍🌈\n\n[[👩‍💻]] [[Login#🏳️‍🌈|👍🏽]] 😀#😀 ^😀\n".into()),
        ("bidirectional", "# \u{202e}nigol\u{202c}\n\n[[\u{200f}Login\u{200b}]]\u{feff}\n".into()),
        ("byte order mark", "\u{feff}---\ntitle: X\n---\n# X\n\n[[Login]]\n".into()),
        ("unclosed front matter", "---\ntitle: X\ntags: [a\n\n# X\n[[Login".into()),
        ("broken front matter", front("title: [\n  - : :\n\t- x\n&a *a\n")),
        ("types in front matter", front("title: {a: b}\ntags: 3\naliases: {x: [y]}\nsource_refs: [[[x]]]\ntype: [1]\n")),
        ("anchors in front matter", front("a: &a [x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]\n")),
        ("paths in front matter", front("source_refs: ['../../../etc/passwd', '/etc/passwd', '', '**', '[', 'a\\0b', 'src/session.ts#']\n")),
        ("unclosed links", "[[ [[| [[# [[#^ [[a# [[a|b ![[ [x]( [x](<a ]] ]]]] [[]] [[|]] [[#]] [[^]] [[.]] [[..]] [[/]]\n".into()),
        ("paths in links", "[[../../etc/passwd]] [[/etc/passwd]] [x](..%2f..%2fetc%2fpasswd) [[..\\..\\x]] [y](file:///etc/passwd) [[C:/x]] [z](%ff%fe%00)\n".into()),
        ("nested", format!("{}x\n", "> - ".repeat(3_000))),
        ("many fences", "```\n".repeat(999)),
        ("long line", format!("# T\n\n{}[[Login]]\n", "wörd ".repeat(40_000))),
        ("many links", "[[Login]] [[Nobody]] [[Login#Errors]] ".repeat(700)),
        ("1 MB", format!("# Large\n\n{}", "A line with words, é and 😀, and a [[Login#Errors]] link.\n\n## Part\n\n".repeat(15_000))),
        ("controls", (0u8..32).map(char::from).collect()),
    ]
}

#[test]
fn every_request_about_a_hostile_text_is_answered() {
    let mut editor = Editor::new();
    editor.settle();
    for (name, text) in hostile_texts() {
        editor.open_with("pages/Hostile.md", &text);
        let uri = editor.uri("pages/Hostile.md");
        let lines = u32::try_from(text.matches('\n').count()).unwrap();
        let mut positions = vec![at(2, 6)];
        if text.len() < 10_000 {
            positions.extend([at(0, 0), at(lines, 0), at(2, 3)]);
        }
        for position in positions {
            for (method, params) in requests(&uri, &position) {
                if text.len() > 100_000 && matches!(method, "workspace/diagnostic" | "textDocument/inlayHint")
                {
                    continue;
                }
                // There is no such page on the disk to be reviewed.
                if method != "workspace/executeCommand" {
                    let answer = editor.client.answered(method, &params).unwrap();
                    assert!(answer.get("error").is_none(), "{name}, {method} at {position}: {answer}");
                }
            }
        }
        editor.diagnostics("pages/Hostile.md", |_| true);
        editor.close_document("pages/Hostile.md");
    }
    assert_eq!(editor.client.close().unwrap(), Some(0));
}

#[test]
fn hostile_files_on_the_disk_harm_no_answer_about_others() {
    let terminal = project();
    for (number, (_, text)) in hostile_texts().into_iter().enumerate() {
        if text.len() < 100_000 {
            terminal.write(&format!("pages/h/{number}.md"), text).unwrap();
        }
    }
    terminal.write("pages/h/binary.md", [0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]).unwrap();
    terminal.write("pages/h/latin.md", b"# Caf\xe9\n\n[[Login]]\n").unwrap();
    let mut editor = Editor::on(terminal, pulls);
    let text = editor.open("pages/Login.md");
    editor.settle();
    let found = editor.about_place("references", "pages/Login.md", &position_of(&text, "# Login"));
    assert!(found.as_array().unwrap().len() > 20, "{found}");
    let all = editor.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    assert!(all["items"].as_array().unwrap().len() > 10);
}

#[test]
fn places_outside_of_the_text_are_answered() {
    let mut editor = Editor::new();
    editor.open("pages/Login.md");
    let uri = editor.uri("pages/Login.md");
    for position in [at(0, u32::MAX), at(u32::MAX, 0), at(u32::MAX, u32::MAX), at(9, 10_000), at(500, 3)] {
        for (method, params) in requests(&uri, &position) {
            editor.ask(method, &params);
        }
    }
    for position in [
        json!({ "line": -1, "character": 0 }),
        json!({ "line": 1.5, "character": 0 }),
        json!({ "line": 4_294_967_296_u64, "character": 0 }),
    ] {
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        assert_eq!(editor.errors("textDocument/hover", &params), -32602, "{position}");
    }
}

#[test]
fn addresses_that_are_no_pages_of_a_project_have_no_answers() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("Secret.md"), "# Wombat\n").unwrap();
    let mut editor = Editor::new();
    editor.settle();
    let root = address(editor.terminal.folder());
    let out = address(outside.path()).replacen("file://", "", 1);
    let up = "../".repeat(12);
    let escaped = up.replace('/', "%2f");
    let addresses = [
        "untitled:Untitled-1".to_owned(),
        "git:/x/Login.md?ref".into(),
        "https://example.org/Login.md".into(),
        "file:relative.md".into(),
        "file:///%00.md".into(),
        "file:///%ff.md".into(),
        "file://".into(),
        "file:///".into(),
        String::new(),
        format!("file://{out}/Secret.md"),
        format!("{root}/pages/{up}{}/Secret.md", out.trim_start_matches('/')),
        format!("{root}/pages/{escaped}{}/Secret.md", out.trim_start_matches('/')),
        format!("{root}/pages/no/such/{escaped}{}/Secret.md", out.trim_start_matches('/')),
        format!("{root}/pages/no/such/{escaped}{}/New.md", out.trim_start_matches('/')),
        format!("{root}/pages/no/..%2f..%2f..%2f..%2fetc%2fpasswd.md"),
        format!("{root}/pages/{}.md", "x".repeat(5_000)),
    ];
    for uri in &addresses {
        editor.open_uri(uri, "# Wombat\n\n[[Wombat]]\n");
        for (method, params) in requests(uri, &at(0, 0)) {
            let answer = editor.client.answered(method, &params).unwrap();
            let is_in = uri.starts_with(&root) && uri.ends_with("xxx.md");
            assert!(is_in || !answer.to_string().contains("Wombat"), "{method} {uri}: {answer}");
        }
        let change =
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": "x" }] });
        editor.client.notify("textDocument/didChange", &change).unwrap();
    }
    editor.open("pages/Login.md");
    editor.diagnostics("pages/Login.md", |found| codes(found) == ["unresolved_link"]);
    for uri in &addresses[9..15] {
        let told = editor.client.told("textDocument/publishDiagnostics");
        assert!(told.iter().all(|own| own["uri"] != **uri), "{uri}");
    }
    // Nothing of it was opened as a project, or made.
    assert!(editor.ask("ubp/call", &json!({ "operation": "status" })).is_object());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    let create = json!({ "command": "ubp.createPage", "arguments": [editor.uri("pages/Login.md"), "../../../x", null] });
    let made = editor.client.answered("workspace/executeCommand", &create).unwrap();
    assert!(
        made["error"].is_object() || !made["result"]["filepath"].as_str().unwrap().contains('/'),
        "{made}"
    );
    assert_eq!(editor.client.close().unwrap(), Some(0));
}

#[test]
fn a_page_may_be_deleted_moved_or_replaced_by_a_folder_while_it_is_open() {
    let mut editor = Editor::new();
    let text = editor.open("pages/Login.md");
    editor.open("pages/Sessions.md");
    editor.settle();
    fs::remove_file(editor.terminal.path("pages/Login.md")).unwrap();
    fs::rename(editor.terminal.path("pages/guides"), editor.terminal.path("pages/other")).unwrap();
    fs::create_dir(editor.terminal.path("pages/Login.md")).unwrap();
    for path in ["pages/Login.md", "pages/Sessions.md", "pages/guides/Guide.md"] {
        let uri = editor.uri(path);
        for (method, params) in requests(&uri, &position_of(&text, "Sessions|")) {
            editor.client.answered(method, &params).unwrap();
        }
    }
    // Its text is still on the screen.
    assert_eq!(each(&editor.about("documentSymbol", "pages/Login.md"), "name"), ["Login"]);
    fs::remove_dir_all(editor.terminal.path("pages")).unwrap();
    let answer = editor.about("documentSymbol", "pages/Sessions.md");
    assert_eq!(each(&answer, "name"), ["Sessions"]);
    assert_eq!(editor.client.close().unwrap(), Some(0));
}
