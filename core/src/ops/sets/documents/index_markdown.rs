//! Taking one document into the index at once, vectors included, cut into pieces of a size.

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

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Take a Markdown document into the index now, with vectors for all of its chunks.")
        .tool(Tool::Set("documents"))
        .index_only()
        .idempotent();

/// Which document, and how it is cut.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Path of a Markdown file in the documents folder.
    pub filepath: String,
    /// Most characters of a chunk; the project's default when absent. It stays until the document is indexed otherwise.
    #[schemars(range(min = 50, max = 100_000))]
    pub chunk_size: Option<usize>,
}

/// The document as it is in the index now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The document.
    #[serde(flatten)]
    pub document: Document,
    /// Most characters of a chunk; absent where sections and the model decide.
    pub chunk_size: Option<usize>,
    /// Chunks that went through the model.
    pub embedded: usize,
    /// Chunks whose vectors were known already.
    pub reused: usize,
    /// Why there are no vectors, where there are none.
    pub note: Option<String>,
    /// How true the index is.
    pub index: IndexState,
}

/// Indexes it.
///
/// # Errors
/// [`crate::Error::OutsideProject`] and [`crate::Error::InvalidParams`] for a path that is no document's;
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

/// Gives the page its vectors, and tells how it stands then.
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
            "the model {} does not know the script of this document: it is found by words alone",
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

/// Tells how the document is cut, and which of its vectors are new.
pub fn show(output: &Output, page: &mut dyn Page) {
    let chunks = counted(output.document.chunks, "chunk", "chunks");
    let size = output.chunk_size.map(|size| format!(" of at most {size} characters")).unwrap_or_default();
    let made = counted(output.embedded, "vector", "vectors");
    let facts = format!(": {chunks}{size}; {made} made, {} known already", output.reused);
    page.line(&[Span::Path(&output.document.filename), Span::Text(&facts)]);
    if let Some(note) = &output.note {
        page.note(&[Span::Text(note)]);
    }
}
