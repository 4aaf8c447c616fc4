//! What the front matter of a page says about its origin, in the fields of the Open Knowledge Format.

use schemars::JsonSchema;
use serde::Serialize;

use crate::message;
use crate::message::Message;
use crate::show::{Page, Span};

/// How far a page has been confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nobody confirmed it.
    Unverified,
    /// Only programs confirmed it.
    MachineConfirmed,
    /// A person confirmed it.
    HumanReviewed,
}

/// Who did something, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    /// `human:NAME`, `process:NAME` or `PROGRAM/VERSION`, as written.
    pub by: String,
    /// The time as written; absent if it is not.
    pub at: Option<String>,
}

/// What the front matter of a page says about its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Provenance {
    /// How far it has been confirmed, by its `verified`.
    pub trust: Trust,
    /// Who confirmed it, as listed.
    pub verified: Vec<Event>,
    /// Who wrote its content.
    pub generated: Option<Event>,
    /// `draft`, `stable`, `deprecated`, or another word, as written.
    pub status: Option<String>,
    /// The time, RFC 3339, from which on `stale_after` makes it stale.
    pub stale_at: Option<String>,
}

/// Shows it in a line.
pub(crate) fn show(provenance: &Provenance, page: &mut dyn Page) {
    let day = |time: &str| time.get(..10).unwrap_or(time).to_owned();
    let mut parts = Vec::new();
    if let Some(status) = &provenance.status {
        parts.push(message!("status: {status}", status = Span::Label(status)));
    }
    let last = provenance.verified.iter().max_by_key(|event| event.at.clone());
    match (last, last.and_then(|event| event.at.as_deref())) {
        (Some(Event { by, .. }), Some(at)) => {
            parts.push(message!("verified by {by} on {day}", by = Span::Label(by), day = day(at)));
        }
        (Some(Event { by, .. }), None) => parts.push(message!("verified by {by}", by = Span::Label(by))),
        (None, _) => parts.push(message!("not verified")),
    }
    if let Some(Event { by, .. }) = &provenance.generated {
        parts.push(message!("written by {by}", by = Span::Label(by)));
    }
    if let Some(at) = &provenance.stale_at {
        parts.push(message!("stale from {day}", day = day(at)));
    }
    page.line(&[Span::faint(&Message::joined(parts, " · "))]);
}
