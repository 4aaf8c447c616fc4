//! A local hub that can simulate failures.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use sha2::{Digest, Sha256};

/// Behaviour of the hub.
#[derive(Clone, Default)]
pub struct Behaviour {
    /// Contents by path suffix.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Closes the connection after this many bytes of content.
    pub cut: Option<usize>,
    /// Stops answering after the first cut.
    pub down_after_cut: bool,
    /// Stalls after this many bytes, with the connection open.
    pub stall: Option<usize>,
    /// Sends this as the checksum of every file.
    pub checksum: Option<String>,
    /// Redirects every request to this address.
    pub redirect: Option<String>,
    /// Sends no tag and no checksum.
    pub silent: bool,
    /// Does not support ranges.
    pub whole_only: bool,
    /// Sends no length, and closes the connection at the end.
    pub no_length: bool,
}

/// The hub, with its requests.
pub struct Hub {
    pub url: String,
    behaviour: Arc<Mutex<Behaviour>>,
    requests: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hub {
    pub fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let behaviour = Arc::new(Mutex::new(behaviour));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (behaviour, requests, stop) = (behaviour.clone(), requests.clone(), stop.clone());
            move || {
                for stream in listener.incoming() {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let (behaviour, requests, stop) = (behaviour.clone(), requests.clone(), stop.clone());
                    // Errors of a disconnected client are ignored.
                    std::thread::spawn(move || stream.and_then(|s| serve(s, &behaviour, &requests, &stop)));
                }
            }
        });
        Self { url, behaviour, requests, stop, thread: Some(thread) }
    }

    pub fn change(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }

    /// Path and range of every request so far, as `/path` or `/path 10-`.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(
    mut stream: TcpStream,
    behaviour: &Mutex<Behaviour>,
    requests: &Mutex<Vec<String>>,
    stop: &AtomicBool,
) -> std::io::Result<()> {
    let mut path = String::new();
    let mut from = None;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix("GET ") {
            path = rest.split(' ').next().unwrap_or_default().into();
        }
        if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse::<usize>().ok();
        }
    }
    let now = behaviour.lock().unwrap().clone();
    requests.lock().unwrap().push(match from {
        Some(from) => format!("{path} {from}-"),
        None => path.clone(),
    });
    if now.down_after_cut && now.cut.is_none() {
        return Ok(());
    }
    let file = now.files.iter().find(|(name, _)| path.ends_with(name.as_str()));
    let Some((_, bytes)) = file else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    };
    let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = match (&now.checksum, now.silent) {
        (Some(tag), _) => format!("x-linked-etag: \"{tag}\"\r\n"),
        (None, false) => format!("x-linked-etag: \"{sum}\"\r\n"),
        (None, true) => String::new(),
    };
    if let Some(to) = now.redirect.as_ref().filter(|_| !path.starts_with("/store")) {
        let head = "HTTP/1.1 302 Found\r\ncontent-length: 0\r\nconnection: close";
        return write!(stream, "{head}\r\n{tag}location: {to}{path}\r\n\r\n");
    }
    // The store behind a hub has tags that look like checksums but are not.
    let tag = if path.starts_with("/store") { format!("etag: \"{}\"\r\n", "0".repeat(64)) } else { tag };
    let from = from.filter(|_| !now.whole_only);
    let start = from.unwrap_or(0);
    if start >= bytes.len() && from.is_some() {
        let head = "HTTP/1.1 416 Range Not Satisfiable\r\ncontent-length: 0\r\nconnection: close";
        return write!(stream, "{head}\r\n{tag}content-range: bytes */{}\r\n\r\n", bytes.len());
    }
    let content = &bytes[start..];
    let status = if from.is_some() { "206 Partial Content" } else { "200 OK" };
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{tag}");
    if from.is_some() {
        head.push_str(&format!("content-range: bytes {start}-{}/{}\r\n", bytes.len() - 1, bytes.len()));
    }
    if !now.no_length {
        head.push_str(&format!("content-length: {}\r\n", content.len()));
    }
    write!(stream, "{head}\r\n")?;
    if let Some(cut) = now.cut.filter(|cut| *cut < content.len()) {
        behaviour.lock().unwrap().cut = None;
        stream.write_all(&content[..cut])?;
        return stream.flush();
    }
    if let Some(stall) = now.stall.filter(|stall| *stall < content.len()) {
        stream.write_all(&content[..stall])?;
        while !stop.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        return Ok(());
    }
    stream.write_all(content)
}
