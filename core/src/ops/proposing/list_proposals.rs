//! Lists the changes that agents proposed. An agent sees only its own, with what became of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ops::budget;
use crate::ops::proposal::{ProposalFields, paths_of};
use crate::ops::{Facts, Tool};
use crate::proposals::{Proposal, clashes, read_all, same_agent};
use crate::show::{Page, Span, counted};
use crate::{Caller, Context, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "List proposed changes: those that wait for review, and what became of the others.",
)
.tool(Tool::Proposing)
.quoting_pages()
.introducing(
    "Changes are proposals that a person accepts or rejects; ubp_list_proposals says what became of yours.",
)
.command("proposals");

/// Which proposals to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// Those that wait for review.
    Open,
    /// Those that were accepted, rejected or withdrawn.
    Decided,
    /// All.
    All,
}

/// Default number of proposals.
const DEFAULT_LIMIT: usize = 50;

/// Selects the proposals.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Which ones (default: open; for agents: all).
    pub state: Option<Which>,
    /// Only those of this agent, by its name without the version.
    pub agent: Option<String>,
    /// Only those that change this page: path, id, title or alias.
    pub page: Option<String>,
    /// Maximum number of proposals (1 to 1000, default: 50).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// The proposals.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The proposals, latest first.
    pub proposals: Vec<ProposalFields>,
    /// Number of matching proposals, including those beyond `limit`.
    pub total: usize,
    /// Number of all proposals that wait for review.
    pub open_count: usize,
    /// Files in `.ubp/proposals/` that are not proposals.
    pub unreadable: Vec<String>,
}

/// Lists the proposals.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a limit out of range, [`crate::Error::AmbiguousPage`], [`crate::Error::Io`],
/// [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, DEFAULT_LIMIT, 1, 1000)?;
    let usual = if context.caller == Caller::Agent { Which::All } else { Which::Open };
    let which = params.state.unwrap_or(usual);
    let paths = params.page.as_deref().map(|name| paths_of(context, name)).transpose()?;
    let all = read_all(context)?.of_caller(context);
    let is_open = |stored: &&crate::proposals::Stored| stored.proposal.state().is_open();
    let open_count = all.proposals.iter().filter(is_open).count();
    let chosen = all.proposals.iter().rev().filter(|stored| {
        let proposal = &stored.proposal;
        let of_state = match which {
            Which::Open => is_open(stored),
            Which::Decided => !is_open(stored),
            Which::All => true,
        };
        let of_agent = params.agent.as_deref().is_none_or(|name| same_agent(proposal, name));
        let of_page = paths.as_ref().is_none_or(|paths| {
            proposal.changes.iter().any(|change| {
                paths.iter().any(|path| path == change.path() || Some(path.as_str()) == change.moved_from())
            })
        });
        of_state && of_agent && of_page
    });
    let chosen: Vec<_> = chosen.collect();
    let total = chosen.len();
    let fields = |proposal: &Proposal| Ok(ProposalFields::of(proposal, &clashes(context, proposal)?));
    let proposals = chosen.into_iter().take(limit).map(|stored| fields(&stored.proposal));
    Ok(Output { proposals: proposals.collect::<Result<_>>()?, total, open_count, unreadable: all.unreadable })
}

/// Shows the proposals, with what to do next.
pub fn show(output: &Output, page: &mut dyn Page) {
    for proposal in &output.proposals {
        proposal.show(page);
    }
    for file in &output.unreadable {
        page.warn(&[Span::said(&message!(".ubp/{file} is not a proposal", file))]);
    }
    let shown = output.proposals.len();
    if shown == 0 {
        let waiting = waiting(output.open_count);
        page.note(&[Span::said(&match output.open_count {
            0 => waiting,
            _ => message!("no such proposals; {waiting}", waiting),
        })]);
    } else if output.total > shown {
        let total = counted(output.total, "proposal", "proposals");
        page.note(&[Span::said(&message!("{shown} of {total}; a higher limit shows more", shown, total))]);
    } else {
        page.note(&[Span::said(&waiting(output.open_count))]);
    }
    if let Some(first) = output.proposals.iter().find(|proposal| proposal.state.is_open()) {
        let next = Next::call("get_proposal").with("proposal", first.proposal.as_str());
        page.hint(&[Span::said(&message!("{command} shows its changes", command = next))]);
    }
}

fn waiting(count: usize) -> Message {
    match count {
        0 => message!("no proposals wait for review"),
        _ => message!("{waiting} for review", waiting = counted(count, "proposal waits", "proposals wait")),
    }
}
