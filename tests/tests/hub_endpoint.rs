//! A hub over HTTP, as a team runs it.

use std::fs;

use serde_json::json;

mod server;

use server::{Server, TOKEN, hub, until};

#[test]
fn everyone_may_ask_whether_a_hub_is_healthy_but_learns_no_names() {
    let terminal = hub();
    let server = Server::start(&terminal, &[]);
    let healthy = server.ask("GET /health", &[], "");
    assert_eq!(healthy.status, 200, "{healthy:?}");
    assert_eq!(healthy.json(), json!({ "ok": true, "projects": 2, "failed_projects": 0 }));
    let foreign = server.ask("GET /health", &[("Host", "evil.example")], "");
    assert_eq!((foreign.status, foreign.json()), (200, json!({ "ok": true })));

    fs::rename(terminal.path("shop"), terminal.path("gone")).unwrap();
    until("one project is counted as failed", || {
        server.ask("GET /health", &[], "").json()
            == json!({ "ok": true, "projects": 2, "failed_projects": 1 })
    });
    fs::rename(terminal.path("auth"), terminal.path("gone-too")).unwrap();
    until("a hub without a readable project is not healthy", || {
        server.ask("GET /health", &[], "").status == 503
    });
    fs::rename(terminal.path("gone"), terminal.path("shop")).unwrap();
    fs::rename(terminal.path("gone-too"), terminal.path("auth")).unwrap();
    until("the projects are back", || server.ask("GET /health", &[], "").json()["failed_projects"] == 0);
}

#[test]
fn metrics_count_calls_and_refusals_without_any_word_of_a_client() {
    let terminal = hub();
    let server = Server::start(&terminal, &[]);
    let stranger = server.ask("GET /metrics", &[], "");
    assert_eq!((stranger.status, stranger.body.contains("ubp_")), (401, false), "{stranger:?}");
    let wrong = server.ask("GET /metrics", &[("Authorization", "Bearer not-the-token-at-all")], "");
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let foreign = server.ask(
        "GET /metrics",
        &[("Host", "evil.example"), ("Authorization", &format!("Bearer {TOKEN}"))],
        "",
    );
    assert_eq!(foreign.status, 403, "{foreign:?}");

    let session = server.connect(TOKEN);
    let found = server.call(TOKEN, &session, "ubp_search", json!({ "query": "wombat", "mode": "fulltext" }));
    assert!(found.body.contains("auth:login.md"), "{found:?}");
    server.call(TOKEN, &session, "ubp_search", json!({ "query": "wombat", "projects": ["no-such-one"] }));
    server.call(TOKEN, &session, "x\"} 1\nforged{a=\"", json!({}));
    for (name, number) in [
        ("ubp_calls_total{tool=\"ubp_search\",outcome=\"ok\"}", 1.0),
        ("ubp_calls_total{tool=\"ubp_search\",outcome=\"error\"}", 1.0),
        ("ubp_calls_total{tool=\"unknown\",outcome=\"error\"}", 1.0),
        ("ubp_call_seconds_count{tool=\"ubp_search\"}", 2.0),
        ("ubp_refused_requests_total{reason=\"token\"}", 2.0),
        ("ubp_refused_requests_total{reason=\"host\"}", 1.0),
        ("ubp_sessions", 1.0),
        ("ubp_running_calls", 0.0),
        ("ubp_connections", 1.0),
        ("ubp_projects{state=\"ready\"}", 2.0),
    ] {
        assert_eq!(server.metric(name), Some(number), "{name}");
    }
    let text = server.get("/metrics");
    assert_eq!(text.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for word in ["wombat", "forged", "no-such-one", "auth", "shop"] {
        assert!(!text.body.contains(word), "{word}: {}", text.body);
    }
}

#[test]
fn without_a_token_metrics_need_none() {
    let terminal = hub();
    let server = Server::start(&terminal, &["--no-token"]);
    assert_eq!(server.ask("GET /metrics", &[], "").status, 200);
}

#[test]
fn a_hub_has_named_tokens_with_their_own_rights() {
    let terminal = hub();
    let made = terminal.ubp("token new ci --rights 'login.md=hide' --json");
    assert!(made.succeeded(), "{}", made.transcript());
    let token = made.json()["token"].as_str().map_or_else(|| made.json()["secret"].clone(), Into::into);
    let token = token.as_str().unwrap().to_owned();
    let server = Server::start(&terminal, &[]);
    let session = server.connect(&token);
    let page = json!({ "page": "auth:login.md" });
    let hidden = server.call(&token, &session, "ubp_get_page", page.clone());
    assert_eq!(hidden.message()["result"]["isError"], true, "{hidden:?}");
    let stolen = server.call(TOKEN, &session, "ubp_get_page", page.clone());
    assert_eq!(stolen.status, 404, "the session of another token: {stolen:?}");
    let own = server.connect(TOKEN);
    assert!(server.call(TOKEN, &own, "ubp_get_page", page).body.contains("wombat"));

    assert!(terminal.ubp("token revoke ci").succeeded());
    assert_eq!(server.call(&token, &session, "ubp_list_pages", json!({})).status, 401);
}
