//! Taking a document out of the index and its folder. It goes to the trash, from where it can be brought back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::ops::document;
use crate::ops::page::IndexState;
use crate::ops::written::{index_after, show_index_error, show_undo};
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::writing::{Change, Plan, Version, carry_out};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::destroying("Take a document out of the index and its folder; the file goes to the trash.")
        .tool(Tool::Set("documents"))
        .idempotent();

/// Which document.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path, as ubp_list_documents has it.
    pub filename: String,
}

/// What became of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the documents folder.
    pub filename: String,
    /// That it is gone from there.
    pub deleted: bool,
    /// Where its file lies now, relative to `.ubp/trash/`.
    pub trash: Option<String>,
    /// Names the change in the audit log, for taking it back.
    pub audit_id: Option<String>,
    /// Why the index was not updated, although the file went.
    pub index_error: Option<String>,
    /// How true the index is.
    pub index: IndexState,
}

/// Moves the file to the trash.
///
/// # Errors
/// [`crate::Error::OutsideProject`] and [`crate::Error::InvalidParams`] for a path that is no document's,
/// [`crate::Error::ReadOnly`], [`crate::Error::Conflict`], [`crate::Error::Io`]. Nothing is changed then.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let _held = context.source.lock()?;
    let filename = document::locate(context, &params.filename)?;
    context.refresh(false)?;
    let change = Change::delete(Version::read(context.source, &filename)?);
    let written = carry_out(context, Plan::new("delete_document", vec![change]), false)?;
    let index = index_after(context, &written);
    let trash = written.changed.into_iter().find_map(|file| file.trash);
    let (audit_id, index_error) = (written.audit_id, written.index_error);
    Ok(Output { filename, deleted: true, trash, audit_id, index_error, index })
}

/// Tells where the file went.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::Text("Deleted "), Span::Path(&output.filename)]);
    if let Some(trash) = &output.trash {
        page.detail(&[Span::Text("it is in "), Span::Code(&format!(".ubp/trash/{trash}"))]);
    }
    show_index_error(output.index_error.as_deref(), page);
    show_undo(output.audit_id.as_deref(), page);
}
