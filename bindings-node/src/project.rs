//! An open project: runs operations by name, with JSON, off Node's main thread.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use ubp_core::message::Message;

use napi::Status;
use napi::bindgen_prelude::{Env, Object};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::hint::Calls;
use ubp_core::ops::{find, named};
use ubp_core::progress::{Cancel, Progress, Stage};
use ubp_core::{Error, Result};
use ubp_host::live::{Live, Notices};
use ubp_host::{Environment, Project as Folder};

use crate::answer::{Answer, Promised, guarded};
use crate::command::no_thread;
use crate::lanes::Lane;
use crate::stop::Stop;

/// Limit on events queued for JavaScript; more are dropped.
const BACKLOG: usize = 256;
/// Minimum interval of progress events, except the first and last of a stage.
const PAUSE: Duration = Duration::from_millis(50);

/// A JavaScript function that receives events as JSON. It does not keep the process alive.
type Listener = Arc<ThreadsafeFunction<String, (), String, Status, false, true, BACKLOG>>;

/// A project, opened by the first call.
#[napi]
pub struct Project {
    open: Arc<Open>,
}

struct Open {
    folder: PathBuf,
    listener: Listener,
    live: Mutex<State>,
    reading: Lane,
    writing: Lane,
    /// Running calls, for cancellation; `None` once the project is closed.
    running: Mutex<Option<Vec<Cancel>>>,
}

enum State {
    Unopened,
    Opened { live: Arc<Live>, root: String },
    Closed,
}

#[napi]
impl Project {
    /// The project around `folder`; `listener` receives its events. Nothing is opened yet.
    #[napi(constructor)]
    pub fn new(folder: String, listener: Listener) -> Self {
        let open = Open {
            folder: folder.into(),
            listener,
            live: Mutex::new(State::Unopened),
            reading: Lane::reading(),
            writing: Lane::writing(),
            running: Mutex::new(Some(Vec::new())),
        };
        Self { open: Arc::new(open) }
    }

    /// Opens the project. Returns a promise of its folder, as JSON.
    #[napi]
    pub fn open<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let open = self.open.clone();
        let work = move || open.root();
        self.promise(env, &self.open.writing, Cancel::default(), work)
    }

    /// The same synchronously, on this thread.
    #[napi]
    pub fn open_sync(&self) -> Answer {
        guarded(|| self.open.root()).into()
    }

    /// Runs the operation `name`. Returns a promise of its output, as JSON.
    #[napi]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        name: String,
        params: String,
        stop: &Stop,
    ) -> napi::Result<Object<'env>> {
        let reads = find(&name).is_none_or(|operation| operation.facts.reads_only());
        let lane = if reads { &self.open.reading } else { &self.open.writing };
        let (open, cancel) = (self.open.clone(), stop.cancel());
        self.promise(env, lane, cancel.clone(), move || open.call(&name, &params, &cancel))
    }

    /// The same synchronously, on this thread.
    #[napi]
    pub fn call_sync(&self, name: String, params: String) -> Answer {
        guarded(|| self.open.call(&name, &params, &Cancel::default())).into()
    }

    /// Closes the project. Waiting and running calls are cancelled; finished work is kept. The promise resolves when
    /// all calls have ended.
    #[napi]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let open = self.open.clone();
        open.close();
        let work = move || {
            promised.keep(guarded(|| {
                open.end();
                Ok("null".into())
            }));
        };
        std::thread::Builder::new()
            .name("ubp-close".into())
            .spawn(work)
            .map_err(|error| no_thread(&error))?;
        Ok(promise)
    }

    fn promise<'env>(
        &self,
        env: &'env Env,
        lane: &Lane,
        cancel: Cancel,
        work: impl FnOnce() -> Result<String> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let open = self.open.clone();
        let job = move |closed: bool| {
            let result = if closed || cancel.is_requested() { Err(Error::Cancelled) } else { guarded(work) };
            drop(open);
            promised.keep(result);
        };
        lane.put(Box::new(job)).map_err(|error| no_thread(&error))?;
        Ok(promise)
    }
}

