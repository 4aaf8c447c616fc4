//! Rights of agents with real servers and files: what is hidden, proposed and refused; names of agents and tokens.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use ubp_core::ports::ContentHash;
use ubp_tests::mcp::McpClient;
use ubp_tests::terminal::Terminal;

use super::server;
use crate::process::command;

/// The rules of the vault.
fn rules() -> Value {
    json!([
        { "author": "*", "path": "private/", "right": "hide" },
        { "author": "*", "path": "decisions/", "right": "read" },
        { "author": "*", "path": "notes/", "right": "propose" },
        { "author": "reviewer", "path": "private/", "right": "read" },
        { "author": "reviewer", "path": "notes/", "right": "apply" },
    ])
}

fn vault() -> Terminal {
    let terminal = Terminal::vault([
        ("open.md", "# Open\n\nThe harbour is open. See [[plan]].\n"),
        ("notes/boats.md", "# Boats\n\nTwo boats.\n"),
        ("decisions/ferry.md", "# Ferry\n\nOne ferry.\n"),
        ("private/plan.md", "# Plan\n\nThe smugglers meet at the harbour. [[Open]]\n"),
    ])
    .unwrap();
    set_rules(&terminal, &rules());
    assert!(terminal.ubp("add").succeeded());
    terminal
}

fn set_rules(terminal: &Terminal, rules: &Value) {
    let text = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["rights"] = rules.clone();
    terminal.write(".ubp/manifest.json", manifest.to_string()).unwrap();
}

fn pages(client: &mut McpClient) -> Vec<String> {
    let listed = client.ask("ubp_list_pages", json!({ "sort": "filepath" })).unwrap();
    let pages = listed["pages"].as_array().unwrap().iter();
    pages.map(|page| page["filepath"].as_str().unwrap().to_owned()).collect()
}

fn edit(terminal: &Terminal, page: &str) -> Value {
    let bytes = std::fs::read(terminal.path(page)).unwrap();
    let hash = ContentHash::of(&bytes).to_string();
    json!({ "page": page, "content": "# New\n\nNew.\n", "mode": "replace", "expected_hash": hash })
}

#[test]
fn an_agent_sees_and_changes_what_its_rights_allow() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    assert_eq!(pages(&mut client), ["decisions/ferry.md", "notes/boats.md", "open.md"]);
    let found = client.ask("ubp_fulltext_search", json!({ "query": "smugglers" })).unwrap();
    assert_eq!(found["results"], json!([]));
    let read = client.ask("ubp_get_page", json!({ "page": "open.md" })).unwrap();
    assert_eq!((&read["backlinks"], &read["outlinks"][0]["filepath"]), (&json!([]), &Value::Null));
    let (code, missing) = client.refusal("ubp_get_page", json!({ "page": "private/plan.md" })).unwrap();
    assert_eq!(code, "page_not_found");
    assert!(!missing.contains("Plan"), "{missing}");
    let status = client.ask("ubp_status", json!({})).unwrap();
    assert_eq!((&status["page_count"], &status["unresolved_link_count"]), (&json!(3), &json!(1)));
    let resources = client.request("resources/list", json!({})).unwrap();
    assert!(!resources.to_string().contains("plan"), "{resources}");
    assert!(client.request("resources/read", json!({ "uri": "ubp://page/private/plan.md" })).is_err());

    // Written at once, proposed, refused.
    let changed = client.ask("ubp_update_page", edit(&terminal, "open.md")).unwrap();
    assert!(changed["audit_id"].is_string() && changed["proposal"].is_null(), "{changed}");
    let mut proposed = edit(&terminal, "notes/boats.md");
    proposed["reason"] = json!("There are three.");
    let proposed = client.ask("ubp_update_page", proposed).unwrap();
    assert!(proposed["audit_id"].is_null() && proposed["proposal"].is_string(), "{proposed}");
    assert_eq!(client.ask("ubp_list_proposals", json!({})).unwrap()["total"], 1);
    let (code, said) = client.refusal("ubp_update_page", edit(&terminal, "decisions/ferry.md")).unwrap();
    assert_eq!(code, "forbidden");
    assert!(said.contains("decisions/ferry.md: ubp-tests 1 may only read this"), "{said}");
    let mut refusals = Vec::new();
    for path in ["private/plan.md", "private/new.md"] {
        let create = json!({ "title": "Anything", "path": path });
        let (code, said) = client.refusal("ubp_create_page", create).unwrap();
        assert_eq!(code, "forbidden");
        refusals.push(said.replace(path, "…"));
    }
    assert_eq!(refusals[0], refusals[1], "the words say nothing about the file");
    let rename = json!({ "page": "open.md", "path": "private/open.md", "expected_hash": edit(&terminal, "open.md")["expected_hash"] });
    assert_eq!(client.refusal("ubp_rename_page", rename).unwrap().0, "forbidden");
    assert!(terminal.path("open.md").exists() && !terminal.path("private/new.md").exists());

    // The person reviews with all pages, and is not restricted.
    let id = proposed["proposal"].as_str().unwrap();
    let shown = terminal.ubp(&format!("proposals {id}"));
    assert!(shown.out.contains("There are three."), "{}", shown.transcript());
    assert!(terminal.ubp(&format!("proposals accept {id}")).succeeded());
    let read = client.ask("ubp_get_page", json!({ "page": "notes/boats.md" })).unwrap();
    assert!(read["content"].as_str().unwrap().contains("New."), "{read}");
    assert_eq!(terminal.ubp("list --json").json()["total"], 4);
    assert_eq!(client.close().unwrap(), Some(0));
    let views: Vec<_> = std::fs::read_dir(terminal.path(".ubp/views")).unwrap().collect();
    assert_eq!(views.len(), 1);
}

