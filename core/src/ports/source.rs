//! The files behind a project: pages, and the code that pages describe.

use std::fmt;
use std::io;
use std::str::FromStr;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::{Error, Result, path, text};

/// SHA-256 of a file's raw bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl FromStr for ContentHash {
    type Err = Error;

    /// Reads `sha256:` and 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self> {
        let wrong =
            || Error::invalid(format!("'{text}' is not a content hash; expected sha256: and 64 hex digits"));
        let digits = text.strip_prefix("sha256:").filter(|digits| digits.len() == 64).ok_or_else(wrong)?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            let [high, low] = *pair else { return Err(wrong()) };
            *byte = digit(high).zip(digit(low)).map(|(high, low)| high << 4 | low).ok_or_else(wrong)?;
        }
        Ok(Self(hash))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", text::hex(&self.0))
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

/// The right to write, which one holder in all processes has; it ends when this is dropped.
pub trait WriteGuard {}

fn read_only(path: &str) -> Error {
    Error::io(
        path,
        io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "this project is open for reading only"),
    )
}

/// Access to the project's files. A source that is only read gives the first methods; what would change
/// something refuses by itself. Page paths are relative to the pages folder, source paths to the
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

    /// The path below the pages folder of what `absolute` names on the host, `None` when that lies elsewhere, or the
    /// host has no such names.
    fn page_path(&self, absolute: &str) -> Option<String> {
        let _ = absolute;
        None
    }

    /// Replaces the page, or creates it, atomically and durably. With `expected`, only if the page
    /// on disk still has that hash; with `None`, only if there is no page yet.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] when the page is not what was expected, [`crate::Error::Io`] when
    /// it cannot be written: the old page is then untouched.
    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _ = (bytes, expected);
        Err(read_only(path))
    }

    /// Says what would keep [`Source::write`] from replacing the page, as far as that can be told without writing.
    ///
    /// # Errors
    /// What writing would answer.
    fn check_writable(&self, _path: &str) -> Result<()> {
        Ok(())
    }

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

    /// Shows the lines of a state file to `look`, without their line breaks, and says how many bytes it has; 0 when
    /// it is not there yet. A host that can does not hold the whole file at once.
    ///
    /// # Errors
    /// As [`Source::read_state`].
    fn state_lines(&self, name: &str, look: &mut dyn FnMut(&[u8])) -> Result<u64> {
        let bytes = self.read_state(name)?.unwrap_or_default();
        bytes.split(|&byte| byte == b'\n').for_each(look);
        Ok(bytes.len() as u64)
    }

    /// Replaces a state file, or creates it, atomically and durably, under the same conditions as
    /// [`Source::write`].
    ///
    /// # Errors
    /// As [`Source::read_state`], and [`crate::Error::Conflict`] when it is not what was expected.
    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _ = (bytes, expected);
        path::require_state_file(name)?;
        Err(read_only(name))
    }

    /// Waits until nobody else writes through a source of this project, in this process or another, and
    /// keeps others from it as long as the answer lives. Who holds it may write, and may ask again on the
    /// same thread; every writing method asks for itself, so it is needed only around several of them.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the lock cannot be had.
    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        Err(read_only("the project"))
    }

    /// Moves a page that has the hash `expected` to where nothing is yet, in one step. Another spelling of
    /// the same name is allowed, also where the disk ignores case.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] when the page is not what was expected or something is at `to`;
    /// [`crate::Error::InvalidParams`] when no page can lie at `to`, or the page is a symbolic link;
    /// [`crate::Error::OutsideProject`], [`crate::Error::Io`]. Nothing has moved then.
    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        let _ = (to, expected);
        Err(read_only(from))
    }

    /// Moves a page that has the hash `expected` out of the pages folder to `trash`, a path below
    /// `.ubp/trash/` where nothing is yet.
    ///
    /// # Errors
    /// As [`Source::rename`].
    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        let _ = (trash, expected);
        Err(read_only(path))
    }

    /// Moves what [`Source::discard`] put to `trash`, if it still has the hash `expected`, to `path`, where
    /// nothing may be yet.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when it is no longer there; else as [`Source::rename`].
    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        let _ = (trash, expected);
        Err(read_only(path))
    }

    /// Adds `lines`, each with its line break, at the end of one of the
    /// [`crate::path::RECORD_FILES`], durably, in one piece whoever else does the same. A last line that
    /// was torn gets its line break first.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name; [`crate::Error::Io`].
    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        let _ = lines;
        Err(read_only(name))
    }

    /// Adds `lines`, each with its line break, at the end of one of the [`crate::path::NOTE_FILES`] without waiting for
    /// whoever writes and without making sure that they outlive a loss of power. A line may be there twice then.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name; [`crate::Error::Io`].
    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        let _ = lines;
        path::require_note_file(name)?;
        Err(read_only(name))
    }
}
