//! Malicious content of a cloned project must not make a listing fail, leave the project or loop forever.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use super::tests::Project;
use super::*;

fn reason_of(project: &Project, path: &str) -> String {
    let unreadable = project.unreadable();
    let found = unreadable.iter().find(|(shown, _)| shown == path);
    found.map_or_else(|| format!("{path} is not among {unreadable:?}"), |(_, reason)| reason.clone())
}

#[test]
fn symbolic_links_out_of_the_project_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let project = Project::new("pages");
    project.put(".git/config", "token");
    project.put(".env/keys.md", "key");
    project.put("pages/.private/p.md", "p");
    let secret = outside.path().join("secret.md");
    symlink(&secret, project.path("pages/out.md")).unwrap();
    symlink(outside.path(), project.path("pages/folder")).unwrap();
    symlink("../.git/config", project.path("pages/config.md")).unwrap();
    symlink("../.env", project.path("pages/env")).unwrap();
    symlink(".private/p.md", project.path("pages/private.md")).unwrap();
    symlink(&secret, project.path("code.rs")).unwrap();
    symlink(".git/config", project.path("config.rs")).unwrap();
    symlink(outside.path().join("new.md"), project.path("pages/dangling.md")).unwrap();

    assert!(project.pages().is_empty());
    let listed = project.unreadable();
    assert_eq!(listed.len(), 6, "{listed:?}");
    assert!(reason_of(&project, "out.md").contains("out of the project"));
    assert!(reason_of(&project, "config.md").contains("hidden"));
    let code = |result: Result<Vec<u8>>| result.unwrap_err().code();
    for path in ["out.md", "folder/secret.md", "config.md", "env/keys.md", "private.md"] {
        assert_eq!(code(project.source.read(path)), "outside_project", "{path}");
        assert_eq!(project.source.stat(path).unwrap_err().code(), "outside_project", "{path}");
        let hash = ContentHash::of(b"secret");
        for expected in [None, Some(hash)] {
            let error = project.source.write(path, b"overwritten", expected).unwrap_err();
            assert_eq!(error.code(), "outside_project", "{path}");
        }
    }
    for path in ["folder/new.md", "folder/deep/new.md", "env/new.md"] {
        assert_eq!(project.source.write(path, b"x", None).unwrap_err().code(), "outside_project", "{path}");
    }
    assert_eq!(project.source.write("dangling.md", b"x", None).unwrap_err().code(), "io");
    for path in ["code.rs", "config.rs", "pages/out.md"] {
        assert_eq!(code(project.source.read_source(path)), "outside_project", "{path}");
    }
    let sources = project.source.match_sources(&["**".to_string()]).unwrap();
    assert_eq!(sources, [".env/keys.md", "pages/.private/p.md", "pages/private.md"]);
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_pages_folder_outside_the_project_is_refused() {
    let outside = tempfile::tempdir().unwrap();
    let project = Project::new("x");
    symlink(outside.path(), project.path("pages")).unwrap();
    project.put(".git/x/a.md", "x");
    symlink(".git/x", project.path("git-pages")).unwrap();
    for pages_dir in ["pages", "pages/inner", "git-pages", ".git", "../x", "/tmp"] {
        let error = DiskSource::new(project.dir.path(), pages_dir).unwrap_err();
        assert_eq!(error.code(), "outside_project", "{pages_dir}");
    }
}

#[test]
fn symbolic_link_cycles_are_reported_and_skipped() {
    let project = Project::new("pages");
    project.put("pages/a/x.md", "x");
    project.put("docs/y.md", "y");
    symlink("..", project.path("pages/a/up")).unwrap();
    symlink(".", project.path("pages/a/self")).unwrap();
    symlink("../..", project.path("pages/a/project")).unwrap();
    symlink("b.md", project.path("pages/a.md")).unwrap();
    symlink("a.md", project.path("pages/b.md")).unwrap();
    symlink("../docs", project.path("pages/docs")).unwrap();
    symlink("../docs", project.path("pages/twin")).unwrap();
    symlink("../pages/a", project.path("docs/back")).unwrap();
    assert_eq!(project.pages(), ["a/x.md", "docs/y.md"]);
    for path in ["a/up", "a/project"] {
        assert!(reason_of(&project, path).contains("to a parent folder"), "{path}");
    }
    for path in ["a/self", "twin", "docs/back"] {
        assert!(reason_of(&project, path).contains("already listed"), "{path}");
    }
    for path in ["a.md", "b.md"] {
        assert!(reason_of(&project, path).contains("symbolic link"), "{path}");
    }
    assert_eq!(project.source.stat("a/self/x.md").unwrap(), None, "a page has only one path");
    let error = project.source.write("a/self/new.md", b"x", None).unwrap_err();
    assert!(error.to_string().contains("listed as 'a'"), "{error}");
}

