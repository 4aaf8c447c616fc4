//! What every change of pages tells about its writing.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::hint::Next;
use crate::ops::page::IndexState;
use crate::show::{Page, Span};
use crate::writing::{ChangedFile, Written};

/// What was written, or would be.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WriteReport {
    /// Unified diffs of every file that changed; for an agent at most the first 8,000 bytes.
    pub diff: String,
    /// Whether this only shows what would be written.
    pub dry_run: bool,
    /// Files that changed.
    pub changed: Vec<ChangedFile>,
    /// Names the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// Why the index was not updated, although the change was written.
    pub index_error: Option<String>,
    /// How true the index is.
    pub index: IndexState,
}

impl WriteReport {
    /// The report of what `carry_out` returned.
    pub(crate) fn of(context: &Context<'_>, written: Written, dry_run: bool) -> Self {
        let index = index_after(context, &written);
        let Written { changed, diff, audit_id, index_error } = written;
        Self { diff, dry_run, changed, audit_id, index_error, index }
    }

    /// Tells what would change, where somebody asked only for that. Returns whether that is so.
    pub(crate) fn show_dry_run(&self, page: &mut dyn Page) -> bool {
        if self.dry_run && !self.diff.is_empty() {
            page.diff(&self.diff);
            page.note(&[Span::Text("dry run: nothing was written")]);
        } else if self.dry_run {
            page.note(&[Span::Text("nothing would change")]);
        }
        self.dry_run
    }

    /// Ends the answer: why the index was not updated, the hash that the next edit of the page has to carry
    /// (empty where no single page was changed), and how to undo the change.
    pub(crate) fn show_end(&self, content_hash: &str, page: &mut dyn Page) {
        show_index_error(self.index_error.as_deref(), page);
        page.handle("content_hash", content_hash);
        show_undo(self.audit_id.as_deref(), page);
    }
}

/// How true the index is after a write, which succeeded even if this fails.
pub(crate) fn index_after(context: &Context<'_>, written: &Written) -> IndexState {
    let unknown = || IndexState { fresh: false, pending: 0, head: None };
    let state = context.index_state().unwrap_or_else(|_| unknown());
    IndexState { fresh: state.fresh && written.index_error.is_none(), ..state }
}

/// Tells why the index was not updated after a write.
pub(crate) fn show_index_error(error: Option<&str>, page: &mut dyn Page) {
    if let Some(error) = error {
        page.warn(&[
            Span::Text("the change was written, but the index was not updated: "),
            Span::Text(error),
        ]);
    }
}

/// Tells how to undo the change of this name in the audit log.
pub(crate) fn show_undo(audit_id: Option<&str>, page: &mut dyn Page) {
    if let Some(id) = audit_id {
        page.note(&[Span::Text(&format!(
            "{} undoes this",
            page.voice().ask(&Next::call("undo").with("entry", id))
        ))]);
    }
}
