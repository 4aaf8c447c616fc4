//! Accepts proposals of agents: writes their changes, and keeps edits that were made since at other lines.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::page::IndexState;
use crate::ops::places::Places;
pub use crate::proposals::EditedText;
use crate::proposals::{Acceptance, Proposal, ProposedChange, State, Stored, accept, read_all, same_agent};
use crate::show::{Page, Span, counted};
use crate::writing::ChangedFile;
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Accept proposals of agents, or some hunks of one: their changes are written.")
        .command("proposals accept")
        .arguments(&["proposals"])
        .unwatched();

/// The proposals to accept.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Their ids.
    #[serde(default)]
    pub proposals: Vec<String>,
    /// Every proposal that waits for review, instead of `proposals`.
    #[serde(default)]
    pub all: bool,
    /// Only these hunks, by number; for one proposal.
    #[serde(default)]
    pub hunks: Vec<usize>,
    /// Texts of pages in place of the proposed ones: the reviewer edited them; for one proposal, without `hunks`.
    #[serde(default)]
    pub texts: Vec<EditedText>,
    /// Only proposals that remove no line and no page.
    #[serde(default)]
    pub only_additions: bool,
    /// Only proposals that change nothing but pages at or below these paths.
    #[serde(default)]
    pub under: Vec<String>,
    /// Only proposals of this agent, by its name without the version.
    pub agent: Option<String>,
    /// The name of the reviewer (default: the name in git's settings).
    pub reviewer: Option<String>,
    /// Words for the agent.
    pub comment: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The accepted proposals, and those that were not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The accepted proposals, oldest first.
    pub accepted: Vec<AcceptedProposal>,
    /// Proposals that were not accepted, with the reason.
    pub left: Vec<LeftProposal>,
    /// Whether this is a dry run, which writes nothing.
    pub dry_run: bool,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// An accepted proposal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AcceptedProposal {
    /// Its id.
    pub proposal: String,
    /// Its state; for a dry run, the current one.
    pub state: State,
    /// Whether pages were edited since at other lines, which were kept.
    pub rebased: bool,
    /// Files that changed.
    pub changed: Vec<ChangedFile>,
    /// Unified diffs of these files.
    pub diff: String,
    /// Id of the change in the audit log; absent when there was nothing left to change.
    pub audit_id: Option<String>,
    /// Why the index was not updated after the change was written.
    pub index_error: Option<Message>,
}

/// A proposal that was not accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftProposal {
    /// Its id.
    pub proposal: String,
    /// Why.
    pub reason: Message,
    /// Whether a filter excluded it; otherwise it could not be accepted.
    pub excluded: bool,
}

/// Accepts the proposals, each one as a change of its own.
///
/// # Errors
/// [`Error::InvalidParams`] for an agent, for unknown or decided proposals, unknown hunks and paths;
/// [`Error::OutsideProject`] for a path; [`Error::ProposalConflict`] for a single proposal that later changes touch;
/// [`Error::Io`]. With several proposals, what fails is left.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    refuse_agents(context, "accept")?;
    let _held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let chosen = chosen(context, &params.proposals, params.all)?;
    if !params.hunks.is_empty() && chosen.len() != 1 {
        return Err(Error::invalid(message!("`hunks` needs exactly one proposal")));
    }
    if !params.texts.is_empty() && (chosen.len() != 1 || !params.hunks.is_empty()) {
        return Err(Error::invalid(message!("`texts` needs exactly one proposal, and no `hunks`")));
    }
    let under = places(context, &params.under, &chosen)?;
    let reviewer = params.reviewer.clone().or_else(|| context.history.author());
    let is_single = chosen.len() == 1 && !params.all;
    let (mut accepted, mut left) = (Vec::new(), Vec::new());
    for stored in chosen {
        context.cancel.check()?;
        let id = stored.proposal.id.clone();
        if let Some(reason) = excluded(&stored.proposal, &params, &under) {
            left.push(LeftProposal { proposal: id, reason, excluded: true });
            continue;
        }
        let acceptance = Acceptance {
            hunks: &params.hunks,
            texts: &params.texts,
            reviewer: reviewer.clone(),
            comment: params.comment.clone(),
            dry_run: params.dry_run,
        };
        match accept(context, stored, acceptance) {
            Ok(done) => accepted.push(AcceptedProposal {
                proposal: id,
                state: done.proposal.state(),
                rebased: done.is_moved,
                changed: done.written.changed,
                diff: done.written.diff,
                audit_id: done.written.audit_id,
                index_error: done.written.index_error,
            }),
            Err(error) if is_single || matches!(error, Error::Cancelled | Error::HalfDone { .. }) => {
                return Err(error);
            }
            Err(error) => {
                left.push(LeftProposal { proposal: id, reason: error.message(), excluded: false });
            }
        }
    }
    Ok(Output { accepted, left, dry_run: params.dry_run, index: context.index_state()? })
}

