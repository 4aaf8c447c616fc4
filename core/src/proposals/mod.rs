//! Proposals: changes that an agent planned and that a person accepts or rejects. A proposal is a plan
//! ([`crate::writing`]) that is stored instead of carried out, in `.ubp/proposals/`; to accept it means to carry it out.
//!
//! **Invariants**
//! - The content of a proposal never changes, so what a person accepts is what that person saw: an amended proposal is a
//!   new one, with another id, that replaces the old one (`ops/tests/proposing/states.rs`).
//! - Only an accepted proposal changes a page, and it changes nothing else on a page that was edited since
//!   (`ops/tests/proposing/states.rs`, `proposals/merge.rs`).
//! - A proposal counts as accepted if and only if the audit log says that its change was made, whenever the process ends
//!   (`ops/tests/proposing/faults.rs`).
//! - An agent sees, amends and withdraws only its own proposals, and accepts none (`ops/tests/proposing.rs`).

mod accept;
mod described;
mod edited;
mod merge;
mod propose;
mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::freshness::LastEdit;
use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ports::ContentHash;
use crate::writing::audit::{AuditLog, OutcomeKind, goes_by, is_same_agent};
use crate::writing::{Change, RecordChange, Version};
use crate::{Caller, Context, Error, Result, path};

pub(crate) use accept::{Acceptance, Clash, accept, clashes, rebased};
pub(crate) use described::described;
pub use described::{DescribedSource, SourceNaming};
pub use edited::EditedText;
use merge::is_addition;
pub(crate) use merge::{Block, blocks};
pub(crate) use propose::{propose, proposed_text};
pub(crate) use store::{Stored, decide, open_count, read_all, reopen, reopenable};

/// What an agent's call adds to the plan when its changes are proposed.
#[derive(Debug, Clone, Default)]
pub struct Proposing {
    /// The parameters of the call.
    pub params: Value,
    /// Why the agent proposes the change.
    pub reason: Option<String>,
    /// Pages that the agent read before, latest last.
    pub read: Vec<PageRead>,
    /// Ids of the proposals made in the same session.
    pub session: Vec<String>,
    /// Whether changes become proposals only where the agent has no right to make them.
    pub only_where_required: bool,
}

/// A version of a page that an agent was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageRead {
    /// Path relative to the pages folder.
    pub filepath: String,
    /// SHA-256 of its file.
    pub content_hash: String,
}

/// A call of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// Name of the operation.
    pub operation: String,
    /// Its parameters.
    pub params: Value,
}

/// The content of a file in `.ubp/proposals/`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    pub id: String,
    /// Time of the proposal, RFC 3339.
    pub at: String,
    /// Name that the agent gave.
    #[serde(default)]
    pub agent: Option<String>,
    /// The calls that made the proposal, the first one first.
    pub calls: Vec<Call>,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub read: Vec<PageRead>,
    /// Proposals that this one replaces.
    #[serde(default)]
    pub replaces: Vec<String>,
    /// The audit-log group that the change undoes.
    #[serde(default)]
    pub undoes: Option<String>,
    /// Whether links that lead to other pages may lead to these pages after the change.
    #[serde(default)]
    pub takes_links: bool,
    pub changes: Vec<ProposedChange>,
    #[serde(default)]
    pub records: Vec<ProposedRecord>,
    #[serde(default)]
    pub decision: Option<Decision>,
    /// Decisions that were taken back, the first one first.
    #[serde(default)]
    pub earlier: Vec<Decision>,
}

/// A change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposedChange {
    pub before: Option<ProposedFile>,
    pub after: Option<ProposedFile>,
    #[serde(default)]
    pub trash: Option<String>,
    #[serde(default)]
    pub edited: Option<String>,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposedFile {
    pub path: String,
    pub hash: String,
    /// Absent if it is not text.
    #[serde(default)]
    pub text: Option<String>,
}

