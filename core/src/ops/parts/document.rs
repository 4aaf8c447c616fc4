//! What answers contain about a document, and how a client names one: only by its path, because the name may be
//! used to delete it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::index::{DocumentState, document_states};
use crate::message;
use crate::ops::page::to_the_second;
use crate::{Error, Result, path};

/// A document in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Document {
    /// Its path relative to the documents folder.
    pub filename: String,
    /// Number of chunks.
    pub chunks: usize,
    /// When it was indexed, RFC 3339.
    pub indexed_at: String,
    /// When its file was modified, RFC 3339.
    pub modified_at: String,
}

/// All documents, or the one at `path`, sorted by path.
pub(crate) fn documents(context: &Context<'_>, path: Option<&str>) -> Result<Vec<(Document, DocumentState)>> {
    let identity = context.embedder.map(|embedder| embedder.model().identity.as_str());
    let states = context.index.read(|db| document_states(db, identity, path))?;
    states
        .into_iter()
        .map(|state| {
            // If a file was modified just before it was read, its time is recorded only at the next check.
            let noted = (state.modified != 0).then(|| Timestamp::from_nanosecond(state.modified.into()).ok());
            let modified = match noted.flatten() {
                Some(time) => time,
                None => context.source.stat(&state.path)?.map_or(Timestamp::UNIX_EPOCH, |stat| stat.modified),
            };
            let indexed = Timestamp::from_second(state.indexed_at).unwrap_or(Timestamp::UNIX_EPOCH);
            let document = Document {
                filename: state.path.clone(),
                chunks: state.chunks,
                indexed_at: to_the_second(indexed),
                modified_at: to_the_second(modified),
            };
            Ok((document, state))
        })
        .collect()
}

/// The indexed document at `path`.
pub(crate) fn document(context: &Context<'_>, path: &str) -> Result<(Document, DocumentState)> {
    let found = documents(context, Some(path))?.pop();
    found.ok_or_else(|| {
        Error::invalid(message!(
            "{path} is not in the index, although the file exists; check that it can be read",
            path
        ))
    })
}

/// The path below the documents folder for a name given by a client: that path, one that starts with the folder's
/// own path, or an absolute one. The document must exist in the folder.
///
/// # Errors
/// [`Error::OutsideProject`] for any other location, however it is written and whether or not it exists;
/// [`Error::InvalidParams`] for a file that is not a document.
pub(crate) fn locate(context: &Context<'_>, given: &str) -> Result<String> {
    let outside = || Error::OutsideProject { path: given.into(), folder: "documents".into() };
    let slashed = if cfg!(windows) { given.replace('\\', "/") } else { given.to_owned() };
    let relative = match context.source.page_path(given) {
        Some(inside) => inside,
        None if !path::is_inside(&slashed) && !slashed.is_empty() => return Err(outside()),
        None => path::join("", &slashed).unwrap_or_default(),
    };
    let folder = context.pages_dir();
    let below =
        relative.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).filter(|_| !folder.is_empty());
    for candidate in [Some(relative.as_str()), below].into_iter().flatten() {
        if path::can_be_page(candidate) && context.source.stat(candidate)?.is_some() {
            return Ok(candidate.to_owned());
        }
    }
    Err(Error::invalid(message!(
        "'{given}' is not a document: documents are files in {folder} that end in .md or .markdown and are neither hidden nor \
         ignored; list_documents lists them",
        given,
        folder = if folder.is_empty() { "the documents folder" } else { folder }
    )))
}
