//! Remembering that two pages shall not be suggested to link to each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::ops::accept::Ends;
use crate::ops::written;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::suggest::decisions::Verdict;
use crate::writing::{Plan, carry_out};

/// What surfaces know of it.
pub const FACTS: Facts = Facts::writing("Remember that a suggested link is not wanted.")
    .tool(Tool::Always)
    .unwatched()
    .command("dismiss")
    .idempotent();

/// Which link.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that should not link: path, id, title or alias.
    pub source: String,
    /// The page that it should not link to.
    pub target: String,
}

/// What is remembered; it holds in both directions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Path of the one page.
    pub source: String,
    /// Path of the other.
    pub target: String,
    /// Names the decision in the audit log.
    pub audit_id: Option<String>,
}

/// Remembers it.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    context.refresh(false)?;
    let ends = context.index.read(|db| Ends::find(db, &params.source, &params.target))?;
    let plan = Plan::new("dismiss", Vec::new()).recording(ends.decision(context, Verdict::Dismissed)?);
    let audit_id = carry_out(context, plan, false)?.audit_id;
    Ok(Output { source: ends.source.path, target: ends.target.path, audit_id })
}

/// Tells which link is not wanted.
pub fn show(output: &Output, page: &mut dyn Page) {
    let (source, target) = (Span::Path(&output.source), Span::Path(&output.target));
    page.line(&[Span::Text("Not suggested again: "), source, Span::Text(" -> "), target]);
    written::show_undo(output.audit_id.as_deref(), page);
}
