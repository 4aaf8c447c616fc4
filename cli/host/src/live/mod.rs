//! A project kept open by a long-running process. It watches and indexes changes, computes vectors in the background,
//! applies changed settings, and shares the work with other such processes on the project. Servers only add their
//! protocol.
//!
//! **Invariants**
//! - An answer with `fresh` includes every change that the system had reported (`tests/tests/live.rs`: several
//!   processes under 20 changes a second, whose index then equals a rebuild).
//! - UBP's own writes are not changes: an idle server refreshes nothing and uses no processor time
//!   (`tests/tests/live.rs`).
//! - One server indexes, and another takes over within two seconds of its end (`tests/sharing.rs`).
//! - No work outlives the call that started it, or [`Live::stop`] (`tests/`).

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::broadcast;
use ubp_core::index::{PageChanges, pending, section_count};
use ubp_core::manifest::{AuthorRights, Manifest};
use ubp_core::message::Message;
use ubp_core::ops::Operation;
use ubp_core::progress::{Cancel, Progress, Silent};
use ubp_core::proposals::Proposing;
use ubp_core::sessions::Witness;
use ubp_core::show::{Page, Reader};
use ubp_core::writing::typing::Typing;
use ubp_core::{Caller, Context, Error, Result};

use crate::Project;
use crate::opening::FindModel;
use crate::sessions::Recorder;
use crate::{Environment, models};

mod head;
mod keeper;
mod lock;
mod opened;
mod parent;
mod pulse;
mod shared;
mod stamp;
mod standing;
#[cfg(test)]
mod tests;
mod vectors;
mod views;
mod watch;

pub use lock::is_served;
pub use parent::ParentWatch;
pub use views::{Seen, Views};

use lock::ServeLock;
use opened::Opened;
use pulse::{Pulse, Timing};
use shared::{Call, Shared};
use standing::{Standing, StandingFile};

/// Limit on queued changes per listener. A slower listener learns that it missed some.
const BACKLOG: usize = 256;
/// How long [`Live::stop`] waits for threads that are blocked by the database.
const FAREWELL: Duration = Duration::from_secs(2);

/// A change in an open project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// Pages were added, removed, renamed or changed in the index, by any process.
    Pages(PageChanges),
    /// Another commit was checked out: its name, if there is one.
    Head(Option<String>),
    /// The settings in the manifest changed.
    Settings,
    /// The reviews in `refs.lock` changed.
    Reviews,
    /// The favourite pages changed.
    Favorites,
    /// A base changed, so answers in pages may be outdated. Only the process that indexes notices it.
    Bases,
}

/// The caller of an operation.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// A person or an agent.
    pub caller: Caller,
    /// Name of the agent.
    pub agent: Option<&'a str>,
    /// What the agent may do; `None` if nothing restricts it.
    pub rights: Option<&'a AuthorRights>,
    /// Stores changes as proposals instead of making them.
    pub proposing: Option<&'a Proposing>,
    /// Hears of what it saves while typing.
    pub typing: Option<&'a dyn Typing>,
    /// Notes what the answer leaves out.
    pub witness: Option<&'a Witness>,
}

impl Asker<'_> {
    /// The context of a call by it.
    fn context<'c>(&'c self, context: &Context<'c>) -> Context<'c> {
        let Self { agent, rights, proposing, typing, witness, .. } = *self;
        Context { agent, rights, proposing, typing, witness, ..*context }
    }
}

impl From<Caller> for Asker<'_> {
    fn from(caller: Caller) -> Self {
        Self { caller, agent: None, rights: None, proposing: None, typing: None, witness: None }
    }
}

/// A message for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether it probably needs attention.
    pub is_warning: bool,
    /// What happened.
    pub text: Message,
    /// How to fix it, if known.
    pub hint: Option<Message>,
}

impl Notice {
    fn warning(text: Message) -> Self {
        Self { is_warning: true, text, hint: None }
    }

    fn information(text: Message) -> Self {
        Self { is_warning: false, ..Self::warning(text) }
    }
}

/// Receives messages for people. Called from several threads.
pub type Notices = Arc<dyn Fn(Notice) + Send + Sync>;