/// Removed and added lines of a file of reviews or decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposedRecord {
    pub file: String,
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// What became of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The decision.
    pub verdict: Verdict,
    /// When, RFC 3339.
    pub at: String,
    /// Who decided, if known.
    pub reviewer: Option<String>,
    /// What the reviewer wrote.
    pub comment: Option<String>,
    /// Numbers of the accepted hunks; empty if all were accepted.
    pub hunks: Vec<usize>,
    /// Pages that the reviewer edited before accepting them.
    #[serde(default)]
    pub edited: Vec<String>,
    /// Id of the change in the audit log.
    pub audit_id: Option<String>,
    /// Whether the change was made. Until then, the audit log says whether it was.
    #[serde(default)]
    #[schemars(skip)]
    pub settled: bool,
}

/// A decision about a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A person accepted it.
    Accepted,
    /// A person rejected it.
    Rejected,
    /// The agent withdrew it.
    Withdrawn,
}

/// The state of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for a decision.
    Pending,
    /// It waits for a decision, and later changes of the same lines keep it from being accepted as a whole.
    Conflict,
    /// A person accepted it, and it was written.
    Accepted,
    /// A person accepted some hunks, which were written.
    PartlyAccepted,
    /// A person rejected it.
    Rejected,
    /// The agent withdrew it.
    Withdrawn,
}

impl State {
    /// Whether a person can still decide.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Conflict)
    }
}

impl Decision {
    /// The state of a proposal with this decision.
    pub(crate) fn state(&self) -> State {
        match self.verdict {
            Verdict::Accepted if self.hunks.is_empty() => State::Accepted,
            Verdict::Accepted => State::PartlyAccepted,
            Verdict::Rejected => State::Rejected,
            Verdict::Withdrawn => State::Withdrawn,
        }
    }
}

impl Proposal {
    /// Its state, without a comparison with the files: a conflict counts as pending.
    pub(crate) fn state(&self) -> State {
        self.decision.as_ref().map_or(State::Pending, Decision::state)
    }

    /// The name of its first operation.
    pub(crate) fn operation(&self) -> &str {
        self.calls.first().map_or("", |call| &call.operation)
    }

    /// Why it does not only add text and pages; `None` if it does.
    pub(crate) fn removes(&self) -> Option<Message> {
        if !self.records.is_empty() || self.undoes.is_some() {
            return Some(message!("it does not only add text"));
        }
        let removes = |change: &&ProposedChange| match (&change.before, change.texts()) {
            (None, _) => false,
            (Some(_), Some((before, after))) if change.after.is_some() && change.moved_from().is_none() => {
                !is_addition(change.path(), before, after)
            }
            _ => true,
        };
        let found = self.changes.iter().find(removes)?;
        Some(message!("it removes text of {path}", path = found.path()))
    }

    /// Whether some hunks can be accepted without the others: if pages are only edited or created. The parts of a rename
    /// or a deletion depend on each other.
    pub(crate) fn is_divisible(&self) -> bool {
        let stays = |change: &ProposedChange| match (&change.before, &change.after) {
            (Some(before), Some(after)) => before.path == after.path && after.text.is_some(),
            (None, Some(_)) => true,
            _ => false,
        };
        self.undoes.is_none() && self.records.is_empty() && self.changes.iter().all(stays)
    }
}

impl ProposedChange {
    /// The path after the change; for a deleted page, the former path.
    pub(crate) fn path(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |file| &file.path)
    }

    /// The former path of a page that moves.
    pub(crate) fn moved_from(&self) -> Option<&str> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        (before.path != after.path).then_some(before.path.as_str())
    }

    /// The texts before and after; `None` if one of them is not text.
    pub(crate) fn texts(&self) -> Option<(&str, &str)> {
        let before = self.before.as_ref().map_or(Some(""), |file| file.text.as_deref())?;
        let after = self.after.as_ref().map_or(Some(""), |file| file.text.as_deref())?;
        Some((before, after))
    }

    fn of(change: &Change) -> Result<Self> {
        let keeps_content =
            change.before.as_ref().map(|file| file.hash) == change.after.as_ref().map(|file| file.hash);
        let after = change.after.as_ref().map(ProposedFile::of);
        if !keeps_content && after.as_ref().is_some_and(|after| after.text.is_none()) {
            let path = after.map(|after| after.path).unwrap_or_default();
            return Err(Error::invalid(message!("{path}: only text can be proposed", path)));
        }
        Ok(Self {
            before: change.before.as_ref().map(ProposedFile::of),
            after,
            trash: change.trash.clone(),
            edited: change.edited.map(|edited| edited.to_string()),
        })
    }

    /// The change as planned.
    pub(crate) fn planned(&self) -> Result<Change> {
        Ok(Change {
            before: self.before.as_ref().map(ProposedFile::version).transpose()?,
            after: self.after.as_ref().map(ProposedFile::version).transpose()?,
            trash: self.trash.clone(),
            edited: self.edited.as_deref().and_then(LastEdit::parse),
        })
    }
}

