//! `ubp hub view`: many projects at one address.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::terminal::Terminal;

use super::{Answer, Viewer, with_app};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Three projects with links between them, and one that cannot be read.
fn projects() -> Terminal {
    let terminal = with_app(Terminal::new().unwrap());
    for (path, text) in [
        ("auth/login.md", "# Login\n\nSign in with a token. [[shop:Checkout|depends_on]] [[shop:none]]\n"),
        ("auth/index.md", "# Home of auth\n"),
        ("libs/a/checkout.md", "# Checkout of a\n\nA token.\n"),
        ("shop/checkout.md", "# Checkout\n\nPay with copper.\n\n## Refunds\n\nSee [[auth:login]].\n"),
        ("shop/deep/er/plan.md", "# Plan\n"),
        ("shop/.secret/key.md", "# Key\n"),
        ("shop/.env", "SECRET\n"),
        ("broken/.ubp/manifest.json", "{ broken"),
        ("outside/secret.md", "# Secret\n"),
    ] {
        terminal.write(path, text).unwrap();
    }
    for project in ["auth", "libs/a", "shop", "outside"] {
        assert!(terminal.ubp_in(project, &["init", "--pages-dir", "."]).succeeded());
    }
    let list = r#"{ "projects": ["auth", "broken", { "path": "libs/a", "name": "libs/a" }, { "path": "shop", "tags": ["money"] }] }"#;
    terminal.write("hub.json", list).unwrap();
    terminal
}

fn viewer() -> Viewer {
    Viewer::by("hub view", Arc::new(projects()), "")
}

fn post(viewer: &Viewer, target: &str, params: &Value) -> Answer {
    let headers = [("Cookie", viewer.cookie.as_str()), JSON];
    viewer.send("POST", target, &headers, params.to_string().as_bytes())
}

/// The projects as the first page asks for them, once all that can be read have pages.
fn listed(viewer: &Viewer) -> Value {
    let begun = Instant::now();
    loop {
        let listed = viewer.call("projects", &json!({}));
        let is_indexed =
            |one: &Value| !one["error"].is_null() || one["pages"].as_u64().is_some_and(|pages| pages > 0);
        if listed["projects"].as_array().unwrap().iter().all(is_indexed) {
            return listed;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{listed}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|page| page["filepath"].as_str().unwrap()).collect()
}

#[test]
fn the_first_page_lists_all_projects_and_what_is_wrong_with_them() {
    let viewer = viewer();
    let first = viewer.get("/");
    assert_eq!(first.status, 200);
    for part in ["<a href=\"p/auth/\">auth</a>", "<a href=\"p/libs~a/\">libs/a</a>", "\"mode\":\"hub\""] {
        assert!(first.text().contains(part), "{part}: {}", first.text());
    }
    assert!(first.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
    let listed = listed(&viewer);
    let projects = listed["projects"].as_array().unwrap();
    let told: Vec<(&str, &str, &Value)> = projects
        .iter()
        .map(|one| (one["project"].as_str().unwrap(), one["address"].as_str().unwrap(), &one["pages"]))
        .collect();
    assert_eq!(
        told,
        [
            ("auth", "p/auth/", &json!(2)),
            ("broken", "p/broken/", &Value::Null),
            ("libs/a", "p/libs~a/", &json!(1)),
            ("shop", "p/shop/", &json!(2)),
        ]
    );
    let error = projects[1]["error"].as_str().unwrap();
    assert!(error.contains("manifest.json:1"), "{error}");
    assert_eq!(projects[3]["tags"], json!(["money"]));
    let broken = viewer.get("/p/broken/");
    assert_eq!(broken.status, 503);
    assert!(broken.text().contains("manifest.json:1"), "{}", broken.text());
    assert_eq!(post(&viewer, "/p/broken/api/status", &json!({})).status, 503);
}

#[test]
fn each_project_has_the_whole_viewer_below_its_address() {
    let viewer = viewer();
    listed(&viewer);
    let page = viewer.get("/p/shop/checkout.html");
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("<h1>Checkout</h1>") && text.contains("Pay with copper"), "{text}");
    assert!(
        text.contains("\"hub\":{\"project\":\"shop\",\"root\":\"../../\",\"read_only\":false}"),
        "{text}"
    );
    let deep = viewer.get("/p/shop/deep/er/plan.html").text();
    assert!(deep.contains("\"root\":\"../../\"") && deep.contains("src=\"../../assets/app.js\""), "{deep}");
    // The hub is one app.
    assert!(deep.contains("href=\"../../../../ubp.webmanifest\" crossorigin=\"use-credentials\""), "{deep}");
    assert_eq!(
        viewer.get("/p/shop/assets/app.js").header("content-type"),
        Some("text/javascript; charset=utf-8")
    );
    let missing = viewer.get("/p/shop/deep/none.html");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("\"root\":\"../\""), "it leads to the project: {}", missing.text());
    let moved = viewer.get("/p/shop");
    assert_eq!((moved.status, moved.header("location")), (303, Some("./shop/")));
    assert_eq!(viewer.get("/p/libs~a/checkout.html").status, 200);

    let saved =
        post(&viewer, "/p/auth/api/create_page", &json!({ "title": "Fresh", "content": "Through the hub." }));
    assert_eq!(saved.status, 200, "{}", saved.text());
    let written = viewer.terminal.path("auth").join(saved.json()["filepath"].as_str().unwrap());
    assert!(fs::read_to_string(written).unwrap().contains("Through the hub."));
    let pages = post(&viewer, "/p/auth/api/list_pages", &json!({})).json();
    assert_eq!(pages["pages"].as_array().unwrap().len(), 3, "{pages}");
}

