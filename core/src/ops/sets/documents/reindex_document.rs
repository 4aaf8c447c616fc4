//! Taking a document out of the index and in again, as if it were new.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::Result;
use crate::index::forget_document;
use crate::ops::{Facts, Tool};
use crate::ops::{document, index_markdown};

pub use crate::ops::index_markdown::{Output, show};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Take a document out of the index and in again; its chunk size stays.")
        .tool(Tool::Set("documents"))
        .index_only()
        .idempotent();

/// Which document.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path, as ubp_list_documents has it.
    pub filename: String,
}

/// Reads the file again, and makes all of its vectors anew.
///
/// # Errors
/// As [`index_markdown::run`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let path = document::locate(context, &params.filename)?;
    context.refresh(false)?;
    let (_, state) = document::document(context, &path)?;
    forget_document(context.index.index(), state.page)?;
    context.refresh(false)?;
    let (_, state) = document::document(context, &path)?;
    index_markdown::finish(context, &path, state.page)
}
