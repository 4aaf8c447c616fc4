//! Whether the piped links of a vault have their target before or after the pipe, judged by the links themselves.

use rusqlite::Connection;

use crate::index::questions::{links, names};
use crate::message::Message;
use crate::{Result, message, path, text};

/// Minimum number of links that resolve only with the label first.
const LEAST: usize = 5;

/// Links with a pipe, by the order in which they resolve. Counted in an index built with the target first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PipedLinks {
    /// All links with a pipe.
    pub total: usize,
    /// Links that resolve only if the target is after the pipe.
    pub only_label_first: usize,
    /// Links that resolve only if the target is before the pipe.
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
                // If both sides name a page, as titles do, the link does not show the order.
                _ => {}
            }
        }
        Ok(counts)
    }

    /// Whether the vault writes `[[label|target]]`, as Dendron does.
    pub fn are_label_first(&self) -> bool {
        self.only_label_first >= LEAST && self.only_label_first > 2 * self.only_as_read
    }

    /// The counts as a phrase for messages.
    pub fn told(&self) -> Message {
        message!(
            "of {total} links with a pipe, {label_first} resolve only with the label first, {target_first} only with the target first",
            total = self.total,
            label_first = self.only_label_first,
            target_first = self.only_as_read
        )
    }
}
