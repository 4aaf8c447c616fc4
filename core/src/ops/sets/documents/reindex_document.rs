//! Removes a document from the index and indexes it again, as if it were new.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::Result;
use crate::index::forget_document;
use crate::ops::{Facts, Tool};
use crate::ops::{document, index_markdown};

pub use crate::ops::index_markdown::{Output, show};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Index a document again from scratch; its chunk size is kept.")
    .tool(Tool::Set("documents"))
    .index_only()
    .idempotent();

/// The document.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path, as returned by ubp_list_documents.
    pub filename: String,
}

/// Reads the file again, and recomputes all of its vectors.
///
/// # Errors
/// Those of [`index_markdown::run`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let path = document::locate(context, &params.filename)?;
    context.refresh(false)?;
    let (_, state) = document::document(context, &path)?;
    forget_document(context.index.index(), state.page)?;
    context.refresh(false)?;
    let (_, state) = document::document(context, &path)?;
    index_markdown::finish(context, &path, state.page)
}
