//! The language server over the streams of the real command: what editors ask, and what no editor should.

mod answers;
mod folders;
mod hostile;
mod problems;
mod protocol;
mod renames;
mod texts;
mod unsaved;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use ubp_tests::lsp::LspClient;
use ubp_tests::terminal::Terminal;

use crate::process::command;

const LOGIN: &str = "---
title: Login
aliases: [Signing in]
tags: [auth]
source_refs:
  - src/session.ts#Session.check
---
# Login

Needs [[Sessions|depends_on]], see [[Sessions#Storage]] and [[Nowhere]].

## Errors

After five errors it waits. ^limits

## Code

It calls [[src/session.ts#Session.check]]. #auth/basic
";

const SESSIONS: &str = "# Sessions

Made by [[Login]], within [[Login#^limits]].

## Storage

In memory, see ![[Guide]].
";

const GUIDE: &str = "# Guide\n\nRead [[Login#Errors]] first, or [the login page](../Login.md).\n";

const CODE: &str = "export class Session {
  /** Checks. */
  check(user: string): boolean {
    return user.length > 0;
  }
}
";

/// What an editor tells of itself here, unless a test changes it.
fn params(folder: &Path) -> Value {
    json!({
        "processId": null,
        "rootUri": address(folder),
        "workspaceFolders": [{ "uri": address(folder), "name": "project" }],
        "capabilities": {
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "workDoneProgress": true, "showDocument": { "support": true } },
            "workspace": {
                "workspaceEdit": {
                    "documentChanges": true, "resourceOperations": ["create", "rename", "delete"]
                },
                "codeLens": { "refreshSupport": true },
                "diagnostics": { "refreshSupport": true },
                "inlayHint": { "refreshSupport": true },
                "semanticTokens": { "refreshSupport": true }
            }
        },
        "initializationOptions": { "commands": ["ubp.showReferences"], "inlayHints": true }
    })
}

fn pulls(params: &mut Value) {
    params["capabilities"]["textDocument"]["diagnostic"] = json!({ "dynamicRegistration": false });
}

fn address(path: &Path) -> String {
    format!("{SCHEME}{}", path.display().to_string().replace('\\', "/"))
}

/// What precedes the absolute path of a file in its address.
const SCHEME: &str = if cfg!(windows) { "file:///" } else { "file://" };

fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": at(from.0, from.1), "end": at(to.0, to.1) })
}

/// The position of `word` in a text without characters beyond ASCII before it on its line.
#[track_caller]
fn position_of(text: &str, word: &str) -> Value {
    let offset = text.find(word).unwrap_or_else(|| panic!("no {word} in {text}"));
    let before = &text[..offset];
    let line = before.matches('\n').count();
    at(
        u32::try_from(line).unwrap(),
        u32::try_from(offset - before.rfind('\n').map_or(0, |at| at + 1)).unwrap(),
    )
}

/// A project, and an editor that has it open.
struct Editor {
    terminal: Terminal,
    client: LspClient,
    /// The answer to `initialize`.
    hello: Value,
}

impl Editor {
    fn new() -> Self {
        Self::that(|_| {})
    }

    /// One that tells other things of itself.
    fn that(change: impl FnOnce(&mut Value)) -> Self {
        Self::on(project(), change)
    }

    fn on(terminal: Terminal, change: impl FnOnce(&mut Value)) -> Self {
        let mut params = params(terminal.folder());
        change(&mut params);
        let mut client = LspClient::start(command(terminal.folder(), &["lsp"])).unwrap();
        let hello = client.initialize(&params).unwrap();
        Self { terminal, client, hello }
    }

    fn uri(&self, path: &str) -> String {
        address(&self.terminal.path(path))
    }

    /// Opens a document with the text of its file.
    fn open(&mut self, path: &str) -> String {
        let text = fs::read_to_string(self.terminal.path(path)).unwrap();
        self.open_with(path, &text);
        text
    }

    fn open_with(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        self.open_uri(&uri, text);
    }

    fn open_uri(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "markdown", "version": 1, "text": text });
        self.client.notify("textDocument/didOpen", &json!({ "textDocument": document })).unwrap();
    }

    /// Replaces the text of an open document.
    fn type_all(&mut self, path: &str, version: i32, text: &str) {
        self.change(path, version, &json!([{ "text": text }]));
    }

    fn change(&mut self, path: &str, version: i32, changes: &Value) {
        let document = json!({ "uri": self.uri(path), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.client.notify("textDocument/didChange", &params).unwrap();
    }

    fn close_document(&mut self, path: &str) {
        let params = json!({ "textDocument": { "uri": self.uri(path) } });
        self.client.notify("textDocument/didClose", &params).unwrap();
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.client.ask(method, params).unwrap()
    }

    /// Asks about a document.
    #[track_caller]
    fn about(&mut self, method: &str, path: &str) -> Value {
        let params = json!({ "textDocument": { "uri": self.uri(path) } });
        self.ask(&format!("textDocument/{method}"), &params)
    }

    /// Asks about a place in a document.
    #[track_caller]
    fn about_place(&mut self, method: &str, path: &str, position: &Value) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri(path) }, "position": position,
            "context": { "includeDeclaration": true, "triggerKind": 1 }
        });
        self.ask(&format!("textDocument/{method}"), &params)
    }

    /// Runs an operation, which waits until the index is up to date.
    #[track_caller]
    fn call(&mut self, operation: &str, params: &Value) -> Value {
        let uri = address(self.terminal.folder());
        self.ask("ubp/call", &json!({ "operation": operation, "params": params, "uri": uri }))
    }

    /// Waits until the index is up to date.
    fn settle(&mut self) {
        self.call("list_pages", &json!({ "limit": 1 }));
    }

    /// The last diagnostics of a document that the server sent and that satisfy `wanted`.
    #[track_caller]
    fn diagnostics(&self, path: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let uri = self.uri(path);
        let found = self.client.until(&format!("the wanted diagnostics of {path}"), |heard| {
            let told = |message: &&Value| {
                message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == *uri
            };
            let last = heard.iter().rev().find(told)?["params"]["diagnostics"].as_array()?;
            wanted(last).then(|| last.clone())
        });
        found.unwrap()
    }

    fn errors(&mut self, method: &str, params: &Value) -> i64 {
        let answer = self.client.answered(method, params).unwrap();
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} {params}: {answer}"))
    }
}

