//! A server with the call `POST /v1/embeddings`, which answers as told.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Status and body for the n-th request, from 1, with this body.
type Behaviour = dyn Fn(usize, &Value) -> (u16, Value) + Send + Sync;

pub struct EmbeddingServer {
    pub url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl EmbeddingServer {
    pub fn start(behaviour: impl Fn(usize, &Value) -> (u16, Value) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<(String, Value)>>>::default();
        let (seen, behaviour) = (requests.clone(), Arc::<Box<Behaviour>>::new(Box::new(behaviour)));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, behaviour) = (seen.clone(), behaviour.clone());
                std::thread::spawn(move || while serve(&stream, &seen, &**behaviour).is_some() {});
            }
        });
        Self { url, requests }
    }

    /// The header lines and the body of every request so far.
    pub fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, seen: &Mutex<Vec<(String, Value)>>, behaviour: &Behaviour) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push((head, body.clone()));
        seen.len()
    };
    let (status, answer) = behaviour(number, &body);
    let answer = answer.to_string();
    write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n{answer}", answer.len()).ok()
}

/// A vector for each text, in reverse order, told apart by their length.
pub fn vectors(_: usize, body: &Value) -> (u16, Value) {
    let texts = body["input"].as_array().unwrap();
    let row = |(index, text): (usize, &Value)| json!({ "object": "embedding", "index": index, "embedding": [text.as_str().unwrap().len(), 2, 0] });
    let rows: Vec<Value> = texts.iter().enumerate().map(row).rev().collect();
    (200, json!({ "object": "list", "data": rows, "model": body["model"] }))
}
