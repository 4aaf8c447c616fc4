//! The texts that a query is ranked against, as BM25 sees them: how many there are, how long, and how many have a word.

use rusqlite::Connection;

use crate::Result;
use crate::index::Index;

/// The texts of one index, or of several together.
pub(super) trait Texts {
    /// Number of rows of the full text.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    fn rows(&self) -> Result<usize>;

    /// Number of rows that match an FTS5 expression.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    fn rows_with(&self, expression: &str) -> Result<usize>;
}

/// The texts of one index.
#[derive(Clone, Copy)]
pub(super) struct Own<'a> {
    pub db: &'a Connection,
    pub index: &'a Index,
}

impl Texts for Own<'_> {
    fn rows(&self) -> Result<usize> {
        self.index.all_rows(self.db)
    }

    fn rows_with(&self, expression: &str) -> Result<usize> {
        self.index.row_count(self.db, expression)
    }
}
