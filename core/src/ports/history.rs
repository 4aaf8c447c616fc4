//! What version control knows about files. Without version control, [`super::NoHistory`] answers
//! that nothing is known and modification times decide.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::{Error, Result};

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

/// A commit in the history of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The commit.
    pub commit: Commit,
    /// First line of its message.
    pub subject: String,
}

/// A file as a commit has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Full hexadecimal name of its content.
    pub id: String,
    /// Length in bytes.
    pub size: u64,
    /// The file itself, or the folder above it, that the commit's ignore rules leave out; `None` where
    /// they leave out neither.
    pub ignored: Option<String>,
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

    /// The time of the first commit of each path (relative to the project). Paths without a known first commit are
    /// absent.
    ///
    /// # Errors
    /// As [`History::last_changes`].
    fn first_commits(&self, _paths: &[String]) -> Result<BTreeMap<String, Timestamp>> {
        Ok(BTreeMap::new())
    }

    /// The commits that changed a file, newest first, at most `limit`; none where nothing is known.
    ///
    /// # Errors
    /// As [`History::head`].
    fn revisions(&self, _path: &str, _limit: usize) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    /// What a file held at a commit, `None` when it was not there or is not known.
    ///
    /// # Errors
    /// As [`History::head`].
    fn read_at(&self, _commit: &str, _path: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// What changed in a file since a commit, uncommitted edits included, as a unified diff; `None`
    /// where nothing is known.
    ///
    /// # Errors
    /// As [`History::head`].
    fn diff_since(&self, _commit: &str, _path: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// Where a file that is no longer there was moved to by the commit that took it away.
    ///
    /// # Errors
    /// As [`History::head`].
    fn renamed_to(&self, _path: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// Paths, relative to the project, that differ between a revision and the working tree.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a revision that does not exist, or without version control.
    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        Err(Error::invalid(format!("'{revision}' is no revision: the project is not under version control")))
    }

    /// The full name of the commit that `revision` (a branch, a tag, `HEAD~3`, …) stands for.
    ///
    /// # Errors
    /// As [`History::changed_since`].
    fn resolve(&self, revision: &str) -> Result<String> {
        Err(Error::invalid(format!("'{revision}' is no revision: the project is not under version control")))
    }

    /// The last commit that two commits, given by their full names, have in common; `None` when there
    /// is none, or when history is cut off before it.
    ///
    /// # Errors
    /// As [`History::head`].
    fn merge_base(&self, _one: &str, _other: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// The project's files as a commit, given by its full name, has them. Symbolic links to files stand
    /// for these; files of submodules are there as far as this machine has them.
    ///
    /// # Errors
    /// As [`History::head`].
    fn files_at(&self, _commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        Ok(BTreeMap::new())
    }

    /// The content of files of [`History::files_at`], each given by path and name of its content, in
    /// the same order; `None` for what is not on this machine.
    ///
    /// # Errors
    /// As [`History::head`].
    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        Ok(files.iter().map(|_| None).collect())
    }

    /// As [`History::last_changes`], up to a commit, given by its full name, and without what is not
    /// committed.
    ///
    /// # Errors
    /// As [`History::head`].
    fn last_changes_at(&self, _commit: &str, _paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        Ok(BTreeMap::new())
    }
}
