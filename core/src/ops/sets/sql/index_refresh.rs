//! Brings the index up to date on request. Servers do that by themselves, but clients of other tools expect to ask
//! for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index;
use crate::message;
use crate::message::Message;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Update text, links and front matter in the index from the files; servers do so by themselves after every edit.",
)
.tool(Tool::Set("query"))
.index_only();

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The state of indexing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The state, in words.
    pub message: Message,
    /// Whether vectors are still missing.
    pub indexing: bool,
    /// Pages waiting for vectors or, if there are none, pages that were reindexed or removed.
    pub target_count: usize,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Compares the index with the files.
///
/// # Errors
/// Those of [`Context::refresh`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    let before = context.index_state()?.pending;
    let report = context.refresh(false)?;
    let waiting = match context.embedder {
        Some(embedder) => context.index.read(|db| index::pending_pages(db, &embedder.model().identity))?,
        None => 0,
    };
    let changed = report.added.len() + report.changed.len() + report.removed.len();
    let target_count = if waiting > 0 { waiting } else { changed };
    let index = IndexState { fresh: true, ..context.index_state()? };
    let message = match (index.pending, before) {
        (0, _) => message!("Index is up to date"),
        (_, 0) => message!("Indexing started"),
        _ => message!("Indexing already in progress"),
    };
    Ok(Output { message, indexing: index.pending > 0, target_count, index })
}

/// Shows the state of indexing.
pub fn show(output: &Output, page: &mut dyn Page) {
    let count = match output.indexing {
        true => counted(output.target_count, "page waits for vectors", "pages wait for vectors"),
        false => {
            counted(output.target_count, "page was reindexed or removed", "pages were reindexed or removed")
        }
    };
    page.line(&[Span::said(&output.message), Span::Text("; "), Span::said(&count)]);
    output.index.show_with_vectors(page);
}
