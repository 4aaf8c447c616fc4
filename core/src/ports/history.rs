//! Version control. Without it, [`super::NoHistory`] reports that nothing is known, and modification times decide.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(not(target_family = "wasm"))]
use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::message;
use crate::{Error, Result};

/// The last change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceChange {
    /// Committed and unchanged since then.
    Committed(Commit),
    /// Changed in the working tree, or not tracked.
    Uncommitted,
    /// The last change is at the boundary of a shallow clone, so it may be older than it seems.
    BeyondHistory,
}

/// Hash and time of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Full hexadecimal hash.
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

/// A file as a commit left it, under the name that it had then.
#[derive(Debug, Clone, PartialEq)]
pub struct FileVersion {
    /// The commit.
    pub commit: Commit,
    /// The name of its author.
    pub author: String,
    /// First line of its message.
    pub subject: String,
    /// The file's path at the commit, relative to the project.
    pub path: String,
    /// If the commit moved the file, how similar it is to what it was before, 0 to 1; `None` otherwise.
    pub moved: Option<f64>,
    /// Whether the commit is at the boundary of a shallow clone: the text may be older, and author and subject may be
    /// those of another change.
    pub is_boundary: bool,
}

/// A file that was moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Its new path, relative to the project.
    pub path: String,
    /// How similar it is to what it was before, 0 to 1; 1 if it is equal.
    pub similarity: f64,
}

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedFile {
    /// Full hexadecimal hash of its content.
    pub id: String,
    /// Length in bytes.
    pub size: u64,
    /// The path that the commit's ignore rules match: the file itself or a folder above it; `None` if it is not
    /// ignored.
    pub ignored: Option<String>,
}

/// Lines that a change took away from a file, next to each other.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy)]
pub struct Removal<'a> {
    /// The commit; `None` for changes that are not committed.
    pub revision: Option<&'a Revision>,
    /// The file, relative to the project.
    pub path: &'a str,
    /// Whether the change deleted the file. Then the first call for it has no lines.
    pub deletes_file: bool,
    /// The lines, without line breaks; what is not Unicode is replaced.
    pub removed: &'a [String],
    /// The lines in their place.
    pub added: &'a [String],
}

/// Where [`History::removals`] looks. Commits are given by their full hashes; the end of a range without one is the working
/// tree, without untracked files.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removing<'a> {
    /// In changes that are not committed, then in the commits up to the checked-out one, newest first, at most this many.
    History(usize),
    /// In the difference between two states, as one change without a commit.
    Between(&'a str, Option<&'a str>),
    /// In the commits that the second state has and the first has not, newest first.
    Commits(&'a str, Option<&'a str>),
}

/// How much of the history [`History::removals`] read.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walked {
    /// Commits that took something away.
    pub commits: usize,
    /// Whether there are no earlier commits: false for shallow and partial clones.
    pub is_complete: bool,
}

/// A file that differs between two states of the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedFile {
    /// Path relative to the project.
    pub path: String,
    /// Hash of its content before, for [`History::contents`]; `None` if there was no file.
    pub before: Option<String>,
    /// The same afterwards; also `None` if that content is not committed.
    pub after: Option<String>,
}

/// A commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitChanges {
    /// The commit.
    pub commit: Commit,
    /// The files that differ from its first parent, sorted by path; all of them if it has no known parent.
    pub files: Vec<ChangedFile>,
}

/// The project's version control.
pub trait History: Send + Sync {
    /// The name of the person who commits on this machine, if version control knows it.
    fn author(&self) -> Option<String> {
        None
    }

    /// Hash of the checked-out commit; `None` without version control or commits.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if version control fails.
    fn head(&self) -> Result<Option<String>>;

    /// The last change of each path (relative to the project). Unknown paths are absent; without version control the
    /// map is empty.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if version control fails.
    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>>;

    /// The time of the first commit of each path (relative to the project). Paths without a known first commit are
    /// absent.
    ///
    /// # Errors
    /// As [`History::last_changes`].
    fn first_commits(&self, _paths: &[String]) -> Result<BTreeMap<String, Timestamp>> {
        Ok(BTreeMap::new())
    }

