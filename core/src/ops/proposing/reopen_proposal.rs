//! Takes decisions about proposals back, so that they wait for review again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::Facts;
use crate::ops::accept_proposal::{chosen, refuse_agents};
use crate::proposals::{reopen, reopenable};
use crate::show::{Page, Span};
use crate::writing::audit::AuditLog;
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Let rejected proposals wait for review again, and accepted ones whose change was undone.",
)
.command("proposals reopen")
.arguments(&["proposals"])
.unwatched();

/// The proposals to reopen.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Their ids.
    pub proposals: Vec<String>,
}

/// The reopened proposals.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Their ids.
    pub reopened: Vec<String>,
}

/// Reopens the proposals: all of them, or none if one cannot be reopened.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an agent, for unknown and undecided proposals, for those that the agent withdrew,
/// and for accepted ones whose change was not undone; [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    refuse_agents(context, "reopen")?;
    let _held = context.source.lock()?;
    let chosen = chosen(context, &params.proposals, false)?;
    let log = AuditLog::read(context.source)?;
    chosen.iter().try_for_each(|stored| reopenable(&log, &stored.proposal).map(drop))?;
    let reopened = chosen.into_iter().map(|stored| Ok(reopen(context, &log, stored)?.id));
    Ok(Output { reopened: reopened.collect::<Result<_>>()? })
}

/// Shows which proposals wait again.
pub fn show(output: &Output, page: &mut dyn Page) {
    for id in &output.reopened {
        page.line(&[Span::said(&message!("Reopened {id}", id = Span::Code(id)))]);
    }
}
