//! Making the index anew from the files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{EmbedReport, RefreshReport, Renamed, forget_unused_vectors};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Make the index anew from the files; vectors of unchanged text are kept.")
        .tool(Tool::OnRequest)
        .index_only()
        .command("rebuild");

/// Nothing to choose.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// What was done.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages that are new in the index.
    pub added: Vec<String>,
    /// Pages whose content is new.
    pub changed: Vec<String>,
    /// Pages that are gone.
    pub removed: Vec<String>,
    /// Pages that moved.
    pub renamed: Vec<Renamed>,
    /// Files that could not be read, with the reason; everything else went on.
    pub unreadable: Vec<UnreadableFile>,
    /// Page files that were written, because the project's front matter is managed or pages were
    /// asked for.
    pub written: Vec<String>,
    /// Texts that went through the model.
    pub embedded: usize,
    /// Texts whose vectors were known already.
    pub reused: usize,
    /// How true the index is.
    pub index: IndexState,
}

/// A file that could not be read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnreadableFile {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Why, in the system's words.
    pub reason: String,
}

/// Rebuilds text, graph and vectors.
///
/// # Errors
/// [`crate::Error::Io`], [`crate::Error::Model`], [`crate::Error::Database`],
/// [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    let report = context.refresh(true)?;
    let vectors = context.embed(None)?;
    forget_unused_vectors(context.index.index())?;
    context.index.index().checkpoint()?;
    output(context, report, vectors, Vec::new())
}

pub(crate) fn output(
    context: &Context<'_>,
    report: RefreshReport,
    vectors: EmbedReport,
    written: Vec<String>,
) -> Result<Output> {
    let mut index = context.index_state()?;
    index.fresh = true;
    Ok(Output {
        added: report.added,
        changed: report.changed,
        removed: report.removed,
        renamed: report.renamed,
        unreadable: report
            .unreadable
            .into_iter()
            .map(|entry| UnreadableFile { filepath: entry.path, reason: entry.reason })
            .collect(),
        written,
        embedded: vectors.embedded,
        reused: vectors.reused,
        index,
    })
}
