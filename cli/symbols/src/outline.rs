//! The definitions and tokens of a file, in any format.

use std::ops::Range;

use crate::definition::{Contract, Definition, Kind};
use crate::limits::Unreadable;
use crate::tokens::Tokens;

/// Maximum number of names in a path. What is nested deeper has no definition of its own.
pub const LONGEST_PATH: usize = 32;
/// Maximum size of the names in a path, in bytes.
const LARGEST_PATH: usize = 500;
/// Maximum number of definitions in a file.
const MOST: usize = 100_000;

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Outline {
    /// In the order of their start.
    pub definitions: Vec<Definition>,
    pub tokens: Tokens,
    /// The bytes of the bodies of functions.
    pub bodies: Vec<(usize, usize)>,
}

/// A definition that is about to be added.
pub struct Draft<'a> {
    /// The names of what contains it.
    pub within: &'a [String],
    /// Its own names.
    pub names: &'a [String],
    pub kind: Kind,
    pub range: Range<usize>,
    pub body: Option<(usize, usize)>,
    pub doc: Option<Range<usize>>,
    /// First and last line, counted from 1.
    pub lines: (usize, usize),
    pub first_token: usize,
}

impl Outline {
    /// Adds a definition whose tokens are not complete, and returns its place. Returns `None` for a definition without a
    /// usable name.
    ///
    /// # Errors
    /// [`Unreadable::TooMany`].
    pub fn add(&mut self, text: &[u8], draft: Draft<'_>) -> Result<Option<usize>, Unreadable> {
        let path: Vec<&String> = draft.within.iter().chain(draft.names).collect();
        let size: usize = path.iter().map(|name| name.len()).sum();
        let is_named = draft.names.last().is_some_and(|name| !name.is_empty());
        if !is_named || path.len() > LONGEST_PATH || size > LARGEST_PATH {
            return Ok(None);
        }
        if self.definitions.len() >= MOST {
            return Err(Unreadable::TooMany { limit: MOST });
        }
        let head = draft.body.map_or(draft.range.end, |(start, _)| start.max(draft.range.start));
        let is_head = matches!(draft.kind.contract(), Contract::Head);
        let end = if is_head { trimmed(text, draft.range.start, head) } else { draft.range.end };
        self.definitions.push(Definition {
            path: path.into_iter().cloned().collect(),
            kind: draft.kind,
            signature: draft.range.start..end,
            range: draft.range,
            body: draft.body.map(|(start, end)| start..end),
            doc: draft.doc,
            lines: draft.lines,
            tokens: draft.first_token..draft.first_token,
        });
        Ok(Some(self.definitions.len() - 1))
    }

    /// Moves the end of the definition at `place`.
    pub fn extend(&mut self, place: usize, end: usize, last_line: usize) {
        if let Some(definition) = self.definitions.get_mut(place) {
            if definition.signature.end == definition.range.end {
                definition.signature.end = end;
            }
            if let Some(body) = definition.body.as_mut().filter(|body| body.end == definition.range.end) {
                // An empty section ends before the line break that its heading includes.
                *body = body.start.min(end)..end;
            }
            definition.range.end = end;
            definition.lines.1 = last_line;
        }
    }

    /// Completes the tokens of the definition at `place`.
    pub fn close(&mut self, place: usize) {
        let end = self.tokens.len();
        if let Some(definition) = self.definitions.get_mut(place) {
            definition.tokens.end = end.max(definition.tokens.start);
        }
    }
}

/// The end of the text before white space.
fn trimmed(text: &[u8], start: usize, end: usize) -> usize {
    let part = text.get(start..end).unwrap_or_default();
    start + part.trim_ascii_end().len()
}