/// An open project. Closed by [`Live::stop`] or on drop.
pub struct Live {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Live {
    /// Opens `project`. Returns at once; the index is built or updated in the background.
    ///
    /// # Errors
    /// [`Error::Database`] if no index can be opened, [`Error::Internal`] if no thread can be started.
    pub fn start(project: Project, environment: &Environment, notices: Notices) -> Result<Arc<Self>> {
        Self::start_with(project, environment, notices, Timing::default(), Box::new(models::load))
    }

    /// The same with a model chosen by the caller.
    ///
    /// # Errors
    /// As [`Live::start`].
    pub fn start_finding(
        project: Project,
        environment: &Environment,
        notices: Notices,
        find_model: Box<FindModel>,
    ) -> Result<Arc<Self>> {
        Self::start_with(project, environment, notices, Timing::default(), find_model)
    }

    fn start_with(
        project: Project,
        environment: &Environment,
        notices: Notices,
        timing: Timing,
        find_model: Box<FindModel>,
    ) -> Result<Arc<Self>> {
        let (root, index_dir) = (project.root.clone(), project.index_dir.clone());
        let (manifest, loaded) = opened::load(&project);
        let (opened, said) = Opened::open(loaded.unwrap_or(project), manifest, environment, &*find_model)?;
        let lock = ServeLock::new(&index_dir);
        if opened.in_memory {
            lock.go_alone();
        }
        let alone = opened.in_memory;
        let shared = Arc::new(Shared {
            pulse: Pulse::new(timing, StandingFile::new(&index_dir)),
            root,
            environment: environment.clone(),
            find_model,
            timing,
            opened: RwLock::new(Arc::new(opened)),
            renewing: Mutex::default(),
            refused: Mutex::default(),
            problem: Mutex::default(),
            lock,
            heard: Mutex::default(),
            refreshing: Mutex::default(),
            calls: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            wrote: AtomicBool::new(false),
            head: Mutex::default(),
            vectors: vectors::Bell::default(),
            changes: broadcast::Sender::new(BACKLOG),
            told: Mutex::default(),
            notices,
            recorder: OnceLock::new(),
            stopped: Cancel::default(),
        });
        shared.pulse.set_index(shared.current()?.database);
        said.into_iter().for_each(|notice| shared.tell(notice));
        if alone {
            shared.pulse.start_indexing(false);
        } else {
            shared.claim();
        }
        let live = Arc::new(Self { shared: shared.clone(), threads: Mutex::default() });
        for (name, work) in [("ubp-keeper", keeper::run as fn(&Arc<Shared>)), ("ubp-vectors", vectors::run)] {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(name.into()).spawn(move || work(&shared));
            let thread =
                thread.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
            live.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(live)
    }

    /// Runs `operation` on an index that is as up to date as possible without a long wait; `index.fresh` in the answer
    /// says whether it is complete. If `told` is given, the answer is also printed to its page.
    ///
    /// # Errors
    /// [`Error::Io`] while the project or its pages folder is missing, [`Error::Cancelled`] after [`Live::stop`];
    /// errors of the operation.
    pub fn call<'a>(
        &self,
        asker: impl Into<Asker<'a>>,
        operation: &Operation,
        params: Value,
        mut told: Option<(&mut dyn Page, &dyn Reader)>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Value> {
        let asker = asker.into();
        let again = operation.facts.reads_only().then(|| params.clone());
        let mut ask = |params| {
            let (page, reader) = match told.as_mut() {
                Some((page, reader)) => (Some(&mut **page as &mut dyn Page), Some(*reader)),
                None => (None, None),
            };
            let ask = |context: &Context<'_>| {
                (operation.call)(&Context { reader, ..asker.context(context) }, params, page)
            };
            self.with(asker.caller, progress, cancel, ask)
        };
        match (ask(params), again) {
            // The index was damaged or deleted; the retry uses a new one.
            (Err(Error::Database(_)), Some(params)) if !self.shared.has_its_index() => ask(params),
            // The system may not have reported a page yet that was just written.
            (Err(Error::PageNotFound { .. }), Some(params)) => {
                self.shared.compare_again();
                ask(params)
            }
            (result, _) => {
                self.shared.note_own_change(operation, &result);
                result
            }
        }
    }

