//! The rows of frequent words, with what the word adds to the score of each, in memory. To score a row, FTS5 looks up its
//! length and decodes the positions of the word in it. Questions share their most frequent words, and scoring those
//! takes most of the time in a large project.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::Index;
use super::changes::GENERATION;
use super::connection::counter;
use super::kept::Kept;
use crate::Result;

/// Maximum number of rows in all lists together; they take 64 MB.
const MOST: usize = 4_000_000;

/// Maximum number of expressions that are watched because their lists were not there.
const MOST_UNREAD: usize = 20_000;

/// A row of the full text that matches an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Posting {
    pub row: i64,
    /// BM25 of the row for the expression.
    pub bm25: f64,
}

/// All rows that match an expression, in ascending order.
pub(crate) type Postings = Arc<[Posting]>;

/// The lists that were read since pages changed.
#[derive(Default)]
pub(super) struct PostingLists(Kept<Mutex<Lists>>);

#[derive(Default)]
struct Lists {
    by_expression: HashMap<String, List>,
    rows: usize,
    uses: u64,
    /// Number of rows that were scored because a list was not there.
    spent: HashMap<String, usize>,
}

struct List {
    postings: Postings,
    last_use: u64,
}

impl Lists {
    fn find(&mut self, expression: &str) -> Option<Postings> {
        self.uses += 1;
        let list = self.by_expression.get_mut(expression)?;
        list.last_use = self.uses;
        Some(list.postings.clone())
    }

    fn add(&mut self, expression: &str, postings: &Postings, most: usize) {
        if postings.len() > most {
            return;
        }
        self.remove(expression);
        while self.rows + postings.len() > most {
            let oldest = self.by_expression.iter().min_by_key(|(_, list)| list.last_use);
            let Some(oldest) = oldest.map(|(expression, _)| expression.clone()) else { break };
            self.remove(&oldest);
        }
        self.spent.remove(expression);
        self.uses += 1;
        self.rows += postings.len();
        let list = List { postings: postings.clone(), last_use: self.uses };
        self.by_expression.insert(expression.to_owned(), list);
    }

    fn spend(&mut self, expression: &str, rows: usize) -> usize {
        if self.spent.len() >= MOST_UNREAD {
            self.spent.clear();
        }
        let spent = self.spent.entry(expression.to_owned()).or_default();
        *spent = spent.saturating_add(rows);
        *spent
    }

    fn remove(&mut self, expression: &str) {
        if let Some(list) = self.by_expression.remove(expression) {
            self.rows -= list.postings.len();
        }
    }
}

impl Index {
    /// The rows that match `expression` in the state that `db` sees, if [`Index::keep_postings`] keeps them.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn postings(&self, db: &Connection, expression: &str) -> Result<Option<Postings>> {
        // Browsers have no memory for them.
        if cfg!(target_family = "wasm") {
            return Ok(None);
        }
        self.with_lists(db, |lists| lists.find(expression))
    }

    /// Notes that `rows` rows are scored because the list of `expression` is not kept. Returns the number of all that were
    /// since pages changed.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn spend_without_postings(
        &self,
        db: &Connection,
        expression: &str,
        rows: usize,
    ) -> Result<usize> {
        self.with_lists(db, |lists| lists.spend(expression, rows))
    }

    /// Keeps these rows until pages change or other lists need the memory.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn keep_postings(&self, db: &Connection, expression: &str, postings: &Postings) -> Result<()> {
        self.with_lists(db, |lists| lists.add(expression, postings, MOST))
    }

    /// Frees the memory of all lists.
    pub(super) fn forget_postings(&self) {
        if let Some((_, lists)) = self.postings.0.entry() {
            self.postings.0.replace(&lists, None);
        }
    }

    fn with_lists<T>(&self, db: &Connection, work: impl FnOnce(&mut Lists) -> T) -> Result<T> {
        let lists = self.postings.0.at(counter(db, GENERATION)?, |_| Ok(Mutex::default()))?;
        Ok(work(&mut lists.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: i64) -> Postings {
        (0..rows).map(|row| Posting { row, bm25: 1.0 }).collect()
    }

    #[test]
    fn the_lists_used_last_are_kept() {
        let mut lists = Lists::default();
        lists.add("a", &of(4), 10);
        lists.add("b", &of(4), 10);
        assert_eq!(lists.find("a"), Some(of(4)));
        lists.add("c", &of(5), 10);
        assert_eq!(lists.find("b"), None);
        assert_eq!(lists.find("a"), Some(of(4)));
        assert_eq!(lists.rows, 9);
        lists.add("c", &of(6), 10);
        assert_eq!((lists.find("c"), lists.rows), (Some(of(6)), 10), "replaced, not added");
        lists.add("too long", &of(11), 10);
        assert_eq!((lists.find("too long"), lists.rows), (None, 10));
    }
}
