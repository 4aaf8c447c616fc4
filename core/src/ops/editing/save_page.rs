//! Saves the full text of a page as a user types it. It is called often, and changes only what was typed.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::index::parse_time;
use crate::message;
use crate::ops::Facts;
use crate::ops::edited::Subject;
use crate::ops::page::to_the_second;
use crate::page::{Value, body_start, parse, plain, set_fields, with_breaks_of};
use crate::ports::ContentHash;
use crate::show::{Page, Span};
use crate::writing;

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Save the whole text of a page from an editor, front matter included.").at_once();

/// Edits within this time of each other update the page's own modification time only once.
const STRETCH: SignedDuration = SignedDuration::from_mins(10);

/// The page, and its text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// The full text, including front matter. Line breaks may be `\n`: lines and the file keep their own line
    /// endings and byte order mark.
    pub text: String,
    /// `content_hash` of the page as last read or saved.
    pub expected_hash: String,
}

/// The page's file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// SHA-256 of the file after saving, for the next `expected_hash`.
    pub content_hash: String,
    /// Its text after saving, as `read_page` returns it; only if it differs from the text sent, because the
    /// modification time in its front matter was updated.
    pub text: Option<String>,
    /// Id of the proposal, if the caller may only propose changes. The page is unchanged then, and the hash is that of the
    /// proposed text.
    pub proposal: Option<String>,
}

/// Saves the page. The index is updated as after any other change of a file.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`]; [`crate::Error::Conflict`] when the page
/// changed since it was read, [`crate::Error::InvalidParams`] when it is not UTF-8, [`crate::Error::Io`]. On error,
/// the page is unchanged.
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
    let proposal = writing::save(context, subject.version, bytes)?;
    Ok(Output { filepath: path, content_hash: hash.to_string(), text, proposal })
}

/// The text with the modification time in its front matter updated. `None` if there is none, the user just edited
/// it, or it was updated recently.
fn with_time(context: &Context<'_>, path: &str, old: &str, new: &str) -> Option<String> {
    if old.get(body_start(old)..) == new.get(body_start(new)..) {
        return None;
    }
    let types = context.link_types();
    // Parse only the front matter: parsing all of a long page at every save takes too long.
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

/// Shows that the page was saved, and its text if it differs from the text sent.
pub fn show(output: &Output, page: &mut dyn Page) {
    let path = Span::Path(&output.filepath);
    page.line(&[Span::said(&match &output.proposal {
        Some(id) => message!("Proposed a change of {path}, as {id}", path, id),
        None => message!("Saved {path}", path),
    })]);
    page.content_hash(&output.content_hash);
    if let Some(text) = &output.text {
        page.note(&[Span::said(&message!("the time in its front matter was updated; its text now:"))]);
        page.text(text);
    }
}
