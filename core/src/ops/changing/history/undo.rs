//! Undoing changes that were made through UBP, as long as nobody changed the files since. An agent can undo only its own
//! changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::audit;
use crate::ops::edited;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::writing::audit::{AuditLog, OutcomeKind};
use crate::writing::{ChangedFile, carry_out, reversal};
use crate::{Caller, Context, Error, Result};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Undo a change that was made through UBP, in all files that it changed.")
        .tool(Tool::Always)
        .command("undo");

/// Which change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its `audit_id`, or an id that `audit` lists.
    pub entry: String,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// What was taken back.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The group that was taken back.
    pub undone: String,
    /// Unified diffs of every file that changed.
    pub diff: String,
    /// Whether this only shows what would change.
    pub dry_run: bool,
    /// Files that changed.
    pub changed: Vec<ChangedFile>,
    /// Names this change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// Why the index was not updated, although the change was written.
    pub index_error: Option<String>,
    /// How true the index is.
    pub index: IndexState,
}

/// Takes the change back.
///
/// # Errors
/// [`Error::InvalidParams`] for a change that is unknown, not the agent's own, or taken back already;
/// [`Error::Undo`] when a file changed since; [`Error::Io`]. Nothing is changed then.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    let log = AuditLog::read(context.source)?;
    let entries = log.group(params.entry.trim());
    let theirs = entries.iter().all(|entry| audit::is_theirs(context, entry));
    let Some(first) = entries.first().filter(|_| theirs) else {
        return Err(audit::unknown(context, &params.entry));
    };
    if let Some(by) = log.undone_by(first) {
        let redo = if context.caller == Caller::Person {
            format!("`ubp undo {by}`")
        } else {
            format!("undoing {by}")
        };
        return Err(Error::invalid(format!("{} was undone already; {redo} redoes it", first.group)));
    }
    if log.outcome(first) == OutcomeKind::Failed {
        return Err(Error::invalid(format!("{} failed, and changed nothing", first.group)));
    }
    let mut plan = reversal(context.source, &entries)?;
    plan.undoes = Some(first.group.clone());
    let written = carry_out(context, plan, params.dry_run)?;
    drop(held);
    let index = edited::index_after(context, &written);
    Ok(Output {
        undone: first.group.clone(),
        diff: written.diff,
        dry_run: params.dry_run,
        changed: written.changed,
        audit_id: written.audit_id,
        index_error: written.index_error,
        index,
    })
}

/// Tells what became of every file.
pub fn show(output: &Output, page: &mut dyn Page) {
    if edited::show_dry_run(&output.diff, output.dry_run, page) {
        return;
    }
    for file in &output.changed {
        let path = Span::Path(&file.filepath);
        match file {
            ChangedFile { moved_from: Some(from), .. } => {
                page.line(&[Span::Path(from), Span::Text(" -> "), path]);
            }
            ChangedFile { previous_hash: None, .. } => page.line(&[path, Span::Text(" is back")]),
            ChangedFile { content_hash: None, trash, .. } => {
                let place = format!(" moved to .ubp/trash/{}", trash.as_deref().unwrap_or_default());
                page.line(&[path, Span::Text(&place)]);
            }
            _ => page.line(&[path, Span::Text(" is as it was before")]),
        }
    }
    if output.changed.is_empty() {
        page.line(&[Span::Text("Undid "), Span::Code(&output.undone)]);
    }
    edited::show_index_error(output.index_error.as_deref(), page);
    edited::show_end("", output.audit_id.as_deref(), page);
}
