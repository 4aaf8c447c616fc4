//! Rebuilds the index from the files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::{EmbedReport, RefreshReport, Renamed, forget_unused_vectors};
use crate::message;
use crate::message::Message;
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
    pub reason: Message,
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
    show_unreadable(output, page);
    page.line(&[Span::said(&message!("Rebuilt the index: {parts}", parts = parts(output)))]);
    show_written(output, page);
}

/// The same for an operation that brings the index up to date.
pub(crate) fn show_indexed(output: &Output, page: &mut dyn Page) {
    show_unreadable(output, page);
    page.line(&[Span::said(&message!("Indexed: {parts}", parts = parts(output)))]);
    show_written(output, page);
}

fn show_unreadable(output: &Output, page: &mut dyn Page) {
    for file in &output.unreadable {
        page.warn(&[Span::said(&message!(
            "{path}: {reason}; skipped",
            path = Span::Path(&file.filepath),
            reason = file.reason
        ))]);
    }
}

fn parts(output: &Output) -> Message {
    let number = |number: usize, told: fn(usize) -> Message| (number > 0).then(|| told(number));
    let mut parts: Vec<Message> = [
        number(output.added.len(), |count| message!("{count} added", count)),
        number(output.changed.len(), |count| message!("{count} changed", count)),
        number(output.removed.len(), |count| message!("{count} removed", count)),
        number(output.renamed.len(), |count| message!("{count} renamed", count)),
        number(output.written.len(), |count| message!("{count} written", count)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if output.embedded > 0 {
        parts.push(counted(output.embedded, "vector computed", "vectors computed"));
    }
    if parts.is_empty() {
        parts.push(message!("no page changed"));
    }
    if output.index.pending > 0 {
        let pending = output.index.pending;
        parts.push(counted(pending, "section without vectors yet", "sections without vectors yet"));
    }
    Message::joined(parts, ", ")
}

fn show_written(output: &Output, page: &mut dyn Page) {
    for path in &output.written {
        page.aside(&[Span::said(&message!("wrote {path}", path = Span::Path(path)))]);
    }
}
