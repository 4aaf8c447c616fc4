//! `GET /api/events`: every listener receives every change, and listeners that do not read cost little.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::Viewer;

struct Listener(BufReader<TcpStream>);

impl Listener {
    fn of(viewer: &Viewer) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", viewer.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let (port, cookie) = (viewer.port, &viewer.cookie);
        write!(stream, "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n")
            .unwrap();
        Self(BufReader::new(stream))
    }

    /// The next event, with its data.
    fn next(&mut self) -> (String, Value) {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return (name, serde_json::from_str(data.trim()).unwrap());
            }
        }
    }

    fn changed(&mut self) -> Vec<String> {
        loop {
            let (name, data) = self.next();
            if name == "changed" {
                return serde_json::from_value(data["paths"].clone()).unwrap();
            }
        }
    }
}

#[test]
fn a_listener_gets_a_greeting_and_then_every_change() {
    let viewer = Viewer::of([("a.md", "# A\n"), ("b.md", "# B\n")]);
    viewer.call("status", &json!({}));
    let (mut one, mut other) = (Listener::of(&viewer), Listener::of(&viewer));
    let greetings = [one.next(), other.next()];
    assert_eq!(greetings[0].0, "hello");
    assert_eq!(greetings[0].1["instance"], greetings[1].1["instance"]);
    viewer.terminal.write("a.md", "# A\n\nFrom the disk.\n").unwrap();
    assert_eq!([one.changed(), other.changed()], [["a.md"], ["a.md"]]);
    let page = viewer.call("read_page", &json!({ "page": "b.md" }));
    let params = json!({ "page": "b.md", "text": "# B\n\nTyped.\n", "expected_hash": page["content_hash"] });
    viewer.call("save_page", &params);
    assert_eq!(one.changed(), ["b.md"]);
    viewer.call("rename_page", &json!({ "page": "b.md", "path": "c.md" }));
    assert_eq!(one.changed(), ["b.md", "c.md"]);
}

#[test]
fn changes_of_favourites_and_reviews_are_reported() {
    let viewer = Viewer::of([("a.md", "---\nsource_refs: [x.rs]\n---\n# A\n"), ("x.rs", "1")]);
    viewer.call("status", &json!({}));
    let mut listener = Listener::of(&viewer);
    listener.next();
    // A change is reported only after the first look at the files.
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(viewer.call("favorites", &json!({ "add": ["a"] }))["pages"], json!(["a.md"]));
    assert_eq!(listener.changed(), [""; 0]);
    assert!(viewer.terminal.ubp("review a.md --still-accurate").succeeded());
    assert_eq!(listener.changed(), [""; 0]);
}

#[test]
fn a_dry_run_is_not_reported_as_a_change() {
    let viewer =
        Viewer::of([("a.md", "# A\n\nThe login page is old.\n"), ("login-page.md", "# Login page\n")]);
    viewer.call("status", &json!({}));
    let mut listener = Listener::of(&viewer);
    listener.next();
    // A change is reported only after the first look at the files.
    std::thread::sleep(Duration::from_millis(1_500));
    let shown =
        viewer.call("accept", &json!({ "source": "a.md", "target": "login-page.md", "dry_run": true }));
    assert_eq!(shown["place"]["text"], "login page");
    viewer.terminal.write("a.md", "# A\n\nThe login page is new.\n").unwrap();
    assert_eq!(listener.changed(), ["a.md"]);
}

#[test]
fn proposals_of_other_processes_are_reported() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    let mut listener = Listener::of(&viewer);
    let mut proposals = |why: &str| loop {
        let (name, data) = listener.next();
        if name == "proposals" {
            assert_eq!(data, json!({}), "{why}");
            break;
        }
    };
    proposals("a new listener cannot know them");
    let folder = viewer.terminal.path(".ubp/proposals");
    std::fs::create_dir_all(&folder).unwrap();
    proposals("the folder exists now");
    std::fs::write(folder.join("one.json"), "{}").unwrap();
    proposals("there is one more");
    std::thread::sleep(Duration::from_millis(20));
    std::fs::remove_file(folder.join("one.json")).unwrap();
    proposals("there is one less");
}

#[test]
fn listeners_are_limited_and_leaving_frees_a_place() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    let mut all: Vec<Listener> = (0..64).map(|_| Listener::of(&viewer)).collect();
    all.iter_mut().for_each(|listener| assert_eq!(listener.next().0, "hello"));
    let refused = viewer.get("/api/events");
    assert_eq!(refused.status, 503, "{}", refused.text());
    all.truncate(1);
    for attempt in 0.. {
        let mut listener = Listener::of(&viewer);
        let mut line = [0; 12];
        listener.0.read_exact(&mut line).unwrap();
        if &line == b"HTTP/1.1 200" {
            break;
        }
        assert!(attempt < 100, "no place became free");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_client_that_never_reads_does_not_delay_others() {
    let viewer = Viewer::of([("a.md", "# A\n")]);
    viewer.call("status", &json!({}));
    let mut reading = Listener::of(&viewer);
    reading.next();
    let silent: Vec<Listener> = (0..20).map(|_| Listener::of(&viewer)).collect();
    for round in 0..30 {
        viewer.terminal.write("a.md", format!("# A\n\n{round}\n")).unwrap();
        assert_eq!(reading.changed(), ["a.md"]);
    }
    drop(silent);
    let (_, said) = viewer.stop();
    assert!(!said.contains("error"), "{said}");
}
