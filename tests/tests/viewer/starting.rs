//! Starting and stopping a viewer, and its messages.

use std::net::TcpListener;
use std::sync::Arc;

use ubp_cli::ExitStatus;
use ubp_tests::terminal::Terminal;

use super::{Viewer, vault};

#[test]
fn the_printed_address_works_and_a_request_to_stop_ends_the_viewer() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    assert_eq!(viewer.url, format!("http://127.0.0.1:{}/?token={}", viewer.port, viewer.token));
    assert!(viewer.token.len() >= 32);
    let entered = viewer.send("GET", &format!("/?token={}", viewer.token), &[], b"");
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&viewer.token), "the cookie goes to every port of this machine");
    assert_eq!(viewer.get("/").status, 200);
    let deep = viewer.send("GET", &format!("/a.html?x=1&token={}", viewer.token), &[], b"");
    assert_eq!(deep.header("location"), Some("/a.html?x=1"));
    let outside = viewer.send("GET", &format!("//evil.example/?token={}", viewer.token), &[], b"");
    assert_eq!(outside.header("location"), Some("/evil.example/"));
    let (status, _) = viewer.stop();
    assert_eq!(status, ExitStatus::Success);
}

#[test]
fn several_viewers_share_a_project_and_each_has_its_own_token() {
    let terminal = Arc::new(vault([("a.md", "# A\n")]));
    let (one, other) = (Viewer::on(terminal.clone(), ""), Viewer::on(terminal, ""));
    assert_ne!((one.port, &one.token), (other.port, &other.token));
    assert_eq!(other.send("GET", "/", &[("Cookie", &one.cookie)], b"").status, 401);
    for viewer in [&one, &other] {
        assert_eq!(viewer.call("list_pages", &serde_json::json!({}))["total"], 1);
    }
}

#[test]
fn a_port_in_use_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ran = vault([]).ubp(&format!("viewer --no-open --web-app .app --port {port}"));
    assert_eq!(ran.status, ExitStatus::Error);
    assert!(ran.err.contains(&format!("127.0.0.1:{port}")), "{}", ran.err);
}

#[test]
fn other_machines_need_a_long_token() {
    for (arguments, words) in [
        ("--host 0.0.0.0", "--token"),
        ("--host 0.0.0.0 --token short", "too short"),
        ("--token short", "too short"),
        ("--host nowhere.example", "an address such as"),
    ] {
        let ran = vault([]).ubp(&format!("viewer --no-open --web-app .app {arguments}"));
        assert_eq!(ran.status, ExitStatus::Error, "{arguments}");
        assert!(ran.err.contains(words), "{arguments}: {}", ran.err);
    }
    let terminal = Arc::new(vault([("a.md", "# A\n")]));
    let token = "0123456789abcdef";
    let viewer = Viewer::on(terminal, &format!("--host 0.0.0.0 --allow-host box.lan --token {token}"));
    assert_eq!(viewer.token, token);
    let host = format!("box.lan:{}", viewer.port);
    let bearer = format!("Bearer {token}");
    let answer = viewer.send_exactly("GET", "/a.html", &[("Host", &host), ("Authorization", &bearer)], b"");
    assert_eq!(answer.status, 200);
}

#[test]
fn without_a_project_or_a_web_app_the_message_says_what_to_do() {
    let nowhere = Terminal::new().unwrap();
    nowhere.write(".app/index.html", super::TEMPLATE).unwrap();
    let ran = nowhere.ubp("viewer --no-open --web-app .app");
    assert_eq!(ran.status, ExitStatus::Error);
    assert!(ran.err.contains("ubp init"), "{}", ran.err);
    let ran = vault([]).ubp("viewer --no-open --web-app .nothing");
    assert_eq!(ran.status, ExitStatus::Error);
    // The suites test development builds; `web-viewer/build.test.mjs` tests the message of release builds.
    let ran = vault([]).ubp("viewer --no-open");
    assert_eq!(ran.status, ExitStatus::Error);
    assert!(ran.err.contains("cargo run --release -- viewer"), "{}", ran.err);
}

#[test]
fn the_help_lists_the_flag_for_another_web_app() {
    for command in ["viewer", "export"] {
        let ran = vault([]).ubp(&format!("{command} --help"));
        assert!(ran.out.contains("--web-app <DIR>"), "{}", ran.transcript());
    }
}

#[test]
fn an_empty_project_has_a_home_page_and_no_other_pages() {
    let viewer = Viewer::of([]);
    let home = viewer.get("/");
    assert_eq!(home.status, 200);
    assert!(home.text().contains("\"mode\":\"server\""), "{}", home.text());
    assert_eq!(viewer.call("list_pages", &serde_json::json!({}))["total"], 0);
}

#[test]
fn a_request_waits_while_the_index_is_built() {
    let text = format!("# Page\n\n{}\n", "Many words of one page. ".repeat(400));
    let names: Vec<String> = (0..1_000).map(|page| format!("page {page}.md")).collect();
    let viewer = Viewer::of(names.iter().map(|name| (name.as_str(), text.as_str())));
    assert_eq!(viewer.get("/page%20999.html").status, 200);
    assert_eq!(viewer.get("/page%201000.html").status, 404);
}
