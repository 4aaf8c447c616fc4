//! The thread that keeps the index up to date. It indexes noticed changes once they pause, or as soon as a call waits
//! for them, and polls every second what cannot be watched.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use ubp_core::Caller;
use ubp_core::freshness::REVIEW_LOCK;
use ubp_core::hint;
use ubp_core::index::{RefreshReport, Snapshot};
use ubp_core::message;
use ubp_core::ops::favorites::FILE as FAVORITES;
use ubp_core::ports::Unreadable;
use ubp_core::progress::{Cancel, Progress, Stage};
use ubp_core::{Error, Result};

use super::opened::Opened;
use super::pulse::{Due, Hint, Job, Suspects};
use super::stamp::Stamp;
use super::watch::Watch;
use super::{Changed, Notice, Shared, Standing};
use crate::{UBP_DIR, memory, sessions};

/// Number of changed pages above which calls do not wait for a refresh, and only one process does it.
const MANY: usize = 500;
/// Comparing all files takes at most 1/`SHARE` of the time.
const SHARE: u32 = 200;
/// The same if files cannot be watched.
const POLLING_SHARE: u32 = 20;

/// Time without calls after which freed memory is returned. It is longer than the pauses of people who type, because the next
/// call takes the memory back page by page.
const PAUSE: Duration = Duration::from_secs(5);

/// Runs until the project is dropped.
pub(super) fn run(shared: &Arc<Shared>) {
    delete_old_sessions(shared);
    let now = Instant::now();
    let mut keeper = Keeper {
        shared,
        watch: Watch::new(shared.clone()),
        head: None,
        reviews: None,
        favorites: None,
        rules: Vec::new(),
        unreadable: Vec::new(),
        said: None,
        compared: now,
        took: Duration::ZERO,
        begun: 0,
        asked: Some(now),
        holds_freed: true,
    };
    let mut tick_at = now;
    loop {
        match shared.pulse.next(tick_at, shared.lock.is_indexer()) {
            Job::Stop => return,
            Job::Tick => {
                keeper.tick();
                tick_at = Instant::now() + shared.timing.tick;
            }
            Job::Refresh => keeper.refresh(),
        }
    }
}

/// Deletes what is too old, unless this is a view: the project that it belongs to does it.
fn delete_old_sessions(shared: &Shared) {
    if let Ok(opened) = shared.current()
        && opened.project.view().is_none()
    {
        // Errors concern nobody who opens the project.
        let _ = sessions::delete_old(&shared.root, opened.project.manifest.sessions);
    }
}

struct Keeper<'a> {
    shared: &'a Arc<Shared>,
    watch: Watch,
    head: Option<Option<String>>,
    reviews: Option<Stamp>,
    favorites: Option<Stamp>,
    /// Stamps of ignore files above the pages folder.
    rules: Vec<Stamp>,
    unreadable: Vec<Unreadable>,
    /// The failure reported last.
    said: Option<String>,
    /// Time of the last comparison of all files, and its duration.
    compared: Instant,
    took: Duration,
    /// Number of calls at the last check, and the time of the latest one; `None` after memory was released.
    begun: usize,
    asked: Option<Instant>,
    /// Whether calls may have freed memory since the last was returned to the system.
    holds_freed: bool,
}