impl Drop for Project {
    /// Garbage collection of an open project: Node's main thread must not wait for threads.
    fn drop(&mut self) {
        let open = self.open.clone();
        open.close();
        let _ = std::thread::Builder::new().name("ubp-close".into()).spawn(move || open.end());
    }
}

impl Open {
    /// The live project and its folder; opened on first use.
    fn live(&self) -> Result<(Arc<Live>, String)> {
        let mut state = lock(&self.live);
        match &*state {
            State::Closed => Err(Error::Cancelled),
            State::Opened { live, root } => Ok((live.clone(), root.clone())),
            State::Unopened => {
                let project = Folder::find(&self.folder)?;
                let root = project.root.to_string_lossy().into_owned();
                let listener = self.listener.clone();
                let notices: Notices = Arc::new(move |notice| {
                    let event = json!({
                        "event": "notice", "warning": notice.is_warning, "message": notice.text,
                        "hint": notice.hint.map(|hint| hint.told(&Calls)),
                    });
                    say(&listener, &event);
                });
                let live = Live::start(project, &Environment::of_process(), notices)?;
                *state = State::Opened { live: live.clone(), root: root.clone() };
                Ok((live, root))
            }
        }
    }

    fn root(&self) -> Result<String> {
        self.live().map(|(_, root)| Value::String(root).to_string())
    }

    fn call(&self, name: &str, params: &str, cancel: &Cancel) -> Result<String> {
        #[cfg(feature = "testing")]
        crate::answer::panic_if_asked(Some(name));
        let params: Value = serde_json::from_str(params)
            .map_err(|error| Error::invalid(Message::reported(error.to_string())))?;
        let _running = Running::begin(self, cancel)?;
        let (live, _) = self.live()?;
        let progress = Told { operation: name, listener: &self.listener, last: Mutex::default() };
        let output = live.call(Caller::Person, named(name)?, params, None, &progress, cancel)?;
        serde_json::to_string(&output).map_err(|error| Error::Internal(error.to_string()))
    }

    /// Refuses new calls, and cancels the running ones.
    fn close(&self) {
        self.reading.close();
        self.writing.close();
        for cancel in lock(&self.running).take().into_iter().flatten() {
            cancel.request();
        }
    }

    /// Waits for all calls and threads to end.
    fn end(&self) {
        self.reading.join();
        self.writing.join();
        if let State::Opened { live, .. } = std::mem::replace(&mut *lock(&self.live), State::Closed) {
            live.stop();
        }
    }
}

/// A running call.
struct Running<'a>(&'a Open, Cancel);

impl<'a> Running<'a> {
    fn begin(open: &'a Open, cancel: &Cancel) -> Result<Self> {
        lock(&open.running).as_mut().ok_or(Error::Cancelled)?.push(cancel.clone());
        Ok(Self(open, cancel.clone()))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(running) = lock(&self.0.running).as_mut() {
            running.retain(|cancel| !cancel.is_same(&self.1));
        }
    }
}

/// Reports the progress of a call to JavaScript.
struct Told<'a> {
    operation: &'a str,
    listener: &'a Listener,
    last: Mutex<Option<(Stage, Instant)>>,
}

impl Progress for Told<'_> {
    fn advance(&self, stage: Stage, done: usize, total: usize) {
        let mut last = lock(&self.last);
        let goes_on = last.is_some_and(|(before, at)| before == stage && at.elapsed() < PAUSE);
        if goes_on && done < total {
            return;
        }
        *last = Some((stage, Instant::now()));
        let event = json!({
            "event": "progress", "operation": self.operation, "stage": stage, "done": done, "total": total,
        });
        say(self.listener, &event);
    }
}

fn say(listener: &Listener, event: &Value) {
    // A slow listener misses events: calls do not wait for it.
    listener.call(event.to_string(), ThreadsafeFunctionCallMode::NonBlocking);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
