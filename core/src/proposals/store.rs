//! The files in `.ubp/proposals/`, one for each proposal.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Decision, Proposal, Verdict, is_visible, was_made};
use crate::hint::Next;
use crate::message;
use crate::ops::page::to_the_second;
use crate::path::proposal_file;
use crate::ports::{ContentHash, Source};
use crate::writing::audit::AuditLog;
use crate::{Caller, Context, Error, Result};

/// How long a decided proposal is kept, in seconds.
const KEPT: i64 = 30 * 24 * 60 * 60;

/// Maximum number of decided proposals that are kept.
const MOST_DECIDED: usize = 500;

/// Maximum number of proposals that wait for a decision.
pub(super) const MOST_OPEN: usize = 500;

/// A proposal, and the hash of its file.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub proposal: Proposal,
    pub hash: ContentHash,
}

/// All proposals.
#[derive(Debug)]
pub(crate) struct All {
    /// The proposals, oldest first, without those that were replaced.
    pub proposals: Vec<Stored>,
    /// Names of files that are not proposals.
    pub unreadable: Vec<String>,
    /// Replaced proposals whose files still exist: the process ended before it deleted them.
    replaced: Vec<Stored>,
    /// Ids of proposals whose files do not have yet what became of their decisions.
    settled: HashSet<String>,
}

impl All {
    /// Only the proposals that the caller may see.
    pub(crate) fn of_caller(mut self, context: &Context<'_>) -> Self {
        self.proposals.retain(|stored| is_visible(context, stored.proposal.agent.as_deref()));
        if context.caller == Caller::Agent {
            self.unreadable.clear();
        }
        self
    }

    /// The proposal called `id`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for one that is not among these or was replaced.
    pub(crate) fn find(&self, context: &Context<'_>, id: &str) -> Result<&Stored> {
        let id = id.trim();
        if let Some(by) =
            self.proposals.iter().find(|stored| stored.proposal.replaces.iter().any(|one| one == id))
        {
            return Err(Error::invalid_with_hint(
                message!("the proposal {id} was changed since, and is {id_2} now", id, id_2 = by.proposal.id),
                super::look(&by.proposal.id),
            ));
        }
        let found = self.proposals.iter().find(|stored| stored.proposal.id == id);
        found.ok_or_else(|| match context.caller {
            Caller::Person => {
                Error::invalid_with_hint(message!("unknown proposal '{id}'", id), super::list_them())
            }
            Caller::Agent => Error::invalid(message!(
                "unknown proposal '{id}'; an agent can use only its own proposals",
                id
            )),
        })
    }
}

/// A proposal without its texts.
#[derive(Debug, Deserialize)]
struct Head {
    id: String,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    replaces: Vec<String>,
    #[serde(default)]
    decision: Option<Decision>,
}

/// Number of proposals that wait for a person's review, or for that of the agent's own.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn open_count(context: &Context<'_>) -> Result<usize> {
    let mut heads = Vec::new();
    each_file(context, |head: &Head| &head.id, |head, _| heads.push(head))?;
    let replaced: HashSet<&String> = heads.iter().flat_map(|head| &head.replaces).collect();
    let mut outcomes = Outcomes::default();
    let mut count = 0;
    for head in &heads {
        if replaced.contains(&head.id) || !is_visible(context, head.agent.as_deref()) {
            continue;
        }
        let is_decided = match &head.decision {
            Some(decision) => outcomes.hold(context, decision)?,
            None => false,
        };
        count += usize::from(!is_decided);
    }
    Ok(count)
}

/// Reads the files of proposals, each with its hash. Returns the names of the other files.
fn each_file<T: DeserializeOwned>(
    context: &Context<'_>,
    id: impl Fn(&T) -> &String,
    mut found: impl FnMut(T, ContentHash),
) -> Result<Vec<String>> {
    let mut unreadable = Vec::new();
    for name in context.source.proposal_files()? {
        // A proposal may be deleted meanwhile.
        let Some(bytes) = context.source.read_state(&name)? else { continue };
        match serde_json::from_slice::<T>(&bytes) {
            Ok(read) if proposal_file(id(&read)) == name => found(read, ContentHash::of(&bytes)),
            _ => unreadable.push(name),
        }
    }
    Ok(unreadable)
}

/// Reads all proposals.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn read_all(context: &Context<'_>) -> Result<All> {
    let mut read = Vec::new();
    let mut keep = |proposal, hash| read.push(Stored { proposal, hash });
    let unreadable = each_file(context, |proposal: &Proposal| &proposal.id, &mut keep)?;
    let ids: HashSet<String> = read.iter().flat_map(|stored| stored.proposal.replaces.clone()).collect();
    let (replaced, mut current): (Vec<Stored>, Vec<Stored>) =
        read.into_iter().partition(|stored| ids.contains(&stored.proposal.id));
    let settled = settle(context, &mut current)?;
    current.sort_by(|a, b| {
        let key = |stored: &Stored| (stored.proposal.at.clone(), stored.proposal.id.clone());
        key(a).cmp(&key(b))
    });
    Ok(All { proposals: current, unreadable, replaced, settled })
}

