//! Sites written by `ubp export`: they contain no secrets, have no broken links, and are reproducible.

mod links;
mod secrets;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ubp_tests::terminal::Terminal;

const TEMPLATE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>x</title>\n\
    <script type=\"module\" src=\"./assets/app.js\"></script>\n<!--ubp:head-->\n</head>\n\
    <body><div id=\"app\"><main id=\"content\"><!--ubp:content--></main></div></body>\n</html>\n";

/// A vault with a minimal web app beside it.
fn vault<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Terminal {
    let terminal = Terminal::vault(pages).unwrap();
    terminal.write(".app/index.html", TEMPLATE).unwrap();
    terminal.write(".app/assets/app.js", "export {};\n").unwrap();
    terminal.write(".app/assets/ubp_base_bg-x.wasm", "").unwrap();
    terminal
}

/// Every file below a folder, by its relative path.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn export(terminal: &Terminal, more: &str) -> serde_json::Value {
    let ran = terminal.ubp(&format!("export site --web-app .app --json {more}"));
    assert!(ran.succeeded(), "{}", ran.transcript());
    ran.json()
}

#[test]
fn exporting_twice_gives_the_same_bytes() {
    let terminal = vault([
        ("index.md", "# Home\n\n[[a]] ![[p.png]]\n"),
        ("a.md", "# A\n\n[[index]]\n"),
        ("p.png", "png"),
    ]);
    let first = export(&terminal, "");
    let before = files(&terminal.path("site"));
    let second = export(&terminal, "");
    let after = files(&terminal.path("site"));
    assert_eq!((&second["written"], &second["removed"]), (&0.into(), &0.into()), "{second}");
    assert_eq!((&first["pages"], &first["attachments"]), (&2.into(), &1.into()));
    for (path, bytes) in &before {
        assert!(path == ".ubp-export.json" || after.get(path) == Some(bytes), "{path}");
    }
    terminal.ubp("rebuild");
    fs::remove_dir_all(terminal.path("site")).unwrap();
    export(&terminal, "");
    let anew = files(&terminal.path("site"));
    assert!(before.keys().eq(anew.keys()));
    for (path, bytes) in &before {
        assert!(path == ".ubp-export.json" || anew.get(path) == Some(bytes), "{path}");
    }
}

#[test]
fn an_installable_site_knows_its_files_and_changes_with_each() {
    let terminal = vault([
        ("index.md", "# Home & \"more\"\n\n![[p q.png]]\n"),
        ("Deep/a.md", "# A\n"),
        ("p q.png", "png"),
        ("mine.js", "not shown"),
    ]);
    terminal.write(".app/ubp.webmanifest", "{\"start_url\":\"./\"}").unwrap();
    terminal.write(".app/ubp-offline.js", "work();").unwrap();
    export(&terminal, "--installable");
    let site = files(&terminal.path("site"));
    let text = |name: &str| String::from_utf8(site[name].clone()).unwrap();
    assert!(text("Deep/a.html").contains("<link rel=\"manifest\" href=\"../ubp.webmanifest\">"));
    let manifest: serde_json::Value = serde_json::from_slice(&site["ubp.webmanifest"]).unwrap();
    assert_eq!(manifest["name"], "Home & \"more\"");
    let worker = |text: &str| {
        let known =
            text.strip_prefix("globalThis.ubpSite = ").and_then(|rest| rest.strip_suffix(";\nwork();"));
        serde_json::from_str::<serde_json::Value>(known.unwrap()).unwrap()
    };
    let first = worker(&text("ubp-offline.js"));
    let list = site.keys().find(|path| path.starts_with("data/pages.")).unwrap();
    assert_eq!(first["first"], serde_json::json!([list, "", "all-pages.html"]));
    assert_eq!(first["shown"], serde_json::json!(["p%20q.png"]));
    let lasting: Vec<&str> =
        first["lasting"].as_array().unwrap().iter().filter_map(|path| path.as_str()).collect();
    assert!(lasting.contains(&"assets/app.js") && lasting.contains(&list.as_str()), "{lasting:?}");
    assert!(
        lasting.iter().all(|path| ["assets/", "data/"].iter().any(|folder| path.starts_with(folder))),
        "{lasting:?}"
    );
    // The same pages give the same version, so that browsers fetch nothing again.
    export(&terminal, "--installable");
    assert_eq!(files(&terminal.path("site"))["ubp-offline.js"], site["ubp-offline.js"]);
    terminal.write("Deep/a.md", "# A\n\nMore.\n").unwrap();
    export(&terminal, "--installable");
    let changed = String::from_utf8(files(&terminal.path("site"))["ubp-offline.js"].clone()).unwrap();
    assert_ne!(worker(&changed)["version"], first["version"]);
    // Without the flag, no trace is left.
    export(&terminal, "");
    let site = files(&terminal.path("site"));
    assert!(!site.keys().any(|path| path.starts_with("ubp")), "{:?}", site.keys());
    assert!(!String::from_utf8_lossy(&site["index.html"]).contains("manifest\""));
}