#[test]
fn a_server_started_as_somebody_has_that_name_and_its_rights() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply", "--as", "reviewer"]);
    assert_eq!(pages(&mut client).len(), 4);
    client.ask("ubp_update_page", edit(&terminal, "notes/boats.md")).unwrap();
    let (code, said) = client.refusal("ubp_update_page", edit(&terminal, "private/plan.md")).unwrap();
    assert!(code == "forbidden" && said.contains("reviewer may only read this"), "{said}");
    let audit = terminal.ubp("audit --by reviewer --json").json();
    assert_eq!((&audit["total"], &audit["entries"][0]["agent"]), (&json!(1), &json!("reviewer")), "{audit}");
    assert_eq!(client.close().unwrap(), Some(0));
    let ran = command(terminal.folder(), &["mcp-server", "--as", "a b"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_to_a_page_has_the_rights_of_the_page() {
    let terminal = vault();
    std::os::unix::fs::symlink("decisions/ferry.md", terminal.path("link.md")).unwrap();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    assert!(pages(&mut client).contains(&"link.md".to_owned()));
    let (code, said) = client.refusal("ubp_update_page", edit(&terminal, "link.md")).unwrap();
    assert!(code == "forbidden" && said.contains("may only read this"), "{code}: {said}");
    assert_eq!(
        std::fs::read_to_string(terminal.path("decisions/ferry.md")).unwrap(),
        "# Ferry\n\nOne ferry.\n"
    );
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn changed_rules_apply_to_the_next_call() {
    let terminal = vault();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    assert_eq!(pages(&mut client).len(), 3);
    set_rules(&terminal, &json!([]));
    assert_eq!(pages(&mut client).len(), 4);
    set_rules(
        &terminal,
        &json!([{ "author": "ubp-tests", "path": "**", "right": "hide" }, { "author": "*", "path": "open.md", "right": "read" }]),
    );
    assert_eq!(pages(&mut client), ["open.md"]);
    // Invalid rules do not take effect, and neither do no rules.
    terminal.write(".ubp/manifest.json", "{ \"rights\": [{}] }").unwrap();
    assert_eq!(pages(&mut client), ["open.md"]);
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn hidden_pages_keep_their_reviews_when_an_agent_reviews_others() {
    let terminal = vault();
    let described = |title: &str| format!("---\nsource_refs: [src/a.rs]\n---\n# {title}\n");
    terminal.write("private/code.md", described("Code")).unwrap();
    terminal.write("open.md", described("Open")).unwrap();
    // Newer than the pages that describe it.
    std::thread::sleep(std::time::Duration::from_millis(20));
    terminal.write("src/a.rs", "fn a() {}\n").unwrap();
    assert!(terminal.ubp("review private/code.md --still-accurate").succeeded());
    let before = std::fs::read_to_string(terminal.path(".ubp/refs.lock")).unwrap();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    let stale = client.ask("ubp_check_staleness", json!({ "page": "open.md" })).unwrap();
    assert!(!stale.to_string().contains("private"), "{stale}");
    let settle = json!({
        "page": "open.md", "still_accurate": true, "expected_hash": edit(&terminal, "open.md")["expected_hash"],
        "expected_sources": stale["pages"][0]["settle_with"]["params"]["expected_sources"],
    });
    assert!(settle["expected_sources"].is_string(), "{stale}");
    client.ask("ubp_review_page", settle).unwrap();
    let after = std::fs::read_to_string(terminal.path(".ubp/refs.lock")).unwrap();
    assert!(after.contains("open.md\t") && after.contains(before.trim()), "{after}");
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn rights_are_shown_with_the_rule_that_gives_them() {
    let terminal = vault();
    let shown = terminal.ubp("rights --as reviewer private/plan.md open.md notes --json").json();
    let of = |at: usize| {
        let found = &shown["paths"][at];
        let rule = found["rule"].as_u64().map(|at| shown["rules"][at as usize]["author"].clone());
        (found["path"].clone(), found["right"].clone(), rule)
    };
    assert_eq!(of(0), (json!("private/plan.md"), json!("read"), Some(json!("reviewer"))));
    assert_eq!(of(1), (json!("open.md"), json!("apply"), None));
    assert_eq!(of(2), (json!("notes/boats.md"), json!("apply"), Some(json!("reviewer"))));
    assert_eq!(shown["pages"], json!({ "hide": 0, "read": 2, "comment": 0, "propose": 0, "apply": 2 }));
    let text = terminal.ubp("rights");
    assert!(text.out.contains("hide") && text.out.contains("private/"), "{}", text.transcript());
}

/// A server over HTTP, stopped on drop.
struct HttpServer {
    child: Child,
    address: String,
}

impl HttpServer {
    fn start(terminal: &Terminal) -> Self {
        let arguments = ["mcp-server", "--http", "127.0.0.1:0", "--write=apply"];
        let mut child = command(terminal.folder(), &arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(|line| line.unwrap());
        let line = lines.find(|line| line.contains("listening on")).unwrap();
        let url = line.split("http://").nth(1).unwrap();
        let address = url.split('/').next().unwrap().to_owned();
        // The server must not wait for somebody to read its messages.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// The status and the body of the answer to a message without a session.
    fn post(&self, token: &str, method: &str, params: &Value) -> (u16, String) {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "somebody", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n\
             {name}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    fn tool(&self, token: &str, name: &str, arguments: &Value) -> (u16, String) {
        self.post(token, "tools/call", &json!({ "name": name, "arguments": arguments }))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_without_tokens_starts_although_their_list_is_damaged() {
    let terminal = vault();
    terminal.write(".ubp/tokens.json", "{").unwrap();
    let mut client = server(terminal.folder(), &["--write=apply"]);
    assert_eq!(pages(&mut client).len(), 3);
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn tokens_that_are_in_git_admit_nobody() {
    let terminal = vault();
    let made = terminal.ubp("token new ci --json").json();
    let secret = made["secret"].as_str().unwrap();
    let server = HttpServer::start(&terminal);
    let status = || server.tool(secret, "ubp_list_pages", &json!({})).0;
    assert_eq!(status(), 200);
    terminal.git("init -q");
    terminal.git("add -f .ubp/tokens.json");
    terminal.git("commit -qm x");
    // As a pull would write it.
    let list = std::fs::read(terminal.path(".ubp/tokens.json")).unwrap();
    terminal.write(".ubp/tokens.json", list).unwrap();
    assert_eq!(status(), 401);
    let refused = terminal.ubp("token new other");
    assert!(refused.err.contains("git rm --cached .ubp/tokens.json"), "{}", refused.transcript());
    terminal.git("rm -q --cached .ubp/tokens.json");
    terminal.git("commit -qm y");
    assert_eq!(status(), 200);
}

#[test]
fn a_token_gives_an_agent_a_name_and_rights_until_it_is_revoked() {
    let terminal = vault();
    let made = terminal.ubp("token new reviewer --rights propose --expires 30d --json").json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("ubp_"), "{made}");
    let printed = terminal.ubp("token new nobody --rights '**=hide'");
    let nobody = printed.out.trim().to_owned();
    let listed = terminal.ubp("token list");
    assert!(listed.out.contains("reviewer") && !listed.out.contains(&secret), "{}", listed.transcript());
    let stored = std::fs::read_to_string(terminal.path(".ubp/tokens.json")).unwrap();
    assert!(!stored.contains(&secret[4..]), "{stored}");
    let server = HttpServer::start(&terminal);
    let list = json!({ "sort": "filepath" });

    let (status, answer) = server.tool(&secret, "ubp_list_pages", &list);
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("private/plan.md"), "the manifest lets the name read it: {answer}");
    let (_, answer) = server.tool(&nobody, "ubp_list_pages", &list);
    assert!(!answer.contains("open.md") && answer.contains("\"total\":0"), "{answer}");
    // The token takes away what the manifest gives.
    let (_, answer) = server.tool(&secret, "ubp_update_page", &edit(&terminal, "notes/boats.md"));
    assert!(answer.contains("\"proposal\":\""), "{answer}");
    let proposals = terminal.ubp("proposals --json").json();
    assert_eq!(proposals["proposals"][0]["agent"], "reviewer", "{proposals}");
    // The server's own token has no name, so the client's counts.
    let own = std::fs::read_to_string(terminal.path(".ubp/mcp-server.token")).unwrap();
    let (_, answer) = server.tool(own.trim(), "ubp_list_pages", &list);
    assert!(answer.contains("open.md") && !answer.contains("private/plan.md"), "{answer}");

    for wrong in ["", "ubp_0", &secret[..40], &format!("{secret}0")] {
        assert_eq!(server.tool(wrong, "ubp_list_pages", &list).0, 401, "{wrong}");
    }
    assert!(terminal.ubp("token revoke reviewer").succeeded());
    assert_eq!(server.tool(&secret, "ubp_list_pages", &list).0, 401);
}
