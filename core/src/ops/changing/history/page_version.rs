//! One former text of a page, and what changed since.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::page_history::{DEEPEST, PageVersion, Past, current, describe};
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::source_diff::first_lines;
use crate::page::{decode, plain};
use crate::ports::ContentHash;
use crate::show::{Page, Span};
use crate::writing::hunks;
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Read a former version of a page, and what changed since.").quoting_pages();

/// Maximum lines of the diff.
const MOST_LINES: usize = 1_000;

/// The page, and the version.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// The id of the version, from `page_history`.
    pub version: String,
}

/// The version.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page's path relative to the pages folder.
    pub filepath: String,
    /// The version.
    pub version: PageVersion,
    /// SHA-256 of the page's file as it is now, for the `expected_hash` of `save_page`.
    pub content_hash: String,
    /// Its text, as `read_page` returns the text of a page: `save_page` restores it.
    pub text: String,
    /// Whether its text can be restored without loss.
    pub restorable: bool,
    /// Why it cannot be restored; absent if it can.
    pub reason: Option<Message>,
    /// Unified diff from the version to the page as it is now, at most 1,000 lines and 64 KiB; empty if the texts are
    /// equal, apart from line endings.
    pub diff: String,
    /// Number of lines added since.
    pub added: usize,
    /// Number of lines removed since.
    pub removed: usize,
}

/// Reads the version.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown version, or one that version control does not have on this machine;
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::Io`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let (filepath, now) = current(context, &params.page)?;
    let hash = ContentHash::of(&now);
    let past = Past::of(context, &filepath, hash, DEEPEST)?;
    let id = &params.version;
    let Some((version, bytes)) = past.find(context, id)? else {
        return Err(Error::invalid(message!(
            "'{filepath}' has no version '{id}'; `page_history` lists them",
            filepath,
            id
        )));
    };
    let bytes = bytes.ok_or_else(|| {
        Error::invalid(message!(
            "the text of version '{id}' is not in this clone; git has to fetch it first",
            id
        ))
    })?;
    let reason = match std::str::from_utf8(&bytes) {
        Ok(_) => None,
        Err(_) => Some(message!("the file was not UTF-8 then, so its text cannot be restored exactly")),
    };
    let (then, now) = (plain(&decode(&bytes).0), plain(&decode(&now).0));
    let whole = hunks(&then, &now);
    let (added, removed) = changed_lines(&whole);
    let diff = if whole.is_empty() { whole } else { first_lines(&whole, MOST_LINES) };
    Ok(Output {
        filepath,
        version,
        content_hash: hash.to_string(),
        text: then,
        restorable: reason.is_none(),
        reason,
        diff,
        added,
        removed,
    })
}

/// The numbers of added and removed lines in hunks, which have no header with file names.
fn changed_lines(hunks: &str) -> (usize, usize) {
    let count = |sign: char| hunks.lines().filter(|line| line.starts_with(sign)).count();
    (count('+'), count('-'))
}

/// Shows what changed since the version.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.heading(&[Span::Path(&output.filepath)]);
    page.line(&[Span::Words(&describe(&output.version))]);
    if output.diff.is_empty() {
        page.note(&[Span::said(&message!("the text is the same now"))]);
    } else {
        page.diff(&output.diff);
    }
    if let Some(reason) = &output.reason {
        page.warn(&[Span::said(reason)]);
    }
}
