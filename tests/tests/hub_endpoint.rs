//! A hub over HTTP, as a team runs it.

use std::fs;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::signal;

use crate::process::{command, ubp};

mod authorization;
mod server;

use server::{Client, Server, TOKEN, hub, until};

#[test]
fn everyone_may_ask_whether_a_hub_is_healthy_but_learns_no_names() {
    let terminal = hub();
    let server = Server::start(&terminal, &[]);
    let healthy = server.ask("GET /health", &[], "");
    assert_eq!(healthy.status, 200, "{healthy:?}");
    assert_eq!(healthy.json(), json!({ "ok": true, "projects": 2, "failed_projects": 0 }));
    let head = server.ask("HEAD /health", &[], "");
    assert_eq!((head.status, &*head.body), (200, ""), "{head:?}");
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
        ("ubp_projects{state=\"ready\"}", 2.0),
    ] {
        assert_eq!(server.metric(name), Some(number), "{name}");
    }
    // A client has its answer before the server has let go of the call and the connection.
    for (name, number) in [("ubp_running_calls", 0.0), ("ubp_connections", 1.0)] {
        until(&format!("{name} is {number}"), || server.metric(name) == Some(number));
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
    let token = made.json()["secret"].as_str().unwrap().to_owned();
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

#[test]
fn a_message_that_is_too_long_is_refused_and_others_are_not() {
    let terminal = hub();
    let server = Server::start(&terminal, &["--max-message", "64"]);
    let session = server.connect(TOKEN);
    for size in [66 << 10, 3 << 20] {
        let long = server.call(TOKEN, &session, "ubp_search", json!({ "query": "x".repeat(size) }));
        assert_eq!(long.status, 413, "{size}: {long:?}");
        assert!(long.body.contains("at most 64 KB"), "{long:?}");
    }
    // A client that announces a long message need not send it.
    let begun = Instant::now();
    let announced = [
        ("Authorization", &*format!("Bearer {TOKEN}")),
        ("Content-Type", "application/json"),
        ("Content-Length", "99999999999"),
    ];
    assert_eq!(server.ask("POST /mcp", &announced, "").status, 413);
    assert!(begun.elapsed().as_secs() < 20);
    // The size may not be known beforehand.
    let chunked = [
        ("Authorization", &*format!("Bearer {TOKEN}")),
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ];
    let body = format!("{:x}\r\n{}\r\n0\r\n\r\n", 100_000, "x".repeat(100_000));
    assert_eq!(server.ask("POST /mcp", &chunked, &body).status, 413);
    let found = server.call(
        TOKEN,
        &session,
        "ubp_search",
        json!({ "query": "wombat ".repeat(4_000), "mode": "fulltext" }),
    );
    assert_eq!(found.status, 200, "{found:?}");
    assert_eq!(server.metric("ubp_refused_requests_total{reason=\"size\"}"), Some(4.0));
}

#[test]
fn a_client_with_too_many_requests_is_told_when_to_come_back_and_others_go_on() {
    let terminal = hub();
    let made = terminal.ubp("token new ci --json").json();
    let token = made["secret"].as_str().unwrap();
    let server = Server::start(&terminal, &["--max-requests", "6"]);
    let session = server.connect(token);
    let answers: Vec<_> = (0..8).map(|_| server.call(token, &session, "ubp_list_pages", json!({}))).collect();
    assert_eq!(answers[..4].iter().map(|answer| answer.status).collect::<Vec<_>>(), [200; 4]);
    let refused = answers.last().unwrap();
    assert_eq!(refused.status, 429, "{refused:?}");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{refused:?}");
    assert_eq!(server.ask("GET /health", &[], "").status, 200);
    server.connect(TOKEN);
}

#[test]
fn only_so_many_calls_run_at_once() {
    let terminal = hub();
    let server = Server::start(&terminal, &["--max-calls", "1"]);
    let session = server.connect(TOKEN);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (client, session): (&Client, &String) = (&server, &session);
        let call = move || client.call(TOKEN, session, "ubp_search", json!({ "query": "wombat" })).status;
        let calls: Vec<_> = (0..12).map(|_| scope.spawn(call)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(
        statuses.contains(&200) && statuses.iter().all(|status| [200, 429].contains(status)),
        "{statuses:?}"
    );
    // A call that ended left its place, also one that nobody waited for.
    let call = server::called("ubp_search", json!({ "query": "wombat" })).to_string();
    let mut gone = server.half(&session, &call);
    gone.finish();
    drop(gone);
    until("the place is free", || server.call(TOKEN, &session, "ubp_list_pages", json!({})).status == 200);
}

#[test]
fn a_log_has_who_called_what_but_neither_questions_nor_answers_nor_secrets() {
    let terminal = hub();
    let made = terminal.ubp("token new ci --json").json();
    let token = made["secret"].as_str().unwrap();
    let server = Server::start(&terminal, &["--log-format", "json"]);
    let session = server.connect(token);
    server.call(
        token,
        &session,
        "ubp_search",
        json!({ "query": "wombat", "mode": "fulltext", "projects": ["auth"] }),
    );
    let line: Value = serde_json::from_str(&server.line(|line| line.contains("\"call\""))).unwrap();
    let fields: Vec<&String> = line.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["time", "level", "event", "token", "tool", "projects", "outcome", "ms"]);
    for (field, value) in [
        ("token", json!("ci")),
        ("tool", json!("ubp_search")),
        ("projects", json!(1)),
        ("outcome", json!("ok")),
    ] {
        assert_eq!(line[field], value, "{line}");
    }
    let own = server.connect(TOKEN);
    server.call(TOKEN, &own, "evil\"}\n{\"forged\":1", json!({ "query": "wombat" }));
    let line: Value = serde_json::from_str(&server.line(|line| line.contains("\"call\""))).unwrap();
    assert_eq!(
        (&line["token"], &line["tool"], &line["outcome"]),
        (&Value::Null, &json!("unknown"), &json!("error"))
    );
}

#[test]
fn every_line_of_a_log_is_json_and_has_no_token() {
    let terminal = hub();
    let mut server =
        command(terminal.folder(), &["hub", "serve", "--http", "127.0.0.1:0", "--log-format", "json"]);
    let server = Server::of(server.stderr(Stdio::piped()).spawn().unwrap());
    let told = server.line(|line| line.contains("clients send"));
    let kept = fs::read_to_string(terminal.path(".ubp/mcp-server.token")).unwrap();
    assert!(signal::send("-TERM", server.child.id()));
    let last = server.line(|line| line.contains("ending"));
    let lines = [server.first.clone(), vec![told, last]].concat();
    for line in &lines {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(line["level"], "info", "{line}");
        assert!(!line.to_string().contains(kept.trim()), "{line}");
    }
    // People at a terminal get no lines of calls.
    let server = Server::start(&terminal, &[]);
    let session = server.connect(TOKEN);
    server.call(TOKEN, &session, "ubp_list_pages", json!({}));
    assert!(signal::send("-TERM", server.child.id()));
    server.line(|line| line.contains("ending"));
    assert!(server.lines().is_empty());
}

#[test]
fn a_server_that_stops_answers_running_calls_and_refuses_new_ones() {
    let terminal = hub();
    let mut server = Server::start(&terminal, &[]);
    let session = server.connect(TOKEN);
    let half = |_| {
        let call = server::called("ubp_search", json!({ "query": "wombat", "mode": "fulltext" }));
        server.half(&session, &call.to_string())
    };
    let mut calls: Vec<_> = (0..4).map(half).collect();
    // These were let in before the server stops, and the others come after.
    assert!(signal::send("-TERM", server.child.id()));
    server.line(|line| line.contains("ending"));
    let refused = server.post(TOKEN, Some(&session), &server::called("ubp_list_pages", json!({})));
    for call in &mut calls {
        call.finish();
    }
    for call in calls {
        let answer = call.answer();
        assert!(answer.body.contains("auth:login.md"), "{answer:?}");
    }
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("2")), "{refused:?}");
    let ended = Instant::now();
    until("the server has ended", || server.child.try_wait().unwrap().is_some());
    assert!(ended.elapsed().as_secs() < 12);
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn no_request_is_lost_when_another_server_takes_the_socket_over() {
    let terminal = hub();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = || {
        let mut server = command(terminal.folder(), &["hub", "serve", "--http", "--socket"]);
        server.env("UBP_MCP_TOKEN", TOKEN).stdin(OwnedFd::from(listener.try_clone().unwrap()));
        Server::of(server.stderr(Stdio::piped()).spawn().unwrap())
    };
    let client = Client { address: listener.local_addr().unwrap() };
    let done = AtomicBool::new(false);
    let asked = std::thread::scope(|scope| {
        let ask = || {
            let mut asked = 0;
            while !done.load(Ordering::Acquire) {
                let answer = client.get("/metrics");
                assert_eq!(answer.status, 200, "{answer:?}");
                asked += 1;
            }
            asked
        };
        let asking: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        for _ in 0..4 {
            let mut server = start();
            std::thread::sleep(Duration::from_millis(500));
            assert!(signal::send("-TERM", server.child.id()));
            until("the server has ended", || server.child.try_wait().unwrap().is_some());
        }
        let _last = start();
        done.store(true, Ordering::Release);
        asking.into_iter().map(|asking| asking.join().unwrap()).sum::<usize>()
    });
    assert!(asked > 10, "{asked}");
}

#[test]
fn a_socket_has_to_be_there_and_reachable_by_this_machine_only_without_a_token() {
    let terminal = hub();
    let told = ubp(terminal.folder(), &["hub", "serve", "--http", "--socket"]);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("not a socket") && told.contains("StandardInput=socket"), "{told}");
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let mut server = command(terminal.folder(), &["hub", "serve", "--http", "--socket", "--no-token"]);
    let output = server.stdin(OwnedFd::from(listener)).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("others can reach 0.0.0.0"), "{told}");
}
