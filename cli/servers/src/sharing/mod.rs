//! Access for others: guests who have a link, each with a right to some pages, until it expires or is revoked. They come through
//! a socket of their own, at which the owner's token is worth nothing. What a guest sees is a project without everything
//! else ([`ubp_host::live::Views`]), so no answer has to be filtered.
//!
//! **Invariants**, each tested in `tests/tests/viewer/sharing.rs` and `tests/tests/viewer/guests.rs`
//! - Without a valid link, nothing of the project is revealed, and wrong links are slowed and counted.
//! - A guest calls only the operations that [`right::least`] lists, with at least that right; a new operation is the owner's.
//! - No answer to a guest contains anything of a page or file that its link does not cover.
//! - Within a second of its end, a link opens nothing, and the streams and sockets of its guest are closed.
//! - The secret of a link is in no file, address, log or cookie.

mod certificate;
mod door;
mod gate;
mod guest;
mod links;
mod right;
mod typed;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use ubp_core::{Result, message};
use ubp_host::live::{Changed, Live, Notice, Notices, Views};

use crate::http::rate::Rate;

pub use axum::http::Uri;
pub use certificate::Certificate;
use certificate::Secured;
pub(crate) use door::GuestDoor;
pub use door::{Share, SharedAt, link_at, usual_address};
pub(crate) use gate::{ENTRY, GuestGate, check};
pub(crate) use guest::Guest;
pub use links::{GuestLink, GuestLinks};
pub use right::{GuestRight, least};
pub(crate) use typed::Typed;

/// Requests of a guest in a minute.
const REQUESTS: u32 = 1_200;
/// Messages of a guest in a minute while it edits together with others: each key is two of them.
const MESSAGES: u32 = 6_000;
/// Wrong links from an address in a minute.
const FAILURES: u32 = 10;
/// Calls of all guests at once, so that the owner is not kept waiting.
const CALLS: usize = 8;
/// How often the links are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How often what guests typed is looked at.
const RECORD: Duration = Duration::from_secs(5);

/// The guests of a project.
pub(crate) struct Sharing {
    pub views: Arc<Views>,
    pub links: GuestLinks,
    pub typed: Typed,
    /// Those who came since their link last changed, by its id.
    inside: Mutex<HashMap<String, (GuestLink, Arc<Guest>)>>,
    requests: Rate<String>,
    messages: Rate<String>,
    failures: Rate<IpAddr>,
    /// Addresses that were reported.
    reported: Rate<IpAddr>,
    calls: Semaphore,
    notices: Notices,
}

impl Sharing {
    pub(crate) fn of(live: Arc<Live>, notices: Notices) -> Arc<Self> {
        Arc::new(Self {
            links: GuestLinks::of(live.root()),
            views: Views::of(live),
            typed: Typed::default(),
            inside: Mutex::default(),
            requests: Rate::new(REQUESTS),
            messages: Rate::new(MESSAGES),
            failures: Rate::new(FAILURES),
            reported: Rate::new(1),
            calls: Semaphore::new(CALLS),
            notices,
        })
    }

    fn inside(&self) -> MutexGuard<'_, HashMap<String, (GuestLink, Arc<Guest>)>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The guest with this pass.
    ///
    /// # Errors
    /// As [`GuestLinks::find`].
    fn guest(&self, pass: &str) -> Result<Option<Arc<Guest>>> {
        let Some(link) = self.links.find(pass, Timestamp::now())? else { return Ok(None) };
        let mut inside = self.inside();
        if let Some((known, guest)) = inside.get(link.id())
            && *known == link
        {
            return Ok(Some(guest.clone()));
        }
        let guest = Arc::new(Guest::of(&link));
        inside.insert(link.id().to_owned(), (link, guest.clone()));
        Ok(Some(guest))
    }

    /// Counts a request of a guest.
    ///
    /// # Errors
    /// How long it has to wait.
    fn count(&self, guest: &Guest) -> std::result::Result<(), Duration> {
        self.requests.count(guest.name.clone(), Instant::now())
    }

    /// Counts a message of a guest over a socket. False if there are too many.
    pub(crate) fn hears(&self, guest: &Guest) -> bool {
        self.messages.count(guest.name.clone(), Instant::now()).is_ok()
    }

    /// How long an address has to wait that sent too many wrong links.
    fn must_wait(&self, address: IpAddr) -> Option<Duration> {
        self.failures.wait(&network(address), Instant::now())
    }

    /// Counts a wrong link.
    fn failed(&self, address: IpAddr) {
        let (network, now) = (network(address), Instant::now());
        let _ = self.failures.count(network, now);
        if self.failures.wait(&network, now).is_some() && self.reported.count(network, now).is_ok() {
            let text = message!(
                "more than {most} wrong links in a minute from {address}; they are refused for now",
                most = FAILURES as usize,
                address = address.to_string()
            );
            (self.notices)(Notice { is_warning: true, text, hint: None });
        }
    }

    /// A place for a call of a guest.
    pub(crate) async fn place(&self) -> Option<SemaphorePermit<'_>> {
        self.calls.acquire().await.ok()
    }

    /// Records what guests typed, until `stop`.
    pub(crate) async fn record(self: Arc<Self>, stop: CancellationToken) {
        let mut look = tokio::time::interval(RECORD);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = look.tick() => {}
            }
            let sharing = self.clone();
            let recording = move || sharing.typed.record_old(sharing.views.whole());
            let _ = tokio::task::spawn_blocking(recording).await;
        }
    }

    /// Ends what guests have open whose link is over, until `stop`. It waits for no call.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let live = self.views.whole().clone();
        let Ok(mut changes) = tokio::task::spawn_blocking(move || live.changes()).await else { return };
        // Changes that come often do not put the next look off.
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !stop.is_cancelled() {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = look.tick() => {}
                changed = changes.recv() => match changed {
                    // The settings have rights of their own. Guests come again at once.
                    Ok(changed) if *changed == Changed::Settings => self.close(|_| true),
                    Ok(_) | Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => break,
                },
            }
            if !self.inside().is_empty() {
                // A file that cannot be read lets nobody in.
                let (all, now) = (self.links.all().unwrap_or_default(), Timestamp::now());
                self.close(|link| !link.is_valid_at(now) || !all.contains(link));
            }
        }
        self.close(|_| true);
    }

    fn close(&self, is_over: impl Fn(&GuestLink) -> bool) {
        self.inside().retain(|_, (link, guest)| {
            let stays = !is_over(link);
            if !stays {
                guest.ended.cancel();
            }
            stays
        });
    }
}

/// What counts as one address: of IPv6, everybody has as many as there are in a network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}
