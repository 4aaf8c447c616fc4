//! Whether meaning can be asked for: how far vectors are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{self, questions::pages};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::reading("Tell whether vectors are complete, so that a query can use embedding and embed().")
        .tool(Tool::Set("query"));

/// Nothing to choose.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// How far vectors are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Whether this machine has the project's model.
    pub enabled: bool,
    /// Whether vectors are still being made. Pages that wait for theirs have NULL in `embedding`.
    pub indexing: bool,
    /// Pages that have vectors, and lack none. Pages without text have none, nor have those in a script that the model
    /// does not understand.
    pub indexed_count: usize,
    /// Pages in the index.
    pub page_count: usize,
    /// The model's name.
    pub model: String,
    /// Where vectors are kept, relative to the project.
    pub cache_path: String,
    /// How true the index is.
    pub index: IndexState,
}

/// Counts.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    let (page_count, indexed_count) = context.index.read(|db| {
        let indexed = match context.embedder {
            Some(embedder) => index::vectorized_pages(db, &embedder.model().identity)?,
            None => 0,
        };
        Ok((pages::count(db)?, indexed))
    })?;
    let state = context.index_state()?;
    Ok(Output {
        enabled: context.embedder.is_some(),
        indexing: context.embedder.is_some() && state.pending > 0,
        indexed_count,
        page_count,
        model: context.manifest.embedding_model.name.clone(),
        cache_path: ".ubp/metadata.db".into(),
        index: state,
    })
}

/// Tells how far vectors are.
pub fn show(output: &Output, page: &mut dyn Page) {
    let lacking = if output.enabled { "" } else { ", which is not on this machine" };
    page.line(&[
        Span::Text(&format!(
            "{} of {} pages have their vectors; the model is ",
            output.indexed_count, output.page_count
        )),
        Span::Code(&output.model),
        Span::Text(lacking),
    ]);
    if output.indexing {
        page.line(&[Span::Text("pages that wait for theirs are last in an order by distance")]);
    }
    page.aside(&[Span::Text("vectors are in "), Span::File(&output.cache_path)]);
    output.index.show_with_vectors(page);
}
