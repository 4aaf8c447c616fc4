//! What each kind of guest may do, and what it learns: every operation and every address, and the attacks on the viewer again.

use std::sync::Arc;

use serde_json::{Value, json};
use ubp_core::ops::OPERATIONS;
use ubp_servers::sharing::{GuestRight, least};

use super::attacks::{FILES, get_no_other_files, hostile_vault, post_only_json, see_no_elements_of_pages};
use super::{Browser, Viewer, vault};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A guest of each kind.
fn guests(viewer: &Viewer, more: &str) -> Vec<(GuestRight, Browser)> {
    let guest = |right: GuestRight| {
        let name = right.as_str();
        (right, viewer.guest(name, &format!("--right {name} {more}")))
    };
    GuestRight::ALL.into_iter().map(guest).collect()
}

/// A project with pages that guests see below `open/`, and others that contain the word SECRET.
fn divided() -> Arc<ubp_tests::terminal::Terminal> {
    let terminal = vault([
        (
            "open/a.md",
            "---\ntitle: Open\n---\n# Open\n\nTo [[b]], [[plans/hidden]], ![[p.png]] ![[src/main.rs]]\n",
        ),
        ("open/b.md", "# B\n\nWords to search for.\n"),
        ("open/p.png", "picture"),
        ("open/tool.rs", "// SECRET\nfn main() {}\n"),
        (
            "plans/hidden.md",
            "---\ntitle: SECRET title\naliases: [SECRET alias]\ntags: [SECRET-tag]\n---\n# SECRET\n\nWords to search for, SECRET. [[open/a]]\n",
        ),
        ("plans/secret.png", "SECRET"),
        ("src/main.rs", "// SECRET\n"),
        (".env", "SECRET"),
    ]);
    terminal.git("init -q");
    terminal.git("add open plans src");
    terminal.git("commit -qm first");
    Arc::new(terminal)
}

/// Parameters with which an operation does something.
fn params(operation: &str, hash: &Value) -> Value {
    match operation {
        "search" | "fulltext_search" => json!({ "query": "words to search for SECRET" }),
        "complete" => json!({ "text": "SECRET" }),
        "get_page" | "get_context" | "render_page" | "read_page" | "page_history" | "delete_page" => {
            json!({ "page": "open/a.md" })
        }
        "render_part" => {
            json!({ "page": "open/a.md", "text": "![[src/main.rs]] ![[open/tool.rs]] ![[plans/hidden]] [[plans/hidden]]" })
        }
        "graph_traverse" => json!({ "page": "open/a.md" }),
        "resolve_links" => {
            json!({ "page": "open/a.md", "links": ["plans/hidden", "src/main.rs"], "pictures": ["secret.png"] })
        }
        "save_page" => json!({ "page": "open/b.md", "text": "# B\n\nTyped.\n", "expected_hash": hash }),
        "query" => json!({ "sql": "SELECT * FROM files" }),
        _ => json!({}),
    }
}

#[test]
fn each_guest_calls_the_operations_of_its_right_and_learns_nothing_of_hidden_files() {
    let viewer = Viewer::shared(divided());
    let all = viewer.call("list_pages", &json!({}));
    assert_eq!(all["total"], 3);
    let guests = guests(&viewer, "--pages open/");
    for (right, guest) in &guests {
        for operation in OPERATIONS {
            let name = operation.name;
            let hash = viewer.call("read_page", &json!({ "page": "open/b.md" }))["content_hash"].clone();
            let answer = guest.post(name, &params(name, &hash));
            let is_allowed = least(name).is_some_and(|least| *right >= least);
            assert_eq!(
                answer.status != 403,
                is_allowed,
                "{right:?} {name}: {} {}",
                answer.status,
                answer.text()
            );
            assert!(!answer.text().contains("SECRET"), "{right:?} {name}: {}", answer.text());
            assert!(!answer.text().contains(viewer.terminal.folder().to_str().unwrap()), "{right:?} {name}");
        }
        assert_eq!(guest.post("no_operation", &json!({})).status, 403);
        assert_eq!(guest.call("list_pages", &json!({}))["total"], 2, "{right:?}");
        for page in ["plans/hidden.md", "SECRET title", "SECRET alias", "plans/hidden"] {
            for name in ["get_page", "read_page", "render_page", "get_context"] {
                let (hidden, missing) = (
                    guest.post(name, &json!({ "page": page })),
                    guest.post(name, &json!({ "page": format!("{page}x") })),
                );
                assert_eq!((hidden.status, missing.status), (404, 404), "{right:?} {name} {page}");
            }
        }
    }
    let written = std::fs::read_to_string(viewer.terminal.path("open/b.md")).unwrap();
    assert_eq!(written, "# B\n\nTyped.\n", "the guest that may write has saved");
    for hidden in ["plans/hidden.md", "src/main.rs", "open/tool.rs"] {
        assert!(
            std::fs::read_to_string(viewer.terminal.path(hidden)).unwrap().contains("SECRET"),
            "{hidden}"
        );
    }
}