    /// Runs `operation` on the index as it is, without waiting for pending changes: for completions and other calls
    /// while a person types.
    ///
    /// # Errors
    /// As [`Live::call`].
    pub fn call_at_once<'a>(
        &self,
        asker: impl Into<Asker<'a>>,
        operation: &Operation,
        params: Value,
        cancel: &Cancel,
    ) -> Result<Value> {
        let asker = asker.into();
        let ask = |context: &Context<'_>| (operation.call)(&asker.context(context), params, None);
        let result = self.with_at_once(asker.caller, cancel, ask);
        self.shared.note_own_change(operation, &result);
        result
    }

    /// Runs a closure in the same way as [`Live::call_at_once`].
    ///
    /// # Errors
    /// As [`Live::call`].
    pub fn with_at_once<T>(
        &self,
        caller: Caller,
        cancel: &Cancel,
        operation: impl FnOnce(&Context<'_>) -> Result<T>,
    ) -> Result<T> {
        let shared = &*self.shared;
        shared.stopped.check()?;
        let _call = Call::begin(shared);
        let opened = shared.current()?;
        let result = operation(&opened.engine.context(caller, false, &Silent, cancel));
        shared.heal_after(&opened, &result);
        result
    }

    /// Runs a closure in the same way as [`Live::call`].
    ///
    /// # Errors
    /// As [`Live::call`].
    pub fn with<T>(
        &self,
        caller: Caller,
        progress: &dyn Progress,
        cancel: &Cancel,
        operation: impl FnOnce(&Context<'_>) -> Result<T>,
    ) -> Result<T> {
        let shared = &*self.shared;
        shared.stopped.check()?;
        let _call = Call::begin(shared);
        let (opened, fresh) = shared.ready(cancel)?;
        let result = operation(&opened.engine.context(caller, fresh, progress, cancel));
        shared.heal_after(&opened, &result);
        result
    }

    /// Subscribes to changes.
    pub fn changes(&self) -> broadcast::Receiver<Arc<Changed>> {
        let receiver = self.shared.changes.subscribe();
        self.shared.remember_pages();
        receiver
    }

    /// Number of sections with vectors, and of all sections; `None` without a model. Does not wait for a refresh.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Io`] while the project is missing.
    pub fn vectors(&self) -> Result<Option<(usize, usize)>> {
        let opened = self.shared.current()?;
        let Some(embedder) = &opened.engine.embedder else { return Ok(None) };
        let identity = &embedder.model().identity;
        let (pending, total) =
            opened.engine.index.read(|db| Ok((pending(db, identity)?, section_count(db)?)))?;
        Ok(Some((total.saturating_sub(pending), total)))
    }

    /// The project's settings.
    ///
    /// # Errors
    /// [`Error::Io`] while the project is missing.
    pub fn manifest(&self) -> Result<Manifest> {
        Ok(self.shared.current()?.project.manifest.clone())
    }

    /// Records what agents see; `None` if the settings say not to.
    pub fn recorder(&self) -> Option<Arc<Recorder>> {
        let shared = &*self.shared;
        let settings = shared.current().ok()?.engine.manifest.sessions;
        if !settings.record {
            return None;
        }
        shared.recorder.get_or_init(|| Recorder::start(&shared.root).ok()).clone()
    }

    /// The project's folder.
    pub fn root(&self) -> &Path {
        &self.shared.root
    }

    /// Whether this process watches and indexes.
    pub fn is_indexer(&self) -> bool {
        self.shared.lock.is_indexer()
    }

    /// Why the settings on disk are not used, if they are invalid.
    pub fn problem(&self) -> Option<String> {
        self.shared.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Number of refreshes by this process.
    pub fn refreshes(&self) -> u64 {
        self.shared.pulse.refreshes()
    }

    /// Stops all threads and lets another process index. Later calls are refused.
    pub fn stop(&self) {
        let shared = &*self.shared;
        shared.stopped.request();
        shared.refreshing.lock().unwrap_or_else(PoisonError::into_inner).request();
        shared.pulse.stop();
        shared.wake_vectors();
        if let Some(Some(recorder)) = shared.recorder.get() {
            recorder.stop();
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let begun = Instant::now();
        for thread in threads {
            while !thread.is_finished() && begun.elapsed() < FAREWELL {
                std::thread::sleep(Duration::from_millis(2));
            }
            // A thread that is blocked by another process's transaction ends later by itself.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
        shared.lock.release();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stop();
    }
}
