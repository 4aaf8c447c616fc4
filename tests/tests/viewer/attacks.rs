//! Attacks by pages of other sites, by other programs and by hostile projects.

use std::sync::Arc;

use serde_json::json;

use super::{Browser, Viewer, vault};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn without_the_token_nothing_is_revealed() {
    let viewer = Viewer::of([("secret-plan.md", "# Secret plan\n"), ("p.png", "picture")]);
    let wrong_cookie = format!("ubp-viewer-{}={}", viewer.port, viewer.token);
    let strangers: [&[(&str, &str)]; 7] = [
        &[],
        &[("Cookie", "ubp-viewer=1")],
        &[("Cookie", &wrong_cookie)],
        &[("Authorization", "Bearer ")],
        &[("Authorization", "Bearer wrong-wrong-wrong-wrong")],
        &[("Authorization", &format!("Basic {}", viewer.token))],
        &[("X-Token", &viewer.token)],
    ];
    for headers in strangers {
        for target in [
            "/",
            "/secret-plan.html",
            "/p.png",
            "/assets/app.js",
            "/api/events",
            "/nothing",
            "/?token=",
            "/?token=wrong",
        ] {
            let answer = viewer.send("GET", target, headers, b"");
            assert_eq!(answer.status, 401, "{target} {headers:?}");
            assert!(!answer.text().to_lowercase().contains("secret"), "{target}");
            assert_eq!(answer.header("set-cookie"), None);
        }
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([JSON]).collect();
        assert_eq!(viewer.send("POST", "/api/list_pages", &headers, b"{}").status, 401);
        assert_eq!(viewer.send("POST", "/mcp", &headers, b"{}").status, 401);
    }
    let as_page = viewer.send("GET", "/", &[("Accept", "text/html")], b"");
    assert!(as_page.text().contains("<h1>This viewer needs its token</h1>"), "{}", as_page.text());
    assert!(as_page.text().contains("<style>:root"), "{}", as_page.text());
    // A token in the URL allows no changes.
    let target = format!("/api/list_pages?token={}", viewer.token);
    assert_eq!(viewer.send("POST", &target, &[JSON], b"{}").status, 401);
    let bearer = format!("Bearer {}", viewer.token);
    assert_eq!(
        viewer.send("POST", "/api/list_pages", &[("Authorization", &bearer), JSON], b"{}").status,
        200
    );
}

#[test]
fn requests_with_a_rebound_host_name_are_rejected() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    let port = viewer.port;
    for host in [
        format!("evil.example:{port}"),
        "evil.example".into(),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".into(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        for target in ["/", "/a.html", &format!("/?token={}", viewer.token), "/api/events"] {
            let headers = [("Host", host.as_str()), ("Cookie", &viewer.cookie)];
            let answer = viewer.send_exactly("GET", target, &headers, b"");
            assert!([400, 403].contains(&answer.status), "{host} {target}: {}", answer.status);
            assert_eq!(answer.header("set-cookie"), None);
        }
        let headers = [("Host", host.as_str()), ("Cookie", &viewer.cookie), JSON];
        assert!([400, 403].contains(&viewer.send_exactly("POST", "/api/status", &headers, b"{}").status));
        assert!([400, 403].contains(&viewer.send_exactly("POST", "/mcp", &headers, b"{}").status));
    }
    let own = format!("127.0.0.1:{port}");
    let absolute = format!("http://evil.example:{port}/a.html");
    let answer = viewer.send_exactly("GET", &absolute, &[("Host", &own), ("Cookie", &viewer.cookie)], b"");
    assert!([400, 403].contains(&answer.status), "{}", answer.status);
    let local = format!("localhost:{port}");
    let answer = viewer.send_exactly("GET", "/a.html", &[("Host", &local), ("Cookie", &viewer.cookie)], b"");
    assert_eq!(answer.status, 200);
}

