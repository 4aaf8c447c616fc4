//! Threads for the calls of one open project, so that Node's own are left alone: its main thread
//! stays free for the program, and its pool for files and names. What only reads and what writes wait
//! in lines of their own, so that a rebuild holds up no search.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, available_parallelism};

/// Most threads that read. The index keeps about as many connections.
const MOST_READERS: usize = 4;

/// Work, told whether its lane was closed before its turn came.
type Job = Box<dyn FnOnce(bool) + Send>;

/// One line of calls, and the threads that serve it.
pub(crate) struct Lane(Arc<Queue>);

struct Queue {
    name: &'static str,
    most: usize,
    state: Mutex<State>,
    /// Something was put in line, or the lane closed.
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
        // One at least stands by while another works through something long.
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

    /// Puts `job` in line.
    ///
    /// # Errors
    /// When there is no thread for it and the system gives none.
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
                // Those that there are will get to it.
                Err(_) => {}
            }
        }
        state.waiting.push_back(job);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Lets what is in line end as cancelled. What runs goes on.
    pub(crate) fn close(&self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }

    /// Waits until nothing runs any more.
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
