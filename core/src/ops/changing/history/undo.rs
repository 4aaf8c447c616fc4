//! Undoes changes made through UBP, unless the files changed since. An agent can undo only its own changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::message;
use crate::ops::audit;
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::word;
use crate::writing::audit::{AuditLog, OutcomeKind};
use crate::writing::{ChangedFile, carry_out, reversal};
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Undo a change made through UBP, in all files that it changed.")
    .tool(Tool::Always)
    .command("undo")
    .arguments(&["entry"])
    .button(word!("“Undo the last change to pages”"))
    .idempotent();

/// The change to undo.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its `audit_id`, or an id from `audit`.
    pub entry: String,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The undone change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the undone group.
    pub undone: String,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Undoes the change.
///
/// # Errors
/// [`Error::InvalidParams`] for a change that is unknown, was undone already or was made by someone else (for
/// agents); [`Error::Undo`] when a file changed since; [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    let log = AuditLog::read(context.source)?;
    let entries = log.group(params.entry.trim());
    let theirs = entries.iter().all(|entry| audit::is_theirs(context, entry));
    let Some(first) = entries.first().filter(|_| theirs) else {
        return Err(audit::unknown(context, &params.entry));
    };
    if let Some(by) = log.undone_by(first) {
        return Err(Error::invalid_with_hint(
            message!("{group} was undone already", group = first.group),
            message!("{undo} redoes it", undo = Next::call("undo").with("entry", by)),
        ));
    }
    if log.outcome(first) == OutcomeKind::Failed {
        return Err(Error::invalid(message!(
            "the change {group} failed, so there is nothing to undo",
            group = first.group
        )));
    }
    let mut plan = reversal(context.source, context.pages_dir(), &entries)?;
    plan.undoes = Some(first.group.clone());
    let written = carry_out(context, plan, params.dry_run)?;
    drop(held);
    Ok(Output { undone: first.group.clone(), written: WriteReport::of(context, written, params.dry_run) })
}

/// Shows what happened to each file.
pub fn show(output: &Output, page: &mut dyn Page) {
    if output.written.show_unwritten("", page) {
        return;
    }
    for file in &output.written.changed {
        let path = Span::Path(&file.filepath);
        match file {
            ChangedFile { moved_from: Some(from), .. } => {
                page.line(&[Span::Path(from), Span::Text(" -> "), path]);
            }
            ChangedFile { previous_hash: None, .. } => {
                page.line(&[Span::said(&message!("{path} was restored", path))])
            }
            ChangedFile { content_hash: None, trash, .. } => {
                let place = format!(".ubp/trash/{}", trash.as_deref().unwrap_or_default());
                page.line(&[Span::said(&message!("{path} moved to {place}", path, place))]);
            }
            _ => page.line(&[Span::said(&message!("{path} was reverted", path))]),
        }
    }
    if output.written.changed.is_empty() {
        page.line(&[Span::said(&message!("Undid {undone}", undone = Span::Code(&output.undone)))]);
    }
    output.written.show_end("", page);
}
