//! Code that pages describe, read through the viewer: nothing else of the machine or of the project may come with it.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::sync::Arc;

use serde_json::json;

use super::{Viewer, vault};

const SECRET: &str = "SECRET";

#[test]
fn only_listed_text_files_of_the_project_are_read() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret.rs"), SECRET).unwrap();
    let outside = outer.path().join("secret.rs");
    let terminal = vault([
        ("a.md", "# A\n"),
        ("src/main.rs", "fn main() {}\n"),
        (".gitignore", "*.key\nbuild/\n"),
        (".ubpignore", "private/\n"),
        ("server.key", SECRET),
        ("build/out.rs", SECRET),
        ("private/plan.rs", SECRET),
        (".env", SECRET),
        ("src/.env.local", SECRET),
        (".hidden/a.rs", SECRET),
        (".git/config", SECRET),
        ("node_modules/x/index.js", SECRET),
        ("src/.git/config", SECRET),
        ("packed.bin", "SECRET\0"),
    ]);
    for (from, to) in [
        ("out.rs", outside.clone()),
        ("folder", outer.path().to_path_buf()),
        ("env.rs", terminal.path(".env")),
        ("key.rs", terminal.path("server.key")),
        ("built.rs", terminal.path("build/out.rs")),
        ("git.rs", terminal.path(".git/config")),
        ("ubp.rs", terminal.path(".ubp/manifest.json")),
        ("private.key", terminal.path("src/main.rs")),
        ("round.rs", terminal.path("round.rs")),
        ("linked.rs", terminal.path("src/main.rs")),
    ] {
        symlink(to, terminal.path(from)).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(terminal.path("pipe.rs")).status().unwrap();
    assert!(made.success());
    let viewer = Viewer::on(Arc::new(terminal), "");
    let name = outer.path().file_name().unwrap().to_str().unwrap();
    let absolute = outside.to_str().unwrap();
    let mut files = vec![
        format!("../{name}/secret.rs"),
        format!("src/../../{name}/secret.rs"),
        absolute.to_owned(),
        format!("/{absolute}"),
        format!("file://{absolute}"),
        "../../../../../../etc/passwd".to_owned(),
        "/proc/self/environ".to_owned(),
        "C:\\Windows\\win.ini".to_owned(),
        "*".to_owned(),
        "**/.env".to_owned(),
        "{.env,src/main.rs}".to_owned(),
        "src/main.rs/../../.env".to_owned(),
        "x".repeat(5_000),
    ];
    for refused in [
        "server.key",
        "build/out.rs",
        "private/plan.rs",
        ".env",
        "./.env",
        "src/.env.local",
        ".hidden/a.rs",
        ".git/config",
        ".GIT/config",
        "src/.git/config",
        ".ubp/manifest.json",
        ".ubp/metadata.db",
        ".UBP/metadata.db",
        "node_modules/x/index.js",
        "packed.bin",
        "out.rs",
        "folder/secret.rs",
        "env.rs",
        "key.rs",
        "built.rs",
        "git.rs",
        "ubp.rs",
        "private.key",
        "round.rs",
        "pipe.rs",
        "src",
        "src/",
    ] {
        files.push(refused.to_owned());
        for (plain, disguised) in [("/", "%2f"), (".", "%2e"), ("/", "//"), ("/", "\\"), ("/", "/./")] {
            files.push(refused.replacen(plain, disguised, 1));
        }
        files.push(format!("src/../{refused}"));
        files.push(format!("{refused}\0.rs"));
        files.push(format!("{refused}#L1"));
    }
    for file in &files {
        let answer = viewer.post("read_source", &json!({ "file": file }));
        let text = answer.text();
        assert!(
            !text.contains(SECRET) && !text.contains("root:x:") && !text.contains("pages_dir"),
            "{file}: {text}"
        );
        // A link to itself is an error of the operating system.
        let is_expected = [200, 400, 403, 404].contains(&answer.status) || file.contains("round.rs");
        assert!(is_expected, "{file}: {} {text}", answer.status);
        let shown = answer.json();
        assert!(shown["text"].is_null(), "{file}: {text}");
        let symbols = viewer.post("list_symbols", &json!({ "file": file })).json();
        assert!(symbols["symbols"].as_array().is_none_or(Vec::is_empty), "{file}: {symbols}");
    }
    for file in ["src/main.rs", "./src/main.rs", "linked.rs"] {
        assert_eq!(viewer.call("read_source", &json!({ "file": file }))["text"], "fn main() {}\n", "{file}");
    }
    let symbols = viewer.call("list_symbols", &json!({ "file": "src/main.rs", "text": "MA" }));
    assert_eq!(symbols["symbols"], json!([{ "name": "main", "kind": "function", "line": 1 }]));
    let listed = viewer.call("list_files", &json!({}));
    let paths: Vec<&str> =
        listed["files"].as_array().unwrap().iter().filter_map(|file| file["path"].as_str()).collect();
    for private in
        ["server.key", "build/out.rs", "private/plan.rs", ".git/config", ".ubp/manifest.json", "out.rs"]
    {
        assert!(!paths.contains(&private), "{private}");
    }
    assert!(paths.contains(&"src/main.rs"), "{paths:?}");
}