fn project() -> Terminal {
    let terminal = Terminal::project([
        ("pages/Login.md", LOGIN),
        ("pages/Sessions.md", SESSIONS),
        ("pages/guides/Guide.md", GUIDE),
    ]);
    let terminal = terminal.unwrap();
    terminal.write("src/session.ts", CODE).unwrap();
    terminal
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic["code"].as_str().unwrap()).collect()
}

/// The values of a field of each item.
#[track_caller]
fn each<'a>(items: &'a Value, field: &str) -> Vec<&'a str> {
    let items = items.as_array().unwrap_or_else(|| panic!("no list: {items}"));
    items.iter().map(|item| item[field].as_str().unwrap_or_else(|| panic!("no {field}: {item}"))).collect()
}

/// The places in an answer: file name, line and column of the beginning, from 0.
#[track_caller]
fn places(locations: &Value) -> Vec<String> {
    let locations = locations.as_array().cloned().unwrap_or_else(|| vec![locations.clone()]);
    let place = |location: &Value| {
        let uri = location["uri"].as_str().unwrap_or_else(|| panic!("no place: {location}"));
        let start = &location["range"]["start"];
        let (line, character) = (&start["line"], &start["character"]);
        format!("{}:{line}:{character}", uri.rsplit('/').next().unwrap())
    };
    locations.iter().map(place).collect()
}

/// Every request that a client can send, about `uri` and a place in it.
fn requests(uri: &str, position: &Value) -> Vec<(&'static str, Value)> {
    let document = json!({ "uri": uri });
    let place = json!({ "textDocument": document, "position": position });
    let all = json!({ "start": at(0, 0), "end": position });
    let item = json!({
        "name": "x", "kind": 1, "uri": uri, "range": all, "selectionRange": all
    });
    let with = |name: &str, value: Value| {
        let mut params = place.clone();
        params[name] = value;
        params
    };
    let within = |range: &Value| json!({ "textDocument": document, "range": range });
    vec![
        ("textDocument/completion", place.clone()),
        (
            "completionItem/resolve",
            json!({ "label": "x", "kind": 17, "data": { "uri": uri, "path": "Login.md" } }),
        ),
        ("textDocument/hover", place.clone()),
        ("textDocument/definition", place.clone()),
        ("textDocument/references", with("context", json!({ "includeDeclaration": true }))),
        ("textDocument/documentLink", json!({ "textDocument": document })),
        ("textDocument/documentSymbol", json!({ "textDocument": document })),
        ("textDocument/prepareRename", place.clone()),
        ("workspace/symbol", json!({ "query": "log" })),
        ("textDocument/diagnostic", json!({ "textDocument": document })),
        ("workspace/diagnostic", json!({ "previousResultIds": [] })),
        ("textDocument/codeAction", {
            let mut params = within(&all);
            params["context"] = json!({ "diagnostics": [] });
            params
        }),
        ("textDocument/codeLens", json!({ "textDocument": document })),
        ("textDocument/inlayHint", within(&all)),
        ("textDocument/semanticTokens/full", json!({ "textDocument": document })),
        ("textDocument/semanticTokens/range", within(&all)),
        ("textDocument/foldingRange", json!({ "textDocument": document })),
        ("textDocument/prepareCallHierarchy", place.clone()),
        ("callHierarchy/incomingCalls", json!({ "item": item })),
        ("callHierarchy/outgoingCalls", json!({ "item": item })),
        ("workspace/executeCommand", json!({ "command": "ubp.review", "arguments": [uri, null] })),
        ("ubp/call", json!({ "operation": "status", "uri": uri })),
        ("ubp/described", json!({ "textDocument": document })),
    ]
}
