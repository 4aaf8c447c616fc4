//! Several servers on one project. They run in one process, which makes no difference for the lock.

use super::*;

#[test]
fn one_server_indexes_and_all_servers_answer() {
    let folder = Folder::new([("a.md", "zebra"), ("b.md", "lion")]);
    let servers: Vec<Server> = (0..3).map(|_| folder.serve()).collect();
    assert_eq!(servers.iter().filter(|server| server.live.is_indexer()).count(), 1);
    assert!(servers[0].live.is_indexer());
    assert!(is_served(&Project::load(folder.0.path()).unwrap()));
    servers[0].settle();
    for word in ["giraffe", "okapi", "leopard", "puma", "antelope"] {
        folder.write(&format!("pages/{word}.md"), word);
        for server in servers.iter().rev() {
            server.finds(word, &[&format!("{word}.md")]);
        }
    }
    servers[0].settle();
    let before: Vec<u64> = servers.iter().map(|server| server.live.refreshes()).collect();
    for server in &servers {
        assert_eq!(server.pages().len(), 7);
    }
    let after: Vec<u64> = servers.iter().map(|server| server.live.refreshes()).collect();
    assert_eq!(before, after, "others do not compare files while the first server watches them");
}

#[test]
fn another_server_takes_over_within_two_seconds_and_watches_changes() {
    let folder = Folder::new([("a.md", "zebra")]);
    let (first, second) = (folder.serve(), folder.serve());
    first.settle();
    let mut changes = second.live.changes();
    first.live.stop();
    let begun = Instant::now();
    // While no server watches.
    folder.write("pages/b.md", "lion");
    eventually("taken over", || second.live.is_indexer());
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let Changed::Pages(pages) = next(&mut changes) else { panic!("no pages") };
    assert_eq!(pages.added, ["b.md"]);
    second.settle();
    folder.write("pages/c.md", "giraffe");
    let Changed::Pages(pages) = next(&mut changes) else { panic!("no pages") };
    assert_eq!(pages.added, ["c.md"]);
    let error = first.call("list_pages", json!({})).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
}

#[test]
fn a_call_to_another_server_takes_over_at_once() {
    let folder = Folder::new([("a.md", "zebra")]);
    let (first, second) = (folder.serve(), folder.serve());
    first.settle();
    drop(first);
    folder.write("pages/b.md", "lion");
    assert_eq!(second.pages(), ["a.md", "b.md"]);
    assert!(second.live.is_indexer());
}

#[test]
fn servers_announce_changes_that_another_server_indexed() {
    let folder = Folder::new([("a.md", "zebra")]);
    let (first, second) = (folder.serve(), folder.serve());
    first.settle();
    let mut changes = second.live.changes();
    folder.write("pages/b.md", "lion");
    let Changed::Pages(pages) = next(&mut changes) else { panic!("no pages") };
    assert_eq!(pages.added, ["b.md"]);
    assert!(!second.live.is_indexer());
    assert_eq!(second.live.refreshes(), 0);
}

#[test]
fn stop_is_idempotent_and_releases_the_lock() {
    let folder = Folder::new([("a.md", "zebra")]);
    let project = Project::load(folder.0.path()).unwrap();
    assert!(!is_served(&project));
    let server = folder.serve();
    assert!(is_served(&project));
    server.live.stop();
    server.live.stop();
    assert!(!is_served(&project));
    drop(server);
    assert!(!is_served(&project));
}

#[cfg(unix)]
#[test]
fn deleted_server_files_are_created_again() {
    let folder = Folder::new([("a.md", "zebra")]);
    let (first, second) = (folder.serve_with(QUICK), folder.serve_with(QUICK));
    first.settle();
    // Like `git clean -fdx`.
    for name in ["metadata.db", "metadata.db-wal", "metadata.db-shm", "serve.lock", "serve.state"] {
        let _ = fs::remove_file(folder.path(".ubp").join(name));
    }
    for server in [&second, &first] {
        assert_eq!(server.pages(), ["a.md"]);
    }
    std::thread::sleep(A_WHILE);
    let indexers = [&first, &second].into_iter().filter(|server| server.live.is_indexer()).count();
    assert_eq!(indexers, 1);
    folder.write("pages/b.md", "lion");
    for server in [&first, &second] {
        server.shows(&["a.md", "b.md"]);
    }
}

#[test]
fn a_checkout_is_announced_and_in_the_next_answer() {
    let folder = Folder::new([("a.md", "zebra")]);
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
            .arg("-C")
            .arg(folder.0.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "pages"]);
    git(&["commit", "-qm", "one"]);
    let server = folder.serve_with(QUICK);
    let head = |server: &Server| server.answer("list_pages", json!({}))["index"]["head"].clone();
    assert_eq!(head(&server), git(&["rev-parse", "HEAD"]));
    let mut changes = server.live.changes();
    eventually("followed", || head(&server) == git(&["rev-parse", "HEAD"]));
    std::thread::sleep(A_WHILE);
    git(&["checkout", "-qb", "other"]);
    for number in 0..30 {
        folder.write(&format!("pages/{number}.md"), "lion");
    }
    git(&["add", "pages"]);
    git(&["commit", "-qm", "two"]);
    assert_eq!(head(&server), git(&["rev-parse", "HEAD"]));
    git(&["checkout", "-q", "main"]);
    server.shows(&["a.md"]);
    assert_eq!(head(&server), git(&["rev-parse", "HEAD"]));
    git(&["gc", "-q"]);
    git(&["checkout", "-q", "other"]);
    eventually("followed", || server.pages().len() == 31);
    assert_eq!(head(&server), git(&["rev-parse", "HEAD"]));
    let heads = std::iter::repeat_with(|| next(&mut changes)).take(20);
    assert!(heads.into_iter().any(|change| matches!(change, Changed::Head(Some(_)))));
}
