//! Valid and invalid messages on a stream.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Cursor, Read, Write};
use std::time::Duration;

use rmcp::model::JsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::{Value, json};

use super::{LONGEST, Lines};
use crate::SharedBuffer;

const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n";

/// Reads until the end; returns the messages received and the answers written.
async fn exchange(input: impl Read + Send + 'static) -> (Vec<Value>, Vec<Value>) {
    let out = SharedBuffer::default();
    let mut lines = Lines::over(Box::new(input), Box::new(out.clone()));
    let mut received = Vec::new();
    while let Some(message) = lines.receive().await {
        received.push(serde_json::to_value(message).unwrap());
    }
    let written = out.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (received, written)
}

#[tokio::test]
async fn each_line_is_a_message_and_the_end_of_input_ends_the_server() {
    let (received, written) = exchange(Cursor::new(format!("{PING}\r\n\n{}", PING.trim_end()))).await;
    assert_eq!(received.len(), 2);
    assert_eq!(received[0]["id"], 7);
    assert!(written.is_empty());
}

#[tokio::test]
async fn invalid_messages_get_an_error_and_reading_continues() {
    let lines = "not json\n[1]\n{\"id\":3}\n\u{0}\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\
                 \"params\":[1]}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":3}\n";
    let (received, written) = exchange(Cursor::new(format!("{lines}{PING}"))).await;
    assert_eq!(received.len(), 1);
    let answers: Vec<(i64, Value)> =
        written.iter().map(|e| (e["error"]["code"].as_i64().unwrap(), e["id"].clone())).collect();
    let expected = [(-32700, Value::Null), (-32600, Value::Null), (-32600, json!(3)), (-32700, Value::Null)];
    assert_eq!(answers[..4], expected);
    assert_eq!(answers[4], (-32602, json!(4)));
    assert_eq!(answers.len(), 5);
}

#[tokio::test]
async fn invalid_utf8_gets_an_error() {
    let (received, written) = exchange(Cursor::new([&b"\xff\xfe\n"[..], PING.as_bytes()].concat())).await;
    assert_eq!((received.len(), written.len()), (1, 1));
    assert_eq!(written[0]["error"]["code"], -32700);
}

#[tokio::test]
async fn an_overlong_line_is_refused_without_buffering_it() {
    let endless = std::io::repeat(b'x').take(3 * LONGEST).chain(Cursor::new(format!("\n{PING}")));
    let (received, written) = exchange(endless).await;
    assert_eq!(received.len(), 1);
    assert!(written[0]["error"]["message"].as_str().unwrap().contains("32 MB"), "{written:?}");
}

/// A stream that blocks on every write, like a full pipe.
struct Stuck;

impl Write for Stuck {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        std::thread::sleep(Duration::from_secs(3600));
        Ok(0)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected() {
    let requests: String =
        (0..2_000).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")).collect();
    let patience = Duration::from_millis(500);
    let mut lines = Lines::with_patience(Box::new(Cursor::new(requests)), Box::new(Stuck), patience);
    let mut taken = 0;
    while let Some(message) = lines.receive().await {
        taken += 1;
        let JsonRpcMessage::Request(request) = message else { panic!("{message:?}") };
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": {} });
        tokio::spawn(lines.send(serde_json::from_value(answer).unwrap()));
    }
    // The server stopped reading at the limit on unanswered requests, and then disconnected.
    assert_eq!(taken, 256);
}