    /// The commits that changed a file, newest first, at most `limit`; empty if unknown.
    ///
    /// # Errors
    /// As [`History::head`].
    fn revisions(&self, _path: &str, _limit: usize) -> Result<Vec<Revision>> {
        Ok(Vec::new())
    }

    /// The versions of a file in its history, newest first, at most `limit`; empty if unknown. Renames inside the
    /// project are followed. Commits that deleted the file are left out.
    ///
    /// # Errors
    /// As [`History::head`].
    fn versions(&self, _path: &str, _limit: usize) -> Result<Vec<FileVersion>> {
        Ok(Vec::new())
    }

    /// The content of a file at a commit; `None` if it did not exist or is unknown.
    ///
    /// # Errors
    /// As [`History::head`].
    fn read_at(&self, _commit: &str, _path: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// The changes of a file since a commit, including uncommitted edits, as a unified diff; `None` if unknown.
    ///
    /// # Errors
    /// As [`History::head`].
    fn diff_since(&self, _commit: &str, _path: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// Where a missing file went, if the commit that removed it moved it.
    ///
    /// # Errors
    /// As [`History::head`].
    fn renamed_to(&self, _path: &str) -> Result<Option<Moved>> {
        Ok(None)
    }

    /// Paths, relative to the project, that differ between a revision and the working tree.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a revision that does not exist, or without version control.
    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        Err(Error::invalid(message!(
            "unknown revision '{revision}': the project is not under version control",
            revision
        )))
    }

    /// The newest `limit` commits, following first parents from the checked-out one, oldest first. Without symbolic
    /// links and the files of submodules.
    ///
    /// # Errors
    /// As [`History::head`].
    fn first_parents(&self, _limit: usize) -> Result<Vec<CommitChanges>> {
        Ok(Vec::new())
    }

    /// The files that differ between a commit and its first parent, sorted by path. `near` is a file in the repository
    /// of the commit, which may be nested in that of the project. Empty if the commit or its parent is unknown.
    ///
    /// # Errors
    /// As [`History::head`].
    fn changes_by(&self, _commit: &str, _near: &str) -> Result<Vec<ChangedFile>> {
        Ok(Vec::new())
    }

    /// The files that differ between a commit and the working tree, like [`History::changes_by`].
    ///
    /// # Errors
    /// As [`History::head`].
    fn changes_since(&self, _commit: &str, _near: &str) -> Result<Vec<ChangedFile>> {
        Ok(Vec::new())
    }

    /// The full hash of the commit that `revision` (a branch, a tag, `HEAD~3`, …) refers to.
    ///
    /// # Errors
    /// As [`History::changed_since`].
    fn resolve(&self, revision: &str) -> Result<String> {
        Err(Error::invalid(message!(
            "unknown revision '{revision}': the project is not under version control",
            revision
        )))
    }

    /// The last common ancestor of two commits, given by their full hashes; `None` if there is none, or history is
    /// truncated before it.
    ///
    /// # Errors
    /// As [`History::head`].
    fn merge_base(&self, _one: &str, _other: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// The project's files at a commit, given by its full hash. Symbolic links to files are included as files; files of
    /// submodules are included if this machine has them.
    ///
    /// # Errors
    /// As [`History::head`].
    fn files_at(&self, _commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        Ok(BTreeMap::new())
    }

    /// The contents of files from [`History::files_at`], each given by path and content hash, in the same order; `None`
    /// if the content is not on this machine.
    ///
    /// # Errors
    /// As [`History::head`].
    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        Ok(files.iter().map(|_| None).collect())
    }

    /// Like [`History::last_changes`], but at a commit, given by its full hash, without uncommitted changes.
    ///
    /// # Errors
    /// As [`History::head`].
    fn last_changes_at(&self, _commit: &str, _paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        Ok(BTreeMap::new())
    }

    /// Calls `look` for everything that was removed in `place`, until it breaks. Merges are left out, and so are nested
    /// repositories, large files, and files that are not text, except for their deletion. A rename is a deletion.
    ///
    /// # Errors
    /// As [`History::head`].
    #[cfg(not(target_family = "wasm"))]
    fn removals(
        &self,
        _place: Removing<'_>,
        _look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Result<Walked> {
        Ok(Walked::default())
    }
}
