//! Addresses: the pages of an exported site, their attachments, and the web app.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{Viewer, vault};

/// Pages and files with conflicting addresses.
fn tangled() -> Vec<(&'static str, &'static str)> {
    vec![
        ("README.md", "# Welcome\n\n[[Bücher]] [[x/a]] ![[p.png]] ![[deep/b c.png]]\n"),
        ("x/a.md", "# A\n\n[[README]] [[#A]] [[y.html/in]]\n"),
        ("x/A.markdown", "# Twin\n"),
        ("Bücher.md", "# Bücher\n\n<script>alert(1)</script>\n"),
        ("404.md", "# Not an error\n"),
        ("all-pages.md", "# Mine\n"),
        ("y.html/in.md", "# In a folder like a page\n"),
        ("name~0123456789ab.md", "# Looks told apart\n"),
        ("100% & #1 \"q\".md", "# Odd\n"),
        ("p.png", "picture"),
        ("deep/b c.png", "another"),
        ("project-files/own.png", "shadow"),
    ]
}

fn files(folder: &Path, top: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, top, found);
        } else {
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            found.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn encoded(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// The HTML without the parts that differ between a site and the viewer: data for the web app, the security policy, the way to
/// a page, and the pages before and after it.
fn shared(html: &[u8]) -> String {
    let mut html = String::from_utf8(html.to_vec()).unwrap();
    for (start, end) in [("<nav class=\"way\"", "</nav>\n"), ("<footer class=\"page-foot\"", "</footer>\n")] {
        if let Some(at) = html.find(start) {
            let length = html[at..].find(end).unwrap() + end.len();
            html.replace_range(at..at + length, "");
        }
    }
    html.lines()
        .filter(|line| {
            !["ubp-site", "ubp-page", "name=\"robots\"", "rel=\"manifest\""]
                .iter()
                .any(|part| line.contains(part))
        })
        .map(|line| match line.find("<meta http-equiv=\"Content-Security-Policy\"") {
            Some(at) => line[..at].to_owned(),
            None => line.to_owned(),
        })
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn every_address_of_an_exported_site_gives_the_same_page() {
    let terminal = Arc::new(vault(tangled()));
    terminal.write(".app/assets/ubp_base_bg-x.wasm", "").unwrap();
    let ran = terminal.ubp("export site --web-app .app --no-semantic --json");
    assert!(ran.succeeded(), "{}", ran.transcript());
    let mut exported = BTreeMap::new();
    files(&terminal.path("site"), &terminal.path("site"), &mut exported);
    fs::rename(terminal.path("site"), terminal.path(".site")).unwrap();
    let viewer = Viewer::on(terminal, "");
    let mut pages = 0;
    for (file, bytes) in &exported {
        if file == "404.html" || file.starts_with("data/") || file.starts_with('.') {
            continue;
        }
        let shown = viewer.get(&format!("/{}", encoded(file)));
        assert_eq!(shown.status, 200, "{file}");
        if file.ends_with(".html") {
            pages += 1;
            assert_eq!(shared(&shown.body), shared(bytes), "{file}");
            assert!(shown.text().contains("\"mode\":\"server\""), "{file}");
        } else {
            assert_eq!(shown.body, *bytes, "{file}");
        }
    }
    assert_eq!(pages, 11, "nine pages, the first one, and the list");
    assert_eq!(shared(&viewer.get("/").body), shared(&exported["index.html"]));
}

#[test]
fn the_manifest_tells_projects_apart_and_is_asked_for_with_the_cookie() {
    let manifest = |pages: &[(&'static str, &'static str)]| {
        let terminal = Arc::new(vault(pages.iter().copied()));
        terminal.write(".app/ubp.webmanifest", "{\"start_url\":\"./\"}").unwrap();
        terminal.write(".app/ubp-offline.js", "work();").unwrap();
        let viewer = Viewer::on(terminal, "");
        let page = viewer.get("/deep/a.html").text();
        let link = "<link rel=\"manifest\" href=\"../ubp.webmanifest\" crossorigin=\"use-credentials\">";
        assert!(page.contains(link) && page.contains("\"installable\":true"), "{page}");
        // Nothing is kept: without a description of a site, the worker has no files.
        assert_eq!(viewer.get("/ubp-offline.js").text(), "work();");
        let answer = viewer.get("/ubp.webmanifest");
        assert_eq!(answer.status, 200);
        serde_json::from_str::<serde_json::Value>(&answer.text()).unwrap()
    };
    let first = manifest(&[("home.md", "# One\n"), ("deep/a.md", "# A\n")]);
    let second = manifest(&[("home.md", "# Two\n"), ("deep/a.md", "# A\n")]);
    assert_eq!((&first["name"], &first["start_url"]), (&"One".into(), &"./".into()));
    assert_ne!(first["id"], second["id"]);
}

#[test]
fn an_unknown_address_shows_a_not_found_page() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    // Relative addresses also lead to the top behind a proxy, and below the address of a project of a hub.
    for (target, root) in [
        ("/nothing.html", "./"),
        ("/deep/er/nothing", "../../"),
        ("/a.md", "./"),
        ("/a", "./"),
        ("/a//b", "../../"),
    ] {
        let answer = viewer.get(target);
        assert_eq!(answer.status, 404, "{target}");
        let html = answer.text();
        assert!(html.contains(&format!("src=\"{root}assets/app.js\"")), "{html}");
        assert!(html.contains(&format!("\"root\":\"{root}\"")), "{html}");
        assert!(html.contains(&format!("href=\"{root}index.html\"")), "{html}");
    }
}

#[test]
fn a_page_shows_the_current_file() {
    let viewer = Viewer::of([("a.md", "# A\n\nBefore.\n")]);
    assert!(viewer.get("/a.html").text().contains("Before."));
    viewer.terminal.write("a.md", "# A\n\nAfter the change.\n").unwrap();
    let mut html = String::new();
    for _ in 0..100 {
        html = viewer.get("/a.html").text();
        if html.contains("After the change.") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{html}");
}

#[test]
fn inline_styles_need_a_nonce_that_is_new_each_time() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    let (one, other) = (viewer.get("/a.html"), viewer.get("/a.html"));
    let nonce = |answer: &super::Answer| {
        let text = answer.text();
        let start = text.find("\"style_nonce\":\"").unwrap() + "\"style_nonce\":\"".len();
        text[start..].split('"').next().unwrap().to_owned()
    };
    assert_ne!(nonce(&one), nonce(&other));
    let policy = one.header("content-security-policy").unwrap();
    assert!(policy.contains(&format!("style-src 'self' 'nonce-{}';", nonce(&one))), "{policy}");
    assert!(policy.contains("script-src 'self' 'wasm-unsafe-eval';"), "{policy}");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("http"), "{policy}");
    assert!(!one.text().contains("http-equiv"), "a second policy would forbid the nonce");
}

#[test]
fn only_a_viewer_for_this_machine_tells_where_the_project_is() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    let told = |html: &str| -> serde_json::Value {
        let data = html.split("id=\"ubp-site\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str(data).unwrap()
    };
    let folders = &told(&viewer.get("/a.html").text())["folders"];
    let page = Path::new(folders["pages"].as_str().unwrap()).join("a.md");
    assert_eq!(fs::read_to_string(page).unwrap(), "# A\n");
    assert!(Path::new(folders["project"].as_str().unwrap()).join(".ubp").is_dir());

    let terminal = Arc::new(vault([("a.md", "# A\n")]));
    let open = Viewer::on(terminal, "--host 0.0.0.0 --token 0123456789abcdef");
    assert_eq!(told(&open.get("/a.html").text()).get("folders"), None);
}

#[test]
fn the_web_app_is_cached_and_attachments_are_revalidated() {
    let viewer = Viewer::of([("a.md", "![[p.png]]\n"), ("p.png", "one"), ("d.docx", "kept")]);
    let asset = viewer.get("/assets/app.js");
    assert!(asset.header("cache-control").unwrap().contains("immutable"));
    assert_eq!(asset.header("content-type"), Some("text/javascript; charset=utf-8"));
    let picture = viewer.get("/p.png");
    let tag = picture.header("etag").unwrap();
    let again = viewer.send("GET", "/p.png", &[("Cookie", &viewer.cookie), ("If-None-Match", tag)], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    viewer.terminal.write("p.png", "another").unwrap();
    let again = viewer.send("GET", "/p.png", &[("Cookie", &viewer.cookie), ("If-None-Match", tag)], b"");
    assert_eq!((again.status, again.text().as_str()), (200, "another"));
    assert_eq!(viewer.get("/d.docx").header("content-disposition"), Some("attachment"));
    assert_eq!(viewer.get("/a.html").header("cache-control"), Some("no-store"));
}

#[test]
fn range_requests_are_answered() {
    let terminal = vault([("a.md", "# A\n\n![[film.mp4]]\n")]);
    terminal.write("film.mp4", "0123456789").unwrap();
    let viewer = Viewer::on(Arc::new(terminal), "");
    let ask = |headers: &[(&str, &str)]| {
        let mut all = vec![("Cookie", viewer.cookie.as_str())];
        all.extend(headers);
        viewer.send("GET", "/film.mp4", &all, b"")
    };
    let whole = ask(&[]);
    assert_eq!((whole.status, whole.header("accept-ranges")), (200, Some("bytes")));
    let tag = whole.header("etag").unwrap().to_owned();
    for (range, told, bytes) in [
        ("bytes=2-4", "bytes 2-4/10", "234"),
        ("bytes=7-", "bytes 7-9/10", "789"),
        ("bytes=-2", "bytes 8-9/10", "89"),
        ("bytes=8-99", "bytes 8-9/10", "89"),
    ] {
        let part = ask(&[("Range", range)]);
        assert_eq!((part.status, part.header("content-range")), (206, Some(told)), "{range}");
        assert_eq!(part.text(), bytes, "{range}");
    }
    for (headers, status) in [
        (vec![("Range", "bytes=10-")], 416),
        (vec![("Range", "bytes=0-1,4-5")], 200),
        (vec![("Range", "lines=1-2")], 200),
        (vec![("Range", "bytes=5-2")], 416),
        (vec![("Range", "bytes=0-1"), ("If-Range", "\"another\"")], 200),
        (vec![("Range", "bytes=0-1"), ("If-Range", tag.as_str())], 206),
    ] {
        assert_eq!(ask(&headers).status, status, "{headers:?}");
    }
    assert_eq!(ask(&[("Range", "bytes=10-")]).header("content-range"), Some("bytes */10"));
}