#[test]
fn folders_linked_to_each_other_are_listed_once() {
    let project = Project::new("pages");
    for folder in 0..8 {
        project.put(&format!("lib/{folder}/page.md"), "x");
        for other in 0..8 {
            symlink(format!("../{other}"), project.path(&format!("lib/{folder}/to{other}"))).unwrap();
        }
        symlink(format!("../lib/{folder}"), project.path(&format!("pages/{folder}"))).unwrap();
    }
    assert_eq!(project.pages().len(), 8);
}

#[test]
fn names_that_are_not_valid_paths_are_reported() {
    let project = Project::new("pages");
    let put = |name: &[u8]| fs::write(project.path("pages").join(OsStr::from_bytes(name)), "x").unwrap();
    put(b"caf\xe9.md");
    put(b"image\xe9.png");
    put(b".hidden\xe9.md");
    put(b"Q: what.md");
    put(b"C:x.md");
    put(b"\\x.md");
    put(b"tab\there\nline.md");
    put(b"-rf.md");
    put(b"a..md");
    fs::create_dir(project.path("pages").join(OsStr::from_bytes(b"\xff"))).unwrap();
    assert_eq!(project.pages(), ["-rf.md", "a..md", "tab\there\nline.md"]);
    let shown: Vec<String> = project.unreadable().into_iter().map(|(path, _)| path).collect();
    assert_eq!(shown, ["C:x.md", "Q: what.md", "\\x.md", "caf\u{fffd}.md", "\u{fffd}"]);
    for page in project.pages() {
        assert_eq!(project.source.read(&page).unwrap(), b"x");
    }
}

#[test]
fn unreadable_files_and_folders_are_reported_and_skipped() {
    let project = Project::new("pages");
    project.put("pages/a.md", "x");
    project.put("pages/locked/b.md", "x");
    let _socket = UnixListener::bind(project.path("pages/socket.md")).unwrap();
    let locked = project.path("pages/locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read any folder.
    let is_root = fs::read_dir(&locked).is_ok();
    let listing = project.source.list().unwrap();
    let read = project.source.read("locked/b.md");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();

    let shown: Vec<&str> = listing.unreadable.iter().map(|item| item.path.as_str()).collect();
    assert_eq!(shown, if is_root { vec!["socket.md"] } else { vec!["locked", "socket.md"] });
    assert_eq!(read.is_ok(), is_root);
    assert_eq!(listing.pages.len(), if is_root { 2 } else { 1 });
    assert_eq!(project.source.stat("socket.md").unwrap(), None);
    assert_eq!(project.source.read("socket.md").unwrap_err().code(), "io");
}

#[test]
fn damaged_ignore_files_do_not_stop_a_listing() {
    let project = Project::new("pages");
    project.put("pages/a.md", "x");
    project.put("pages/b.md", "x");
    project.put("pages/.gitignore", b"b.md\n\xff\xfe\n[\n");
    assert_eq!(project.pages(), ["a.md"]);
    let made = std::process::Command::new("mkfifo").arg(project.path("pages/.ubpignore")).status();
    // Reading a pipe would block forever.
    assert!(made.unwrap().success());
    assert_eq!(project.pages(), ["a.md"]);
}

#[test]
fn very_deep_folders_are_listed() {
    let project = Project::new("pages");
    let deep = "d/".repeat(200);
    fs::create_dir_all(project.path("pages").join(&deep)).unwrap();
    project.put(&format!("pages/{deep}a.md"), "x");
    assert_eq!(project.pages(), [format!("{deep}a.md")]);
}

#[test]
fn the_real_path_of_a_source_has_no_symbolic_links() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let project = Project::new("pages");
    project.put(".gitignore", "*.key\n");
    project.put("src/main.rs", "x");
    project.put("server.key", "secret");
    project.put(".git/config", "secret");
    symlink("src/main.rs", project.path("main.rs")).unwrap();
    symlink("server.key", project.path("key.rs")).unwrap();
    symlink("src", project.path("code")).unwrap();
    symlink(outside.path().join("secret"), project.path("out.rs")).unwrap();
    symlink(outside.path(), project.path("outside")).unwrap();
    symlink(".git/config", project.path("git.rs")).unwrap();
    let real = |path: &str| project.source.real_source(path);
    for (path, expected) in
        [("src/main.rs", "src/main.rs"), ("main.rs", "src/main.rs"), ("code/main.rs", "src/main.rs")]
    {
        assert_eq!(real(path).unwrap().as_deref(), Some(expected), "{path}");
    }
    assert_eq!(real("key.rs").unwrap().as_deref(), Some("server.key"));
    for path in ["out.rs", "outside/secret", "git.rs", "../x", "/etc/passwd"] {
        assert_eq!(real(path).unwrap_err().code(), "outside_project", "{path}");
    }
    for path in [".git/config", "src", "none.rs", "src/main.rs/x"] {
        assert_eq!(real(path).unwrap(), None, "{path}");
    }
}