#[test]
fn one_search_ranks_the_pages_of_all_projects() {
    let viewer = viewer();
    listed(&viewer);
    let found = viewer.call("search", &json!({ "query": "token", "mode": "fulltext" }));
    let mut together = paths(&found);
    together.sort_unstable();
    assert_eq!(together, ["auth:login.md", "libs/a:checkout.md"]);
    assert_eq!(found["failed_projects"][0]["project"], "broken");
    let named = viewer.call("complete", &json!({ "text": "checkout", "limit": 5 }));
    let named: Vec<&str> = named["projects"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|project| project["pages"].as_array().unwrap())
        .map(|page| page["filepath"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["libs/a:checkout.md", "shop:checkout.md"]);
    let refused = viewer.post("create_page", &json!({ "title": "X" }));
    assert_eq!(refused.status, 400, "{}", refused.text());
}

#[test]
fn links_lead_into_other_projects_and_back() {
    let viewer = viewer();
    listed(&viewer);
    let links = ["[[shop:Checkout#Refunds]]", "[[shop:none]]", "[[bank:x]]", "![[shop:checkout]]"];
    let resolved = post(
        &viewer,
        "/p/auth/api/resolve_links",
        &json!({ "page": "login.md", "links": links, "pictures": [] }),
    )
    .json();
    assert_eq!(resolved["links"][0]["filepath"], "shop:checkout.md");
    assert_eq!(resolved["links"][0]["place"], "checkout/refunds");
    for at in 1..4 {
        assert_eq!(resolved["links"][at]["filepath"], Value::Null, "{}", links[at]);
    }
    for (page, place) in [
        ("shop:checkout.md", "./p/shop/checkout.html"),
        ("shop:Checkout", "./p/shop/checkout.html"),
        ("libs%2Fa:checkout.md", "./p/libs~a/checkout.html"),
        ("auth:index.md", "./p/auth/index.html"),
    ] {
        let opened = viewer.get(&format!("/open?page={page}"));
        assert_eq!((opened.status, opened.header("location")), (303, Some(place)), "{page}");
    }
    for page in [
        "shop:none",
        "none:checkout",
        "checkout.md",
        "broken:x",
        "outside:secret.md",
        "shop:../auth/login.md",
    ] {
        let opened = viewer.get(&format!("/open?page={page}"));
        assert_eq!((opened.status, opened.header("location")), (404, None), "{page}");
    }
    assert_eq!(viewer.get("/open").status, 400);
    let page = viewer.call("get_page", &json!({ "page": "shop:checkout.md" }));
    assert_eq!(page["backlinks"][0]["filepath"], "auth:login.md", "{page}");
}

#[test]
fn projects_come_and_go_while_it_runs() {
    let viewer = viewer();
    listed(&viewer);
    assert_eq!(viewer.get("/p/shop/checkout.html").status, 200);
    assert_eq!(viewer.get("/p/outside/secret.html").status, 404);
    let list = r#"{ "projects": ["auth", "outside"] }"#;
    viewer.terminal.write("hub.json", list).unwrap();
    let begun = Instant::now();
    while viewer.get("/p/shop/checkout.html").status != 404 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the project does not leave");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(post(&viewer, "/p/shop/api/status", &json!({})).status, 404);
    listed(&viewer);
    assert_eq!(viewer.get("/p/outside/secret.html").status, 200);
    viewer.terminal.write("hub.json", "{").unwrap();
    let begun = Instant::now();
    while viewer.call("projects", &json!({}))["problem"].is_null() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the mistake is not told");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(viewer.get("/p/auth/login.html").status, 200, "the projects stay");
}

#[test]
fn a_fetched_tag_can_be_read_and_not_changed() {
    let terminal = projects();
    let cache = terminal.path("cache").to_string_lossy().into_owned();
    let terminal = ["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"]
        .iter()
        .fold(terminal, |terminal, name| terminal.with_variable(name, &cache));
    terminal.write("library/docs/guide.md", "# Guide\n\nTurn the key.\n").unwrap();
    terminal.git("init --quiet --initial-branch=main library");
    for arguments in ["add -A", "commit --quiet -m Begin", "tag v1.0.0"] {
        terminal.git(&format!("-C library {arguments}"));
    }
    let list = r#"{ "projects": ["auth", { "git": "library", "tag": "v1.0.0", "folder": "docs" }] }"#;
    terminal.write("hub.json", list).unwrap();
    let fetched = terminal.ubp("hub fetch");
    assert!(fetched.succeeded(), "{}", fetched.transcript());
    let viewer = Viewer::by("hub view", Arc::new(terminal), "");
    let listed = listed(&viewer);
    assert_eq!(listed["projects"][1]["version"], "v1.0.0", "{listed}");
    assert_eq!(listed["projects"][1]["read_only"], true);
    let page = viewer.get("/p/library/guide.html");
    assert!(
        page.text().contains("Turn the key.") && page.text().contains("\"read_only\":true"),
        "{}",
        page.text()
    );
    assert_eq!(post(&viewer, "/p/library/api/get_page", &json!({ "page": "guide" })).status, 200);
    for (operation, params) in [
        ("create_page", json!({ "title": "X" })),
        ("save_page", json!({ "page": "guide.md", "content": "x", "content_hash": "x" })),
        ("delete_page", json!({ "page": "guide.md" })),
        ("review_page", json!({ "pages": ["guide.md"] })),
        ("add", json!({})),
    ] {
        let answer = post(&viewer, &format!("/p/library/api/{operation}"), &params);
        assert_eq!((answer.status, &answer.json()["code"]), (403, &json!("read_only")), "{operation}");
    }
    let shown = post(&viewer, "/p/library/desktop", &json!({ "action": "show", "path": "" }));
    assert_eq!(shown.status, 400, "{}", shown.text());
    let upgrade = [
        ("Cookie", viewer.cookie.as_str()),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    assert_ne!(viewer.send("GET", "/p/library/lsp", &upgrade, b"").status, 101);
}

#[test]
fn what_is_wrong_with_a_project_is_told_in_the_language_of_the_reader() {
    let terminal = projects();
    let list = r#"{ "projects": ["auth", { "git": "library", "tag": "v9" }] }"#;
    terminal.write("hub.json", list).unwrap();
    let viewer = Viewer::by("hub view", Arc::new(terminal), "");
    let cookie = ("Cookie", viewer.cookie.as_str());
    let listed = viewer.send("POST", "/api/projects", &[cookie, JSON, ("Accept-Language", "ja")], b"{}");
    let error = listed.json()["projects"][1]["error"].to_string();
    assert!(error.contains("まだ取得されていません") && error.contains("v9"), "{error}");
    let headers = [cookie, ("Accept", "text/html"), ("Accept-Language", "ja")];
    let page = viewer.send("GET", "/p/library/", &headers, b"").text();
    assert!(page.contains("<html lang=\"ja\">") && page.contains("まだ取得されていません"), "{page}");
}

#[test]
fn without_the_token_no_project_answers() {
    let viewer = viewer();
    listed(&viewer);
    let wrong = format!("ubp-viewer-{}={}", viewer.port, viewer.token);
    for headers in
        [&[][..], &[("Cookie", wrong.as_str())], &[("Authorization", "Bearer wrong-wrong-wrong-wrong")]]
    {
        for target in [
            "/",
            "/p/auth/",
            "/p/auth/login.html",
            "/p/broken/",
            "/p/none/",
            "/open?page=auth:login",
            "/assets/app.js",
        ] {
            let answer = viewer.send("GET", target, headers, b"");
            assert_eq!((answer.status, answer.header("location")), (401, None), "{target} {headers:?}");
            assert!(!answer.text().contains("token. "), "{target}");
        }
        for target in ["/api/projects", "/api/search", "/p/auth/api/list_pages", "/p/auth/desktop"] {
            let headers: Vec<(&str, &str)> = headers.iter().copied().chain([JSON]).collect();
            assert_eq!(viewer.send("POST", target, &headers, b"{}").status, 401, "{target}");
        }
    }
    let told = viewer.send("GET", "/p/auth/", &[("Accept", "text/html")], b"").text();
    assert!(told.contains("Open the address that ubp hub view printed"), "{told}");
    // A token that a project gave to an agent is for its own server.
    let made = viewer.terminal.ubp_in("auth", &["token", "new", "reviewer", "--json"]).json();
    let named = format!("Bearer {}", made["secret"].as_str().unwrap());
    for target in ["/p/auth/api/list_pages", "/api/search", "/p/shop/api/list_pages"] {
        let headers = [("Authorization", named.as_str()), JSON];
        assert_eq!(viewer.send("POST", target, &headers, b"{}").status, 401, "{target}");
    }
    // There is no MCP server here.
    assert_ne!(post(&viewer, "/p/auth/mcp", &json!({})).status, 200);
    assert_ne!(post(&viewer, "/mcp", &json!({})).status, 200);
}

#[test]
fn other_origins_and_host_names_get_nothing() {
    let viewer = viewer();
    listed(&viewer);
    let cookie = ("Cookie", viewer.cookie.as_str());
    for (method, target) in [
        ("POST", "/api/projects"),
        ("POST", "/p/auth/api/status"),
        ("GET", "/p/auth/login.html"),
        ("GET", "/p/auth/api/events"),
        ("GET", "/open?page=auth:login"),
    ] {
        for origin in ["http://evil.example", "null"] {
            let answer = viewer.send(method, target, &[cookie, JSON, ("Origin", origin)], b"{}");
            assert_eq!(answer.status, 403, "{origin} {method} {target}");
        }
        let host = format!("evil.example:{}", viewer.port);
        let answer = viewer.send_exactly(method, target, &[("Host", &host), cookie, JSON], b"{}");
        assert_eq!(answer.status, 403, "{method} {target}");
    }
}

#[test]
fn no_address_leads_out_of_a_project() {
    let viewer = viewer();
    listed(&viewer);
    for target in [
        "/p/shop/../auth/login.html",
        "/p/shop/..%2fauth/login.html",
        "/p/shop/%2e%2e/auth/login.html",
        "/p/../auth/login.html",
        "/p/..%2foutside/secret.html",
        "/p/shop%2f..%2fauth/login.html",
        "/p/libs%2Fa/checkout.html",
        "/p/libs/a/checkout.html",
        "/p/outside/secret.html",
        "/p//etc/passwd",
        "/p/%00/",
        "/p/%ff/",
        "/p/./login.html",
        "/p/AUTH/login.html",
        "/p/auth%20/login.html",
        "/p/shop/.env",
        "/p/shop/.ubp/manifest.json",
        "/p/shop/.secret/key.html",
        "/p/shop//checkout.html",
        "/p/shop/p/auth/login.html",
        "/p/shop/api/../../auth/login.html",
        "/auth/login.html",
        "/hub.json",
        "/.ubp/manifest.json",
    ] {
        let answer = viewer.get(target);
        assert!([404, 405].contains(&answer.status), "{target}: {}", answer.status);
        let text = answer.text();
        assert!(
            !text.contains("SECRET") && !text.contains("Sign in with") && !text.contains("A token."),
            "{target}"
        );
    }
    let escaping = post(&viewer, "/p/shop/api/read_page", &json!({ "page": "../auth/login.md" }));
    assert!([400, 403, 404].contains(&escaping.status), "{}", escaping.text());
    // The page of one project cannot be asked for by the name of another at the address of a project.
    assert_eq!(post(&viewer, "/p/shop/api/get_page", &json!({ "page": "auth:login.md" })).status, 404);
}

#[test]
fn an_editor_shows_all_projects_in_a_frame() {
    let viewer = viewer();
    listed(&viewer);
    let path = viewer.frame.splitn(4, '/').nth(3).unwrap();
    let sent = |target: &str| viewer.send("GET", target, &[("Accept", "text/html")], b"");
    for target in [format!("/{path}"), format!("/{path}p/auth/login.html")] {
        let answer = sent(&target);
        assert_eq!((answer.status, answer.header("x-frame-options")), (200, None), "{target}");
    }
    let opened = sent(&format!("/{path}open?page=auth:login"));
    assert_eq!(opened.header("location"), Some("./p/auth/login.html"), "it stays in the frame");
    assert_eq!(sent("/.frame/wrong-wrong-wrong-wrong/p/auth/login.html").status, 401);
}

#[test]
fn a_database_has_no_viewer() {
    let terminal = projects();
    let told = terminal.ubp("hub view --index postgres://localhost/none --no-open");
    assert!(!told.succeeded());
    assert!(told.transcript().contains("leave out --index"), "{}", told.transcript());
}
