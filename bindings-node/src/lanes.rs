//! Threads for the calls of an open project, so that Node's main thread and thread pool stay free. Reading and writing
//! calls have separate queues, so that a rebuild does not block searches.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, available_parallelism};

/// Limit on reading threads. The index keeps about as many connections.
const MOST_READERS: usize = 4;

/// Work. The argument is whether its lane was closed before it started.
type Job = Box<dyn FnOnce(bool) + Send>;

/// A queue of calls, and its threads.
pub(crate) struct Lane(Arc<Queue>);

struct Queue {
    name: &'static str,
    most: usize,
    state: Mutex<State>,
    /// A call was added, or the lane was closed.
    changed: Condvar,
    /// A thread ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Lane {
    /// For calls that only read.
    pub(crate) fn reading() -> Self {
        // At least two, so that a long call does not block short ones.
        let cores = available_parallelism().map_or(2, usize::from);
        Self::new("ubp-read", cores.clamp(2, MOST_READERS))
    }

    /// For calls that write: one after another.
    pub(crate) fn writing() -> Self {
        Self::new("ubp-write", 1)
    }

    fn new(name: &'static str, most: usize) -> Self {
        let (state, changed, ended) = (Mutex::default(), Condvar::new(), Condvar::new());
        Self(Arc::new(Queue { name, most, state, changed, ended }))
    }

    /// Adds `job` to the queue.
    ///
    /// # Errors
    /// If there is no thread and the system cannot start one.
    pub(crate) fn put(&self, job: Job) -> std::io::Result<()> {
        let mut state = self.0.lock();
        if state.closed {
            drop(state);
            job(true);
            return Ok(());
        }
        if state.idle <= state.waiting.len() && state.threads < self.0.most {
            let queue = self.0.clone();
            match Builder::new().name(queue.name.into()).spawn(move || queue.serve()) {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => return Err(error),
                // The existing threads will run it.
                Err(_) => {}
            }
        }
        state.waiting.push_back(job);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Cancels queued calls. Running calls continue.
    pub(crate) fn close(&self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }

    /// Waits for running calls to end.
    pub(crate) fn join(&self) {
        let mut state = self.0.lock();
        while state.threads > 0 {
            state = self.0.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.waiting.pop_front() {
                let closed = state.closed;
                drop(state);
                job(closed);
                state = self.lock();
            } else if state.closed {
                break;
            } else {
                state.idle += 1;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
        state.threads -= 1;
        self.ended.notify_all();
    }
}
