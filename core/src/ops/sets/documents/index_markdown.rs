//! Indexes one document at once, including vectors, in chunks of a given size.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::vectors;
use crate::index::{EmbedReport, embed_page, set_chunk_size};
use crate::manifest::CHUNK_SIZES;
use crate::ops::document::{self, Document};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};
use crate::{Result, ops::budget};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Index a Markdown document now, with vectors for all of its chunks.")
    .tool(Tool::Set("documents"))
    .index_only()
    .idempotent();

/// The document, and its chunk size.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Path of a Markdown file in the documents folder.
    pub filepath: String,
    /// Maximum characters of a chunk (default: the project's). It applies until the document is indexed with
    /// another size.
    #[schemars(range(min = 50, max = 100_000))]
    pub chunk_size: Option<usize>,
}

/// The document in the index.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The document.
    #[serde(flatten)]
    pub document: Document,
    /// Maximum characters of a chunk; absent if chunks are sections that fit the model.
    pub chunk_size: Option<usize>,
    /// Chunks embedded by the model.
    pub embedded: usize,
    /// Chunks whose vectors were reused.
    pub reused: usize,
    /// Why there are no vectors, if there are none.
    pub note: Option<String>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Indexes the document.
///
/// # Errors
/// [`crate::Error::OutsideProject`] and [`crate::Error::InvalidParams`] for a path that is not a document's;
/// [`crate::Error::Io`], [`crate::Error::Model`], [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if let Some(size) = params.chunk_size {
        budget::ranged("chunk_size", Some(size), size, CHUNK_SIZES.0, CHUNK_SIZES.1)?;
    }
    let path = document::locate(context, &params.filepath)?;
    context.refresh(false)?;
    let (_, state) = document::document(context, &path)?;
    set_chunk_size(context.index.index(), state.page, params.chunk_size, context.clock.now())?;
    finish(context, &path, state.page)
}

/// Computes the vectors of the page, and returns its new state.
pub(crate) fn finish(context: &Context<'_>, path: &str, page: i64) -> Result<Output> {
    let report = match context.embedder {
        Some(embedder) => embed_page(
            context.index.index(),
            embedder,
            context.clock,
            page,
            context.progress,
            context.cancel,
        )?,
        None => EmbedReport::default(),
    };
    let (document, state) = document::document(context, path)?;
    let note = match (context.embedder, report.embedded + report.reused) {
        (None, _) => {
            Some("there is no model on this machine: the document is found by words alone".to_owned())
        }
        (Some(embedder), 0) if context.index.read(|db| vectors::are_missing(db, page))? => Some(format!(
            "the model {} does not support the script of this document: it is found by words alone",
            embedder.model().name
        )),
        _ => None,
    };
    Ok(Output {
        document,
        chunk_size: state.chunk_size,
        embedded: report.embedded,
        reused: report.reused,
        note,
        index: IndexState { fresh: true, ..context.index_state()? },
    })
}

/// Shows the document's chunks, and how many vectors are new.
pub fn show(output: &Output, page: &mut dyn Page) {
    let chunks = counted(output.document.chunks, "chunk", "chunks");
    let size = output.chunk_size.map(|size| format!(" of at most {size} characters")).unwrap_or_default();
    let made = counted(output.embedded, "vector", "vectors");
    let facts = format!(": {chunks}{size}; {made} new, {} reused", output.reused);
    page.line(&[Span::Path(&output.document.filename), Span::Text(&facts)]);
    if let Some(note) = &output.note {
        page.note(&[Span::Text(note)]);
    }
}
