//! The files behind a project: pages, and the code that pages describe.

use std::fmt;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::Result;

/// SHA-256 of a file's raw bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What tells a changed file from an unchanged one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Length in bytes.
    pub size: u64,
    /// Modification time.
    pub modified: Timestamp,
    /// Anything else that changes with the content, such as inode and change time, mixed into one
    /// number; 0 where the host knows no more.
    pub fingerprint: u64,
}

/// A page's path below the pages folder, `/`-separated, and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Path relative to the pages folder.
    pub path: String,
    /// State at the time of listing.
    pub stat: FileStat,
}

/// Something below the pages folder that could not be listed or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Path relative to the pages folder, as well as it can be shown.
    pub path: String,
    /// Why, in the system's words.
    pub reason: String,
}

/// All pages, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Every page file.
    pub pages: Vec<PageFile>,
    /// What had to be passed over.
    pub unreadable: Vec<Unreadable>,
}

/// Access to the project's files. Page paths are relative to the pages folder, source paths to the
/// project folder; both use `/`, stay inside, and are compared byte for byte.
pub trait Source: Send + Sync {
    /// Every page file, sorted by path, passing over what cannot be read.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the pages folder itself cannot be listed.
    fn list(&self) -> Result<Listing>;

    /// State of one page, `None` when there is no such page.
    ///
    /// # Errors
    /// [`crate::Error::OutsideProject`] for a path that leaves the pages folder.
    fn stat(&self, path: &str) -> Result<Option<FileStat>>;

    /// The page's bytes.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when it cannot be read; [`crate::Error::OutsideProject`] as above.
    fn read(&self, path: &str) -> Result<Vec<u8>>;

    /// Replaces the page, or creates it, atomically and durably. With `expected`, only if the page
    /// on disk still has that hash; with `None`, only if there is no page yet.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] when the page is not what was expected, [`crate::Error::Io`] when
    /// it cannot be written: the old page is then untouched.
    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()>;

    /// State of a file of the project that pages may describe, `None` when there is none.
    ///
    /// # Errors
    /// [`crate::Error::OutsideProject`] for a path that leaves the project.
    fn stat_source(&self, path: &str) -> Result<Option<FileStat>>;

    /// Bytes of a file of the project.
    ///
    /// # Errors
    /// As [`Source::read`].
    fn read_source(&self, path: &str) -> Result<Vec<u8>>;

    /// Paths of the project's files that match any of `globs`, sorted.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for a malformed glob.
    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>>;

    /// Bytes of one of the [`crate::path::STATE_FILES`], what a project decided and commits beside
    /// its manifest; `None` when it is not there yet.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name, [`crate::Error::Io`] when it cannot be
    /// read, [`crate::Error::OutsideProject`] when a link leads it elsewhere.
    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// Replaces a state file, or creates it, atomically and durably, under the same conditions as
    /// [`Source::write`].
    ///
    /// # Errors
    /// As [`Source::read_state`], and [`crate::Error::Conflict`] when it is not what was expected.
    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()>;
}
