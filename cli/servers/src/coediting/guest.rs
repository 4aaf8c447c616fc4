//! A window that has a page open, and why its messages are refused.

use std::sync::Arc;

use tokio::sync::mpsc;
use ubp_core::hint::Buttons;
use ubp_core::message;

use super::authority::Refused;
use super::wire::Told;

/// Limit on the messages that wait for a window. One that reads more slowly is disconnected, and catches up when it is back.
pub(super) const MOST_WAITING: usize = 512;

/// A window.
pub(super) struct Guest {
    pub id: u64,
    pub client: String,
    pub name: String,
    pub number: usize,
    pub may_write: bool,
    pub voice: Buttons,
    pub out: mpsc::Sender<Arc<str>>,
}

/// Why a message of a window is refused.
#[derive(Debug, Clone, Copy)]
pub(super) enum No {
    /// It is not in the room any more.
    Away,
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
