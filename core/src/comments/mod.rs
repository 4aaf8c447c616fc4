//! Comments on pages, in `.ubp/comments.jsonl`: one JSON object per comment or reply. A comment quotes the text that it is
//! about, with what is before and after it. It keeps its place when the page changes through UBP; what other programs
//! change is compensated by searching for the quote.
//!
//! **Invariants**
//! - A comment is at its text, or says that the text is gone; it never moves to other text (`tests.rs`: random edits
//!   through UBP and on disk).
//! - Lines that no comment of a call is in stay as they are, byte for byte, also lines of other programs (`tests.rs`).
//! - Lines may be in any order and more than once, so both sides of a merge can be kept (`tests.rs`).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::index::derived_id;
use crate::index::questions::pages;
use crate::page::{decode, plain};
use crate::ports::{ContentHash, Source};
use crate::{Context, Error, Result};

mod anchor;
mod moving;
mod shown;

pub(crate) use anchor::Anchor;
pub(crate) use moving::moved;
pub(crate) use shown::Letters;

/// The name of the file in `.ubp/`.
pub const FILE: &str = "comments.jsonl";

/// A comment, or a reply to one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Comment {
    pub id: String,
    /// The comment that this one replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Path of the page.
    pub page: String,
    /// Its id, if its front matter has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_id: Option<String>,
    #[serde(default)]
    pub author: String,
    /// Whether an agent or a guest wrote it: their names may be those of others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent: bool,
    /// RFC 3339.
    #[serde(default)]
    pub at: String,
    #[serde(default)]
    pub text: String,
    /// The text that it is about; none for the whole page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// Deleted, but replies of others remain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Time of the last change of this line; of two with one id, the later one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Who resolved a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resolved {
    #[serde(default)]
    pub by: String,
    /// RFC 3339.
    #[serde(default)]
    pub at: String,
}

impl Comment {
    /// When this line was last changed.
    fn time(&self) -> &str {
        self.changed.as_deref().unwrap_or(&self.at)
    }
}

/// A line of the file with its line break.
#[derive(Debug)]
struct Line {
    bytes: Vec<u8>,
    comment: Option<Comment>,
}

impl Line {
    fn read(bytes: &[u8]) -> Self {
        let comment = serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)).ok();
        Self { bytes: bytes.to_vec(), comment }
    }

    fn written(comment: &Comment) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(comment).map_err(|error| Error::Internal(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// The file of comments.
#[derive(Debug, Default)]
pub(crate) struct Comments {
    lines: Vec<Line>,
    before: Option<ContentHash>,
    is_changed: bool,
}

impl Comments {
    /// Reads the file. Lines that are no comments, such as conflict markers of a merge, are kept and ignored.
    ///
    /// # Errors
    /// [`Error::Io`] if it exists but cannot be read.
    pub(crate) fn load(source: &dyn Source) -> Result<Self> {
        let Some(bytes) = source.read_state(FILE)? else { return Ok(Self::default()) };
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(Line::read).collect();
        Ok(Self { lines, before: Some(ContentHash::of(&bytes)), is_changed: false })
    }

    /// Writes the file, if anything changed.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it changed since it was read; [`Error::Io`].
    pub(crate) fn save(self, source: &dyn Source) -> Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        let bytes: Vec<u8> = self.lines.into_iter().flat_map(|line| line.bytes).collect();
        source.write_state(FILE, &bytes, self.before)
    }

    /// The comments and replies, the current line of each, in the order of the file.
    pub(crate) fn all(&self) -> Vec<&Comment> {
        let mut all: Vec<&Comment> = Vec::new();
        for comment in self.lines.iter().filter_map(|line| line.comment.as_ref()) {
            match all.iter().position(|known| known.id == comment.id) {
                Some(at) if all[at].time() <= comment.time() => all[at] = comment,
                Some(_) => {}
                None => all.push(comment),
            }
        }
        all
    }

    /// The comment or reply with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&Comment> {
        self.all().into_iter().find(|comment| comment.id == id)
    }

    /// The size of the file in bytes.
    pub(crate) fn size(&self) -> usize {
        self.lines.iter().map(|line| line.bytes.len()).sum()
    }

    /// Adds a line at the end.
    pub(crate) fn add(&mut self, comment: Comment) -> Result<()> {
        if let Some(last) = self.lines.last_mut().filter(|line| !line.bytes.ends_with(b"\n")) {
            last.bytes.push(b'\n');
        }
        self.lines.push(Line { bytes: Line::written(&comment)?, comment: Some(comment) });
        self.is_changed = true;
        Ok(())
    }

    /// Removes what `is_gone` says.
    pub(crate) fn remove(&mut self, is_gone: impl Fn(&Comment) -> bool) {
        let before = self.lines.len();
        self.lines.retain(|line| !line.comment.as_ref().is_some_and(&is_gone));
        self.is_changed |= self.lines.len() < before;
    }

    /// Changes all lines of one comment.
    pub(crate) fn change(&mut self, id: &str, edit: impl Fn(&mut Comment)) -> Result<()> {
        self.change_those(|comment| {
            if comment.id == id {
                edit(comment);
            }
        })
    }

    fn change_those(&mut self, mut edit: impl FnMut(&mut Comment)) -> Result<()> {
        for line in &mut self.lines {
            let Some(comment) = &mut line.comment else { continue };
            let before = comment.clone();
            edit(comment);
            if *comment != before {
                line.bytes = Line::written(comment)?;
                self.is_changed = true;
            }
        }
        Ok(())
    }
}

