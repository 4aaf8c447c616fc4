//! The full text of a page, for an editor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::page::{PageName, path_of};
use crate::page::{LineBreak, decode, plain};
use crate::ports::ContentHash;
use crate::show::{Page, Span};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Read the whole text of a page, front matter included, for an editor.").at_once();

/// The page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
}

/// The page's file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its text including front matter, without byte order mark, with lines ended by `\n`. `save_page` restores
    /// both.
    pub text: String,
    /// SHA-256 of the file, for `expected_hash`.
    pub content_hash: String,
    /// Its line endings.
    pub line_break: LineBreak,
    /// Whether it starts with a byte order mark.
    pub byte_order_mark: bool,
    /// Whether it can be saved.
    pub editable: bool,
    /// Why it cannot be saved; absent if it can.
    pub reason: Option<Message>,
}

/// Reads the file itself, not the indexed text.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let path = context.index.read(|db| {
        let page = PageName { page: Some(&params.page), ..PageName::default() }.require(db)?;
        path_of(db, page)
    })?;
    let bytes = context.source.read(&path)?;
    let reason = match std::str::from_utf8(&bytes) {
        Ok(_) => context.source.check_writable(&path).err().map(|error| error.message()),
        Err(_) => Some(not_utf8(&path).message()),
    };
    let (text, _) = decode(&bytes);
    Ok(Output {
        text: plain(&text),
        content_hash: ContentHash::of(&bytes).to_string(),
        line_break: LineBreak::of(&text),
        byte_order_mark: text.starts_with('\u{feff}'),
        filepath: path,
        editable: reason.is_none(),
        reason,
    })
}

/// The error for a page that is not UTF-8, because editing it would damage it.
pub(crate) fn not_utf8(path: &str) -> Error {
    Error::invalid(message!("{path}: not UTF-8; save it as UTF-8 first", path))
}

/// Shows the text of the page, and whether it can be saved.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.heading(&[Span::Path(&output.filepath)]);
    page.content_hash(&output.content_hash);
    page.text(&output.text);
    if let Some(reason) = &output.reason {
        page.warn(&[Span::said(&message!("this page cannot be saved: {reason}", reason))]);
    }
}