/// Completes decisions whose process ended before it recorded whether the change was made. Returns the ids of these
/// proposals.
fn settle(context: &Context<'_>, proposals: &mut [Stored]) -> Result<HashSet<String>> {
    let mut settled = HashSet::new();
    let mut outcomes = Outcomes::default();
    for stored in proposals {
        let Some(decision) = stored.proposal.decision.as_mut().filter(|decision| !decision.settled) else {
            continue;
        };
        match outcomes.hold(context, decision)? {
            true => decision.settled = true,
            false => stored.proposal.decision = None,
        }
        settled.insert(stored.proposal.id.clone());
    }
    Ok(settled)
}

/// What the audit log says of decisions; it is read for the first that needs it.
#[derive(Default)]
struct Outcomes(Option<AuditLog>);

impl Outcomes {
    /// Whether the decision holds: whether its change was made.
    fn hold(&mut self, context: &Context<'_>, decision: &Decision) -> Result<bool> {
        if decision.settled {
            return Ok(true);
        }
        let log = match &self.0 {
            Some(log) => log,
            None => self.0.insert(AuditLog::read(context.source)?),
        };
        was_made(context, log, decision.audit_id.as_deref().unwrap_or_default())
    }
}

/// Writes a proposal: a new one with `expected` of `None`.
///
/// # Errors
/// [`Error::Conflict`] if the file is not in the expected state; [`Error::Io`].
pub(super) fn write(
    source: &dyn Source,
    proposal: &Proposal,
    expected: Option<ContentHash>,
) -> Result<ContentHash> {
    let mut bytes =
        serde_json::to_vec_pretty(proposal).map_err(|error| Error::Internal(error.to_string()))?;
    bytes.push(b'\n');
    source.write_state(&proposal_file(&proposal.id), &bytes, expected)?;
    Ok(ContentHash::of(&bytes))
}

/// Records a decision that changes no page.
///
/// # Errors
/// [`Error::InvalidParams`] if it was decided already; [`Error::Conflict`], [`Error::Io`].
pub(crate) fn decide(
    context: &Context<'_>,
    mut stored: Stored,
    verdict: Verdict,
    reviewer: Option<String>,
    comment: Option<String>,
) -> Result<Proposal> {
    super::require_open(&stored.proposal)?;
    let at = to_the_second(context.clock.now());
    let (hunks, audit_id) = (Vec::new(), None);
    stored.proposal.decision =
        Some(Decision { verdict, at, reviewer, comment, hunks, edited: Vec::new(), audit_id, settled: true });
    write(context.source, &stored.proposal, Some(stored.hash))?;
    Ok(stored.proposal)
}

/// Takes the decision about a proposal back, so that it waits for another one.
///
/// # Errors
/// [`Error::InvalidParams`] if it is not decided, if the agent withdrew it, and while its change is in force;
/// [`Error::Conflict`], [`Error::Io`].
pub(crate) fn reopen(context: &Context<'_>, log: &AuditLog, mut stored: Stored) -> Result<Proposal> {
    let decision = reopenable(log, &stored.proposal)?;
    stored.proposal.decision = None;
    stored.proposal.earlier.push(decision);
    write(context.source, &stored.proposal, Some(stored.hash))?;
    Ok(stored.proposal)
}

/// The decision about a proposal that can be reopened.
///
/// # Errors
/// As [`reopen`].
pub(crate) fn reopenable(log: &AuditLog, proposal: &Proposal) -> Result<Decision> {
    let id = &proposal.id;
    let Some(decision) = &proposal.decision else {
        return Err(Error::invalid(message!("the proposal {id} waits for review already", id)));
    };
    let made = decision.audit_id.as_deref().map(|audit_id| (audit_id, log.group(audit_id)));
    match (decision.verdict, made) {
        (Verdict::Withdrawn, _) => Err(Error::invalid(message!(
            "the proposal {id} was withdrawn by the agent; only the agent can propose it again",
            id
        ))),
        (Verdict::Accepted, Some((entry, group)))
            if group.first().is_none_or(|first| log.undone_by(first).is_none()) =>
        {
            Err(Error::invalid_with_hint(
                message!("the proposal {id} was accepted, and its change is in force", id),
                message!(
                    "{undo} takes the change back; then the proposal can be reopened",
                    undo = Next::call("undo").with("entry", entry)
                ),
            ))
        }
        _ => Ok(decision.clone()),
    }
}

/// Records what became of decisions, as long as the audit log says it. Deletes replaced proposals, and decided ones that
/// are old or too many. Errors are ignored: the next write repeats it.
pub(super) fn prune(context: &Context<'_>, all: &mut All) {
    let settled = std::mem::take(&mut all.settled);
    for stored in all.proposals.iter_mut().filter(|stored| settled.contains(&stored.proposal.id)) {
        if let Ok(hash) = write(context.source, &stored.proposal, Some(stored.hash)) {
            stored.hash = hash;
        }
    }
    let remove = |stored: &Stored| {
        let _ = context.source.remove_proposal(&proposal_file(&stored.proposal.id), stored.hash);
    };
    all.replaced.iter().for_each(remove);
    let now = context.clock.now().as_second();
    let mut decided: Vec<(i64, &Stored)> = all
        .proposals
        .iter()
        .filter_map(|stored| {
            let at: Timestamp = stored.proposal.decision.as_ref()?.at.parse().ok()?;
            Some((at.as_second(), stored))
        })
        .collect();
    decided.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (rank, (at, stored)) in decided.into_iter().enumerate() {
        if rank >= MOST_DECIDED || now - at > KEPT {
            remove(stored);
        }
    }
}
