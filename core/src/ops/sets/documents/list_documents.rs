//! Lists the documents in the index, in the form that clients of document servers expect.

use crate::message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::ops::document::{self, Document};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the indexed documents: file name, number of chunks, and times.")
        .tool(Tool::Set("documents"));

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// All documents, by file name.
    pub documents: Vec<Document>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Lists the documents.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    let documents = document::documents(context, None)?.into_iter().map(|(document, _)| document).collect();
    Ok(Output { documents, index: context.index_state()? })
}

/// Shows the documents as a table.
pub fn show(output: &Output, page: &mut dyn Page) {
    let row = |one: &Document| {
        vec![one.filename.clone(), one.chunks.to_string(), one.indexed_at.clone(), one.modified_at.clone()]
    };
    let rows: Vec<_> = output.documents.iter().map(row).collect();
    page.table(&[message!("document"), message!("chunks"), message!("indexed"), message!("modified")], &rows);
    page.note(&[Span::said(&counted(rows.len(), "document", "documents"))]);
}
