//! Saving what somebody types: the whole text of a page, often, and no byte that they did not type.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::parse_time;
use crate::ops::Facts;
use crate::ops::edited::Subject;
use crate::ops::page::to_the_second;
use crate::page::{Value, body_start, parse, plain, set_fields, with_breaks_of};
use crate::ports::ContentHash;
use crate::show::{Page, Span};
use crate::writing;

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::writing("Save the whole text of a page from an editor, front matter included.").at_once();

/// Edits that follow each other sooner are one stretch of work, which moves the page's own note of its time once.
const STRETCH: SignedDuration = SignedDuration::from_mins(10);

/// Which page, and its text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: its path, or id, title or alias.
    pub page: String,
    /// The whole text, front matter included. Line breaks may be `\n` whatever the file has: lines keep theirs, and so
    /// does the file its byte order mark.
    pub text: String,
    /// `content_hash` of the page as it was read or saved last.
    pub expected_hash: String,
}

/// The page's file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// SHA-256 of the file now, to be carried by the next edit.
    pub content_hash: String,
    /// Its text now, as `read_page` gives it, where that is not what was sent: the page notes in its front matter
    /// when it was changed, and that time moved.
    pub text: Option<String>,
}

/// Saves the page. The index hears of it as of any other change of a file.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`]; [`crate::Error::Conflict`] when the page is not what
/// was read, [`crate::Error::InvalidParams`] when it is not UTF-8, [`crate::Error::Io`]. The page is as it was then.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let subject = Subject::find(context, &params.page)?;
    writing::expect(context, Some(&params.expected_hash), &subject.version)?;
    let path = subject.version.path.clone();
    let old = subject.text()?;
    let typed = with_breaks_of(old, &params.text);
    let timed = with_time(context, &path, old, &typed);
    let text = timed.as_deref().map(plain);
    let bytes = timed.unwrap_or(typed).into_bytes();
    let hash = ContentHash::of(&bytes);
    writing::save(context, subject.version, bytes)?;
    Ok(Output { filepath: path, content_hash: hash.to_string(), text })
}

/// The text with its time moved, where front matter has one that nobody edited just now, and the last stretch of
/// work is over.
fn with_time(context: &Context<'_>, path: &str, old: &str, new: &str) -> Option<String> {
    if old.get(body_start(old)..) == new.get(body_start(new)..) {
        return None;
    }
    let types = context.link_types();
    // Alone: the rest of a long page takes a while, at every save.
    let front_matter = |text: &str| parse(text.get(..body_start(text)).unwrap_or(text), &types);
    let (was, is) = (front_matter(old), front_matter(new));
    if is.diagnostics.iter().any(|found| found.code.starts_with("front_matter")) {
        return None;
    }
    let mut keys = ["updated_at", "updatedAt", "updated"].into_iter();
    let key = keys.find(|key| is.front_matter.get(key).is_some())?;
    let Some(Value::Text(noted)) = is.front_matter.get(key) else { return None };
    if was.front_matter.get(key) != is.front_matter.get(key) {
        return None;
    }
    let now = context.clock.now();
    if now.duration_since(parse_time(noted)?) < STRETCH {
        return None;
    }
    set_fields(path, new, &[(key, &to_the_second(now))]).ok()
}

/// Tells that the page is saved, and its text where that is not what was sent.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::Text("Saved "), Span::Path(&output.filepath)]);
    page.handle("content_hash", &output.content_hash);
    if let Some(text) = &output.text {
        page.note(&[Span::Text("the time in its front matter was updated; its text now:")]);
        page.text(text);
    }
}
