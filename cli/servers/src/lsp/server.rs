//! The state of the language server, and its loop: messages are read in their order, requests are answered on threads.

use std::collections::hash_map::{Entry, OccupiedEntry};
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak, mpsc};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::InitializeParams;
use serde_json::{Value, json};
use ubp_core::message::{CommandsIn, told_to};
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

use super::Options;
use super::capabilities;
use super::client::{Abilities, Client};
use super::documents::Documents;
use super::frames::{self, Frame};
use super::projects::{Projects, Served};
use super::requests;
use super::watching;

/// Limit on requests that are answered at the same time. Further ones wait.
const WORKERS: usize = 4;
/// How often the loop looks whether the process should end.
const TICK: Duration = Duration::from_millis(200);

/// The state of the server.
pub(super) struct Server {
    /// Itself, for threads that outlive a request.
    own: Weak<Self>,
    pub options: Options,
    pub client: Client,
    pub documents: Documents,
    pub projects: Projects,
    /// The workspace folders, without symbolic links.
    pub folders: Mutex<BTreeSet<PathBuf>>,
    /// What the editor can do; set by `initialize`.
    abilities: OnceLock<Abilities>,
    /// Requests that are not answered yet. Their number tells them from a later one with the same id.
    running: Mutex<HashMap<RequestId, (u64, Cancel)>>,
    accepted: AtomicU64,
    /// Pages whose diagnostics are due.
    pub due: watching::Due,
    shut_down: AtomicBool,
}

impl Server {
    pub(super) fn new(options: Options, client: Client, projects: Projects) -> Arc<Self> {
        Arc::new_cyclic(|own| Self {
            own: own.clone(),
            projects,
            folders: Mutex::default(),
            options,
            client,
            documents: Documents::default(),
            abilities: OnceLock::new(),
            running: Mutex::default(),
            accepted: AtomicU64::new(0),
            due: watching::Due::default(),
            shut_down: AtomicBool::new(false),
        })
    }

    /// What the editor can do.
    pub(super) fn abilities(&self) -> &Abilities {
        static NOTHING: OnceLock<Abilities> = OnceLock::new();
        let nothing = || NOTHING.get_or_init(|| Abilities::of(&InitializeParams::default(), &[]));
        self.abilities.get().unwrap_or_else(nothing)
    }

    /// Whether requests may write.
    pub(super) fn may_write(&self) -> bool {
        !self.options.read_only && !self.abilities().options.read_only
    }

    /// The project of a file or folder. It is followed from the first time on.
    ///
    /// # Errors
    /// As [`Projects::of`].
    pub(super) fn project(&self, file: &Path) -> Result<Arc<Served>> {
        let served = self.projects.of(file)?;
        if let Some(own) = self.own.upgrade() {
            watching::follow(&own, served.clone());
        }
        Ok(served)
    }

    pub(super) fn stop(&self) {
        self.due.stop();
        for (_, cancel) in self.lock().values() {
            cancel.request();
        }
        self.projects.retain(|_| false);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, (u64, Cancel)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, id: &RequestId, result: std::result::Result<Value, requests::Refusal>) {
        let message = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(refusal) => {
                let error = json!({ "code": refusal.code, "message": refusal.message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        self.client.send(message);
    }
}

/// A request that waits for a worker.
struct Accepted {
    request: Request,
    number: u64,
    cancel: Cancel,
}

/// Runs `work`. If it panics, the request has an error for an answer, and the worker goes on.
fn guarded(work: impl FnOnce() -> requests::Answer<Value>) -> requests::Answer<Value> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::Internal(words.unwrap_or("a panic without a message").to_owned()).into())
    })
}

/// Reads frames on a thread of its own, which ends with the stream, or with the process: reading blocks and cannot be cancelled.
pub(super) fn reading(mut input: impl BufRead + Send + 'static) -> Result<mpsc::Receiver<Frame>> {
    let (read, frames) = mpsc::sync_channel(16);
    thread("ubp-lsp-reader", move || {
        loop {
            let frame = frames::read(&mut input);
            let is_end = matches!(frame, Frame::End);
            if read.send(frame).is_err() || is_end {
                break;
            }
        }
    })?;
    Ok(frames)
}

pub(super) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = std::thread::Builder::new().name(name.into()).spawn(work);
    started.map(|_| ()).map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
}

