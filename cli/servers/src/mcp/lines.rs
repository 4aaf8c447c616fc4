//! MCP on two streams: one JSON message per line. Reading and writing have their own threads, because blocking calls on
//! terminals and pipes cannot be cancelled.
//!
//! Invalid messages get the error that the protocol defines, overlong lines are refused, and a client that does not
//! read its answers is first not read from and finally disconnected.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot};

/// Limit on the bytes of a line; many times an escaped page of 1 MB.
pub(super) const LONGEST: u64 = 32 * 1024 * 1024;
/// Limit on unanswered requests, above which no more messages are read.
const UNANSWERED: usize = 256;
/// Timeout for a client to read an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server's end of the streams.
pub(super) struct Lines {
    incoming: mpsc::Receiver<Line>,
    outgoing: mpsc::Sender<Written>,
    patience: Duration,
    unanswered: Arc<Unanswered>,
    closed: Arc<Closed>,
    /// Counts messages that the client's folders changed: here, because messages are handled in any order.
    folders: Arc<AtomicU64>,
}

/// Requests without an answer yet.
#[derive(Default)]
struct Unanswered {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Unanswered {
    fn add(&self, id: RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.fewer.notify_one();
    }

    async fn room(&self) {
        while self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() >= UNANSWERED {
            self.fewer.notified().await;
        }
    }
}

/// Signals that nothing more can be written.
#[derive(Default)]
struct Closed {
    is: AtomicBool,
    notify: Notify,
}

impl Closed {
    fn close(&self) {
        self.is.store(true, Ordering::Release);
        self.notify.notify_waiters();
        self.notify.notify_one();
    }
}

struct Written {
    bytes: Vec<u8>,
    done: oneshot::Sender<std::io::Result<()>>,
}

enum Line {
    Text(Vec<u8>),
    TooLong,
}

impl Lines {
    /// Starts the threads of both streams. The reading thread ends with the stream.
    pub(super) fn over(input: Box<dyn Read + Send>, output: Box<dyn Write + Send>) -> Self {
        Self::with_patience(input, output, PATIENCE)
    }

    fn with_patience(
        input: Box<dyn Read + Send>,
        mut output: Box<dyn Write + Send>,
        patience: Duration,
    ) -> Self {
        let (to_server, incoming) = mpsc::channel(1);
        std::thread::spawn(move || read(input, &to_server));
        let (outgoing, mut from_server) = mpsc::channel::<Written>(1);
        std::thread::spawn(move || {
            while let Some(Written { bytes, done }) = from_server.blocking_recv() {
                let result = output.write_all(&bytes).and_then(|()| output.flush());
                // The sender may have stopped waiting.
                let _ = done.send(result);
            }
        });
        Self {
            incoming,
            outgoing,
            patience,
            unanswered: Arc::default(),
            closed: Arc::default(),
            folders: Arc::default(),
        }
    }

    /// The same with this counter of messages that the client's folders changed.
    pub(super) fn counting(self, folders: Arc<AtomicU64>) -> Self {
        Self { folders, ..self }
    }

    fn count(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => self.unanswered.add(request.id.clone()),
            // A cancelled request may never be answered.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.unanswered.remove(id);
                }
                if let ClientNotification::RootsListChangedNotification(_) = &notification.notification {
                    self.folders.fetch_add(1, Ordering::Release);
                }
            }
            _ => {}
        }
    }

    fn write<T: serde::Serialize>(
        &self,
        message: &T,
    ) -> impl Future<Output = std::io::Result<()>> + Send + use<T> {
        let line = serde_json::to_vec(message).map(|mut line| {
            line.push(b'\n');
            line
        });
        let (outgoing, closed, patience) = (self.outgoing.clone(), self.closed.clone(), self.patience);
        async move {
            let bytes = line.map_err(std::io::Error::other)?;
            let gone = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
            let (done, written) = oneshot::channel();
            let whole = async {
                outgoing.send(Written { bytes, done }).await.map_err(|_| gone())?;
                written.await.map_err(|_| gone())?
            };
            let result = tokio::time::timeout(patience, whole).await.unwrap_or_else(|_| Err(gone()));
            if result.is_err() {
                closed.close();
            }
            result
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (writing, unanswered) = (self.write(&message), self.unanswered.clone());
        async move {
            let result = writing.await;
            answered.iter().for_each(|id| unanswered.remove(id));
            result
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            tokio::select! {
                biased;
                () = self.closed.notify.notified() => return None,
                () = self.unanswered.room() => {}
            };
            // Failed answers free their place as well.
            if self.closed.is.load(Ordering::Acquire) {
                return None;
            }
            let line = tokio::select! {
                biased;
                () = self.closed.notify.notified() => return None,
                line = self.incoming.recv() => line?,
            };
            let error = match line {
                Line::TooLong => {
                    let limit = LONGEST / (1024 * 1024);
                    ErrorData::invalid_request(format!("a message is longer than {limit} MB"), None)
                        .with_id(None)
                }
                Line::Text(bytes) => match parse(&bytes) {
                    Ok(None) => continue,
                    Ok(Some(message)) => {
                        self.count(&message);
                        return Some(message);
                    }
                    Err(error) => error,
                },
            };
            if self.write(&error).await.is_err() {
                return None;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closed.close();
        Ok(())
    }
}

trait WithId {
    fn with_id(self, id: Option<RequestId>) -> Value;
}

impl WithId for ErrorData {
    /// The error as a message. JSON-RPC requires null if no id could be read.
    fn with_id(self, id: Option<RequestId>) -> Value {
        serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": self })
    }
}

/// The error for an empty message.
pub(super) fn no_message() -> Value {
    ErrorData::parse_error("invalid JSON: the message is empty", None).with_id(None)
}

/// Parses a line; `None` for a blank one. The error is the answer to send.
pub(super) fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Err(ErrorData::parse_error(format!("invalid JSON: {error}"), None).with_id(None));
    };
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str);
    if method.is_some() && id.is_none() && value.get("id").is_none() {
        // Unknown notifications are ignored.
        return Ok(None);
    }
    let wrong = match method {
        Some(method) => ErrorData::invalid_params(format!("invalid parameters of '{method}'"), None),
        None => {
            ErrorData::invalid_request("not a JSON-RPC message: expected `jsonrpc`, `method` and `id`", None)
        }
    };
    Err(wrong.with_id(id))
}

fn read(input: Box<dyn Read + Send>, to_server: &mpsc::Sender<Line>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        let line = match input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.ends_with(b"\n") || (line.len() as u64) < LONGEST => Line::Text(line),
            Ok(_) => {
                if skip_line(&mut input).is_err() {
                    return;
                }
                Line::TooLong
            }
        };
        if to_server.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Discards the rest of a line.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (found, used) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => (true, end + 1),
            None => (buffer.is_empty(), buffer.len()),
        };
        input.consume(used);
        if found {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
