//! Tracks how far the index is behind noticed changes, and the calls that wait for it. Each noticed change gets the
//! next number; a refresh settles all numbers assigned before it started.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ubp_core::Error;
use ubp_core::progress::Cancel;

use super::stamp::Identity;
use super::standing::{Said, Standing, StandingFile};

/// Durations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// Pause after the last change before it is indexed without a call.
    pub quiet: Duration,
    /// Maximum delay of changes while more arrive.
    pub longest_wait: Duration,
    /// Interval of polling the lock, the settings and other files that are not watched.
    pub tick: Duration,
    /// Interval of comparing all files, in case a change was missed.
    pub reconcile: Duration,
    /// The same if files cannot be watched.
    pub poll: Duration,
    /// How long a call waits for the index; after that, its answer is marked as not fresh.
    pub patience: Duration,
    /// Time without calls after which memory for calls is released.
    pub rest: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(500),
            longest_wait: Duration::from_secs(2),
            tick: Duration::from_secs(1),
            reconcile: Duration::from_secs(30),
            poll: Duration::from_secs(2),
            patience: Duration::from_secs(1),
            // Long, because mapping the database again slows the next call, and agents may pause for minutes between
            // calls.
            rest: Duration::from_secs(300),
        }
    }
}

/// Next work of the keeper.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Job {
    Stop,
    Tick,
    Refresh,
}

/// Result of waiting for a refresh.
#[derive(Debug)]
pub(super) enum Waited {
    /// The index is up to date.
    Settled,
    /// Timeout.
    Late,
    /// The files cannot be read.
    Failed(Arc<Error>),
}

/// What may have changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hint {
    /// The page at this path.
    Page(String),
    /// Any page.
    Pages,
    /// Any page, and the set of folders to watch.
    Folders,
}

/// The pages that may differ from the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Suspects {
    All,
    Pages(BTreeSet<String>),
}

impl Default for Suspects {
    fn default() -> Self {
        Self::Pages(BTreeSet::new())
    }
}

impl Suspects {
    /// Number of pages above which comparing all is as fast.
    const MANY: usize = 50;

    fn add(&mut self, hint: Hint) {
        match (&mut *self, hint) {
            (Self::Pages(pages), Hint::Page(path)) if pages.len() < Self::MANY => {
                pages.insert(path);
            }
            _ => *self = Self::All,
        }
    }
}

/// Parameters of a refresh.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The last change number that it settles.
    pub upto: u64,
    /// Whether to update the watched folders first.
    pub rescan: bool,
    /// The pages to compare.
    pub suspects: Suspects,
}

#[derive(Debug)]
pub(super) struct Pulse {
    state: Mutex<State>,
    woken: Condvar,
    timing: Timing,
    standing: StandingFile,
}

#[derive(Debug, Default)]
struct State {
    noticed: u64,
    settled: u64,
    /// The highest number that a call waits for.
    asked: u64,
    first: Option<Instant>,
    latest: Option<Instant>,
    building: bool,
    rescan: bool,
    suspects: Suspects,
    /// The highest number whose refresh was not finished.
    given_up: u64,
    failure: Option<(u64, Arc<Error>)>,
    failures: u32,
    retry_at: Option<Instant>,
    refreshes: u64,
    /// Whether this process publishes the state of the index to others.
    publishing: bool,
    /// The index file.
    index: Option<Identity>,
    /// Whether all changes are watched, so that no event means no change.
    hears_all: bool,
    stopping: bool,
}

impl Pulse {
    pub(super) fn new(timing: Timing, standing: StandingFile) -> Self {
        Self { state: Mutex::default(), woken: Condvar::new(), timing, standing }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, state: &State) {
        if state.publishing {
            let standing = match state {
                State { building: true, .. } => Standing::Building,
                State { hears_all: false, .. } => Standing::Unknown,
                state if state.settled == state.noticed => Standing::Settled,
                _ => Standing::Changed,
            };
            self.standing.write(standing, state.index, state.noticed, state.settled);
        }
    }

    /// Records a change.
    pub(super) fn notice(&self, hint: Hint) {
        self.note(&mut self.state(), hint);
    }

    fn note(&self, state: &mut State, hint: Hint) {
        let now = Instant::now();
        if state.noticed == state.settled {
            state.first = Some(now);
        }
        state.noticed += 1;
        state.latest = Some(now);
        state.rescan |= hint == Hint::Folders;
        state.suspects.add(hint);
        self.publish(state);
        self.woken.notify_all();
    }

    /// This process starts indexing; with `publishing`, it publishes its state to others.
    pub(super) fn start_indexing(&self, publishing: bool) {
        let mut state = self.state();
        state.publishing = publishing;
        state.hears_all = false;
        state.building = false;
        state.rescan = true;
        state.suspects = Suspects::All;
        state.noticed += 1;
        state.asked = state.noticed;
        self.publish(&state);
        self.woken.notify_all();
    }

    /// Another process indexes from now on.
    pub(super) fn stop_indexing(&self) {
        let mut state = self.state();
        state.publishing = false;
        state.hears_all = false;
        self.standing.forget();
    }

    /// Sets whether all changes are watched.
    pub(super) fn set_hears_all(&self, hears_all: bool) {
        let mut state = self.state();
        state.hears_all = hears_all;
        self.publish(&state);
    }

    pub(super) fn hears_all(&self) -> bool {
        self.state().hears_all
    }

    /// Switches to another index, of unknown state.
    pub(super) fn set_index(&self, index: Option<Identity>) {
        let mut state = self.state();
        state.index = index;
        self.note(&mut state, Hint::Folders);
    }

