//! How many rows of the full text match an expression. FTS5 has to read all of them to count them, and questions share
//! their most frequent words.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::Index;
use super::changes::GENERATION;
use super::connection::counter;
use super::kept::Kept;
use super::questions::fulltext;
use crate::Result;

/// Maximum number of counts that are kept.
const MOST: usize = 20_000;

/// The counts that were needed since pages changed.
#[derive(Default)]
pub(super) struct RowCounts(Kept<Mutex<HashMap<String, usize>>>);

impl Index {
    /// Number of rows of the full text that match `expression` in the state that `db` sees.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn row_count(&self, db: &Connection, expression: &str) -> Result<usize> {
        self.row_counts.of(db, expression, || fulltext::count_matches(db, expression))
    }

    /// Number of rows of the full text in the state that `db` sees.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn all_rows(&self, db: &Connection) -> Result<usize> {
        // No expression is empty.
        self.row_counts.of(db, "", || fulltext::count(db))
    }
}

impl RowCounts {
    fn of(&self, db: &Connection, expression: &str, count: impl FnOnce() -> Result<usize>) -> Result<usize> {
        let kept = self.0.at(counter(db, GENERATION)?, |_| Ok(Mutex::default()))?;
        if let Some(count) = kept.lock().unwrap_or_else(PoisonError::into_inner).get(expression) {
            return Ok(*count);
        }
        // Other threads count meanwhile.
        let count = count()?;
        let mut known = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(expression.to_owned(), count);
        Ok(count)
    }
}
