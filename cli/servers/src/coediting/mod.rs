//! Several windows edit one page at the same time. Each sends its changes as they are made, and gets those of the others. The
//! file stays the truth: it is saved as always, and a change on disk is a change like any other.
//!
//! A window that is alone with a page saves it itself. When a second one comes, the server takes over (`room.rs`), until both
//! have left.
//!
//! **Invariants**
//! - Windows and file end with the same text, and no letter is lost or doubled (`authority/tests.rs`: random changes of three
//!   windows and the disk; `web-viewer/viewer/coediting-rounds.mjs`, also with renames and a server that is killed).
//! - What a window was told to be taken survives the end of the process (`journal.rs`).
//! - No message changes anything unless it is valid and its sender may write (`web-viewer/viewer/coediting-attacks.test.mjs`).

mod agents;
mod authority;
mod changes;
mod difference;
mod guest;
mod journal;
mod room;
mod socket;
mod state;
mod wire;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use ubp_core::path;
use ubp_host::live::{Changed, Live};

use guest::Guest;
pub(crate) use guest::{Access, Who};
use room::Room;
pub(crate) use socket::connect;

/// Limit on the windows of a project.
const MOST_WINDOWS: usize = 64;
/// How long the end waits for pages to be saved.
const FAREWELL: Duration = Duration::from_secs(2);

/// The pages of a project that are open for editing.
pub(crate) struct Coediting {
    live: Arc<Live>,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    windows: AtomicUsize,
    next_id: AtomicU64,
    /// Cancelled once the sessions of earlier servers are taken up.
    ready: CancellationToken,
    stop: CancellationToken,
}

impl Coediting {
    pub(crate) fn new(live: Arc<Live>) -> Arc<Self> {
        Arc::new(Self {
            live,
            rooms: Mutex::default(),
            windows: AtomicUsize::new(0),
            next_id: AtomicU64::new(1),
            ready: CancellationToken::new(),
            stop: CancellationToken::new(),
        })
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a window into the room of its page. `None` if there is no such page or no place.
    fn join(self: &Arc<Self>, page: &str, guest: Guest, known: Option<(&str, u64)>) -> Option<Arc<Room>> {
        if !(path::is_inside(page) && path::is_normal(page) && path::is_page(page)) || path::is_private(page)
        {
            return None;
        }
        let window = guest.window.clone();
        let mut rooms = self.rooms();
        // The page may have been renamed while the window was away.
        let moved = known.and_then(|(epoch, _)| rooms.values().find(|room| room.is_session(epoch)));
        // A guest follows it only to a page that it sees.
        let moved = moved.filter(|room| guest.may_follow(page, &room.page()));
        let room = match moved.or_else(|| rooms.get(page)) {
            Some(room) => room.clone(),
            None => {
                let room = Room::new(self.live.clone(), page.to_owned());
                rooms.insert(page.to_owned(), room.clone());
                self.keep(room.clone());
                room
            }
        };
        if !room.join(guest, page, known) {
            return None;
        }
        // Who follows the window goes along.
        let left = rooms.values().filter(|other| !window.is_empty() && !Arc::ptr_eq(other, &room));
        left.for_each(|other| other.went(&window, page));
        Some(room)
    }

    /// Starts the task of a room.
    fn keep(self: &Arc<Self>, room: Arc<Room>) {
        let own = Arc::downgrade(self);
        tokio::spawn(room.run(self.stop.clone(), move |room| {
            if let Some(own) = own.upgrade() {
                let mut rooms = own.rooms();
                if room.close() {
                    rooms.retain(|_, other| !std::ptr::eq(&raw const **other, room));
                }
            }
        }));
    }

    /// A page was renamed.
    pub(crate) fn moved(&self, from: &str, to: &str) {
        let mut rooms = self.rooms();
        if rooms.contains_key(to) {
            return;
        }
        if rooms.get(from).is_some_and(|room| room.moved(to))
            && let Some(room) = rooms.remove(from)
        {
            rooms.insert(to.to_owned(), room);
        }
    }

    /// Takes up the sessions of a server that ended, and follows changes of the files, until `stop`.
    pub(crate) async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let live = self.live.clone();
        let left = tokio::task::spawn_blocking(move || journal::left(live.root())).await.unwrap_or_default();
        for found in left {
            let page = found.page.clone();
            let room = Room::restored(self.live.clone(), found);
            if let std::collections::hash_map::Entry::Vacant(place) = self.rooms().entry(page) {
                place.insert(room.clone());
                self.keep(room);
            }
        }
        self.ready.cancel();
        let live = self.live.clone();
        let Ok(mut changes) = tokio::task::spawn_blocking(move || live.changes()).await else { return };
        // Files may have changed before.
        self.rooms().values().for_each(|room| room.look());
        loop {
            let changed = tokio::select! {
                () = stop.cancelled() => return,
                changed = changes.recv() => changed,
            };
            match changed {
                Ok(changed) => self.note(&changed),
                Err(RecvError::Lagged(_)) => self.rooms().values().for_each(|room| room.look()),
                Err(RecvError::Closed) => return,
            }
        }
    }

    fn note(&self, changed: &Changed) {
        let Changed::Pages(pages) = changed else { return };
        for moved in &pages.renamed {
            self.moved(&moved.from, &moved.to);
        }
        let rooms = self.rooms();
        for page in pages.changed.iter().chain(&pages.added).chain(&pages.removed) {
            if let Some(room) = rooms.get(page) {
                room.look();
            }
        }
    }

    /// Saves everything, because the server ends.
    pub(crate) async fn finish(&self) {
        self.stop.cancel();
        let rooms: Vec<Arc<Room>> = self.rooms().values().cloned().collect();
        let saving = tokio::task::spawn_blocking(move || rooms.iter().for_each(|room| room.finish()));
        let _ = tokio::time::timeout(FAREWELL, saving).await;
    }

    /// A place for a window, if there is one.
    fn place(self: &Arc<Self>) -> Option<Place> {
        let taken = self.windows.fetch_add(1, Ordering::AcqRel);
        let place = Place(self.clone());
        (taken < MOST_WINDOWS).then_some(place)
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::AcqRel)
    }
}

/// A place of a window, given back on drop.
struct Place(Arc<Coediting>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.windows.fetch_sub(1, Ordering::AcqRel);
    }
}