impl Keeper<'_> {
    /// The checks of every second.
    fn tick(&mut self) {
        let shared = self.shared;
        shared.claim();
        shared.pulse.keep_standing();
        let opened = match shared.current() {
            Ok(opened) => opened,
            Err(error) => return self.failed(&error),
        };
        if shared.lock.is_indexer() {
            let watched = shared.pulse.hears_all();
            let files = opened.project.source().outer_rule_files();
            let rules = files.iter().map(|file| Stamp::of(file)).collect();
            let before = std::mem::replace(&mut self.rules, rules);
            let other_rules = !before.is_empty() && before != self.rules;
            if watched && (other_rules || !shared.hears(&opened)) {
                shared.pulse.notice(Hint::Folders);
            }
            let pause = match watched {
                true => shared.timing.reconcile.max(self.took * SHARE),
                false => shared.timing.poll.max(self.took * POLLING_SHARE),
            };
            if self.compared.elapsed() >= pause {
                shared.pulse.notice(Hint::Folders);
                shared.pulse.ask(false);
            }
        } else {
            self.watch.close();
            self.tell_pages(&opened);
        }
        self.tell_state(&opened);
        // An error is reported by the next call that needs the index.
        let _ = opened.engine.index.share_vectors();
        self.rest(&opened);
    }

    /// Returns freed memory to the system soon after calls: loading a model frees more than it keeps. Releases memory that
    /// only calls need after a longer time without any.
    fn rest(&mut self, opened: &Opened) {
        let begun = self.shared.begun.load(Ordering::Acquire);
        if begun != self.begun || self.shared.calls.load(Ordering::Acquire) > 0 {
            self.begun = begun;
            self.asked = Some(Instant::now());
            self.holds_freed = true;
        } else if self.holds_freed && self.asked.is_none_or(|asked| asked.elapsed() >= PAUSE) {
            self.holds_freed = false;
            memory::give_back();
        } else if self.asked.is_some_and(|asked| asked.elapsed() >= self.shared.timing.rest) {
            (self.asked, self.holds_freed) = (None, false);
            opened.engine.index.rest();
            if let Some(embedder) = &opened.engine.embedder {
                embedder.rest();
            }
            memory::give_back();
        }
    }

    fn refresh(&mut self) {
        let shared = self.shared;
        let Due { upto, rescan, suspects } = shared.pulse.begin();
        // If another process indexes, the changes are unknown here.
        let only = match suspects {
            Suspects::Pages(pages) if shared.lock.is_indexer() => Some(pages.into_iter().collect::<Vec<_>>()),
            _ => None,
        };
        let begun = Instant::now();
        let outcome = shared.current().and_then(|opened| {
            if shared.lock.is_indexer() && rescan {
                self.listen(&opened);
            }
            let report = self.compare(&opened, only.as_deref())?;
            Ok((opened, report))
        });
        if only.is_none() {
            (self.compared, self.took) = (Instant::now(), begun.elapsed());
        }
        match outcome {
            Ok((opened, report)) => {
                self.said = None;
                shared.pulse.finish(upto, Some(Ok(())));
                self.tell_unreadable(only.as_deref(), report.unreadable);
                self.tell_pages(&opened);
                shared.wake_vectors();
            }
            // Cancelled by stop, or left to the process that indexes.
            Err(Error::Cancelled) => shared.pulse.finish(upto, None),
            Err(error) => {
                self.failed(&error);
                shared.pulse.finish(upto, Some(Err(Arc::new(error))));
            }
        }
    }

    /// Watches every folder that has pages or may get some.
    fn listen(&mut self, opened: &Opened) {
        /// Folders may be created while watching starts.
        const ROUNDS: usize = 3;
        let folder = opened.project.pages_dir.clone();
        let identity = super::stamp::identity(&folder);
        let mut hears_all = false;
        for _ in 0..ROUNDS {
            match self.watch.follow(&opened.project) {
                Ok(new) => {
                    hears_all = identity.is_some();
                    if new == 0 {
                        break;
                    }
                }
                Err(why) => {
                    hears_all = false;
                    if let Some(why) = why {
                        self.shared.tell(Notice::warning(message!(
                            "cannot watch files for changes ({why}); polling instead, which is slower",
                            why
                        )));
                    }
                    break;
                }
            }
        }
        *self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some((folder, identity));
        self.shared.pulse.set_hears_all(hears_all);
    }

    /// Compares the index with all files, or with those of the pages in `only`.
    fn compare(&self, opened: &Arc<Opened>, only: Option<&[String]>) -> Result<RefreshReport> {
        let shared = self.shared;
        let cancel = Cancel::default();
        *shared.refreshing.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
        shared.stopped.check()?;
        let gauge = Gauge { shared, cancel: &cancel };
        let context = opened.engine.context(Caller::Agent, false, &gauge, &cancel);
        let report = match only {
            Some(pages) => context.refresh_pages(pages),
            None => context.refresh(false),
        };
        if let Err(error) = &report
            && error.is_damaged_index()
        {
            shared.heal(opened, error);
            let opened = shared.current()?;
            return opened.engine.context(Caller::Agent, false, &gauge, &cancel).refresh(false);
        }
        report
    }

    /// Reports a failure, once.
    fn failed(&mut self, error: &Error) {
        let words = error.to_string();
        if self.said.as_ref() != Some(&words) {
            self.shared.tell(Notice { hint: error.hint(), ..Notice::warning(error.message()) });
            self.said = Some(words);
        }
    }

    /// Reports unreadable files, of the pages in `only` or of all, unless they were reported before.
    fn tell_unreadable(&mut self, only: Option<&[String]>, mut unreadable: Vec<Unreadable>) {
        const MOST: usize = 5;
        if let Some(only) = only {
            let others = self.unreadable.iter().filter(|entry| !only.contains(&entry.path)).cloned();
            unreadable.extend(others.collect::<Vec<_>>());
        }
        if unreadable == self.unreadable {
            return;
        }
        let new = unreadable.iter().filter(|entry| !self.unreadable.contains(entry));
        for entry in new.clone().take(MOST) {
            self.shared.tell(Notice::warning(message!(
                "{path}: {reason}; ignored",
                path = entry.path,
                reason = entry.reason
            )));
        }
        let more = new.count().saturating_sub(MOST);
        if more > 0 {
            self.shared.tell(Notice {
                hint: Some(message!("{doctor} lists them", doctor = hint::Next::call("doctor"))),
                ..Notice::warning(message!("and {more} more unreadable files", more))
            });
        }
        self.unreadable = unreadable;
    }

    /// Notifies listeners of pages that changed since the last notification.
    fn tell_pages(&self, opened: &Opened) {
        let shared = self.shared;
        let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.changes.receiver_count() == 0 {
            *told = None;
            return;
        }
        let Some(known) = told.as_mut() else { return };
        let standing =
            if shared.lock.is_indexer() { Standing::Settled } else { shared.pulse.said().standing };
        if standing == Standing::Building || !known.is_outdated(&opened.engine.index).unwrap_or(false) {
            return;
        }
        // An index that was just replaced is still empty.
        if standing != Standing::Settled && !opened.engine.index.has_pages().unwrap_or(false) {
            return;
        }
        let Ok(changes) = known.update(&opened.engine.index) else { return };
        drop(told);
        if !changes.is_empty() {
            shared.broadcast(Changed::Pages(changes));
        }
    }

    fn tell_state(&mut self, opened: &Opened) {
        if self.shared.changes.receiver_count() == 0 {
            self.head = None;
        } else if let Ok(head) = opened.engine.history.head() {
            if self.head.as_ref().is_some_and(|before| *before != head) {
                self.shared.broadcast(Changed::Head(head.clone()));
            }
            self.head = Some(head);
        }
        // Even without listeners: a new one has just read these files, and must be notified of the next change.
        for (file, known, change) in [
            (REVIEW_LOCK, &mut self.reviews, Changed::Reviews),
            (FAVORITES, &mut self.favorites, Changed::Favorites),
        ] {
            let now = Stamp::of(&self.shared.root.join(UBP_DIR).join(file));
            if known.replace(now).is_some_and(|before| before != now) {
                self.shared.broadcast(change);
            }
        }
    }
}

impl Shared {
    /// Assumes that listeners know the pages now in the index, unless a snapshot exists.
    pub(super) fn remember_pages(&self) {
        let Ok(opened) = self.current() else { return };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none() {
            *told = Snapshot::of(&opened.engine.index).ok();
        }
    }
}

/// Detects a long refresh by its number of changed pages.
struct Gauge<'a> {
    shared: &'a Shared,
    cancel: &'a Cancel,
}

impl Progress for Gauge<'_> {
    fn advance(&self, stage: Stage, done: usize, total: usize) {
        if stage == Stage::Pages && done == 0 && total > MANY {
            if self.shared.lock.is_indexer() {
                self.shared.pulse.set_building();
            } else {
                self.cancel.request();
            }
        }
    }
}
