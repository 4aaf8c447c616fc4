//! Files of the project on the desktop of a person whose browser is on the same machine.

#[cfg(target_os = "linux")]
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Answer, Viewer, vault};

fn asked(viewer: &Viewer, request: &Value) -> Answer {
    let headers = [("cookie", viewer.cookie.as_str()), ("content-type", "application/json")];
    viewer.send("POST", "/desktop", &headers, request.to_string().as_bytes())
}

/// A program that writes its arguments to the file beside it.
#[cfg(target_os = "linux")]
fn program(folder: &Path, name: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.new\" && mv \"$0.new\" \"$0.called\"\n")
        .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_opens_in_the_editor_of_the_environment_at_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let editor = program(folder.path(), "code");
    let terminal = vault([("notes/a b.md", "# A\n")]);
    let terminal =
        terminal.with_variable("DISPLAY", ":0").with_variable("VISUAL", &format!("{editor} --wait"));
    let viewer = Viewer::on(Arc::new(terminal), "");
    let done = asked(&viewer, &json!({ "action": "edit", "path": "notes/a b.md", "line": 3 }));
    assert_eq!(done.status, 204, "{}", done.text());
    let (called, begun) = (folder.path().join("code.called"), Instant::now());
    while !called.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the editor was not started");
        std::thread::sleep(Duration::from_millis(5));
    }
    let arguments = fs::read_to_string(called).unwrap();
    assert!(arguments.starts_with("--wait\n--goto\n/"), "{arguments}");
    assert!(arguments.ends_with("/notes/a b.md:3\n"), "{arguments}");
}

#[test]
fn other_files_other_machines_and_other_sites_open_nothing() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    for (path, status) in
        [("../a.md", 403), ("/etc/passwd", 403), (".ubp/manifest.json", 403), ("none.md", 404)]
    {
        let refused = asked(&viewer, &json!({ "action": "show", "path": path }));
        assert_eq!(refused.status, status, "{path}: {}", refused.text());
    }
    let folder = asked(&viewer, &json!({ "action": "edit", "path": "" }));
    assert_eq!(folder.status, 400, "{}", folder.text());
    let none = asked(&viewer, &json!({ "action": "edit", "path": "a.md" }));
    assert!(none.text().contains("set VISUAL to the one that you use"), "{}", none.text());
    let form = [("cookie", viewer.cookie.as_str()), ("content-type", "text/plain")];
    let sent = viewer.send("POST", "/desktop", &form, br#"{"action":"show","path":"a.md"}"#);
    assert_eq!(sent.status, 415, "any web page can send forms");
    let stranger = [("content-type", "application/json")];
    assert_eq!(viewer.send("POST", "/desktop", &stranger, b"{}").status, 401);

    let open = Viewer::on(Arc::new(vault([("a.md", "# A\n")])), "--host 0.0.0.0 --token 0123456789abcdef");
    let refused = asked(&open, &json!({ "action": "show", "path": "a.md" }));
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("only a browser on the machine of the viewer"), "{}", refused.text());
}
