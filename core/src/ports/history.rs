//! What version control knows about files. Without version control, [`super::NoHistory`] answers
//! that nothing is known and modification times decide.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::Result;

/// The last thing that happened to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceChange {
    /// Committed and not changed since.
    Committed(Commit),
    /// Changed in the working tree, or not tracked at all.
    Uncommitted,
    /// History is cut short here (a shallow clone), so the last change may be older than it looks.
    BeyondHistory,
}

/// A commit, as far as freshness needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Full hexadecimal name.
    pub id: String,
    /// Committer time.
    pub time: Timestamp,
}

/// The project's version control.
pub trait History: Send + Sync {
    /// Name of the commit that is checked out, `None` without version control or commits.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when version control is there but fails.
    fn head(&self) -> Result<Option<String>>;

    /// The last change of each path (relative to the project). Paths that version control does not
    /// know are absent; without version control the map is empty.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when version control is there but fails.
    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>>;
}
