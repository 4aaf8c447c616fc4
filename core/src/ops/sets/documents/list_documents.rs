//! The documents in the index, as users of document servers know the list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::ops::document::{self, Document};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::reading("List the indexed documents: file name, number of chunks, and times.")
        .tool(Tool::Set("documents"));

/// Nothing to choose.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// All of them, by file name.
    pub documents: Vec<Document>,
    /// How true the index is.
    pub index: IndexState,
}

/// Lists them.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    let documents = document::documents(context, None)?.into_iter().map(|(document, _)| document).collect();
    Ok(Output { documents, index: context.index_state()? })
}
