//! Messages, their order, and their answers: each request has exactly one.

use super::*;
use ubp_tests::lsp::framed;

fn started() -> (Terminal, LspClient) {
    let terminal = project();
    let client = LspClient::start(command(terminal.folder(), &["lsp"])).unwrap();
    (terminal, client)
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn each_capability_that_is_told_has_a_request_that_is_answered() {
    let mut editor = Editor::that(pulls);
    let text = editor.open("pages/Login.md");
    let capabilities = editor.hello["capabilities"].clone();
    let mut told: Vec<&str> = capabilities.as_object().unwrap().keys().map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            "callHierarchyProvider",
            "codeActionProvider",
            "codeLensProvider",
            "completionProvider",
            "definitionProvider",
            "diagnosticProvider",
            "documentLinkProvider",
            "documentSymbolProvider",
            "executeCommandProvider",
            "foldingRangeProvider",
            "hoverProvider",
            "inlayHintProvider",
            "positionEncoding",
            "referencesProvider",
            "renameProvider",
            "semanticTokensProvider",
            "textDocumentSync",
            "workspace",
            "workspaceSymbolProvider",
        ],
        "a new capability needs a row in `requests`"
    );
    assert_eq!(editor.hello["serverInfo"]["name"], "ubp");
    let uri = editor.uri("pages/Login.md");
    for (method, params) in requests(&uri, &position_of(&text, "Sessions|")) {
        let answer = editor.ask(method, &params);
        assert!(!answer.is_null(), "{method} {params}");
    }
}

#[test]
fn requests_before_the_greeting_and_after_the_farewell_are_refused() {
    let (terminal, mut client) = started();
    let params = params(terminal.folder());
    for (method, params) in requests(&address(&terminal.path("pages/Login.md")), &at(0, 0)) {
        assert_eq!(code(&client.answered(method, &params).unwrap()), -32002, "{method}");
    }
    // Notifications before it are ignored.
    client.notify("textDocument/didOpen", &json!({ "textDocument": 1 })).unwrap();
    client.initialize(&params).unwrap();
    assert_eq!(code(&client.answered("initialize", &params).unwrap()), -32600);
    client.ask("shutdown", &Value::Null).unwrap();
    for method in ["shutdown", "initialize", "textDocument/hover", "unknown"] {
        assert_eq!(code(&client.answered(method, &json!({})).unwrap()), -32600, "{method}");
    }
    client.notify("exit", &Value::Null).unwrap();
    assert_eq!(client.exit_status().unwrap(), Some(0));
}

#[test]
fn the_exit_status_tells_whether_the_editor_said_farewell() {
    for say_exit in [true, false] {
        let (terminal, mut client) = started();
        client.initialize(&params(terminal.folder())).unwrap();
        if say_exit {
            client.notify("exit", &Value::Null).unwrap();
            assert_eq!(client.exit_status().unwrap(), Some(1));
        } else {
            assert_eq!(client.leave().unwrap(), Some(1));
        }
    }
    let (terminal, mut client) = started();
    client.initialize(&params(terminal.folder())).unwrap();
    client.ask("shutdown", &Value::Null).unwrap();
    assert_eq!(client.leave().unwrap(), Some(0));
}

