//! Links: how a guest comes in, and how its access ends while it is connected.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Browser, Viewer, vault};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn pages() -> Arc<ubp_tests::terminal::Terminal> {
    Arc::new(vault([("secret-plan.md", "# Secret plan\n\nText.\n"), ("b.md", "# B\n")]))
}

#[test]
fn without_a_link_nothing_is_revealed_and_wrong_ones_are_slowed_and_counted() {
    let viewer = Viewer::shared(pages());
    let secret = viewer.link("mina", "");
    let port = viewer.guest_port();
    let stranger = Browser { port, cookie: format!("ubp-guest-{port}={secret}") };
    for target in [
        "/",
        "/secret-plan.html",
        "/assets/app.js",
        "/api/events",
        "/nothing",
        "/?token=x",
        &format!("/?secret={secret}"),
    ] {
        let answer = stranger.send("GET", target, &[], b"");
        assert_eq!(answer.status, 401, "{target}");
        assert!(!answer.text().to_lowercase().contains("secret plan"), "{target}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    let shown = stranger.send("GET", "/.guest", &[("Accept", "text/html")], b"");
    assert_eq!(shown.status, 200);
    assert!(!shown.text().contains("Secret") && shown.header("cache-control") == Some("no-store"));
    // The secret itself is not a cookie.
    let begun = Instant::now();
    assert_eq!(stranger.get("/").status, 401);
    assert!(begun.elapsed() >= Duration::from_millis(250), "a wrong cookie is answered late");
    let wrong = |at: u32| Browser::entering(port, &format!("ubp_{at}")).err().unwrap();
    assert_eq!(wrong(0).status, 401);
    let refused = (1..1_000).map(wrong).find(|answer| answer.status == 429).unwrap();
    let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    // From another address, which the proxy tells, a link works at once.
    let body = json!({ "secret": secret }).to_string();
    let from = [JSON, ("X-Forwarded-For", "127.0.0.1, 203.0.113.9")];
    let entered = stranger.send("POST", "/.guest", &from, body.as_bytes());
    assert_eq!(entered.status, 204, "{}", entered.text());
    let cookie = entered.header("set-cookie").unwrap();
    assert!(
        cookie.contains("; HttpOnly; SameSite=Strict; Max-Age=6047") && !cookie.contains(&secret),
        "{cookie}"
    );
    let (_, messages) = viewer.stop();
    assert!(messages.contains("wrong links in a minute from 127.0.0.1"), "{messages}");
    assert!(!messages.contains(&secret));
}

#[test]
fn a_guest_that_asks_too_often_has_to_wait_and_others_do_not() {
    let viewer = Viewer::shared(pages());
    let (mina, ken) = (viewer.guest("mina", ""), viewer.guest("ken", ""));
    let mut stream = TcpStream::connect(("127.0.0.1", mina.port)).unwrap();
    let request = format!(
        "HEAD /api/none HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\n\r\n",
        mina.port, mina.cookie
    );
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    for _ in 0..100_000 {
        stream.write_all(request.as_bytes()).unwrap();
        line.clear();
        answers.read_line(&mut line).unwrap();
        let is_refused = line.contains(" 429 ");
        while line.trim() != "" {
            line.clear();
            answers.read_line(&mut line).unwrap();
        }
        if is_refused {
            break;
        }
    }
    let answer = mina.post("list_pages", &json!({}));
    assert!([200, 429].contains(&answer.status), "a place may be free again");
    assert_eq!(ken.post("status", &json!({})).status, 200);
    assert_eq!(viewer.post("status", &json!({})).status, 200);
}

/// A stream of events or a WebSocket.
struct Open(BufReader<TcpStream>);

impl Open {
    fn at(guest: &Browser, target: &str, more: &str) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", guest.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let (port, cookie) = (guest.port, &guest.cookie);
        write!(stream, "GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n{more}\r\n")
            .unwrap();
        let mut open = Self(BufReader::new(stream));
        let mut line = String::new();
        while line.trim() != "" || line.is_empty() {
            line.clear();
            assert!(open.0.read_line(&mut line).unwrap() > 0, "no answer");
        }
        open
    }

    fn events(guest: &Browser) -> Self {
        Self::at(guest, "/api/events", "")
    }

    /// Joins those who edit a page.
    fn editing(guest: &Browser, page: &str, client: &str) -> Self {
        Self::joining(
            guest,
            &json!({ "type": "join", "page": page, "client": client, "name": "Somebody else" }),
        )
    }

    fn joining(guest: &Browser, message: &Value) -> Self {
        let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let mut open = Self::at(guest, "/coedit", socket);
        open.say(message);
        open
    }

    fn say(&mut self, message: &Value) {
        let text = message.to_string();
        let mut frame = vec![0x81];
        match u8::try_from(text.len()) {
            Ok(short) if short < 126 => frame.push(0x80 | short),
            _ => {
                frame.push(0x80 | 126);
                frame.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.get_mut().write_all(&frame).unwrap();
    }

    /// The next message of this type; `None` if the connection is closed.
    fn hear(&mut self, kind: &str) -> Option<Value> {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).ok()?;
            let mut length = usize::from(head[1] & 0x7f);
            if length == 126 {
                let mut long = [0; 2];
                self.0.read_exact(&mut long).ok()?;
                length = usize::from(u16::from_be_bytes(long));
            }
            let mut text = vec![0; length];
            self.0.read_exact(&mut text).ok()?;
            match head[0] & 0x0f {
                8 => return None,
                1 => {
                    let message: Value = serde_json::from_slice(&text).unwrap();
                    if message["type"] == kind {
                        return Some(message);
                    }
                }
                _ => {}
            }
        }
    }

    /// Waits for the end of a stream of events; its connection may be used again.
    fn ends(mut self) -> Duration {
        let begun = Instant::now();
        let mut line = String::new();
        while line.trim() != "0" {
            line.clear();
            if self.0.read_line(&mut line).unwrap() == 0 {
                break;
            }
        }
        begun.elapsed()
    }
}

#[test]
fn revoking_a_link_closes_streams_and_sockets_of_its_guest_within_a_second_and_of_no_other() {
    let viewer = Viewer::shared(pages());
    let (mina, ken) = (viewer.guest("mina", "--right write"), viewer.guest("ken", "--right write"));
    viewer.call("status", &json!({}));
    assert_eq!(mina.get("/b.html").status, 200);
    let (events, mut socket) = (Open::events(&mina), Open::editing(&mina, "b.md", "minaswindow1"));
    let mut other = Open::editing(&ken, "b.md", "kenswindow12");
    let here = loop {
        let here = other.hear("here").unwrap();
        if here["members"].as_array().unwrap().len() == 2 {
            break here;
        }
    };
    let mut names: Vec<&str> =
        here["members"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["ken", "mina"], "nobody chooses the name of its link");
    socket.say(&json!({ "type": "name", "name": "Owner" }));
    socket.hear("share").unwrap();
    socket.say(&json!({ "type": "push", "version": 0, "updates": [[3, [0, "!"], 1]] }));
    assert!(other.hear("updates").is_some());
    let revoked = viewer.terminal.ubp("share revoke Mina");
    assert!(revoked.succeeded(), "{}", revoked.transcript());
    // The command itself takes a part of the time, and a busy machine the rest.
    let took = events.ends();
    assert!(took < Duration::from_secs(10), "{took:?}");
    while socket.hear("none").is_some() {}
    assert_eq!(mina.get("/b.html").status, 401);
    assert_eq!(mina.post("list_pages", &json!({})).status, 401);
    assert_eq!(ken.get("/b.html").status, 200);
    other.say(&json!({ "type": "save" }));
    assert!(other.hear("saved").is_some());
    let terminal = viewer.terminal.clone();
    viewer.stop();
    assert_eq!(std::fs::read_to_string(terminal.path("b.md")).unwrap(), "# B!\n");
    let log = terminal.ubp("audit --by mina --json").json();
    assert_eq!(log["entries"][0]["operation"], "save_page", "{log}");
}

#[test]
fn a_link_ends_when_it_expires_also_for_those_who_are_connected() {
    let viewer = Viewer::shared(pages());
    let now = jiff::Timestamp::now();
    let end = now.checked_add(Duration::from_secs(8)).unwrap();
    let guest = viewer.guest("mina", &format!("--expires {end}"));
    viewer.call("status", &json!({}));
    let events = Open::events(&guest);
    events.ends();
    assert!(jiff::Timestamp::now() >= end);
    assert_eq!(guest.get("/b.html").status, 401);
    let listed = viewer.terminal.ubp("share list --json").json();
    assert_eq!(listed["links"][0]["expired"], true, "{listed}");
}

#[test]
fn a_guest_that_may_only_read_or_propose_watches_others_edit_and_sees_no_hidden_page() {
    let terminal = Arc::new(vault([("open/a.md", "# A\n"), ("plans/b.md", "# B\n")]));
    let viewer = Viewer::shared(terminal);
    viewer.call("status", &json!({}));
    for right in ["read", "comment", "propose"] {
        let guest = viewer.guest(right, &format!("--right {right} --pages open/"));
        assert_eq!(guest.get("/open/a.html").status, 200);
        let mut owner = Open::editing(&viewer, "open/a.md", "ownerswindow");
        let mut watcher = Open::editing(&guest, "open/a.md", "guestswindow");
        assert_eq!(watcher.hear("share").unwrap()["text"], "# A\n", "{right}");
        watcher.say(&json!({ "type": "push", "version": 0, "updates": [[3, [0, "!"], 1]] }));
        assert_eq!(watcher.hear("refused").unwrap()["code"], "read_only", "{right}");
        assert!(owner.hear("share").is_some());
        for hidden in ["plans/b.md", "nothing.md", "../b.md", ".ubp/manifest.json"] {
            let mut refused = Open::editing(&guest, hidden, "guestswindow");
            assert_eq!(refused.hear("refused").unwrap()["code"], "away", "{right} {hidden}");
            assert!(refused.hear("share").is_none(), "{right} {hidden}");
        }
    }
}

#[test]
fn a_page_that_moves_out_of_sight_takes_the_windows_of_guests_with_it() {
    let viewer = Viewer::shared(Arc::new(vault([("open/a.md", "# A\n"), ("plans/b.md", "# B\n")])));
    viewer.call("status", &json!({}));
    let guest = viewer.guest("mina", "--right write --pages open/");
    assert_eq!(guest.get("/open/a.html").status, 200);
    let mut owner = Open::editing(&viewer, "open/a.md", "ownerswindow");
    let mut window = Open::editing(&guest, "open/a.md", "guestswindow");
    let epoch = window.hear("share").unwrap()["epoch"].as_str().unwrap().to_owned();
    viewer.call("rename_page", &json!({ "page": "open/a.md", "path": "plans/a.md" }));
    assert!(owner.hear("moved").is_some());
    assert!(window.hear("moved").is_none(), "the guest is disconnected and does not learn where the page is");
    let known = json!({
        "type": "join", "page": "open/a.md", "client": "guestswindow", "epoch": epoch, "version": 0,
    });
    let mut back = Open::joining(&guest, &known);
    assert!(back.hear("share").is_none());
}

#[test]
fn guests_are_told_of_changes_of_visible_pages_only() {
    let viewer = Viewer::shared(Arc::new(vault([("open/a.md", "# A\n"), ("plans/b.md", "# B\n")])));
    let guest = viewer.guest("mina", "--pages open/");
    assert_eq!(guest.call("list_pages", &json!({}))["total"], 1);
    let mut events = Open::events(&guest);
    viewer.terminal.write("plans/b.md", "# B\n\nHidden.\n").unwrap();
    viewer.terminal.write("plans/c.md", "# C\n").unwrap();
    while viewer.call("list_pages", &json!({}))["total"] != 3 {}
    viewer.terminal.write("open/a.md", "# A\n\nShown.\n").unwrap();
    let mut heard = String::new();
    while !heard.contains("open/a.md") {
        let mut line = String::new();
        assert!(events.0.read_line(&mut line).unwrap() > 0);
        heard.push_str(&line);
    }
    assert!(!heard.contains("plans") && !heard.contains("vectors"), "{heard}");
}

#[test]
fn nothing_is_shared_unless_it_is_asked_for_and_nothing_unencrypted_beyond_this_machine() {
    let terminal = pages();
    let viewer = Viewer::on(terminal.clone(), "");
    assert_eq!(viewer.shared, Value::Null);
    viewer.stop();
    for arguments in [
        "viewer --no-open --web-app .app --share --share-certificate none.pem --share-key none.pem",
        "viewer --no-open --web-app .app --share=nowhere",
        "viewer --no-open --web-app .app --share-key none.pem",
        "viewer --no-open --web-app .app --share --share-proxy docs.example",
    ] {
        let ran = terminal.ubp(arguments);
        assert!(!ran.succeeded(), "{arguments}: {}", ran.transcript());
    }
    let listed = terminal.ubp("share list");
    assert!(listed.succeeded(), "{}", listed.transcript());
    let name = terminal.ubp_in(".", &["share", "new", "a b"]);
    assert!(!name.succeeded());
}
