//! `ubp viewer` as browsers and attackers see it: over a socket, byte by byte.

mod agents;
mod attacks;
mod desktop;
mod events;
mod guests;
mod hub;
mod operations;
mod pages;
mod sharing;
mod source_files;
mod starting;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use ubp_cli::{ExitStatus, SharedBuffer};
use ubp_core::progress::Cancel;
use ubp_tests::terminal::Terminal;

const TEMPLATE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>x</title>\n\
    <script type=\"module\" src=\"./assets/app.js\"></script>\n<!--ubp:head-->\n</head>\n\
    <body><div id=\"app\"><main id=\"content\"><!--ubp:content--></main></div></body>\n</html>\n";

/// A viewer that runs in this process, on its own vault.
pub struct Viewer {
    pub terminal: Arc<Terminal>,
    cancel: Cancel,
    thread: Option<JoinHandle<(ExitStatus, String)>>,
    pub url: String,
    /// The address for frames in editors.
    pub frame: String,
    pub token: String,
    /// Where guests reach it; null if it is not shared.
    pub shared: Value,
    browser: Browser,
}

/// A browser that is signed in, as the owner or as a guest.
pub struct Browser {
    pub port: u16,
    /// The cookie that a token or a link is exchanged for.
    pub cookie: String,
}

impl std::ops::Deref for Viewer {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A vault with a minimal web app beside it.
pub fn vault<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Terminal {
    with_app(Terminal::vault(pages).unwrap())
}

/// The vault with that web app beside it.
pub fn with_app(terminal: Terminal) -> Terminal {
    terminal.write(".app/index.html", TEMPLATE).unwrap();
    terminal.write(".app/assets/app.js", "export {};\n").unwrap();
    terminal
}

impl Viewer {
    pub fn of<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::on(Arc::new(vault(pages)), "")
    }

    /// Starts the viewer with more arguments, separated by blanks.
    pub fn on(terminal: Arc<Terminal>, more: &str) -> Self {
        Self::by("viewer", terminal, more)
    }

    /// Starts the viewer by this command.
    pub fn by(command: &str, terminal: Arc<Terminal>, more: &str) -> Self {
        let out = SharedBuffer::default();
        let cancel = Cancel::default();
        let arguments = format!("{command} --json --no-open --web-app .app {more}");
        let arguments: Vec<String> = arguments.split_whitespace().map(Into::into).collect();
        let (runs, printed, stop) = (terminal.clone(), out.clone(), cancel.clone());
        let thread = std::thread::spawn(move || runs.run(&arguments, Box::new(printed), stop));
        let begun = Instant::now();
        while !out.text().ends_with('\n') {
            assert!(!thread.is_finished() && begun.elapsed() < Duration::from_secs(60), "it does not start");
            std::thread::sleep(Duration::from_millis(5));
        }
        let told: Value = serde_json::from_str(&out.text()).unwrap();
        let text = |field: &str| told[field].as_str().unwrap().to_owned();
        let port = u16::try_from(told["port"].as_u64().unwrap()).unwrap();
        let mut viewer = Self {
            terminal,
            cancel,
            thread: Some(thread),
            url: text("url"),
            frame: text("frame"),
            token: text("token"),
            shared: told["shared"].clone(),
            browser: Browser { port, cookie: String::new() },
        };
        let entered = viewer.send("GET", &format!("/?token={}", viewer.token), &[], b"");
        let cookie = entered.header("set-cookie").unwrap();
        viewer.browser.cookie = cookie.split(';').next().unwrap().to_owned();
        viewer
    }

    /// A viewer that is shared through a proxy, which the test is.
    pub fn shared(terminal: Arc<Terminal>) -> Self {
        Self::on(terminal, "--share=127.0.0.1 --share-proxy http://guests.test")
    }

    /// The port for guests.
    pub fn guest_port(&self) -> u16 {
        let listens = self.shared["listens"].as_str().unwrap();
        listens.rsplit(':').next().unwrap().parse().unwrap()
    }

    /// The secret of a new link.
    pub fn link(&self, name: &str, more: &str) -> String {
        let made = self.terminal.ubp(&format!("share new {name} {more} --json"));
        assert!(made.succeeded(), "{}", made.transcript());
        let url = made.json()["url"].as_str().unwrap().to_owned();
        url.split_once('#').unwrap().1.to_owned()
    }

    /// A guest with a new link.
    pub fn guest(&self, name: &str, more: &str) -> Browser {
        let secret = self.link(name, more);
        Browser::entering(self.guest_port(), &secret).unwrap()
    }

    /// Stops the viewer; returns its exit status and its messages.
    pub fn stop(mut self) -> (ExitStatus, String) {
        self.cancel.request();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Browser {
    /// The guest with the link of this secret, or the answer that refuses it.
    pub fn entering(port: u16, secret: &str) -> Result<Self, Answer> {
        let mut browser = Self { port, cookie: String::new() };
        let body = serde_json::json!({ "secret": secret }).to_string();
        let json = [("Content-Type", "application/json")];
        let answer = browser.send("POST", "/.guest", &json, body.as_bytes());
        if answer.status != 204 {
            return Err(answer);
        }
        answer.header("set-cookie").unwrap().split(';').next().unwrap().clone_into(&mut browser.cookie);
        Ok(browser)
    }

    /// Sends these headers, and those that close the connection and give the length of the body.
    pub fn send_exactly(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        // The server may have rejected the request and closed the connection already.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::read(&answer)
    }

    /// Like `send`, with the server's own `Host`.
    pub fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        self.send_exactly(method, target, &all, body)
    }

    /// As a browser that is signed in.
    pub fn get(&self, target: &str) -> Answer {
        self.send("GET", target, &[("Cookie", &self.cookie), ("Accept", "text/html")], b"")
    }

    pub fn post(&self, name: &str, params: &Value) -> Answer {
        let headers = [("Cookie", self.cookie.as_str()), ("Content-Type", "application/json")];
        self.send("POST", &format!("/api/{name}"), &headers, params.to_string().as_bytes())
    }

    #[track_caller]
    pub fn call(&self, name: &str, params: &Value) -> Value {
        let answer = self.post(name, params);
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        answer.json()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.cancel.request();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers: Vec<(String, String)> =
            headers.map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned())).collect();
        Self { status: status.unwrap_or(0), headers, body: bytes[end..].to_vec() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}
