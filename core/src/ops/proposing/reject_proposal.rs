//! Rejects proposals of agents, with words for the agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::Facts;
use crate::ops::accept_proposal::{chosen, refuse_agents};
use crate::proposals::{Verdict, decide, require_open};
use crate::show::{Page, Span};
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Reject proposals of agents; nothing is written to pages.")
    .command("proposals reject")
    .arguments(&["proposals"])
    .unwatched();

/// The proposals to reject.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Their ids.
    pub proposals: Vec<String>,
    /// Words for the agent: why.
    pub comment: Option<String>,
    /// The name of the reviewer (default: the name in git's settings).
    pub reviewer: Option<String>,
}

/// The rejected proposals.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Their ids.
    pub rejected: Vec<String>,
}

/// Rejects the proposals: all of them, or none if one is unknown or decided.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an agent, and for unknown or decided proposals; [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    refuse_agents(context, "reject")?;
    let _held = context.source.lock()?;
    let chosen = chosen(context, &params.proposals, false)?;
    chosen.iter().try_for_each(|stored| require_open(&stored.proposal))?;
    let reviewer = params.reviewer.or_else(|| context.history.author());
    let mut rejected = Vec::new();
    for stored in chosen {
        let (reviewer, comment) = (reviewer.clone(), params.comment.clone());
        rejected.push(decide(context, stored, Verdict::Rejected, reviewer, comment)?.id);
    }
    Ok(Output { rejected })
}

/// Shows which proposals were rejected.
pub fn show(output: &Output, page: &mut dyn Page) {
    for id in &output.rejected {
        page.line(&[Span::said(&message!("Rejected {id}", id = Span::Code(id)))]);
    }
}