impl ProposedFile {
    fn of(version: &Version) -> Self {
        let text = version.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        Self { path: version.path.clone(), hash: version.hash.to_string(), text: text.map(str::to_owned) }
    }

    /// Whether the file has this content.
    fn is(&self, version: Option<&Version>) -> bool {
        version.is_some_and(|version| version.hash.to_string() == self.hash)
    }

    fn version(&self) -> Result<Version> {
        let hash: ContentHash = self.hash.parse()?;
        // The text of an edited file must not be written to a page.
        let bytes = self.text.clone().map(String::into_bytes).filter(|bytes| ContentHash::of(bytes) == hash);
        if !path::is_inside(&self.path) || (self.text.is_some() && bytes.is_none()) {
            return Err(Error::invalid(message!(
                "{path}: the stored proposal was changed by hand",
                path = self.path
            )));
        }
        Ok(Version { path: self.path.clone(), hash, bytes })
    }
}

impl ProposedRecord {
    fn of(record: &RecordChange) -> Self {
        Self { file: record.file.clone(), removed: record.removed.clone(), added: record.added.clone() }
    }

    pub(crate) fn planned(&self) -> RecordChange {
        RecordChange::of_lines(&self.file, self.removed.clone(), self.added.clone())
    }
}

/// Whether the change of a decision to accept was made, as the audit log says.
fn was_made(context: &Context<'_>, log: &AuditLog, group: &str) -> Result<bool> {
    let entries = log.group(group);
    let Some(first) = entries.first() else { return Ok(false) };
    if log.outcome(first) != OutcomeKind::Unfinished {
        return Ok(log.outcome(first) == OutcomeKind::Done);
    }
    // The process ended while it wrote, or before it recorded that it had written.
    for entry in &entries {
        if !entry.is_in_force(context.source, context.pages_dir())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses a proposal that was decided already.
///
/// # Errors
/// [`Error::InvalidParams`].
pub(crate) fn require_open(proposal: &Proposal) -> Result<()> {
    let id = &proposal.id;
    Err(Error::invalid(match proposal.state() {
        State::Pending | State::Conflict => return Ok(()),
        State::Accepted | State::PartlyAccepted => message!("the proposal {id} was accepted already", id),
        State::Rejected => message!("the proposal {id} was rejected already", id),
        State::Withdrawn => message!("the proposal {id} was withdrawn by the agent already", id),
    }))
}

/// Whether the caller may see proposals of the agent: people see all, agents those of agents with the same name.
fn is_visible(context: &Context<'_>, agent: Option<&str>) -> bool {
    context.caller == Caller::Person || is_same_agent(agent, context.agent)
}

/// Whether the proposal is by the agent called `name`, which may be given with or without its version.
pub(crate) fn same_agent(proposal: &Proposal, name: &str) -> bool {
    proposal.agent.as_deref().is_some_and(|agent| goes_by(agent, name.trim()))
}

/// A hint that shows a proposal.
pub(crate) fn look(id: &str) -> Message {
    message!("{show} shows it", show = Next::call("get_proposal").with("proposal", id))
}

fn list_them() -> Message {
    message!("{list} lists them", list = Next::call("list_proposals"))
}
