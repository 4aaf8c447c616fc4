//! Withdraws a proposal of the agent that made it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::{Facts, Tool};
use crate::proposals::{Verdict, decide, read_all};
use crate::show::{Page, Span};
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Withdraw a change that you proposed.").tool(Tool::Proposing).unwatched();

/// The proposal to withdraw.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its id.
    pub proposal: String,
}

/// The withdrawn proposal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its id.
    pub withdrawn: String,
}

/// Withdraws the proposal.
///
/// # Errors
/// [`Error::InvalidParams`] for a person, and for a proposal that is unknown to the agent or decided; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if context.caller == Caller::Person {
        return Err(Error::invalid(message!(
            "only the agent that made a proposal can withdraw it; people reject it"
        )));
    }
    let _held = context.source.lock()?;
    let all = read_all(context)?.of_caller(context);
    let stored = all.find(context, &params.proposal)?;
    let withdrawn = decide(context, stored.clone(), Verdict::Withdrawn, None, None)?.id;
    Ok(Output { withdrawn })
}

/// Shows which proposal was withdrawn.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::said(&message!("Withdrew {withdrawn}", withdrawn = Span::Code(&output.withdrawn)))]);
}
