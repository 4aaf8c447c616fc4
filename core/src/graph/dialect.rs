//! On which side of the pipe a vault's links have their target, as far as the links themselves tell.

use rusqlite::Connection;

use crate::index::questions::{links, names};
use crate::{Result, path, text};

/// Fewest links that must lead somewhere only when read label first.
const LEAST: usize = 5;

/// Links with a pipe, by what they would lead to. Read from an index made target first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PipedLinks {
    /// All of them.
    pub total: usize,
    /// Those that lead somewhere only if the target is what follows the pipe.
    pub only_label_first: usize,
    /// Those that lead somewhere only as they are read now.
    pub only_as_read: usize,
}

impl PipedLinks {
    /// Counts the links of the index.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn count(db: &Connection) -> Result<Self> {
        let mut counts = Self::default();
        for (label, leads) in links::labels(db)? {
            let name = label.split('#').next().unwrap_or_default();
            let reversed = names::is_known(db, &text::fold_key(path::page_name(name)))?;
            counts.total += 1;
            match (leads, reversed) {
                (false, true) => counts.only_label_first += 1,
                (true, false) => counts.only_as_read += 1,
                // Where both sides name a page, as titles do, the link tells nothing.
                _ => {}
            }
        }
        Ok(counts)
    }

    /// Whether the vault writes `[[label|target]]`, as Dendron does.
    pub fn are_label_first(&self) -> bool {
        self.only_label_first >= LEAST && self.only_label_first > 2 * self.only_as_read
    }

    /// The counts, as a sentence has them.
    pub fn told(&self) -> String {
        format!(
            "of {} with a pipe, {} lead somewhere only that way, {} only as written",
            self.total, self.only_label_first, self.only_as_read
        )
    }
}
