//! Where sources that do not exist went, within one limit for a whole answer: each look walks through the history.

use std::collections::{HashMap, HashSet};

use super::{Moves, NewPlace};
use crate::ports::SymbolHashes;
use crate::{Context, Result};

/// Maximum sources that are looked for in one answer.
pub(crate) const MOST_LOOKUPS: usize = 50;

/// Looks for sources. One that several pages name is looked for once.
pub(crate) struct Lookups<'a> {
    context: &'a Context<'a>,
    moves: Moves<'a>,
    known: HashMap<String, Option<NewPlace>>,
    left_out: HashSet<String>,
}

/// What is known about a source that does not exist.
pub(crate) enum Looked<'l> {
    /// It is there now.
    Found(&'l NewPlace),
    /// Nothing, or not only one thing, is like it.
    Nothing,
    /// It was not looked for, because others were.
    Not,
}

impl<'a> Lookups<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        Self { context, moves: Moves::of(context), known: HashMap::new(), left_out: HashSet::new() }
    }

    /// Where the missing `source` is, a file or a symbol; `reviewed` are the hashes of the symbol at its last review.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when version control fails, [`crate::Error::Cancelled`].
    pub(crate) fn look(&mut self, source: &str, reviewed: Option<&SymbolHashes>) -> Result<Looked<'_>> {
        if !self.known.contains_key(source) {
            if self.known.len() == MOST_LOOKUPS {
                self.left_out.insert(source.to_owned());
                return Ok(Looked::Not);
            }
            let place = match self.moves.moved_to(source, reviewed)? {
                Some(place) => Some(place),
                None => self.file(source)?,
            };
            self.known.insert(source.to_owned(), place);
        }
        Ok(self.known.get(source).and_then(Option::as_ref).map_or(Looked::Nothing, Looked::Found))
    }

    /// Number of sources that were not looked for.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out.len()
    }

    fn file(&self, path: &str) -> Result<Option<NewPlace>> {
        let Some(moved) = self.context.history.renamed_to(path)? else { return Ok(None) };
        let exists = self.context.source.stat_source(&moved.path)?.is_some();
        let confidence = crate::renames::of_files(moved.similarity);
        Ok(exists.then_some(NewPlace { anchor: moved.path, confidence }))
    }
}
