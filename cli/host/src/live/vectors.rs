//! The thread that computes pending vectors in the background. Calls have priority.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ubp_core::Caller;
use ubp_core::index::pending;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_core::progress::Silent;
use ubp_core::{Error, Result};

use super::opened::Opened;
use super::{Notice, Shared};
use crate::{memory, priority};

/// How long the work pauses for calls before it continues in parallel.
const COURTESY: Duration = Duration::from_millis(250);
/// Pause after an error of the database.
const PAUSE: Duration = Duration::from_secs(5);
/// Pause after a server that computes vectors could not be reached.
const UNREACHABLE: Duration = Duration::from_secs(60);
/// How often to check whether another process is still computing all vectors.
const LOOK: Duration = Duration::from_secs(1);

/// Wakes the thread when there may be work.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<bool>,
    woken: Condvar,
}

impl Bell {
    pub(super) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_all();
    }

    /// Waits for a wake-up, at most for `longest`.
    fn wait(&self, longest: Option<Duration>) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        while !*rung {
            match longest {
                None => rung = self.woken.wait(rung).unwrap_or_else(PoisonError::into_inner),
                Some(longest) => {
                    rung = self.woken.wait_timeout(rung, longest).unwrap_or_else(PoisonError::into_inner).0;
                    break;
                }
            }
        }
        *rung = false;
    }
}

/// Runs until the project is dropped.
pub(super) fn run(shared: &Arc<Shared>) {
    priority::lower();
    // After a failure of the model, skip the project until it is reopened.
    let mut hopeless: Option<Arc<Opened>> = None;
    let mut again = None;
    let mut is_told = false;
    loop {
        shared.vectors.wait(again.take());
        if shared.stopped.is_requested() {
            return;
        }
        if !shared.lock.is_indexer() {
            continue;
        }
        let Ok(opened) = shared.current() else { continue };
        if hopeless.as_ref().is_some_and(|failed| Arc::ptr_eq(failed, &opened)) {
            continue;
        }
        match embed(shared, &opened) {
            Ok(()) => (hopeless, is_told) = (None, false),
            Err(Error::Cancelled) => again = opened.project.is_embedding().then_some(LOOK),
            // Models on this machine never fail like this once they are open: a server may be started later.
            Err(error @ Error::ModelUnavailable { .. }) => {
                if !std::mem::replace(&mut is_told, true) {
                    shared.tell(Notice { hint: error.hint(), ..Notice::warning(error.message()) });
                }
                again = Some(UNREACHABLE);
            }
            Err(error @ Error::Model { .. }) => {
                shared.tell(Notice { hint: error.hint(), ..Notice::warning(error.message()) });
                hopeless = Some(opened);
            }
            Err(error) => {
                if error.is_damaged_index() {
                    shared.heal(&opened, &error);
                }
                again = Some(PAUSE);
            }
        }
    }
}

/// Computes the vectors of all sections.
fn embed(shared: &Shared, opened: &Arc<Opened>) -> Result<()> {
    let Some(embedder) = opened.engine.embedder.as_deref() else { return Ok(()) };
    let polite = Polite { shared, opened, embedder };
    let identity = &embedder.model().identity;
    // Checking for pending sections does not load the model.
    while opened.engine.index.read(|db| pending(db, identity))? > 0 {
        let mut context = opened.engine.context(Caller::Agent, false, &Silent, &shared.stopped);
        context.embedder = Some(&polite);
        let report = context.embed(None);
        // Long texts need more memory than queries.
        memory::give_back();
        let report = report?;
        if report.embedded == 0 && report.reused == 0 {
            break;
        }
    }
    Ok(())
}

/// An embedder that takes few texts at a time, and pauses for calls between them.
struct Polite<'a> {
    shared: &'a Shared,
    opened: &'a Opened,
    embedder: &'a dyn Embedder,
}

impl Polite<'_> {
    /// Pauses for calls. Returns whether some are still running.
    fn give_way(&self) -> Result<bool> {
        const GLANCE: Duration = Duration::from_millis(2);
        let begun = Instant::now();
        let is_asked = || self.shared.calls.load(Ordering::Acquire) > 0;
        while is_asked() && begun.elapsed() < COURTESY {
            self.shared.stopped.check()?;
            std::thread::sleep(GLANCE);
        }
        self.shared.stopped.check()?;
        // Another process continues from here.
        let elsewhere = !self.shared.lock.is_indexer() || self.opened.project.is_embedding();
        if elsewhere { Err(Error::Cancelled) } else { Ok(is_asked()) }
    }
}

impl Embedder for Polite<'_> {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            // Only one text while a call is running.
            let at_once = if self.give_way()? { 1 } else { processors };
            let (few, later) = rest.split_at(at_once.min(rest.len()));
            vectors.extend(self.embedder.embed(kind, few)?);
            rest = later;
        }
        Ok(vectors)
    }

    fn known(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        self.embedder.known(texts)
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<std::ops::Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}