/// Refuses to let an agent decide.
pub(crate) fn refuse_agents(context: &Context<'_>, what: &str) -> Result<()> {
    match context.caller {
        Caller::Person => Ok(()),
        Caller::Agent => Err(Error::invalid(message!("only people can {what} proposals", what))),
    }
}

/// The named proposals, or all open ones, oldest first.
///
/// # Errors
/// [`Error::InvalidParams`] for none, and for unknown proposals; [`Error::Io`].
pub(crate) fn chosen(context: &Context<'_>, ids: &[String], all: bool) -> Result<Vec<Stored>> {
    match (ids.is_empty(), all) {
        (true, false) => Err(Error::invalid(message!("name proposals in `proposals`, or pass `all`"))),
        (false, true) => Err(Error::invalid(message!("pass `proposals` or `all`, not both"))),
        (true, true) => {
            let all = read_all(context)?.of_caller(context).proposals;
            Ok(all.into_iter().filter(|stored| stored.proposal.state().is_open()).collect())
        }
        (false, false) => {
            let all = read_all(context)?.of_caller(context);
            let named = ids.iter().map(|id| Ok(all.find(context, id)?.proposal.id.clone()));
            let named: BTreeSet<String> = named.collect::<Result<_>>()?;
            // Oldest first in both cases, because later ones may build on earlier ones.
            Ok(all.proposals.into_iter().filter(|stored| named.contains(&stored.proposal.id)).collect())
        }
    }
}

/// Why the filters exclude a proposal.
fn excluded(proposal: &Proposal, params: &Params, under: &Places) -> Option<Message> {
    if let Some(name) = params.agent.as_deref().filter(|name| !same_agent(proposal, name)) {
        return Some(message!("it is not by {name}", name));
    }
    if !params.under.is_empty() {
        if !proposal.records.is_empty() {
            return Some(message!("it changes reviews or decisions"));
        }
        let paths = proposal.changes.iter().flat_map(|change| [Some(change.path()), change.moved_from()]);
        if let Some(path) = paths.flatten().find(|path| !under.contain(path)) {
            return Some(message!("it changes {path}", path));
        }
    }
    if params.only_additions { proposal.removes() } else { None }
}

/// The paths that proposals are limited to: those of pages, and of pages that one of the proposals creates.
fn places(context: &Context<'_>, under: &[String], chosen: &[Stored]) -> Result<Places> {
    let there = if under.is_empty() { Vec::new() } else { context.source.list()?.pages };
    let proposed = chosen.iter().flat_map(|stored| &stored.proposal.changes).map(ProposedChange::path);
    let pages: Vec<&str> = there.iter().map(|file| file.path.as_str()).chain(proposed).collect();
    Places::of(context, under, &pages)
}

/// Shows what was written, and what was left.
pub fn show(output: &Output, page: &mut dyn Page) {
    for accepted in &output.accepted {
        let id = Span::Code(&accepted.proposal);
        page.line(&[Span::said(&match (output.dry_run, accepted.state) {
            (true, _) => message!("Would accept {id}", id),
            (false, State::PartlyAccepted) => message!("Accepted a part of {id}", id),
            (false, _) => message!("Accepted {id}", id),
        })]);
        if output.dry_run {
            page.diff(&accepted.diff);
        }
        for file in accepted.changed.iter().filter(|_| !output.dry_run) {
            page.item(&[Span::Path(&file.filepath)]);
        }
        if accepted.changed.is_empty() && accepted.audit_id.is_none() && !output.dry_run {
            page.note(&[Span::said(&message!("its changes were there already, so nothing was written"))]);
        }
        if accepted.rebased {
            page.note(&[Span::said(&message!("pages were edited since, at other lines: these edits stay"))]);
        }
        crate::ops::written::show_index_error(accepted.index_error.as_ref(), page);
        crate::ops::written::show_undo(accepted.audit_id.as_deref(), page);
    }
    for left in &output.left {
        let (id, reason) = (Span::Code(&left.proposal), &left.reason);
        let told = message!("{id} was not accepted: {reason}", id, reason);
        let line = [Span::said(&told)];
        if left.excluded { page.note(&line) } else { page.warn(&line) }
    }
    if output.dry_run {
        page.note(&[Span::said(&message!("dry run: nothing was written"))]);
    } else if output.accepted.len() + output.left.len() != 1 {
        let count = counted(output.accepted.len(), "proposal", "proposals");
        page.note(&[Span::said(&message!("{count} accepted, {left} left", count, left = output.left.len()))]);
    }
}
