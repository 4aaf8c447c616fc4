//! The windows that have one page open for editing, and their session, if there are several. One task per room reads and
//! writes the file, so that these never overlap.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Notify;
use ubp_core::ops::find;
use ubp_core::progress::Cancel;
use ubp_core::writing::typing::Typing;
use ubp_core::{Caller, Error, Result};
use ubp_host::live::{Asker, Live};

use super::agents::Agents;
use super::authority::{Authority, LONGEST};
use super::changes::Changes;
use super::guest::{By, Guest, No, tell};
use super::journal::Journal;
use super::state::{Session, State};
use super::wire::Told;

/// The page is saved this long after the last change.
const AFTER_TYPING: Duration = Duration::from_millis(300);
/// The same while changes go on.
const WHILE_TYPING: Duration = Duration::from_secs(2);
/// Pause after the file could not be written.
const AFTER_TROUBLE: Duration = Duration::from_secs(2);
/// How long a missing file may be on its way to another path.
const MISSING: Duration = Duration::from_millis(1500);
/// How long a session is kept for windows whose connection was lost.
const KEPT: Duration = Duration::from_secs(60);
/// Limit on the windows of a page.
pub(super) const MOST_MEMBERS: usize = 32;

/// What the task of a room does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    Open,
    Look,
    Save,
    Close,
    Wait(Duration),
}

pub(super) struct Room {
    live: Arc<Live>,
    state: Mutex<State>,
    /// Held while the file is read or written.
    working: Mutex<()>,
    agents: Agents,
    bell: Notify,
}

impl Room {
    pub(super) fn new(live: Arc<Live>, page: String) -> Arc<Self> {
        Self::with(live, State { page, empty_since: Some(Instant::now()), ..State::default() })
    }

    fn with(live: Arc<Live>, state: State) -> Arc<Self> {
        let state = Mutex::new(state);
        Arc::new(Self {
            live,
            state,
            working: Mutex::default(),
            agents: Agents::default(),
            bell: Notify::new(),
        })
    }