#[test]
fn other_origins_get_nothing_even_with_the_cookie() {
    let viewer = Viewer::of([("a.md", "# A\n"), ("p.png", "picture")]);
    let cookie = ("Cookie", viewer.cookie.as_str());
    let other_port = format!("http://127.0.0.1:{}", viewer.port.wrapping_add(1));
    for origin in ["http://evil.example", "null", &other_port, "http://localhost", "https://evil.example"] {
        for (method, target) in [
            ("POST", "/api/status"),
            ("GET", "/api/events"),
            ("GET", "/a.html"),
            ("POST", "/mcp"),
            ("OPTIONS", "/api/status"),
        ] {
            let answer = viewer.send(method, target, &[cookie, JSON, ("Origin", origin)], b"{}");
            assert_eq!(answer.status, 403, "{origin} {method} {target}");
            assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")));
        }
    }
    // A request for an image embedded on another port has the cookie, but no `Origin`.
    let embeds =
        [cookie, ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")];
    assert_eq!(viewer.send("GET", "/p.png", &embeds, b"").status, 403);
    let own = format!("http://127.0.0.1:{}", viewer.port);
    assert_eq!(viewer.send("POST", "/api/status", &[cookie, JSON, ("Origin", &own)], b"{}").status, 200);
}

#[test]
fn operations_accept_only_json_posts_of_limited_size() {
    post_only_json(&Viewer::of([("a.md", "# A\n")]));
}

/// Sends other requests to operations.
pub fn post_only_json(viewer: &Browser) {
    let cookie = ("Cookie", viewer.cookie.as_str());
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH"] {
        let answer = viewer.send(method, "/api/delete_page", &[cookie], b"");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "application/jsonx",
    ] {
        let answer = viewer.send("POST", "/api/status", &[cookie, ("Content-Type", kind)], b"{}");
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert_eq!(viewer.send("POST", "/api/status", &[cookie], b"{}").status, 415);
    let much = vec![b' '; 17 * 1024 * 1024];
    let answer = viewer.send("POST", "/api/status", &[cookie, JSON], &much);
    // While the client still sends, the server may close the connection before the answer is read.
    assert!([413, 0].contains(&answer.status), "{}", answer.status);
    assert_eq!(viewer.get("/a.html").status, 200);
    let deep = format!("{{\"page\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(viewer.send("POST", "/api/get_page", &[cookie, JSON], deep.as_bytes()).status, 400);
    assert_eq!(viewer.send("POST", "/a.html", &[cookie], b"").status, 405);
}

/// Notations for `/` and `.` that some programs decode.
fn disguises(path: &str) -> Vec<String> {
    vec![
        path.to_owned(),
        path.replace("..", "%2e%2e"),
        path.replace("..", ".%2E"),
        path.replace('/', "%2f"),
        path.replace("../", "..%5c"),
        path.replace("../", "..\\"),
        path.replace("..", "%252e%252e"),
        path.replace("../", "....//"),
        path.replace("..", "%c0%ae%c0%ae"),
        path.replace("..", "%ef%bc%8e%ef%bc%8e"),
        path.replace("../", "./../"),
        format!("/{path}"),
        format!("assets/{path}"),
        format!("project-files/{path}"),
        format!("{path}%00.png"),
        format!("{path}?x=.png"),
        format!("{path}#.png"),
        format!("{path};.png"),
    ]
}

/// Files of a project that nobody gets.
pub const FILES: [(&str, &str); 9] = [
    ("a.md", "# A\n"),
    (".env", "SECRET"),
    (".hidden/p.png", "SECRET"),
    (".hidden.png", "SECRET"),
    ("node_modules/p.png", "SECRET"),
    ("src/main.rs", "SECRET"),
    ("id_rsa", "SECRET"),
    (".git/p.png", "SECRET"),
    (".ubp/p.png", "SECRET"),
];

#[test]
fn only_files_shown_by_pages_can_be_fetched() {
    get_no_other_files(&Viewer::of(FILES), &[]);
}

/// Tries to get files that pages do not show, and `more` of them that contain SECRET.
pub fn get_no_other_files(viewer: &Browser, more: &[&str]) {
    let outer = tempfile::tempdir().unwrap();
    let name = outer.path().file_name().unwrap().to_str().unwrap().to_owned();
    std::fs::write(outer.path().join("secret.png"), "SECRET").unwrap();
    let absolute = outer.path().join("secret.png").to_str().unwrap().to_owned();
    let mut targets = vec![
        format!("../{name}/secret.png"),
        format!("x/../../{name}/secret.png"),
        absolute.clone(),
        format!("/{absolute}"),
        format!("file://{absolute}"),
        "../../../../../../etc/passwd".into(),
        "C:/Windows/win.ini".into(),
    ];
    for own in [
        ".env",
        ".hidden/p.png",
        ".hidden.png",
        "node_modules/p.png",
        "src/main.rs",
        "id_rsa",
        ".git/p.png",
        ".ubp/p.png",
        ".ubp/manifest.json",
        ".ubp/metadata.db",
        ".UBP/manifest.json",
        ".app/index.html",
        "index.html/../.env",
        "./.env",
        "a.md",
    ]
    .iter()
    .chain(more)
    {
        targets.push((*own).into());
        targets.push(format!("x/../{own}"));
    }
    for target in targets.iter().flat_map(|target| disguises(target)) {
        let answer = viewer.get(&format!("/{}", target.trim_start_matches('#')));
        let text = answer.text();
        assert!(!text.contains("SECRET") && !text.contains("root:x:"), "{target}");
        // `/?…` and `/#…` request the home page.
        assert!(
            [400, 403, 404].contains(&answer.status) || target.starts_with(['?', '#']),
            "{target}: {}",
            answer.status
        );
    }
}

/// A vault with links to files in `outer` and to hidden files.
#[cfg(unix)]
pub fn linked_vault(outer: &tempfile::TempDir) -> ubp_tests::terminal::Terminal {
    use std::os::unix::fs::symlink;
    std::fs::write(outer.path().join("secret.png"), "SECRET").unwrap();
    std::fs::write(outer.path().join("secret.md"), "# SECRET\n").unwrap();
    let terminal = vault([
        ("a.md", "# A ![[out.png]] ![[folder/secret.png]] ![[env.png]] ![[ok.png]]\n"),
        (".env", "SECRET"),
        ("notes.txt", "SECRET"),
        ("real.png", "fine"),
    ]);
    for (from, to) in [
        ("out.png", outer.path().join("secret.png")),
        ("out.md", outer.path().join("secret.md")),
        ("folder", outer.path().to_path_buf()),
        ("env.png", terminal.path(".env")),
        ("text.png", terminal.path("notes.txt")),
        ("ubp.png", terminal.path(".ubp/manifest.json")),
        ("ok.png", terminal.path("real.png")),
        ("round.png", terminal.path("round.png")),
    ] {
        symlink(to, terminal.path(from)).unwrap();
    }
    terminal
}

/// Follows those links.
#[cfg(unix)]
pub fn follow_no_links(viewer: &Browser) {
    for target in
        ["/out.png", "/out.html", "/folder/secret.png", "/env.png", "/text.png", "/ubp.png", "/round.png"]
    {
        let answer = viewer.get(target);
        assert_eq!(answer.status, 404, "{target}");
        assert!(!answer.text().contains("SECRET"), "{target}");
    }
    assert_eq!(viewer.get("/ok.png").text(), "fine");
    for (name, params) in [
        ("read_page", json!({ "page": "out.md" })),
        (
            "save_page",
            json!({ "page": "out.md", "text": "x", "expected_hash": format!("sha256:{}", "0".repeat(64)) }),
        ),
        ("read_page", json!({ "page": "../secret.md" })),
        ("create_page", json!({ "title": "x", "path": "folder/x.md" })),
    ] {
        let answer = viewer.post(name, &params);
        assert!(answer.status >= 400, "{name}: {}", answer.text());
        assert!(!answer.text().contains("SECRET"), "{}", answer.text());
    }
}

#[cfg(unix)]
#[test]
fn symlinks_to_outside_or_to_hidden_files_are_not_followed() {
    let outer = tempfile::tempdir().unwrap();
    follow_no_links(&Viewer::on(Arc::new(linked_vault(&outer)), ""));
    assert!(!outer.path().join("x.md").exists());
}

const SCRIPT: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";

/// The first element, attribute or address that only an attacker would write, if any.
fn fault(html: &str) -> Option<String> {
    let lower = html.to_lowercase();
    for (at, _) in lower.match_indices('<') {
        let tag = lower[at + 1..].split('>').next().unwrap_or_default();
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        let known = [
            "!doctype",
            "html",
            "head",
            "meta",
            "title",
            "body",
            "div",
            "main",
            "nav",
            "a",
            "article",
            "header",
            "h1",
            "h2",
            "h3",
            "p",
            "ul",
            "ol",
            "li",
            "em",
            "strong",
            "code",
            "pre",
            "span",
            "section",
            "img",
            "blockquote",
            "hr",
            "br",
        ];
        let own_scripts =
            ["script type=\"module\" src=\"", "script type=\"application/json\" id=\"ubp-site\""];
        if name == "script" {
            if tag != "/script" && !own_scripts.iter().any(|own| tag.starts_with(own)) {
                return Some(format!("<{tag}>"));
            }
        } else if !known.contains(&name) && !tag.starts_with("link rel=\"manifest\" href=\"") {
            return Some(format!("<{tag}>"));
        }
        // Attribute names are outside of quotes.
        for outside in tag.split('"').step_by(2) {
            if outside.split_whitespace().any(|word| word.starts_with("on") && word.contains('=')) {
                return Some(format!("<{tag}>"));
            }
        }
        for value in tag.split('"').skip(1).step_by(2) {
            if ["javascript:", "vbscript:", "data:text"].iter().any(|bad| value.trim_start().starts_with(bad))
            {
                return Some(format!("<{tag}>"));
            }
        }
    }
    None
}

/// A vault whose pages try to become elements and scripts.
pub fn hostile_vault() -> ubp_tests::terminal::Terminal {
    let title = format!(
        "---\ntitle: '{SCRIPT}'\naliases: ['{SCRIPT}']\ntags: ['{SCRIPT}']\nlang: '\"><script>alert(1)</script>'\n---\n{SCRIPT}\n"
    );
    let heading = format!(
        "# {SCRIPT}\n\n## {SCRIPT}\n\n### \" onmouseover=\"alert(1)\n\n[x](javascript:alert(1)) [y](data:text/html,x)\n"
    );
    let linking = format!(
        "[[{SCRIPT}]] [[title|{SCRIPT}]] ![{SCRIPT}](p.png \"{SCRIPT}\") <svg onload=alert(1)> `{SCRIPT}`\n\n```{SCRIPT}\n{SCRIPT}\n```\n"
    );
    // Windows has no names with these characters.
    let named = if cfg!(windows) { "' onload='x.md" } else { "<img src=x onerror=alert(1)>\" onload=\"x.md" };
    let terminal = vault([
        ("title.md", title.as_str()),
        ("heading.md", &heading),
        ("linking.md", &linking),
        ("p.png", "x"),
        (named, "# Named\n\n[[linking]] [[title]]\n"),
    ]);
    let export = format!("{{\"title\": \"{SCRIPT}\"}}");
    let manifest = std::fs::read_to_string(terminal.path(".ubp/manifest.json")).unwrap();
    terminal
        .write(".ubp/manifest.json", manifest.replacen('{', &format!("{{\"export\": {export},"), 1))
        .unwrap();
    terminal
}

/// Looks at every page of that vault.
pub fn see_no_elements_of_pages(viewer: &Browser) {
    for page in viewer.call("list_pages", &json!({}))["pages"].as_array().unwrap() {
        let rendered = viewer.call("render_page", &json!({ "page": page["filepath"] }));
        let target = format!("/{}", rendered["url"].as_str().unwrap());
        let answer = viewer.get(&target);
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(fault(&answer.text()), None, "{target}\n{}", answer.text());
    }
    for target in [
        "/",
        "/all-pages.html",
        "/nothing.html",
        "/<script>alert(1)</script>",
        "/%3Cscript%3Ealert(1)%3C/script%3E",
    ] {
        let answer = viewer.get(target);
        assert_eq!(fault(&answer.text()), None, "{target}\n{}", answer.text());
    }
}

#[test]
fn html_in_a_page_is_escaped() {
    see_no_elements_of_pages(&Viewer::on(Arc::new(hostile_vault()), ""));
    let known = "<p onclick=\"x\">";
    assert!(
        fault(known).is_some() && fault("<a href=\"javascript:x\">").is_some() && fault("<script>").is_some()
    );
}

#[test]
fn every_response_has_security_headers() {
    let viewer = Viewer::of([("a.md", "# A\n"), ("p.svg", "<svg onload=\"alert(1)\"/>")]);
    let cookie = ("Cookie", viewer.cookie.as_str());
    let answers = [
        viewer.get("/a.html"),
        viewer.get("/p.svg"),
        viewer.get("/assets/app.js"),
        viewer.get("/nothing"),
        viewer.send("GET", "/", &[], b""),
        viewer.send("GET", &format!("/?token={}", viewer.token), &[], b""),
        viewer.send("POST", "/api/status", &[cookie, JSON], b"{}"),
        viewer.send("POST", "/api/status", &[cookie], b"{}"),
        viewer.send("GET", "/", &[("Origin", "http://evil.example")], b""),
        viewer.send("GET", "/mcp", &[], b""),
    ];
    for answer in answers {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert!(answer.header("cache-control").is_some());
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{answer:?}");
    }
    let picture = viewer.get("/p.svg");
    let policy = picture.header("content-security-policy").unwrap();
    assert!(!policy.contains("script-src"), "an image must not run scripts: {policy}");
}

/// Editors show the viewer in a frame: their documents are of another origin, cookies do not arrive there, and a proxy of a
/// remote editor has another host name.
#[test]
fn only_addresses_with_the_secret_of_frames_work_in_a_frame() {
    let viewer = Viewer::of([("sub/secret-plan.md", "# Secret plan\n\n[A](../a.md)\n"), ("a.md", "# A\n")]);
    let start = format!("http://127.0.0.1:{}/", viewer.port);
    let path = format!("/{}", viewer.frame.strip_prefix(&start).unwrap());
    assert!(path.starts_with("/.frame/") && path.len() > 64, "{path}");
    assert!(!path.contains(&viewer.token) && !path.contains(viewer.cookie.split('=').next_back().unwrap()));
    let embedded: &[(&str, &str)] = &[
        ("Host", "editor.example"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "iframe"),
        ("Accept", "text/html"),
    ];
    for target in ["", "sub/secret-plan.html", "?graph=all", "assets/app.js"] {
        let answer = viewer.send_exactly("GET", &format!("{path}{target}"), embedded, b"");
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(answer.header("x-frame-options"), None, "{target}");
        assert_eq!(answer.header("set-cookie"), None, "{target}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("frame-ancestors"), "{policy}");
        // An absolute address would lead out of the frame's addresses.
        assert!(!answer.text().contains("=\"/"), "{}", answer.text());
    }
    let shown = viewer.send_exactly("GET", &format!("{path}sub/secret-plan.html"), embedded, b"");
    assert!(shown.text().contains("Secret plan"), "{}", shown.text());
    let posts = [("Host", "editor.example"), ("Origin", "https://editor.example"), JSON];
    let listed = viewer.send_exactly("POST", &format!("{path}api/list_pages"), &posts, b"{}");
    assert_eq!((listed.status, &listed.json()["total"]), (200, &json!(2)), "{}", listed.text());

    let wrong = path.replace(&path[8..20], "0123456789ab");
    for start in [&wrong, "/.frame/", "/.frame/x/", &format!("/.frame/{}/", viewer.token)] {
        let refused =
            viewer.send("GET", &format!("{start}sub/secret-plan.html"), embedded.get(1..).unwrap(), b"");
        assert!([401, 403].contains(&refused.status), "{start}: {}", refused.status);
        assert!(!refused.text().contains("Secret plan"));
        assert_eq!(refused.header("x-frame-options"), Some("DENY"));
        let posted = viewer.send("POST", &format!("{start}api/list_pages"), &[JSON], b"{}");
        assert!([401, 403].contains(&posted.status), "{start}: {}", posted.status);
    }
    // The secret opens nothing else, and what it opens is what the viewer shows anyway.
    assert_eq!(viewer.send("POST", &format!("{path}mcp"), &[JSON], b"{}").status, 405);
    assert_eq!(
        viewer.send("GET", &format!("{path}../Cargo.toml"), embedded.get(1..).unwrap(), b"").status,
        404
    );
    let cookie =
        format!("ubp-viewer-{}={}", viewer.port, path.trim_matches('/').split('/').next_back().unwrap());
    assert_eq!(viewer.send("GET", "/a.html", &[("Cookie", &cookie)], b"").status, 401);
}
