//! A window that has a page open, and why its messages are refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use ubp_core::hint::Buttons;
use ubp_core::message;
use ubp_core::writing::typing::Typing;

use super::authority::Refused;
use super::wire::Told;

/// Limit on the messages that wait for a window. One that reads more slowly is disconnected, and catches up when it is back.
pub(super) const MOST_WAITING: usize = 512;

/// What somebody may do who is not the owner of the project.
pub(crate) trait Access: Send + Sync {
    /// Its name, which others see and nobody can choose.
    fn name(&self) -> &str;

    /// Whether it may change the page at this path. `None` if there is no such page for it.
    fn may_write(&self, page: &str) -> Option<bool>;

    /// Counts a message. False if there are too many.
    fn is_heard(&self) -> bool;

    /// A page was saved with changes by those of these names.
    fn saved(&self, names: &[&str], path: &str, before: &[u8], after: &[u8]);
}

/// Guests whose changes are not in the file, by name.
pub(super) type Writers = BTreeMap<String, Arc<dyn Access>>;

/// Guests whose changes are saved.
pub(super) struct By<'a>(pub &'a Writers);

impl Typing for By<'_> {
    fn saved(&self, path: &str, before: &[u8], after: &[u8]) {
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        if let Some(access) = self.0.values().next() {
            access.saved(&names, path, before, after);
        }
    }
}

/// Whose window it is.
#[derive(Clone)]
pub(crate) enum Who {
    /// The owner's, who may write.
    Owner,
    /// The owner's, in a project that is only read.
    Reader,
    /// That of somebody else.
    Guest(Arc<dyn Access>),
}

/// A window.
pub(super) struct Guest {
    pub id: u64,
    pub client: String,
    /// The browser's window; empty if unknown.
    pub window: String,
    pub name: String,
    pub number: usize,
    pub may_write: bool,
    /// What it may do, unless it is a window of the owner.
    pub access: Option<Arc<dyn Access>>,
    pub voice: Buttons,
    pub out: mpsc::Sender<Arc<str>>,
}

impl Guest {
    /// Whether it may see the page at `to`, which it knows as `from`.
    pub(super) fn may_follow(&self, from: &str, to: &str) -> bool {
        from == to || self.access.as_ref().is_none_or(|access| access.may_write(to).is_some())
    }
}

/// Why a message of a window is refused.
#[derive(Debug, Clone, Copy)]
pub(super) enum No {
    /// It is not in the room any more.
    Away,
    /// It sends too much.
    TooMany,
    ReadOnly,
    Changes(Refused),
}

/// Tells a window something.
pub(super) fn tell(guest: &Guest, told: &Told<'_>) {
    // A window that does not read is disconnected by the next message to all.
    let _ = guest.out.try_send(told.text().into());
}

impl No {
    /// The message of a refusal.
    pub(super) fn told(self) -> (&'static str, message::Message) {
        match self {
            Self::Away => ("away", message!("the editing session of the page has ended")),
            Self::TooMany => ("too_many", message!("this window sends too many messages")),
            Self::ReadOnly => ("read_only", message!("this page is only read here")),
            Self::Changes(Refused::Version) => {
                ("version", message!("the changes are for an unknown version of the page"))
            }
            Self::Changes(Refused::Invalid) => {
                ("invalid", message!("the changes do not fit to the text of the page"))
            }
            Self::Changes(Refused::TooLong) => {
                ("too_long", message!("the page would be too long to edit together"))
            }
        }
    }
}