#[test]
fn an_invalid_greeting_is_refused_and_a_valid_one_may_follow() {
    let (terminal, mut client) = started();
    for params in [json!(null), json!([]), json!({ "capabilities": 3 }), json!({ "processId": "x" })] {
        assert_eq!(code(&client.answered("initialize", &params).unwrap()), -32602, "{params}");
    }
    client.initialize(&params(terminal.folder())).unwrap();
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn options_of_a_wrong_type_take_nothing_from_the_others() {
    let mut editor = Editor::that(|params| {
        params["initializationOptions"] =
            json!({ "readOnly": true, "commands": "x", "inlayHints": 3, "new": {} });
    });
    let uri = editor.uri("pages/Login.md");
    let params = json!({ "command": "ubp.review", "arguments": [uri, null] });
    assert_eq!(editor.errors("workspace/executeCommand", &params), -32803);
}

#[test]
fn invalid_parameters_are_refused_for_each_method() {
    let mut editor = Editor::that(pulls);
    let uri = editor.uri("pages/Login.md");
    let mut refused = 0;
    for (method, _) in requests(&uri, &at(0, 0)) {
        for params in
            [json!(null), json!([]), json!(3), json!("x"), json!({}), json!({ "textDocument": { "uri": 5 } })]
        {
            let answer = editor.client.answered(method, &params).unwrap();
            if answer.get("error").is_some() {
                assert_eq!(code(&answer), -32602, "{method} {params}: {answer}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
    let uri = json!(uri);
    let invalid_commands = [
        ("ubp.createPage", json!([])),
        ("ubp.createPage", json!([uri])),
        ("ubp.createPage", json!([uri, 5])),
        ("ubp.createPage", json!(["untitled:x", "T"])),
        ("ubp.review", json!([5])),
        ("ubp.review", json!([uri, []])),
        ("ubp.accept", json!([uri, null])),
        ("ubp.accept", json!([uri, "Guide.md", "x"])),
        ("ubp.other", json!([uri])),
    ];
    for (command, arguments) in invalid_commands {
        let params = json!({ "command": command, "arguments": arguments });
        assert_eq!(editor.errors("workspace/executeCommand", &params), -32602, "{params}");
    }
    for params in
        [json!({ "operation": "no_such" }), json!({ "operation": "search", "params": { "limit": "x" } })]
    {
        assert_eq!(editor.errors("ubp/call", &params), -32602, "{params}");
    }
}

#[test]
fn unknown_methods_are_refused_and_unknown_notifications_are_not_answered() {
    let mut editor = Editor::new();
    for method in ["unknown", "$/unknown", "textDocument/formatting", "", "initialized"] {
        assert_eq!(editor.errors(method, &json!({})), -32601, "{method}");
    }
    for method in
        ["$/setTrace", "workspace/didChangeConfiguration", "unknown", "workspace/didChangeWatchedFiles"]
    {
        editor.client.notify(method, &json!({ "x": 1 })).unwrap();
    }
    for method in ["didOpen", "didChange", "didClose", "didSave"].map(|name| format!("textDocument/{name}")) {
        for params in [json!(null), json!({}), json!({ "textDocument": {} })] {
            editor.client.notify(&method, &params).unwrap();
        }
    }
    assert_eq!(editor.client.close().unwrap(), Some(0));
}

#[test]
fn what_is_not_a_message_is_answered_with_an_error_and_the_next_is_read() {
    let mut editor = Editor::new();
    let invalid: [(&[u8], i64); 8] = [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"", -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":7}", -32600),
    ];
    for (body, expected) in invalid {
        editor.client.forget();
        editor.client.write(&framed(body)).unwrap();
        let told = editor
            .client
            .until("an error", |heard| heard.iter().find(|message| message.get("error").is_some()).cloned());
        assert_eq!(code(&told.unwrap()), expected, "{}", String::from_utf8_lossy(body));
    }
    // Deep nesting must not end the process either.
    editor.client.write(&framed("[".repeat(100_000).as_bytes())).unwrap();
    editor.settle();
    assert_eq!(editor.client.close().unwrap(), Some(0));
}

#[test]
fn headers_without_a_usable_length_end_the_server() {
    for header in [
        "Content-Length: 99999999999\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: x\r\n\r\n",
        "\r\n",
        "Content-Type: x\r\n\r\n{}",
        &format!("X: {}", "x".repeat(100_000)),
    ] {
        let (terminal, mut client) = started();
        client.initialize(&params(terminal.folder())).unwrap();
        // It may end before all of it is written.
        let _ = client.write(header.as_bytes());
        assert_eq!(client.exit_status().unwrap(), Some(1), "{}", &header[..header.len().min(40)]);
    }
}

#[test]
fn ids_may_be_texts_and_are_refused_while_they_are_in_use() {
    let (terminal, mut editor) = busy();
    let uri = address(&terminal.path("pages/Login.md"));
    let hover = json!({
        "jsonrpc": "2.0", "id": "twice", "method": "textDocument/hover",
        "params": { "textDocument": { "uri": uri }, "position": at(0, 0) }
    });
    editor.say(&hover).unwrap();
    editor.say(&hover).unwrap();
    let id = json!("twice");
    let two = editor.until("two answers", |heard| {
        let found: Vec<_> = heard.iter().filter(|message| message.get("id") == Some(&id)).cloned().collect();
        (found.len() == 2).then_some(found)
    });
    let two = two.unwrap();
    assert_eq!(code(&two[0]), -32600, "the second is refused while the first waits: {two:?}");
    assert!(two[1].get("result").is_some(), "{two:?}");
    // Answered: the id is free again.
    editor.forget();
    editor.say(&hover).unwrap();
    assert!(editor.answer(&id).unwrap().get("result").is_some());
}

/// A server whose workers all have long questions to answer.
fn busy() -> (Terminal, LspClient) {
    let terminal = project();
    for number in 0..200 {
        let text = format!("# Page {number}\n\n[[Login]] [[Sessions]] [[Nowhere {number}]]\n");
        terminal.write(&format!("pages/many/{number}.md"), text).unwrap();
    }
    let mut client = LspClient::start(command(terminal.folder(), &["lsp"])).unwrap();
    client.initialize(&params(terminal.folder())).unwrap();
    for _ in 0..8 {
        client.send("workspace/diagnostic", &json!({ "previousResultIds": [] })).unwrap();
    }
    (terminal, client)
}

#[test]
fn a_cancelled_request_is_answered_once() {
    let (terminal, mut client) = busy();
    let uri = address(&terminal.path("pages/Login.md"));
    let cancel =
        |client: &mut LspClient, id: &Value| client.notify("$/cancelRequest", &json!({ "id": id })).unwrap();
    // Before: there is nothing to cancel.
    for id in [json!(1_000_000), json!("never"), json!(null), json!({}), json!([1])] {
        cancel(&mut client, &id);
    }
    client.notify("$/cancelRequest", &Value::Null).unwrap();
    // During.
    let mut ids = Vec::new();
    for (method, params) in requests(&uri, &at(9, 10)) {
        if method == "workspace/executeCommand" {
            continue;
        }
        let id = json!(client.send(method, &params).unwrap());
        cancel(&mut client, &id);
        cancel(&mut client, &id);
        assert_eq!(code(&client.answer(&id).unwrap()), -32800, "{method}");
        ids.push(id);
    }
    // After.
    let id = json!(client.send("ubp/call", &json!({ "operation": "status" })).unwrap());
    assert!(client.answer(&id).unwrap().get("result").is_some());
    cancel(&mut client, &id);
    ids.push(id);
    // Twice as many as there are workers: whatever was cancelled has ended.
    for _ in 0..8 {
        client.ask("ubp/call", &json!({ "operation": "status" })).unwrap();
    }
    for id in ids {
        assert_eq!(client.answers(&id), 1, "{id}");
    }
}

#[test]
fn an_id_that_was_cancelled_can_be_used_again_at_once() {
    let (_terminal, mut client) = busy();
    let id = json!("again");
    for round in 0..5 {
        client.forget();
        let slow = json!({
            "jsonrpc": "2.0", "id": id, "method": "workspace/diagnostic", "params": { "previousResultIds": [] }
        });
        client.say(&slow).unwrap();
        client.notify("$/cancelRequest", &json!({ "id": id })).unwrap();
        let quick =
            json!({ "jsonrpc": "2.0", "id": id, "method": "ubp/call", "params": { "operation": "status" } });
        client.say(&quick).unwrap();
        let two = client.until("two answers", |heard| {
            let found: Vec<_> =
                heard.iter().filter(|message| message.get("id") == Some(&id)).cloned().collect();
            (found.len() == 2).then_some(found)
        });
        let two = two.unwrap();
        assert_eq!(code(&two[0]), -32800);
        assert!(
            two[1]["result"].is_object() && two[1]["result"].get("items").is_none(),
            "round {round}: {}",
            two[1]
        );
    }
}

#[test]
fn many_requests_at_once_are_all_answered_once() {
    let mut editor = Editor::that(pulls);
    let text = editor.open("pages/Login.md");
    let uri = editor.uri("pages/Login.md");
    let mut ids = Vec::new();
    for round in 0..10 {
        for (method, params) in requests(&uri, &at(round, 3)) {
            if method != "workspace/executeCommand" {
                ids.push(json!(editor.client.send(method, &params).unwrap()));
            }
        }
        editor.type_all("pages/Login.md", 2 + i32::try_from(round).unwrap(), &text);
    }
    for id in &ids {
        let answer = editor.client.answer(id).unwrap();
        assert!(answer.get("error").is_none(), "{answer}");
    }
    for id in &ids {
        assert_eq!(editor.client.answers(id), 1, "{id}");
    }
    assert_eq!(editor.client.close().unwrap(), Some(0));
}
