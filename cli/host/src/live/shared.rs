//! What the threads and calls of an open project share: its index, who indexes it, and what has changed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use serde_json::Value;
use tokio::sync::broadcast;
use ubp_core::index::Snapshot;
use ubp_core::message;
use ubp_core::ops::Operation;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

use super::lock::{Attempt, ServeLock};
use super::opened::Opened;
use super::pulse::{Hint, Pulse, Timing, Waited};
use super::stamp::{self, Identity, Stamp};
use super::standing::Standing;
use super::{Changed, Notice, Notices, vectors};
use crate::Environment;
use crate::opening::FindModel;
use crate::sessions::Recorder;

/// The state of an open project.
pub(super) struct Shared {
    pub(super) root: PathBuf,
    pub(super) environment: Environment,
    pub(super) find_model: Box<FindModel>,
    pub(super) timing: Timing,
    pub(super) opened: RwLock<Arc<Opened>>,
    pub(super) renewing: Mutex<()>,
    /// Stamp of settings that were invalid.
    pub(super) refused: Mutex<Option<Stamp>>,
    pub(super) problem: Mutex<Option<String>>,
    pub(super) lock: ServeLock,
    pub(super) pulse: Pulse,
    /// The watched pages folder.
    pub(super) heard: Mutex<Option<(PathBuf, Option<Identity>)>>,
    /// Cancels the running refresh.
    pub(super) refreshing: Mutex<Cancel>,
    pub(super) calls: AtomicUsize,
    /// Number of calls started so far.
    pub(super) begun: AtomicUsize,
    /// Whether this process wrote a file that the indexing process may not have noticed.
    pub(super) wrote: AtomicBool,
    /// The commit that was checked out at the last call.
    pub(super) head: Mutex<Option<Option<String>>>,
    pub(super) vectors: vectors::Bell,
    pub(super) changes: broadcast::Sender<Arc<Changed>>,
    /// The pages at the last notification of listeners.
    pub(super) told: Mutex<Option<Snapshot>>,
    pub(super) notices: Notices,
    pub(super) recorder: OnceLock<Option<Arc<Recorder>>>,
    pub(super) stopped: Cancel,
}

impl Shared {
    pub(super) fn tell(&self, notice: Notice) {
        (self.notices)(notice);
    }

    pub(super) fn set_problem(&self, problem: Option<String>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }

    pub(super) fn broadcast(&self, changed: Changed) {
        // An error means that there are no listeners.
        let _ = self.changes.send(Arc::new(changed));
    }

    pub(super) fn wake_vectors(&self) {
        self.vectors.ring();
    }

    /// Takes the lock if it is free.
    pub(super) fn claim(&self) {
        let was_indexer = self.lock.is_indexer();
        match self.lock.attempt() {
            Attempt::Kept => return,
            Attempt::Taken => self.pulse.start_indexing(true),
            Attempt::Elsewhere if was_indexer => self.pulse.stop_indexing(),
            Attempt::Elsewhere => return,
            Attempt::Impossible(error) => {
                self.tell(Notice::warning(message!(
                    ".ubp/serve.lock: {error}; every server on this project indexes for itself",
                    error
                )));
                self.pulse.start_indexing(false);
            }
        }
        self.wake_vectors();
    }

    /// Replaces the index if `result` is the error of a damaged one.
    pub(super) fn heal_after<T>(&self, opened: &Arc<Opened>, result: &Result<T>) {
        if let Err(error) = result
            && error.is_damaged_index()
        {
            self.heal(opened, error);
        }
    }

    /// Records changes saved by this process, so that later answers are fresh only if they include them. The system may
    /// report them only after the next call.
    pub(super) fn note_own_change(&self, operation: &Operation, result: &Result<Value>) {
        let Some(saved) = result.as_ref().ok().filter(|_| operation.facts.leaves_index()) else { return };
        if self.lock.is_indexer() {
            let path = saved.get("filepath").and_then(Value::as_str);
            self.pulse.notice(path.map_or(Hint::Pages, |path| Hint::Page(path.to_owned())));
        } else {
            self.wrote.store(true, Ordering::Release);
        }
    }

    /// Whether the index is still the opened file.
    pub(super) fn has_its_index(&self) -> bool {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).has_its_database()
    }

    /// The project, and whether its index is up to date. Refreshes it first if there are changes, or if that is
    /// unknown.
    pub(super) fn ready(&self, cancel: &Cancel) -> Result<(Arc<Opened>, bool)> {
        let opened = self.current()?;
        self.claim();
        self.follow_checkout(&opened);
        let ticket = if !self.lock.is_indexer() {
            let said = self.pulse.said();
            let known = match said.standing {
                _ if self.wrote.swap(false, Ordering::AcqRel) => None,
                Standing::Settled => Some(true),
                Standing::Building => Some(false),
                Standing::Changed => self.pulse.wait_for_other(said, cancel)?,
                Standing::Unknown => None,
            };
            match known {
                Some(fresh) => return Ok((opened, fresh)),
                None => {
                    // The other process may just have ended.
                    self.claim();
                    self.pulse.ask(true)
                }
            }
        } else if self.pulse.hears_all() {
            if !self.hears(&opened) {
                self.pulse.notice(Hint::Folders);
            }
            if self.pulse.is_settled() {
                return Ok((opened, true));
            }
            self.pulse.ask(false)
        } else {
            self.pulse.ask(true)
        };
        let fresh = match self.pulse.wait(ticket, cancel)? {
            Waited::Settled => true,
            Waited::Late => false,
            Waited::Failed(error) => match files_out_of_reach(&error) {
                Some(error) => return Err(error),
                None => false,
            },
        };
        Ok((self.current()?, fresh))
    }

    /// Makes the next call compare all files with the index.
    pub(super) fn compare_again(&self) {
        if self.lock.is_indexer() {
            self.pulse.ask(true);
        } else {
            self.wrote.store(true, Ordering::Release);
        }
    }

    /// Compares all files if another commit is checked out than at the last call. Git writes the files before it says so, but
    /// this process may not have heard of them yet.
    fn follow_checkout(&self, opened: &Opened) {
        let Ok(head) = opened.engine.history.head() else { return };
        // Held until the change is noted, so that no other call takes the index for fresh.
        let mut known = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| *known != head) {
            if self.lock.is_indexer() {
                self.pulse.notice(Hint::Folders);
            } else {
                self.wrote.store(true, Ordering::Release);
            }
        }
        *known = Some(head);
    }

    /// Whether the pages folder is still the watched one.
    pub(super) fn hears(&self, opened: &Opened) -> bool {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.as_ref().is_some_and(|(folder, known)| {
            *folder == opened.project.pages_dir && stamp::identity(folder) == *known
        })
    }
}

/// A copy of the error, if it means that the files cannot be read.
fn files_out_of_reach(error: &Error) -> Option<Error> {
    match error {
        Error::Io { path, source } => {
            Some(Error::io(path.clone(), std::io::Error::new(source.kind(), source.to_string())))
        }
        Error::OutsideProject { path, folder } => {
            Some(Error::OutsideProject { path: path.clone(), folder: folder.clone() })
        }
        _ => None,
    }
}

/// A running call, for which background work waits.
pub(super) struct Call<'a>(&'a Shared);

impl<'a> Call<'a> {
    pub(super) fn begin(shared: &'a Shared) -> Self {
        shared.calls.fetch_add(1, Ordering::AcqRel);
        shared.begun.fetch_add(1, Ordering::AcqRel);
        Self(shared)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::AcqRel);
    }
}
