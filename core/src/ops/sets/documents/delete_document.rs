//! Removes a document from the index and moves its file to the trash, from which it can be restored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::message;
use crate::message::Message;
use crate::ops::document;
use crate::ops::page::IndexState;
use crate::ops::written::{index_after, show_index_error, show_proposal, show_undo};
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::writing::{Change, Plan, Version, carry_out};

/// Facts about this operation.
pub const FACTS: Facts = Facts::destroying("Remove a document from the index; its file moves to the trash.")
    .tool(Tool::Set("documents"))
    .idempotent();

/// The document to delete.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path, as returned by ubp_list_documents.
    pub filename: String,
}

/// The deleted document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the documents folder.
    pub filename: String,
    /// Whether the document was deleted: true unless that was only proposed.
    pub deleted: bool,
    /// The path of its file in `.ubp/trash/`.
    pub trash: Option<String>,
    /// Id of the change in the audit log, for `undo`.
    pub audit_id: Option<String>,
    /// Id of the proposal, if the deletion was only proposed.
    pub proposal: Option<String>,
    /// Why the index was not updated although the file was deleted.
    pub index_error: Option<Message>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Moves the file to the trash.
///
/// # Errors
/// [`crate::Error::OutsideProject`] and [`crate::Error::InvalidParams`] for a path that is not a document's,
/// [`crate::Error::ReadOnly`], [`crate::Error::Conflict`], [`crate::Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let _held = context.source.lock()?;
    let filename = document::locate(context, &params.filename)?;
    context.refresh(false)?;
    let change = Change::delete(Version::read(context.source, &filename)?);
    let written = carry_out(context, Plan::new("delete_document", vec![change]), false)?;
    let index = index_after(context, &written);
    let trash = written.changed.into_iter().find_map(|file| file.trash);
    let (audit_id, proposal, index_error) = (written.audit_id, written.proposal, written.index_error);
    Ok(Output { filename, deleted: proposal.is_none(), trash, audit_id, proposal, index_error, index })
}

/// Shows the path of the file in the trash.
pub fn show(output: &Output, page: &mut dyn Page) {
    let path = Span::Path(&output.filename);
    page.line(&[Span::said(&match output.deleted {
        true => message!("Deleted {path}", path),
        false => message!("To be deleted: {path}", path),
    })]);
    show_proposal(output.proposal.as_deref(), page);
    if let Some(trash) = &output.trash {
        page.detail(&[Span::said(&message!(
            "it is in {value}",
            value = Span::Code(&format!(".ubp/trash/{trash}"))
        ))]);
    }
    show_index_error(output.index_error.as_ref(), page);
    show_undo(output.audit_id.as_deref(), page);
}