#[test]
fn each_guest_has_the_addresses_of_visible_pages_and_files_and_no_others() {
    let viewer = Viewer::shared(divided());
    for (right, guest) in guests(&viewer, "--pages open/") {
        for shown in ["/", "/open/a.html", "/open/b.html", "/assets/app.js", "/all-pages.html"] {
            let answer = guest.get(shown);
            assert_eq!(answer.status, 200, "{right:?} {shown}: {}", answer.text());
            assert!(!answer.text().contains("SECRET"), "{right:?} {shown}: {}", answer.text());
            assert!(!answer.text().contains(viewer.terminal.folder().to_str().unwrap()), "{right:?} {shown}");
        }
        assert_eq!(guest.get("/open/p.png").text(), "picture");
        let described = guest.get("/open/a.html").text();
        assert!(described.contains(&format!("\"right\":\"{}\"", right.as_str())), "{described}");
        for (method, hidden) in [
            ("GET", "/plans/hidden.html"),
            ("GET", "/plans/secret.png"),
            ("GET", "/src/main.rs"),
            ("GET", "/open/tool.rs"),
            ("GET", "/.env"),
            ("GET", "/lsp"),
            ("GET", "/mcp"),
            ("POST", "/mcp"),
            ("POST", "/desktop"),
            ("GET", "/.frame/x/"),
            ("PUT", "/open/a.html"),
        ] {
            let answer = guest.send(method, hidden, &[("Cookie", &guest.cookie), JSON], b"{}");
            assert!([404, 405].contains(&answer.status), "{right:?} {method} {hidden}: {}", answer.status);
            assert!(!answer.text().contains("SECRET"), "{right:?} {hidden}: {}", answer.text());
        }
        // Neither the owner's token nor a guest's cookie opens the other door.
        let token = format!("Bearer {}", viewer.token);
        assert_eq!(guest.send("POST", "/api/status", &[("Authorization", &token), JSON], b"{}").status, 401);
        let both = format!("{}; {}", guest.cookie, guest.cookie.replace("guest", "viewer"));
        assert_eq!(viewer.send("GET", "/", &[("Cookie", &both)], b"").status, 401);
    }
    let token = format!("/?token={}", viewer.token);
    let outside = Browser { port: viewer.guest_port(), cookie: viewer.cookie.clone() };
    assert_eq!((outside.get("/").status, outside.get(&token).status), (401, 401));
}

#[test]
fn what_a_guest_may_not_write_is_proposed_and_what_it_writes_is_in_the_log_under_its_name() {
    let viewer = Viewer::shared(divided());
    let proposer = viewer.guest("mina", "--right propose --pages open/");
    let writer = viewer.guest("ken", "--right write --pages open/");
    let page = proposer.call("read_page", &json!({ "page": "open/b.md" }));
    let saving =
        |text: &str| json!({ "page": "open/b.md", "text": text, "expected_hash": page["content_hash"] });
    let proposed = proposer.call("save_page", &saving("# B\n\nBetter words.\n"));
    let id = proposed["proposal"].as_str().unwrap().to_owned();
    assert!(
        std::fs::read_to_string(viewer.terminal.path("open/b.md")).unwrap().contains("Words to search for.")
    );
    assert_eq!(proposer.call("list_proposals", &json!({}))["proposals"][0]["proposal"], json!(id));
    assert_eq!(writer.call("list_proposals", &json!({}))["proposals"], json!([]), "each guest sees its own");
    let shown = viewer.call("get_proposal", &json!({ "proposal": id }));
    assert_eq!(shown["agent"], "mina", "{shown}");
    for name in ["accept_proposal", "reject_proposal"] {
        assert_eq!(proposer.post(name, &json!({ "proposals": [id] })).status, 403);
        assert_eq!(writer.post(name, &json!({ "proposals": [id] })).status, 403);
    }
    let moved = proposer.post("rename_page", &json!({ "page": "open/b.md", "path": "plans/b.md" }));
    assert!(moved.status >= 400, "{}", moved.text());
    let outside = writer.post("create_page", &json!({ "title": "New", "path": "plans/new.md" }));
    assert!(outside.status >= 400, "{}", outside.text());
    assert!(!viewer.terminal.path("plans/new.md").exists());
    let saved = writer.call("save_page", &saving("# B\n\nOne.\n"));
    assert_eq!(saved["proposal"], Value::Null);
    let again =
        json!({ "page": "open/b.md", "text": "# B\n\nOne, two.\n", "expected_hash": saved["content_hash"] });
    writer.call("save_page", &again);
    writer.call("create_page", &json!({ "title": "Made", "path": "open/made.md" }));
    let terminal = viewer.terminal.clone();
    viewer.stop();
    let log = terminal.ubp("audit --by ken --json").json();
    let operations: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, ["save_page", "create_page"], "{log}");
    // The saves are one entry, which can be undone.
    let entry = log["entries"][0]["group"].as_str().unwrap().to_owned();
    let undone = terminal.ubp(&format!("undo {entry}"));
    assert!(undone.succeeded(), "{}", undone.transcript());
    let text = std::fs::read_to_string(terminal.path("open/b.md")).unwrap();
    assert_eq!(text, "# B\n\nWords to search for.\n");
}