/// The text of a page in which comments have their places: with `\n` at the end of lines, without byte order mark.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    plain(&decode(bytes).0)
}

/// Lets the comments of moved pages follow.
pub(crate) fn follow(source: &dyn Source, moves: &[(&str, &str)]) -> Result<()> {
    let _held = source.lock()?;
    let mut comments = Comments::load(source)?;
    comments.change_those(|comment| {
        if let Some((_, to)) = moves.iter().find(|(from, _)| comment.page == *from) {
            (*to).clone_into(&mut comment.page);
        }
    })?;
    comments.save(source)
}

/// Keeps the comments of a page that changed at their text. Writes only if searching for the quotes would not find it.
pub(crate) fn keep(context: &Context<'_>, page: &str, before: &[u8], after: &[u8]) -> Result<()> {
    let source = context.source;
    let _held = source.lock()?;
    let mut comments = Comments::load(source)?;
    if comments.lines.is_empty() {
        return Ok(());
    }
    let (before, after) = (text_of(before), text_of(after));
    for orphan in orphans_of(context, &comments, page, &before)? {
        comments.change(&orphan, |comment| page.clone_into(&mut comment.page))?;
    }
    comments.change_those(|comment| {
        let Some(anchor) = comment.anchor.as_ref().filter(|_| comment.page == page) else { return };
        let Some(place) = anchor.find(&before) else { return };
        let Some(place) = moved(&before, &after, &place) else { return };
        if anchor.find(&after).as_ref() != Some(&place) {
            comment.anchor = Some(Anchor::of(&after, &place));
        }
    })?;
    comments.save(source)
}

/// The comments whose page is gone from its path, and that are about the page at `path` with this text: another program moved
/// it.
///
/// # Errors
/// [`Error::Database`].
pub(crate) fn orphans_of(
    context: &Context<'_>,
    comments: &Comments,
    path: &str,
    text: &str,
) -> Result<HashSet<String>> {
    let all = comments.all();
    let mut elsewhere: Vec<&str> =
        all.iter().map(|comment| comment.page.as_str()).filter(|page| *page != path).collect();
    elsewhere.sort_unstable();
    elsewhere.dedup();
    let id = context.index.read(|db| {
        let mut gone = Vec::new();
        for page in &elsewhere {
            if pages::at(db, page)?.is_none() {
                gone.push(*page);
            }
        }
        elsewhere = gone;
        if elsewhere.is_empty() {
            return Ok(None);
        }
        let Some(page) = pages::at(db, path)? else { return Ok(None) };
        Ok(lasting_id(path, &pages::row(db, page)?.doc_id))
    })?;
    let mut found = HashSet::new();
    for comment in all.iter().filter(|comment| elsewhere.contains(&comment.page.as_str())) {
        let is_here = match (&comment.page_id, &comment.anchor) {
            (Some(page), _) => id.as_ref() == Some(page),
            (None, Some(anchor)) => anchor.is_surely_in(text),
            (None, None) => false,
        };
        if is_here {
            found.insert(comment.id.clone());
        }
    }
    // Replies go with their comments.
    let replies =
        all.iter().filter(|reply| reply.thread.as_ref().is_some_and(|thread| found.contains(thread)));
    let replies: Vec<String> = replies.map(|reply| reply.id.clone()).collect();
    found.extend(replies);
    Ok(found)
}

/// The id of a page for its comments: only one that its front matter has stays when another program moves the page.
pub(crate) fn lasting_id(path: &str, id: &str) -> Option<String> {
    (id != derived_id(path)).then(|| id.to_owned())
}

#[cfg(test)]
mod tests;