#[test]
fn a_later_export_deletes_obsolete_files() {
    let terminal = vault([("index.md", "# Home\n"), ("a.md", "# A\n")]);
    export(&terminal, "");
    terminal.write("site/CNAME", "docs.example.com").unwrap();
    terminal.write("a.md", "---\npublish: false\n---\n# A\n").unwrap();
    let output = export(&terminal, "");
    assert_eq!(output["unpublished"], serde_json::json!(["a.md"]));
    let site = files(&terminal.path("site"));
    assert!(!site.contains_key("a.html") && site.contains_key("CNAME"), "{:?}", site.keys());
    assert_eq!(site.keys().filter(|path| path.ends_with(".db")).count(), 1);
}

#[test]
fn export_refuses_folders_with_other_files() {
    let terminal = vault([("index.md", "# Home\n"), ("notes/a.md", "# A\n")]);
    terminal.write("mine/file.txt", "x").unwrap();
    terminal.write(".viewer/index.html", TEMPLATE).unwrap();
    for (command, words) in [
        ("export mine --web-app .app", "has files that are not from an export"),
        ("export . --web-app .app", "contains files of the project"),
        ("export .. --web-app .app", "contains files of the project"),
        ("export .ubp/site --web-app .app", "contains files of the project"),
        ("export notes --web-app .app", "has files that are not from an export"),
        ("export notes/a.md --web-app .app", "is not a folder"),
        ("export site --web-app nowhere", "index.html"),
        ("export site --web-app .viewer", "bindings-wasm/build.sh"),
        ("export site --base-url example.com --web-app .app", "expected an address"),
    ] {
        let ran = terminal.ubp(command);
        assert!(!ran.succeeded() && ran.err.contains(words), "{}", ran.transcript());
    }
    assert_eq!(files(&terminal.path("mine")).len(), 1);
    assert!(terminal.ubp("export mine --web-app .app --force").succeeded());
    assert_eq!(files(&terminal.path("mine"))["file.txt"], b"x");
}

#[test]
fn a_site_in_the_project_is_not_exported_again() {
    let terminal = vault([("index.md", "# Home\n\n![[p.png]]\n"), ("deep/er/p.png", "png")]);
    export(&terminal, "");
    let before = files(&terminal.path("site"));
    assert!(before.contains_key("deep/er/p.png"), "{:?}", before.keys());
    terminal.write("index.md", "# Home\n\n![[p.png]]\n\nmore\n").unwrap();
    export(&terminal, "");
    let after = files(&terminal.path("site"));
    assert!(after.keys().filter(|path| path.ends_with(".png")).eq(["deep/er/p.png"]), "{:?}", after.keys());
}

#[test]
fn every_page_can_be_read_without_scripts() {
    let terminal = vault([
        ("index.md", "# Home\n\n[[Guide|depends_on]]\n"),
        ("Guide.md", "---\nsource_refs: [src/x.rs]\n---\n# Guide\n\nText\n\n## One\n\n## Two\n"),
    ]);
    export(&terminal, "--noindex --base-url http://localhost:8000/docs/");
    let site = files(&terminal.path("site"));
    let guide = String::from_utf8(site["Guide.html"].clone()).unwrap();
    for part in [
        "<h1>Guide</h1>",
        "<p>Text</p>",
        "<h2>Links to this page</h2>",
        "<a class=\"link\" data-page=\"index.md\" href=\"index.html\">Home</a>",
        "<meta name=\"robots\" content=\"noindex\">",
        "<link rel=\"canonical\" href=\"http://localhost:8000/docs/Guide.html\">",
        "<li class=\"level-2\"><a href=\"#guide/one\">One</a></li>",
        "\"semantic\":null",
    ] {
        assert!(guide.contains(part), "{part}\n{guide}");
    }
    assert!(!site.contains_key("sitemap.xml"));
}
