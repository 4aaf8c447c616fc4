//! Rebuilds the index from the files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{EmbedReport, RefreshReport, Renamed, forget_unused_vectors};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Rebuild the index from the files; vectors of unchanged text are kept.")
        .tool(Tool::OnRequest)
        .index_only()
        .command("rebuild")
        .idempotent();

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// What was done.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages new in the index.
    pub added: Vec<String>,
    /// Pages whose content changed.
    pub changed: Vec<String>,
    /// Removed pages.
    pub removed: Vec<String>,
    /// Moved pages.
    pub renamed: Vec<Renamed>,
    /// Files that could not be read, with the reason; all others were indexed.
    pub unreadable: Vec<UnreadableFile>,
    /// Page files written because front matter is managed or missing pages were requested.
    pub written: Vec<String>,
    /// Texts embedded by the model.
    pub embedded: usize,
    /// Texts whose vectors were reused.
    pub reused: usize,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A file that could not be read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnreadableFile {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// The operating system's message.
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

/// Shows what is new in the index.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_report("Rebuilt the index: ", output, page);
}

/// The same for any operation that brings the index up to date.
pub(crate) fn show_report(done: &str, output: &Output, page: &mut dyn Page) {
    for file in &output.unreadable {
        let reason = format!(": {}; skipped", file.reason);
        page.warn(&[Span::Path(&file.filepath), Span::Text(&reason)]);
    }
    let numbers = [
        (output.added.len(), "added"),
        (output.changed.len(), "changed"),
        (output.removed.len(), "removed"),
        (output.renamed.len(), "renamed"),
        (output.written.len(), "written"),
    ];
    let numbers = numbers.iter().filter(|(number, _)| *number > 0);
    let mut parts: Vec<String> = numbers.map(|(number, what)| format!("{number} {what}")).collect();
    if output.embedded > 0 {
        parts.push(format!("{} computed", counted(output.embedded, "vector", "vectors")));
    }
    if parts.is_empty() {
        parts.push("no page changed".into());
    }
    if output.index.pending > 0 {
        parts.push(format!("{} without vectors yet", counted(output.index.pending, "section", "sections")));
    }
    page.line(&[Span::Text(done), Span::Text(&parts.join(", "))]);
    for path in &output.written {
        page.aside(&[Span::Text("wrote "), Span::Path(path)]);
    }
}
