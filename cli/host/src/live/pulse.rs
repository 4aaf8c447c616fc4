//! How far the index is behind what was noticed of the files, and who waits for it to catch up. Every
//! change that is noticed gets the next number; a refresh settles all numbers given out before it
//! began.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ubp_core::Error;
use ubp_core::progress::Cancel;

use super::stamp::Identity;
use super::standing::{Said, Standing, StandingFile};

/// How long things take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// Quiet after a change before it is taken in unasked.
    pub quiet: Duration,
    /// The longest that changes wait while more of them come.
    pub longest_wait: Duration,
    /// Between looks at the lock, the settings and what else is not watched.
    pub tick: Duration,
    /// Between comparisons of all files, in case a change was not heard of.
    pub reconcile: Duration,
    /// The same where files cannot be watched.
    pub poll: Duration,
    /// How long an answer waits for the index; then it says that it may be out of date.
    pub patience: Duration,
    /// Time without a call after which memory that only calls need is given back.
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
            // Mapping the database again costs the next answer several times its usual time, and agents think
            // for minutes between two questions.
            rest: Duration::from_secs(300),
        }
    }
}

/// What the keeper does next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Job {
    Stop,
    Tick,
    Refresh,
}

/// How waiting for a refresh ended.
#[derive(Debug)]
pub(super) enum Waited {
    /// The index is true to the files.
    Settled,
    /// It takes longer than anybody wants to wait.
    Late,
    /// The files cannot be looked at.
    Failed(Arc<Error>),
}

/// What may be different, as far as somebody knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hint {
    /// The page at this path.
    Page(String),
    /// Any page.
    Pages,
    /// Any page, and where changes have to be listened for.
    Folders,
}

/// The pages that may be different from what the index has of them.
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
    /// Named pages above which comparing all is no slower.
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

/// What a refresh is to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// The number that it settles.
    pub upto: u64,
    /// Whether to find out first where to listen.
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
    /// The latest number that somebody waits for.
    asked: u64,
    first: Option<Instant>,
    latest: Option<Instant>,
    building: bool,
    rescan: bool,
    suspects: Suspects,
    /// The latest number whose refresh ended unfinished.
    given_up: u64,
    failure: Option<(u64, Arc<Error>)>,
    failures: u32,
    retry_at: Option<Instant>,
    refreshes: u64,
    /// Whether this process tells the others where the index stands.
    publishing: bool,
    /// The file of the index that all this is about.
    index: Option<Identity>,
    /// Whether all changes are heard of, so that silence means that there are none.
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

    /// Something changed.
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

    /// From now on this process takes changes in, and lets others know where `publishing`.
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

    /// From now on another process does.
    pub(super) fn stop_indexing(&self) {
        let mut state = self.state();
        state.publishing = false;
        state.hears_all = false;
        self.standing.forget();
    }

    /// Whether all changes are heard of.
    pub(super) fn set_hears_all(&self, hears_all: bool) {
        let mut state = self.state();
        state.hears_all = hears_all;
        self.publish(&state);
    }

    pub(super) fn hears_all(&self) -> bool {
        self.state().hears_all
    }

    /// From now on it is about another index, of which nothing is known yet.
    pub(super) fn set_index(&self, index: Option<Identity>) {
        let mut state = self.state();
        state.index = index;
        self.note(&mut state, Hint::Folders);
    }

    /// What the process that indexes says of the index at hand.
    pub(super) fn said(&self) -> Said {
        let index = self.state().index;
        self.standing.read(index)
    }

    /// Has the process that indexes take in what it had noticed when it said `before`. Returns whether
    /// it did, `None` when it cannot be relied on.
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

    /// Says again where the index stands, if the file is gone.
    pub(super) fn keep_standing(&self) {
        if self.state().publishing {
            self.standing.keep();
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        let state = self.state();
        state.hears_all && state.settled == state.noticed
    }

    /// Wants everything taken in that was noticed so far; with `anew`, all files compared.
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

    /// Waits for what [`Pulse::ask`] asked for.
    pub(super) fn wait(&self, ticket: u64, cancel: &Cancel) -> ubp_core::Result<Waited> {
        /// Nobody tells when a call is cancelled.
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

    /// Waits until there is something to do.
    pub(super) fn next(&self, tick_at: Instant, is_indexer: bool) -> Job {
        /// While changes are pending, other processes may ask for them.
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

    /// When changes are taken in that nobody asks for.
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

    /// A refresh begins.
    pub(super) fn begin(&self) -> Due {
        let mut state = self.state();
        state.refreshes += 1;
        let (rescan, suspects) = (std::mem::take(&mut state.rescan), std::mem::take(&mut state.suspects));
        Due { upto: state.noticed, rescan, suspects }
    }

    /// The refresh at hand will take long.
    pub(super) fn set_building(&self) {
        let mut state = self.state();
        state.building = true;
        self.publish(&state);
        self.woken.notify_all();
    }

    /// A refresh ended; with `None`, unfinished, and nobody should wait for it.
    pub(super) fn finish(&self, upto: u64, outcome: Option<Result<(), Arc<Error>>>) {
        let mut state = self.state();
        state.building = false;
        let now = Instant::now();
        match outcome {
            Some(Ok(())) => {
                state.settled = state.settled.max(upto);
                (state.failure, state.failures, state.retry_at) = (None, 0, None);
                // What came meanwhile waits from now on.
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

    /// How many refreshes there were.
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
