//! What the answer to every change of pages says about the files written.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ops::page::IndexState;
use crate::show::{Page, Span};
use crate::writing::{ChangedFile, Written};

/// What was written, or would be written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WriteReport {
    /// Unified diffs of every file that changed; for an agent at most the first 8,000 bytes.
    pub diff: String,
    /// Whether this is a dry run, which writes nothing.
    pub dry_run: bool,
    /// Files that changed.
    pub changed: Vec<ChangedFile>,
    /// Id of the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// Id of the proposal, if the change was only proposed: a person decides whether it is written.
    pub proposal: Option<String>,
    /// Why the index was not updated after the change was written.
    pub index_error: Option<Message>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

impl WriteReport {
    /// The report on a write by `carry_out`.
    pub(crate) fn of(context: &Context<'_>, written: Written, dry_run: bool) -> Self {
        let index = index_after(context, &written);
        let Written { changed, diff, audit_id, proposal, index_error } = written;
        Self { diff, dry_run, changed, audit_id, proposal, index_error, index }
    }

    /// Whether nothing was written because this is a dry run or a proposal.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.dry_run || self.proposal.is_some()
    }

    /// Shows what would change, for a dry run or a proposal. Returns whether this is one. `content_hash` is that of the
    /// changed page, for the next edit; empty unless there is one.
    pub(crate) fn show_unwritten(&self, content_hash: &str, page: &mut dyn Page) -> bool {
        if self.show_proposed(page) {
            page.content_hash(content_hash);
            return true;
        }
        if self.dry_run && !self.diff.is_empty() {
            page.diff(&self.diff);
            page.note(&[Span::said(&message!("dry run: nothing was written"))]);
        } else if self.dry_run {
            page.note(&[Span::said(&message!("nothing would change"))]);
        }
        self.dry_run
    }

    /// Shows a proposal. Returns whether this is one.
    pub(crate) fn show_proposed(&self, page: &mut dyn Page) -> bool {
        if self.proposal.is_some() {
            page.diff(&self.diff);
        }
        show_proposal(self.proposal.as_deref(), page);
        self.proposal.is_some()
    }

    /// Shows the end of the answer: why the index was not updated, the hash to pass with the next edit of the page
    /// (empty unless exactly one page changed), and how to undo the change.
    pub(crate) fn show_end(&self, content_hash: &str, page: &mut dyn Page) {
        show_index_error(self.index_error.as_ref(), page);
        page.content_hash(content_hash);
        show_undo(self.audit_id.as_deref(), page);
    }
}

/// The state of the index after a write; the write succeeded even if this fails.
pub(crate) fn index_after(context: &Context<'_>, written: &Written) -> IndexState {
    let unknown = || IndexState { fresh: false, pending: 0, head: None };
    let state = context.index_state().unwrap_or_else(|_| unknown());
    IndexState { fresh: state.fresh && written.index_error.is_none(), ..state }
}

/// Shows why the index was not updated after a write.
pub(crate) fn show_index_error(error: Option<&Message>, page: &mut dyn Page) {
    if let Some(error) = error {
        page.warn(&[Span::said(&message!(
            "the change was written, but the index was not updated: {error}",
            error
        ))]);
    }
}

/// Shows that a change was proposed, not made.
pub(crate) fn show_proposal(proposal: Option<&str>, page: &mut dyn Page) {
    let Some(id) = proposal else { return };
    page.line(&[Span::said(&message!(
        "{label} This is proposal {id}, which a person accepts or rejects",
        label = Span::strong(&message!("Nothing was written yet.")),
        id = Span::Code(id)
    ))]);
    let look = page.voice().ask(&Next::call("get_proposal").with("proposal", id));
    let take_back = page.voice().ask(&Next::call("withdraw_proposal").with("proposal", id));
    page.note(&[Span::said(&message!(
        "{look} shows it, and what became of it; {take_back} withdraws it",
        look,
        take_back
    ))]);
}

/// Shows how to undo the change with this id in the audit log.
pub(crate) fn show_undo(audit_id: Option<&str>, page: &mut dyn Page) {
    if let Some(id) = audit_id {
        page.note(&[Span::said(&message!(
            "{id} undoes this",
            id = page.voice().ask(&Next::call("undo").with("entry", id))
        ))]);
    }
}