    /// The state of the index, published by the indexing process.
    pub(super) fn said(&self) -> Said {
        let index = self.state().index;
        self.standing.read(index)
    }

    /// Waits until the indexing process has settled the changes that were noticed in `before`. Returns whether it did;
    /// `None` if it cannot be relied on.
    pub(super) fn wait_for_other(&self, before: Said, cancel: &Cancel) -> ubp_core::Result<Option<bool>> {
        const GLANCE: Duration = Duration::from_millis(4);
        self.standing.ask();
        let deadline = Instant::now() + self.timing.patience / 2;
        while Instant::now() < deadline {
            cancel.check()?;
            std::thread::sleep(GLANCE);
            let now = self.said();
            if now.standing == Standing::Building {
                return Ok(Some(false));
            }
            if (now.speaker, now.index) != (before.speaker, before.index) {
                return Ok(None);
            }
            if now.settled >= before.noticed {
                return Ok(Some(true));
            }
        }
        Ok(None)
    }

    /// Publishes the state again if its file was deleted.
    pub(super) fn keep_standing(&self) {
        if self.state().publishing {
            self.standing.keep();
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        let state = self.state();
        state.hears_all && state.settled == state.noticed
    }

    /// Requests a refresh for all changes noticed so far; with `anew`, one that compares all files.
    pub(super) fn ask(&self, anew: bool) -> u64 {
        let mut state = self.state();
        if anew || state.noticed == 0 {
            state.suspects = Suspects::All;
            state.noticed += 1;
        }
        state.asked = state.noticed;
        state.failure = None;
        self.woken.notify_all();
        state.noticed
    }

    /// Waits for the refresh requested by [`Pulse::ask`].
    pub(super) fn wait(&self, ticket: u64, cancel: &Cancel) -> ubp_core::Result<Waited> {
        /// Cancellation is polled.
        const GLANCE: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + self.timing.patience;
        let mut state = self.state();
        loop {
            if state.settled >= ticket {
                return Ok(Waited::Settled);
            }
            if let Some((upto, error)) = &state.failure
                && *upto >= ticket
            {
                return Ok(Waited::Failed(error.clone()));
            }
            cancel.check()?;
            let left = deadline.saturating_duration_since(Instant::now());
            if state.building || state.stopping || state.given_up >= ticket || left.is_zero() {
                return Ok(Waited::Late);
            }
            let waited = self.woken.wait_timeout(state, left.min(GLANCE));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the next work.
    pub(super) fn next(&self, tick_at: Instant, is_indexer: bool) -> Job {
        /// While changes are pending, requests of other processes are polled.
        const LISTEN: Duration = Duration::from_millis(10);
        let mut state = self.state();
        loop {
            let now = Instant::now();
            if state.stopping {
                return Job::Stop;
            }
            if tick_at <= now {
                return Job::Tick;
            }
            if state.asked > state.settled {
                return Job::Refresh;
            }
            let due = self.due(&state).filter(|_| is_indexer);
            if due.is_some_and(|due| due <= now) {
                return Job::Refresh;
            }
            let mut until = due.map_or(tick_at, |due| due.min(tick_at));
            if due.is_some() && state.publishing {
                if self.standing.was_asked() {
                    state.asked = state.noticed;
                    continue;
                }
                until = until.min(now + LISTEN);
            }
            let waited = self.woken.wait_timeout(state, until.saturating_duration_since(now));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// When pending changes are indexed without a call.
    fn due(&self, state: &State) -> Option<Instant> {
        if state.noticed == state.settled {
            return None;
        }
        if state.retry_at.is_some() {
            return state.retry_at;
        }
        let quiet = state.latest? + self.timing.quiet;
        Some(quiet.min(state.first? + self.timing.longest_wait))
    }

    /// Starts a refresh.
    pub(super) fn begin(&self) -> Due {
        let mut state = self.state();
        state.refreshes += 1;
        let (rescan, suspects) = (std::mem::take(&mut state.rescan), std::mem::take(&mut state.suspects));
        Due { upto: state.noticed, rescan, suspects }
    }

    /// The running refresh will take long.
    pub(super) fn set_building(&self) {
        let mut state = self.state();
        state.building = true;
        self.publish(&state);
        self.woken.notify_all();
    }

    /// Ends a refresh; `None` means that it was not finished and calls should not wait for it.
    pub(super) fn finish(&self, upto: u64, outcome: Option<Result<(), Arc<Error>>>) {
        let mut state = self.state();
        state.building = false;
        let now = Instant::now();
        match outcome {
            Some(Ok(())) => {
                state.settled = state.settled.max(upto);
                (state.failure, state.failures, state.retry_at) = (None, 0, None);
                // The delay of newer changes starts now.
                state.first = Some(now);
            }
            Some(Err(error)) => {
                state.failure = Some((upto, error));
                state.failures += 1;
                let pause = self.timing.tick * 2_u32.saturating_pow(state.failures.min(5) - 1);
                state.retry_at = Some(now + pause);
                state.rescan = true;
                state.suspects = Suspects::All;
            }
            None => {
                state.suspects = Suspects::All;
                state.given_up = upto;
                state.retry_at = Some(now + self.timing.quiet);
            }
        }
        if state.asked <= upto {
            state.asked = 0;
        }
        self.publish(&state);
        self.woken.notify_all();
    }

    /// Number of refreshes.
    pub(super) fn refreshes(&self) -> u64 {
        self.state().refreshes
    }

    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.stopping = true;
        if std::mem::take(&mut state.publishing) {
            self.standing.close();
        }
        self.woken.notify_all();
    }
}
