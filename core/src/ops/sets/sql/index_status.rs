//! How many pages have vectors, which queries by meaning need.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{self, questions::pages};
use crate::message;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Report whether vectors are complete, which queries with embedding and embed() need.")
        .tool(Tool::Set("query"));

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The state of the vectors.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Whether this machine has the project's model.
    pub enabled: bool,
    /// Whether vectors are still being computed. Pages waiting for theirs have NULL in `embedding`.
    pub indexing: bool,
    /// Pages with all of their vectors. Pages without text, or in a script that the model does not support, have
    /// none.
    pub indexed_count: usize,
    /// Pages in the index.
    pub page_count: usize,
    /// The model's name.
    pub model: String,
    /// The file that contains the vectors, relative to the project.
    pub cache_path: String,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Counts pages with vectors.
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

/// Shows how many pages have vectors.
pub fn show(output: &Output, page: &mut dyn Page) {
    let model = Span::Code(&output.model);
    let model = match output.enabled {
        true => message!("the model is {model}", model),
        false => message!("the model is {model}, which is not on this machine", model),
    };
    page.line(&[Span::said(&message!(
        "{indexed_count} of {page_count} pages have their vectors; {model}",
        indexed_count = output.indexed_count,
        page_count = output.page_count,
        model
    ))]);
    if output.indexing {
        page.line(&[Span::said(&message!("pages without vectors come last when sorted by distance"))]);
    }
    page.aside(&[Span::said(&message!("vectors are in {file}", file = Span::File(&output.cache_path)))]);
    output.index.show_with_vectors(page);
}