    /// A room with the session of a server that ended.
    pub(super) fn restored(live: Arc<Live>, found: super::journal::Found) -> Arc<Self> {
        let super::journal::Found { epoch, page, authority, journal } = found;
        let saved = if authority.is_saved() { authority.version() } else { 0 };
        let now = Instant::now();
        let state = State {
            page,
            session: Some(Session { epoch, authority, journal, hash: String::new(), saved }),
            must_look: true,
            must_save: true,
            edited: Some((now, now)),
            empty_since: Some(now),
            ..State::default()
        };
        Self::with(live, state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn page(&self) -> String {
        self.state().page.clone()
    }

    /// Whether `epoch` names the editing session of the room.
    pub(super) fn is_session(&self, epoch: &str) -> bool {
        self.state().session.as_ref().is_some_and(|session| session.epoch == epoch)
    }

    /// Lets a window in, which knows the page by this path, and perhaps a session in a version. False if the room is full or closed.
    pub(super) fn join(&self, mut guest: Guest, page: &str, known: Option<(&str, u64)>) -> bool {
        let state = &mut *self.state();
        // A new connection of a window replaces its old one, which may not have noticed its end yet.
        state.guests.retain(|other| other.client != guest.client);
        if state.is_closed || state.guests.len() >= MOST_MEMBERS {
            return false;
        }
        let is_free = |number: &usize| state.guests.iter().all(|other| other.number != *number);
        guest.number = (1..).find(is_free).unwrap_or_default();
        if state.page != page {
            tell(&guest, &Told::Moved { page: &state.page });
        }
        match &state.session {
            Some(session) => session.welcome(&guest, known),
            None if state.guests.is_empty() => tell(&guest, &Told::Alone),
            None => {}
        }
        state.guests.push(guest);
        state.empty_since = None;
        if state.session.is_none() && state.guests.len() > 1 {
            state.wants_session = true;
        }
        state.tell_who();
        self.bell.notify_one();
        true
    }

    pub(super) fn leave(&self, id: u64) {
        let state = &mut *self.state();
        if let Some(at) = state.guests.iter().position(|guest| guest.id == id) {
            let guest = state.guests.remove(at);
            state.left.retain(|(window, _)| *window != guest.window);
            state.left.push((guest.window, id));
            let over = state.left.len().saturating_sub(MOST_MEMBERS);
            state.left.drain(..over);
            state.tell_who();
        }
        if state.guests.is_empty() {
            state.empty_since.get_or_insert_with(Instant::now);
            state.must_save = true;
        }
        self.bell.notify_one();
    }

    pub(super) fn push(&self, id: u64, version: u64, changes: Vec<Changes>) -> std::result::Result<(), No> {
        let state = &mut *self.state();
        let guest = state.guests.iter().find(|guest| guest.id == id).ok_or(No::Away)?;
        if !guest.may_write {
            return Err(No::ReadOnly);
        }
        let Some(session) = &mut state.session else { return Err(No::Away) };
        let before = session.authority.version();
        let made = session.authority.push(version, &guest.client, changes).map_err(No::Changes)?;
        if let Some(access) = guest.access.as_ref().filter(|_| !made.is_empty()) {
            state.writers.insert(access.name().to_owned(), access.clone());
        }
        // Only what survives the end of this process is acknowledged.
        if session.journal.updates(&made).is_err() {
            state.end();
            return Err(No::Away);
        }
        if !made.is_empty() {
            state.tell_updates(before, &made);
            state.touched();
            self.bell.notify_one();
        }
        Ok(())
    }

    pub(super) fn point(&self, id: u64, version: u64, anchor: u32, head: u32) {
        self.state().tell_others(id, &Told::Cursor { id, version, anchor, head });
    }

    pub(super) fn scroll(&self, id: u64, version: u64, top: u32) {
        self.state().tell_others(id, &Told::View { id, version, top });
    }

    /// A window shows another page now. It may have left this one before. Guests are not told: they may not see that page.
    pub(super) fn went(&self, window: &str, page: &str) {
        let state = &mut *self.state();
        let left = state.left.iter().position(|(known, _)| known == window);
        let there = state.guests.iter().find(|guest| guest.window == window).map(|guest| guest.id);
        if let Some(id) = left.map(|at| state.left.remove(at).1).or(there) {
            state.tell_owner(&Told::Went { id, page });
        }
    }

    pub(super) fn rename(&self, id: u64, name: String) {
        let state = &mut *self.state();
        let is_own = |guest: &&mut Guest| guest.id == id && guest.access.is_none();
        if let Some(guest) = state.guests.iter_mut().find(is_own) {
            guest.name = name;
            state.tell_who();
        }
    }

    /// Saves at once. A window may ask although everything is saved: it is told.
    pub(super) fn save(&self) {
        let state = &mut *self.state();
        match &state.session {
            Some(session) if session.authority.is_saved() => {
                let (version, hash) = (session.authority.version(), session.hash.clone());
                state.tell(&Told::Saved { version, hash: &hash });
            }
            _ => {
                state.must_save = true;
                self.bell.notify_one();
            }
        }
    }

    /// The file may have changed.
    pub(super) fn look(&self) {
        let state = &mut *self.state();
        state.must_look = state.session.is_some() || !state.guests.is_empty();
        self.bell.notify_one();
    }

    /// The page has another path. False without a session: a window that is alone follows what it renames itself.
    pub(super) fn moved(&self, page: &str) -> bool {
        let state = &mut *self.state();
        let Some(session) = &mut state.session else { return false };
        let is_noted = session.journal.moved(page).is_ok();
        // Who does not see it there is disconnected with the end of its channel.
        let before = std::mem::replace(&mut state.page, page.to_owned());
        state.guests.retain(|guest| guest.may_follow(&before, page));
        for guest in &mut state.guests {
            if let Some(access) = &guest.access {
                guest.may_write = access.may_write(page).unwrap_or(false);
            }
        }
        (state.missing_since, state.must_look) = (None, true);
        state.tell(&Told::Moved { page });
        if !is_noted {
            state.end();
        }
        self.bell.notify_one();
        true
    }

    /// Reads and writes the file, until nobody needs the room, or `stop`. `close` tells whether the room may close, and forgets it.
    pub(super) async fn run(
        self: Arc<Self>,
        stop: tokio_util::sync::CancellationToken,
        close: impl Fn(&Self),
    ) {
        loop {
            match self.next() {
                Job::Close => {
                    close(&self);
                    if self.state().is_closed {
                        return;
                    }
                }
                Job::Wait(time) => tokio::select! {
                    () = stop.cancelled() => return,
                    () = self.bell.notified() => {}
                    () = tokio::time::sleep(time) => {}
                },
                job => {
                    let room = self.clone();
                    let work = tokio::task::spawn_blocking(move || room.work(job));
                    if work.await.is_err() {
                        self.state().end();
                    }
                }
            }
        }
    }

    /// Saves what is not saved, because the server ends.
    pub(super) fn finish(&self) {
        for _ in 0..4 {
            let job = match &*self.state() {
                State { session: Some(session), .. } if session.authority.is_saved() => return,
                State { session: None, .. } => return,
                State { must_look: true, .. } => Job::Look,
                _ => Job::Save,
            };
            self.work(job);
        }
    }

    /// Closes the room if it is empty. Its session is over then.
    pub(super) fn close(&self) -> bool {
        let state = &mut *self.state();
        if state.guests.is_empty() {
            state.is_closed = true;
            state.end();
        }
        state.is_closed
    }

    fn next(&self) -> Job {
        let state = self.state();
        let now = Instant::now();
        let left = |since: Instant, time: Duration| (since + time).saturating_duration_since(now);
        let Some(session) = &state.session else {
            return match (state.wants_session && state.guests.len() > 1, state.guests.is_empty()) {
                (true, _) => Job::Open,
                (_, true) => Job::Close,
                _ if state.must_look => Job::Look,
                _ => Job::Wait(KEPT),
            };
        };
        if let Some(until) = state.wait_until.filter(|until| *until > now) {
            return Job::Wait(until - now);
        }
        if state.must_look {
            return Job::Look;
        }
        let mut wait = KEPT;
        if let Some(since) = state.missing_since {
            match left(since, MISSING) {
                Duration::ZERO => return Job::Look,
                left => return Job::Wait(left),
            }
        }
        if !session.authority.is_saved() {
            let (first, last) = state.edited.unwrap_or((now, now));
            wait = left(last, AFTER_TYPING).min(left(first, WHILE_TYPING));
            if state.must_save || wait.is_zero() {
                return Job::Save;
            }
        }
        if let Some(since) = state.empty_since {
            match left(since, KEPT) {
                Duration::ZERO if session.authority.is_saved() => return Job::Close,
                left => wait = wait.min(left.max(AFTER_TYPING)),
            }
        }
        Job::Wait(wait)
    }

    fn work(&self, job: Job) {
        let _one = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        match job {
            Job::Open => self.open(),
            Job::Look => self.read_again(),
            Job::Save => self.write(),
            Job::Close | Job::Wait(_) => {}
        }
    }

    /// The text of the page and its hash; `None` if it cannot be edited.
    fn read(&self, page: &str) -> Result<Option<(String, String)>> {
        let answer = self.call("read_page", json!({ "page": page }))?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        // If there is no page at a path, the engine may answer with a page of the same name in another folder.
        if text("filepath") != page {
            return Err(Error::PageNotFound { page: page.to_owned(), similar: Vec::new() });
        }
        let is_editable = answer.get("editable") == Some(&Value::Bool(true)) && text("text").len() <= LONGEST;
        Ok(is_editable.then(|| (text("text"), text("content_hash"))))
    }

    fn call(&self, operation: &str, params: Value) -> Result<Value> {
        self.call_by(operation, params, Caller::Person)
    }

    fn call_by<'a>(&self, operation: &str, params: Value, asker: impl Into<Asker<'a>>) -> Result<Value> {
        let operation = find(operation).ok_or_else(|| Error::Internal("unknown operation".into()))?;
        self.live.call_at_once(asker, operation, params, &Cancel::default())
    }

    fn open(&self) {
        let page = self.page();
        let read = self.read(&page);
        let state = &mut *self.state();
        state.wants_session = false;
        let session = read.ok().flatten().filter(|_| state.page == page && state.session.is_none()).and_then(
            |(text, hash)| {
                let epoch = uuid::Uuid::new_v4().simple().to_string();
                let authority = Authority::new(text, 0);
                let journal = Journal::start(self.live.root(), &epoch, &page, &authority).ok()?;
                Some(Session { epoch, authority, journal, hash, saved: 0 })
            },
        );
        match session {
            Some(session) => {
                state.guests.iter().for_each(|guest| session.welcome(guest, None));
                state.session = Some(session);
            }
            // Each window saves the page itself, as if it were alone.
            None if state.session.is_none() => state.tell(&Told::Alone),
            None => {}
        }
    }

    fn read_again(&self) {
        let page = self.page();
        let has_session = {
            let state = &mut *self.state();
            state.must_look = false;
            state.session.is_some()
        };
        // A window that is alone reads its file itself.
        let has_news = self.agents.have_news(&self.live);
        if !has_news && !has_session {
            return;
        }
        match self.read(&page) {
            Ok(Some((text, hash))) => {
                let changed = if has_session { self.found(text, hash.clone()) } else { Some(0) };
                if let Some(version) = changed.filter(|_| has_news)
                    && let Some(name) = self.agents.author(&self.live, &page, &hash)
                {
                    self.state().tell(&Told::By { name: &name, version });
                }
            }
            _ if !has_session => {}
            Ok(None) => self.state().end(),
            Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. }) => self.miss(&page),
            Err(error) => self.trouble(&error),
        }
    }

    /// The file has this text. Returns the version that this led to, if the text of the page changed.
    fn found(&self, text: String, hash: String) -> Option<u64> {
        let state = &mut *self.state();
        state.missing_since = None;
        let session = state.session.as_mut()?;
        let before = session.authority.version();
        let was_saved = session.hash == hash && session.authority.is_saved();
        let noted = session.journal.found(&text).is_ok();
        let Some(update) = session.authority.found(text).ok().filter(|_| noted) else {
            state.end();
            return None;
        };
        session.hash = hash;
        let changed = update.as_ref().map(|_| before + 1);
        if let Some(update) = update {
            state.tell_updates(before, &[update]);
        }
        if !was_saved {
            state.tell_saved(None);
        }
        changed
    }

    fn write(&self) {
        let (page, version, text, hash, writers) = {
            let state = &mut *self.state();
            state.must_save = false;
            state.edited = None;
            let Some(session) = &mut state.session else { return };
            let (version, text) = session.authority.write();
            if session.journal.write().is_err() {
                return state.end();
            }
            (state.page.clone(), version, text, session.hash.clone(), std::mem::take(&mut state.writers))
        };
        let params = json!({ "page": page, "text": text, "expected_hash": hash });
        let by = By(&writers);
        let typing = (!writers.is_empty()).then_some(&by as &dyn Typing);
        let saved = self.call_by("save_page", params, Asker { typing, ..Asker::from(Caller::Person) });
        let is_written = saved.is_ok();
        if !is_written {
            self.state().writers.extend(writers);
        }
        {
            let state = &mut *self.state();
            let Some(session) = &mut state.session else { return };
            if is_written {
                session.authority.written();
            } else {
                session.authority.not_written();
            }
            if session.journal.written(is_written).is_err() {
                return state.end();
            }
        }
        match saved {
            Ok(answer) => {
                let told = |name: &str| answer.get(name).and_then(Value::as_str);
                let hash = told("content_hash").unwrap_or_default().to_owned();
                {
                    let state = &mut *self.state();
                    state.wait_until = None;
                    let Some(session) = &mut state.session else { return };
                    session.hash.clone_from(&hash);
                    state.tell_saved(Some(version));
                }
                // The engine has completed the text.
                if let Some(text) = told("text") {
                    self.found(text.to_owned(), hash);
                }
                let state = &mut *self.state();
                let page = state.page.clone();
                if let Some(Session { epoch, authority, journal, .. }) = &mut state.session
                    && journal.shorten(epoch, &page, authority).is_err()
                {
                    state.end();
                }
            }
            Err(Error::Conflict { .. }) => {
                let state = &mut *self.state();
                (state.must_look, state.must_save) = (true, true);
            }
            Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. }) => self.miss(&page),
            Err(error) => self.trouble(&error),
        }
    }

    /// There is no page at its path. It may be on its way to another one.
    fn miss(&self, page: &str) {
        let state = &mut *self.state();
        if state.page != page {
            state.must_look = true;
            return;
        }
        let since = *state.missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= MISSING {
            state.end();
        }
    }

    fn trouble(&self, error: &Error) {
        let state = &mut *self.state();
        state.wait_until = Some(Instant::now() + AFTER_TROUBLE);
        state.must_save = true;
        for guest in &state.guests {
            tell(guest, &Told::Trouble { message: &error.message().told(&guest.voice) });
        }
    }
}