#[test]
fn rules_for_everybody_and_a_project_that_is_its_own_pages_folder_hide_files_from_guests() {
    let terminal = divided();
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    let rule = "{\"rights\": [{\"author\": \"*\", \"path\": \"plans/\", \"right\": \"hide\"}],";
    terminal.write(".ubp/manifest.json", manifest.replacen('{', rule, 1)).unwrap();
    let viewer = Viewer::shared(terminal);
    let guest = viewer.guest("mina", "--right write");
    assert_eq!(guest.call("list_pages", &json!({}))["total"], 2);
    for hidden in ["/plans/hidden.html", "/plans/secret.png", "/src/main.rs", "/open/tool.rs"] {
        assert_eq!(guest.get(hidden).status, 404, "{hidden}");
    }
    let text = "![[src/main.rs]] ![[open/tool.rs]] ![[.env]]";
    let shown = guest.call("render_part", &json!({ "page": "open/a.md", "text": text }));
    assert!(!shown.to_string().contains("SECRET"), "{shown}");
}

#[test]
fn the_attacks_on_the_viewer_fail_for_each_guest() {
    let viewer = Viewer::shared(Arc::new(vault(FILES)));
    for (right, guest) in guests(&viewer, "") {
        if [GuestRight::Read, GuestRight::Write].contains(&right) {
            get_no_other_files(&guest, &["/.ubp/links.json", ".ubp/links.json", ".ubp/tokens.json"]);
            post_only_json(&guest);
        }
        let cookie = ("Cookie", guest.cookie.as_str());
        for origin in ["http://evil.example", "null", "https://guests.test", "http://localhost"] {
            for (method, target) in
                [("POST", "/api/status"), ("GET", "/api/events"), ("GET", "/a.html"), ("POST", "/.guest")]
            {
                let answer = guest.send(method, target, &[cookie, JSON, ("Origin", origin)], b"{}");
                assert_eq!(answer.status, 403, "{right:?} {origin} {method} {target}");
                assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
            }
        }
        let port = guest.port;
        for host in [format!("evil.example:{port}"), format!("127.0.0.1.evil.example:{port}"), String::new()]
        {
            let answer = guest.send_exactly("GET", "/a.html", &[("Host", &host), cookie], b"");
            assert!([400, 403].contains(&answer.status), "{right:?} {host}: {}", answer.status);
        }
        let embeds = [
            cookie,
            ("Sec-Fetch-Site", "same-site"),
            ("Sec-Fetch-Mode", "no-cors"),
            ("Sec-Fetch-Dest", "image"),
        ];
        assert_eq!(guest.send("GET", "/a.html", &embeds, b"").status, 403);
        assert_eq!(guest.send_exactly("GET", "/a.html", &[("Host", "guests.test"), cookie], b"").status, 200);
        let answers = [
            guest.get("/a.html"),
            guest.get("/nothing"),
            guest.get("/.guest"),
            guest.send("GET", "/", &[], b""),
            guest.post("status", &json!({})),
            guest.post("doctor", &json!({})),
        ];
        for answer in answers {
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
            assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
            assert_eq!(answer.header("x-frame-options"), Some("DENY"));
            let policy = answer.header("content-security-policy").unwrap();
            assert!(
                policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
                "{policy}"
            );
        }
    }
    let viewer = Viewer::shared(Arc::new(hostile_vault()));
    see_no_elements_of_pages(&viewer.guest("mina", ""));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_are_not_followed_for_guests() {
    use super::attacks::{follow_no_links, linked_vault};
    let outer = tempfile::tempdir().unwrap();
    let viewer = Viewer::shared(Arc::new(linked_vault(&outer)));
    for (_, guest) in guests(&viewer, "") {
        follow_no_links(&guest);
    }
    assert!(!outer.path().join("x.md").exists());
}
