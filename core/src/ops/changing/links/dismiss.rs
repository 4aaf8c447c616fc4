//! Records that two pages must not be suggested to link to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::message;
use crate::ops::accept::Ends;
#[cfg(not(target_family = "wasm"))]
use crate::ops::bind::Binding;
use crate::ops::written;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::suggest::decisions::Verdict;
use crate::writing::{Plan, carry_out};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Dismiss a suggested link, so it is not suggested again.")
    .tool(Tool::Always)
    .unwatched()
    .command("dismiss")
    .arguments(&["source", "target"])
    .idempotent();

/// The suggested link.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that should not link: path, id, title or alias.
    pub source: String,
    /// The page that it should not link to, or a file or symbol of the project.
    pub target: String,
    /// Dismiss only this type of the link, in this direction.
    #[serde(rename = "type")]
    pub link_type: Option<String>,
}

/// The recorded decision; without a type it applies in both directions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Path of the first page.
    pub source: String,
    /// Path of the second page, or of the code.
    pub target: String,
    /// Id of the decision in the audit log.
    pub audit_id: Option<String>,
    /// Id of the proposal, if the decision was only proposed.
    pub proposal: Option<String>,
}

/// Records the decision.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    context.refresh(false)?;
    #[cfg(not(target_family = "wasm"))]
    if let Some(binding) = Binding::find(context, &params.source, &params.target)? {
        let decision = binding.decision(context, Verdict::Dismissed)?;
        let plan = Plan::new("dismiss", Vec::new()).recording(decision).about([binding.source.clone()]);
        let written = carry_out(context, plan, false)?;
        let (audit_id, proposal) = (written.audit_id, written.proposal);
        return Ok(Output { source: binding.source, target: binding.target, audit_id, proposal });
    }
    let ends = context.index.read(|db| Ends::find(db, &params.source, &params.target))?;
    let plan = Plan::new("dismiss", Vec::new()).recording(ends.decision(
        context,
        Verdict::Dismissed,
        params.link_type.as_deref(),
    )?);
    let plan = plan.about([ends.source.path.clone()]);
    let written = carry_out(context, plan, false)?;
    let (audit_id, proposal) = (written.audit_id, written.proposal);
    Ok(Output { source: ends.source.path, target: ends.target.path, audit_id, proposal })
}

/// Shows which link was dismissed.
pub fn show(output: &Output, page: &mut dyn Page) {
    let (source, target) = (Span::Path(&output.source), Span::Path(&output.target));
    page.line(&[Span::said(&match output.proposal.is_some() {
        true => message!("Not to be suggested again: {source} -> {target}", source, target),
        false => message!("Not suggested again: {source} -> {target}", source, target),
    })]);
    written::show_proposal(output.proposal.as_deref(), page);
    written::show_undo(output.audit_id.as_deref(), page);
}
