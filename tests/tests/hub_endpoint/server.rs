//! A hub that is served over HTTP, and a client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::Deref;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_tests::terminal::Terminal;

use crate::process::command;

/// Much longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a server sends when it begins to read the body of a request that waits for that.
const CONTINUE: &[u8; 25] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// The shared token.
pub const TOKEN: &str = "a-token-that-nobody-guesses";

/// Two projects and their list.
pub fn hub() -> Terminal {
    let terminal = Terminal::new().unwrap();
    for (project, page, text) in [
        ("auth", "login.md", "# Login\n\nUsers sign in with a wombat.\n"),
        ("shop", "checkout.md", "# Checkout\n\nPay with copper coins.\n"),
    ] {
        terminal.write(&format!("{project}/{page}"), text).unwrap();
        assert!(terminal.ubp_in(project, &["init", "--pages-dir", "."]).succeeded());
    }
    terminal.write("hub.json", r#"{ "projects": ["auth", "shop"] }"#).unwrap();
    terminal
}

/// A client of the server at an address.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    pub address: SocketAddr,
}

/// A running server.
pub struct Server {
    pub child: Child,
    client: Client,
    /// What it said until it listened.
    pub first: Vec<String>,
    lines: mpsc::Receiver<String>,
}

/// The answer to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    /// Parses what a server sent.
    pub fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The message in a stream of events, or in the body.
    pub fn message(&self) -> Value {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let last = events.filter_map(|data| serde_json::from_str(data).ok()).next_back();
        last.unwrap_or_else(|| self.json())
    }
}

impl Server {
    /// Serves the hub in the folder, with more arguments.
    pub fn start(terminal: &Terminal, more: &[&str]) -> Self {
        let mut arguments = vec!["hub", "serve", "--http", "127.0.0.1:0"];
        arguments.extend(more);
        let mut server = command(terminal.folder(), &arguments);
        if !more.contains(&"--no-token") {
            server.env("UBP_MCP_TOKEN", TOKEN);
        }
        Self::of(server.stderr(Stdio::piped()).spawn().unwrap())
    }

    pub fn of(mut child: Child) -> Self {
        let (sender, lines) = mpsc::channel();
        let log = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut first = Vec::new();
        let address = loop {
            let line: String = lines.recv_timeout(PATIENCE).unwrap();
            let url = line.split_once("http://").map(|(_, url)| url.to_owned());
            first.push(line);
            if let Some(url) = url {
                break url.split('/').next().unwrap().parse().unwrap();
            }
        };
        Self { child, client: Client { address }, first, lines }
    }

    /// The next line on standard error that is as wanted.
    pub fn line(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            if is_wanted(&line) {
                return line;
            }
        }
    }

    /// All lines on standard error until now.
    pub fn lines(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Client {
    /// Sends a request, and reads until the server closes the connection.
    pub fn ask(&self, head: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{head} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        let mut stream = self.stream();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        // A server may answer before it has read the body, and close.
        let _ = stream.write_all(body.as_bytes());
        read(stream)
    }

    fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends all but the last byte of a message, once the server has let the request in.
    pub fn half(&self, session: &str, message: &str) -> Half {
        let (address, size) = (self.address, message.len());
        let head = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Mcp-Session-Id: {session}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {size}\r\nExpect: 100-continue\r\n\r\n"
        );
        let (first, last) = message.split_at(size - 1);
        let mut stream = self.stream();
        stream.write_all(head.as_bytes()).unwrap();
        let mut told = [0; CONTINUE.len()];
        stream.read_exact(&mut told).unwrap();
        assert_eq!(told, *CONTINUE, "{}", String::from_utf8_lossy(&told));
        stream.write_all(first.as_bytes()).unwrap();
        Half { stream, last: last.to_owned() }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[("Authorization", &format!("Bearer {TOKEN}"))], "")
    }

    /// Sends a message in a session.
    pub fn post(&self, token: &str, session: Option<&str>, message: &Value) -> Answer {
        let authorization = format!("Bearer {token}");
        let mut headers = vec![
            ("Authorization", authorization.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        self.ask("POST /mcp", &headers, &message.to_string())
    }

    /// Begins a session.
    pub fn begin(&self, token: &str) -> String {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let begun = self.post(token, None, &begin);
        assert_eq!(begun.status, 200, "{begun:?}");
        begun.header("mcp-session-id").unwrap().to_owned()
    }

    /// Connects a client, and returns its session.
    pub fn connect(&self, token: &str) -> String {
        let session = self.begin(token);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(token, Some(&session), &ready).status, 202);
        session
    }

    pub fn call(&self, token: &str, session: &str, tool: &str, arguments: Value) -> Answer {
        self.post(token, Some(session), &called(tool, arguments))
    }

    /// The value of a metric, by its name and labels.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let metrics = self.get("/metrics");
        assert_eq!(metrics.status, 200, "{metrics:?}");
        metrics.body.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    }
}

/// A message that has not arrived as a whole.
pub struct Half {
    stream: TcpStream,
    last: String,
}

impl Half {
    /// Sends the rest.
    pub fn finish(&mut self) {
        self.stream.write_all(self.last.as_bytes()).unwrap();
    }

    pub fn answer(self) -> Answer {
        read(self.stream)
    }
}

fn read(mut stream: TcpStream) -> Answer {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Answer::of(&String::from_utf8_lossy(&answer))
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of a tool, with an id of its own.
pub fn called(tool: &str, arguments: Value) -> Value {
    static LAST: AtomicU64 = AtomicU64::new(1);
    let id = LAST.fetch_add(1, Ordering::AcqRel) + 1;
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Waits until something holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