/// Answers messages until the end. Returns whether the client asked the server to shut down first.
pub(super) fn run(server: &Arc<Server>, frames: &mpsc::Receiver<Frame>, cancel: &Cancel) -> Result<bool> {
    watching::start(server)?;
    let (work, waiting) = mpsc::channel::<Accepted>();
    let waiting = Arc::new(Mutex::new(waiting));
    for number in 0..WORKERS {
        let (server, waiting) = (server.clone(), waiting.clone());
        thread(&format!("ubp-lsp-{number}"), move || {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Accepted { request, number, cancel }) = next else { break };
                let id = request.id.clone();
                let voice = CommandsIn(server.abilities().language);
                let result = guarded(|| told_to(voice, || requests::answer(&server, request, &cancel)));
                // Whoever takes it out answers it.
                let is_own = |entry: &OccupiedEntry<'_, _, (u64, _)>| entry.get().0 == number;
                let taken = match server.lock().entry(id.clone()) {
                    Entry::Occupied(entry) if is_own(&entry) => Some(entry.remove()),
                    _ => None,
                };
                if taken.is_some() {
                    server.answer(&id, result);
                }
            }
        })?;
    }
    loop {
        let frame = match frames.recv_timeout(TICK) {
            Ok(frame) => frame,
            Err(mpsc::RecvTimeoutError::Timeout) if cancel.is_requested() => return Ok(true),
            Err(mpsc::RecvTimeoutError::Timeout) => continue,
            Err(mpsc::RecvTimeoutError::Disconnected) => Frame::End,
        };
        match frame {
            Frame::End => return Ok(server.shut_down.load(Ordering::Relaxed)),
            Frame::Invalid(error) => server.client.send(error),
            Frame::Message(Message::Request(request)) => take(server, request, &work),
            Frame::Message(Message::Notification(notification)) => {
                if notification.method == "exit" {
                    return Ok(server.shut_down.load(Ordering::Relaxed));
                }
                hear(server, notification);
            }
            // Answers to requests of the server, which wait for none.
            Frame::Message(Message::Response(_)) => {}
        }
    }
}

fn take(server: &Arc<Server>, request: Request, work: &mpsc::Sender<Accepted>) {
    let id = request.id.clone();
    let refuse = |code, message: &str| {
        server.answer(&id, Err(requests::Refusal { code, message: message.to_owned() }));
    };
    if server.shut_down.load(Ordering::Relaxed) {
        return refuse(-32600, "the server was shut down");
    }
    match (request.method.as_str(), server.abilities.get()) {
        ("initialize", None) => match serde_json::from_value::<InitializeParams>(request.params) {
            Ok(params) => {
                let abilities = Abilities::of(&params, &server.options.languages);
                let result = capabilities::told(&abilities);
                let _ = server.abilities.set(abilities);
                server.answer(&id, Ok(result));
                watching::open_folders(server, folders(&params));
            }
            Err(error) => refuse(-32602, &error.to_string()),
        },
        ("initialize", Some(_)) => refuse(-32600, "the server is initialized already"),
        (_, None) => refuse(-32002, "the server is not initialized yet"),
        ("shutdown", _) => {
            server.shut_down.store(true, Ordering::Relaxed);
            server.answer(&id, Ok(Value::Null));
        }
        _ => {
            let cancel = Cancel::default();
            let number = server.accepted.fetch_add(1, Ordering::Relaxed);
            match server.lock().entry(id.clone()) {
                Entry::Occupied(_) => return refuse(-32600, "this id is in use"),
                Entry::Vacant(free) => free.insert((number, cancel.clone())),
            };
            // The workers live as long as the loop.
            let _ = work.send(Accepted { request, number, cancel });
        }
    }
}

#[allow(deprecated)]
fn folders(params: &InitializeParams) -> Vec<String> {
    match (&params.workspace_folders, &params.root_uri) {
        (Some(folders), _) => folders.iter().map(|folder| folder.uri.as_str().to_owned()).collect(),
        (None, Some(root)) => vec![root.as_str().to_owned()],
        (None, None) => Vec::new(),
    }
}

fn hear(server: &Arc<Server>, notification: Notification) {
    if notification.method == "$/cancelRequest" {
        let id = notification.params.get("id").cloned().unwrap_or(Value::Null);
        if let Ok(id) = serde_json::from_value::<RequestId>(id)
            && let Some((_, cancel)) = server.lock().remove(&id)
        {
            cancel.request();
            server.answer(&id, Err(requests::Refusal { code: -32800, message: "cancelled".into() }));
        }
        return;
    }
    if server.abilities.get().is_some() {
        requests::notice(server, notification);
    }
}
