//! Brings the index up to date on request. Servers do it by themselves; clients of other tools are used to asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};

/// What surfaces know of it.
pub const FACTS: Facts = Facts::reading(
    "Bring text, links and front matter up to date with the files; servers do so by themselves after every edit.",
)
.tool(Tool::Set("query"))
.index_only();

/// Nothing to choose.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// What was begun.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// In words.
    pub message: String,
    /// Whether vectors are missing still.
    pub indexing: bool,
    /// Pages that wait for vectors or, where none do, were read anew or removed.
    pub target_count: usize,
    /// How true the index is.
    pub index: IndexState,
}

/// Compares the index with the files.
///
/// # Errors
/// As [`Context::refresh`].
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
        (0, _) => "Index is up to date",
        (_, 0) => "Indexing started",
        _ => "Indexing already in progress",
    };
    Ok(Output { message: message.into(), indexing: index.pending > 0, target_count, index })
}

/// Tells what was begun.
pub fn show(output: &Output, page: &mut dyn Page) {
    let count = match output.indexing {
        true => format!("{} for vectors", counted(output.target_count, "page waits", "pages wait")),
        false => format!("{} reindexed or removed", counted(output.target_count, "page was", "pages were")),
    };
    page.line(&[Span::Text(&output.message), Span::Text(&format!("; {count}"))]);
    output.index.show_with_vectors(page);
}
