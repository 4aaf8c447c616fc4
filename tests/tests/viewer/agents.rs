//! The MCP server in `ubp viewer`: who may use it, and what named tokens allow.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Answer, Viewer, vault};

fn ask(viewer: &Viewer, token: &str, session: Option<&str>, message: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
    viewer.send("POST", "/mcp", &headers, message.to_string().as_bytes())
}

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } })
}

/// Begins a session; returns its id.
fn begin(viewer: &Viewer, token: &str) -> String {
    let began = ask(viewer, token, None, &hello());
    assert_eq!(began.status, 200, "{}", began.text());
    let session = began.header("mcp-session-id").unwrap().to_owned();
    ask(viewer, token, Some(&session), &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    session
}

fn call(viewer: &Viewer, token: &str, session: &str, tool: &str, arguments: &Value) -> Answer {
    let params = json!({ "name": tool, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    ask(viewer, token, Some(session), &message)
}

#[test]
fn agents_connect_at_mcp_and_write_only_with_permission() {
    for (more, may) in [("", false), ("--write=apply", true)] {
        let viewer = Viewer::on(Arc::new(vault([("a.md", "# A\n")])), more);
        let session = begin(&viewer, &viewer.token);
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        let tools = ask(&viewer, &viewer.token, Some(&session), &list).text();
        assert!(tools.contains("ubp_search"), "{tools}");
        assert_eq!(tools.contains("ubp_create_page"), may, "{tools}");
        // The cookie is for browsers; web pages may not use the MCP endpoint.
        let cookie = [("Cookie", viewer.cookie.as_str()), ("Content-Type", "application/json")];
        assert_eq!(viewer.send("POST", "/mcp", &cookie, hello().to_string().as_bytes()).status, 401);
    }
}

#[test]
fn a_named_token_opens_mcp_with_its_rights_and_nothing_else() {
    let terminal = vault([("open.md", "# Open\n"), ("private/plan.md", "# Plan\n")]);
    let secret = |arguments: &str| {
        let made = terminal.ubp(&format!("token new {arguments} --json")).json();
        made["secret"].as_str().unwrap().to_owned()
    };
    let (scribe, reader) =
        (secret("scribe --rights propose --rights private/=hide"), secret("reader --rights read"));
    let viewer = Viewer::on(Arc::new(terminal), "--write=apply");
    let create = json!({ "title": "Idea", "path": "idea.md", "content": "An idea." });

    let session = begin(&viewer, &scribe);
    let listed = call(&viewer, &scribe, &session, "ubp_list_pages", &json!({})).text();
    assert!(listed.contains("open.md") && !listed.contains("plan.md"), "{listed}");
    let proposed = call(&viewer, &scribe, &session, "ubp_create_page", &create).text();
    assert!(proposed.contains("\"proposal\":\""), "{proposed}");
    assert!(!viewer.terminal.path("idea.md").exists());
    let waiting = viewer.call("list_proposals", &json!({}));
    assert_eq!(waiting["proposals"][0]["agent"], "scribe", "{waiting}");

    let of_reader = begin(&viewer, &reader);
    let refused = call(&viewer, &reader, &of_reader, "ubp_create_page", &create).text();
    assert!(refused.contains("forbidden"), "{refused}");
    // A session belongs to the token that began it.
    let list = json!({});
    assert_eq!(call(&viewer, &reader, &session, "ubp_list_pages", &list).status, 404);
    assert_eq!(call(&viewer, &viewer.token, &session, "ubp_list_pages", &list).status, 404);

    let bearer = format!("Bearer {scribe}");
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    for (method, target) in
        [("POST", "/api/list_pages"), ("GET", "/api/events"), ("GET", "/open.html"), ("GET", "/mcp/x")]
    {
        assert_eq!(viewer.send(method, target, &headers, b"{}").status, 401, "{target}");
    }
    assert_eq!(viewer.send("GET", &format!("/?token={scribe}"), &[], b"").status, 401);

    assert!(viewer.terminal.ubp("token revoke scribe").succeeded());
    assert_eq!(call(&viewer, &scribe, &session, "ubp_list_pages", &list).status, 401);
}
