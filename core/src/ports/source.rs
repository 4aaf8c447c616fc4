//! The files of a project: pages, and the code that pages describe.

use std::fmt;
use std::io;
use std::str::FromStr;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::message;
use crate::message::Message;
use crate::{Error, Result, path, text, word};

/// SHA-256 of a file's raw bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hash of a source file with these bytes. A pointer of Git LFS has the hash of the content that it stands for, which was
    /// not fetched: the file is the same as where it was.
    pub fn of_source(bytes: &[u8]) -> Self {
        Self::of_lfs_pointer(bytes).unwrap_or_else(|| Self::of(bytes))
    }

    /// Hash of the content that a pointer of Git LFS stands for; `None` if the bytes are not such a pointer.
    pub fn of_lfs_pointer(bytes: &[u8]) -> Option<Self> {
        /// Larger files are not pointers, by their specification.
        const LARGEST: usize = 1024;
        let text = std::str::from_utf8(bytes.get(..bytes.len().min(LARGEST + 1))?).ok()?;
        let mut lines = text.lines();
        let is_pointer =
            text.len() <= LARGEST && lines.next()? == "version https://git-lfs.github.com/spec/v1";
        lines.find_map(|line| line.strip_prefix("oid ")).filter(|_| is_pointer)?.trim().parse().ok()
    }

    /// Whether `given` is this hash: in full, or `sha256:` and at least its first 16 digits.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if `given` is not a hash.
    pub fn is(&self, given: &str) -> Result<bool> {
        let given = given.trim();
        let is_digits = |digits: &&str| {
            (ABBREVIATED..=64).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit())
        };
        match given.strip_prefix(PREFIX).filter(is_digits) {
            Some(digits) => Ok(text::hex(&self.0).starts_with(&digits.to_ascii_lowercase())),
            None => Err(Error::invalid(message!(
                "'{given}' is not a content hash; expected sha256: and 16 to 64 hex digits",
                given
            ))),
        }
    }

    /// The hash with its first 16 digits, for text.
    pub fn abbreviated(&self) -> String {
        abbreviated(&self.to_string()).to_owned()
    }
}

const PREFIX: &str = "sha256:";

/// Digits of an abbreviated hash: enough that no two versions of a file share them by accident.
const ABBREVIATED: usize = 16;

/// The written hash with its first 16 digits.
pub(crate) fn abbreviated(hash: &str) -> &str {
    hash.get(..PREFIX.len() + ABBREVIATED).unwrap_or(hash)
}

impl FromStr for ContentHash {
    type Err = Error;

    /// Parses `sha256:` and 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::invalid(message!(
                "'{text}' is not a content hash; expected sha256: and 64 hex digits",
                text
            ))
        };
        let digits = text.strip_prefix(PREFIX).filter(|digits| digits.len() == 64).ok_or_else(wrong)?;
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
        write!(f, "{PREFIX}{}", text::hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// File metadata for detecting changes without reading the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Length in bytes.
    pub size: u64,
    /// Modification time.
    pub modified: Timestamp,
    /// Other metadata that changes with the content, such as inode and change time, hashed to one number; 0 if the host
    /// has none.
    pub fingerprint: u64,
}

/// A page file and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Path relative to the pages folder, `/`-separated.
    pub path: String,
    /// State at the time of listing.
    pub stat: FileStat,
}

/// What is known of a page of another project.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageElsewhere {
    /// There is exactly one page of that name.
    Exists,
    /// There is no page of that name.
    Missing,
    /// The project has no index that can be read.
    Unknown,
}

/// A name in a folder, as the disk has it.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// The name.
    pub name: String,
    /// What has it.
    pub kind: EntryKind,
}

/// What has a name in a folder.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A file, or something else that contains no names.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, with the path that it leads to, relative to its folder unless it is absolute.
    Link(String),
}

/// A file or folder below the pages folder that could not be listed or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Path relative to the pages folder, as far as it can be represented.
    pub path: String,
    /// The message of the operating system, or why it was skipped.
    pub reason: Message,
}

/// All pages, sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// All page files.
    pub pages: Vec<PageFile>,
    /// Files and folders that were skipped.
    pub unreadable: Vec<Unreadable>,
}

/// The lock for writing, held by one process at a time and released when dropped.
pub trait WriteGuard {}

fn read_only(path: &str) -> Error {
    Error::io(
        path,
        io::Error::new(io::ErrorKind::ReadOnlyFilesystem, word!("this project is open for reading only")),
    )
}

/// Access to the project's files. A read-only source implements only the first methods; the default implementations of
/// those that write return errors. Page paths are relative to the pages folder, source paths to the project folder;
/// both use `/`, stay inside, and are compared byte for byte.
pub trait Source: Send + Sync {
    /// All page files, sorted by path; unreadable ones are skipped and reported.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the pages folder itself cannot be listed.
    fn list(&self) -> Result<Listing>;

    /// State of a page; `None` if it does not exist.
    ///
    /// # Errors
    /// [`crate::Error::OutsideProject`] for a path that leaves the pages folder.
    fn stat(&self, path: &str) -> Result<Option<FileStat>>;

    /// The content of a page.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if it cannot be read; [`crate::Error::OutsideProject`] as above.
    fn read(&self, path: &str) -> Result<Vec<u8>>;

    /// The path, relative to the pages folder, of the file with the host's path `absolute`; `None` if it is outside, or
    /// the host has no such paths.
    fn page_path(&self, absolute: &str) -> Option<String> {
        let _ = absolute;
        None
    }

    /// Replaces or creates a page, atomically and durably. With `expected`, only if the file still has that hash; with
    /// `None`, only if it does not exist.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] if the page is not in the expected state, [`crate::Error::Io`] if it cannot be
    /// written. The old page is unchanged in both cases.
    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _ = (bytes, expected);
        Err(read_only(path))
    }

    /// Checks, as far as possible without writing, whether [`Source::write`] could replace the page.
    ///
    /// # Errors
    /// The error that writing would return.
    fn check_writable(&self, _path: &str) -> Result<()> {
        Ok(())
    }

    /// Creates an attachment: a file below the pages folder that is not a page, atomically and durably.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] if the path is taken, [`crate::Error::InvalidParams`] if it is not valid for an
    /// attachment; [`crate::Error::OutsideProject`], [`crate::Error::Io`]. Nothing is written in these cases.
    fn create_attachment(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let _ = bytes;
        Err(read_only(path))
    }

    /// Replaces an attachment that has the hash `expected`, atomically and durably.
    ///
    /// # Errors
    /// As [`Source::create_attachment`], and [`crate::Error::Conflict`] if it is not in the expected state.
    #[cfg(not(target_family = "wasm"))]
    fn replace_attachment(&self, path: &str, bytes: &[u8], expected: ContentHash) -> Result<()> {
        let _ = (bytes, expected);
        Err(read_only(path))
    }

    /// State of a project file that pages may describe; `None` if it does not exist.
    ///
    /// # Errors
    /// [`crate::Error::OutsideProject`] for a path that leaves the project.
    fn stat_source(&self, path: &str) -> Result<Option<FileStat>>;

    /// The content of a project file.
    ///
    /// # Errors
    /// As [`Source::read`].
    fn read_source(&self, path: &str) -> Result<Vec<u8>>;

    /// Paths of the project files that match any of `globs`, sorted.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for a malformed glob.
    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>>;

    /// As [`Source::match_sources`], with the size of each file in bytes.
    ///
    /// # Errors
    /// As [`Source::match_sources`].
    fn sized_sources(&self, globs: &[String]) -> Result<Vec<(String, u64)>> {
        let files = self.match_sources(globs)?.into_iter();
        // Files that were deleted since are left out.
        let sized = files.filter_map(|file| match self.stat_source(&file) {
            Ok(stat) => stat.map(|stat| Ok((file, stat.size))),
            Err(error) => Some(Err(error)),
        });
        sized.collect()
    }

    /// The path, relative to the project, of the file that is read at `path`: another one if `path` has symbolic links or
    /// another spelling. `None` if it does not exist.
    ///
    /// # Errors
    /// As [`Source::stat_source`].
    fn real_source(&self, path: &str) -> Result<Option<String>> {
        Ok(self.stat_source(path)?.map(|_| path.to_owned()))
    }

    /// What is known of pages of other projects, each named by project and page. `None` if no list of projects has this
    /// project and that one.
    #[cfg(not(target_family = "wasm"))]
    fn pages_elsewhere(&self, named: &[(String, String)]) -> Vec<Option<PageElsewhere>> {
        vec![None; named.len()]
    }

    /// The content of one of the [`crate::path::STATE_FILES`], which are committed like the manifest; `None` if it does
    /// not exist.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name, [`crate::Error::Io`] if it cannot be read,
    /// [`crate::Error::OutsideProject`] if a link leads out of the project.
    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// The names of the state files of proposals, sorted.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if they cannot be listed, [`crate::Error::OutsideProject`] if a link leads out of the
    /// project.
    fn proposal_files(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Deletes the state file of a proposal that has the hash `expected`.
    ///
    /// # Errors
    /// As [`Source::write_state`]; [`crate::Error::InvalidParams`] for any other name.
    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        let _ = expected;
        path::require_proposal_file(name)?;
        Err(read_only(name))
    }

    /// The names of the state files of sessions, sorted.
    ///
    /// # Errors
    /// As [`Source::proposal_files`].
    #[cfg(not(target_family = "wasm"))]
    fn session_files(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Deletes the state file of a session, in whatever state it is; a missing one is not an error.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name, [`crate::Error::Io`],
    /// [`crate::Error::OutsideProject`] if a link leads out of the project.
    #[cfg(not(target_family = "wasm"))]
    fn remove_session(&self, name: &str) -> Result<()> {
        path::require_session_file(name)?;
        Err(read_only(name))
    }

    /// Calls `look` for each line of a state file, without its line break, and returns the size of the file in bytes; 0
    /// if it does not exist. Hosts may do this without reading the whole file into memory.
    ///
    /// # Errors
    /// As [`Source::read_state`].
    fn state_lines(&self, name: &str, look: &mut dyn FnMut(&[u8])) -> Result<u64> {
        let bytes = self.read_state(name)?.unwrap_or_default();
        bytes.split(|&byte| byte == b'\n').for_each(look);
        Ok(bytes.len() as u64)
    }

    /// Replaces or creates a state file, atomically and durably, under the same conditions as [`Source::write`].
    ///
    /// # Errors
    /// As [`Source::read_state`], and [`crate::Error::Conflict`] if it is not in the expected state.
    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _ = (bytes, expected);
        path::require_state_file(name)?;
        Err(read_only(name))
    }

    /// Waits until no other thread or process writes to this project, and keeps them from writing until the guard is
    /// dropped. The lock is reentrant on the same thread. Every writing method takes it, so callers need it only for
    /// several writes in a row.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the lock cannot be acquired.
    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        Err(read_only("the project"))
    }

    /// Atomically moves a page or attachment that has the hash `expected` to a path that does not exist. A different
    /// spelling of the same name is allowed, even on disks that ignore case.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] if the page is not in the expected state or `to` exists;
    /// [`crate::Error::InvalidParams`] if `to` is not a valid path for it, or it is a symbolic link;
    /// [`crate::Error::OutsideProject`], [`crate::Error::Io`]. It is not moved in these cases.
    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        let _ = (to, expected);
        Err(read_only(from))
    }

    /// Everything in a folder below the pages folder, sorted by name: also what listings leave out, because it is hidden or
    /// ignored. `None` if there is no such folder, or the host has no folders.
    ///
    /// # Errors
    /// [`crate::Error::OutsideProject`], [`crate::Error::Io`]; [`crate::Error::InvalidParams`] for a name that is not
    /// Unicode.
    #[cfg(not(target_family = "wasm"))]
    fn entries(&self, folder: &str) -> Result<Option<Vec<FolderEntry>>> {
        let _ = folder;
        Ok(None)
    }

    /// Atomically moves a file, a folder with everything in it or a symbolic link to a path that does not exist. Both are
    /// below the pages folder; listings need not contain them.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if there is nothing at `from`, something at `to`, or it cannot be moved;
    /// [`crate::Error::OutsideProject`]. Nothing is moved in these cases.
    #[cfg(not(target_family = "wasm"))]
    fn move_unlisted(&self, from: &str, to: &str) -> Result<()> {
        let _ = to;
        Err(read_only(from))
    }

    /// Removes a folder below the pages folder, if it exists and is empty.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if it is empty and cannot be removed; [`crate::Error::OutsideProject`].
    #[cfg(not(target_family = "wasm"))]
    fn remove_empty_folder(&self, folder: &str) -> Result<()> {
        let _ = folder;
        Ok(())
    }

    /// Moves a page or attachment that has the hash `expected` to `trash`, an unused path below `.ubp/trash/`.
    ///
    /// # Errors
    /// As [`Source::rename`].
    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        let _ = (trash, expected);
        Err(read_only(path))
    }

    /// Moves a file that [`Source::discard`] moved to `trash`, and that still has the hash `expected`, to the unused
    /// path `path`.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if it is no longer in the trash; otherwise as [`Source::rename`].
    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        let _ = (trash, expected);
        Err(read_only(path))
    }

    /// Appends `lines`, each with its line break, to one of the [`crate::path::RECORD_FILES`], durably and in one piece
    /// even if other processes append at the same time. If the last line is incomplete, a line break is added first.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name; [`crate::Error::Io`].
    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        let _ = lines;
        Err(read_only(name))
    }

    /// Appends `lines`, each with its line break, to one of the [`crate::path::NOTE_FILES`], without waiting for the
    /// lock and without syncing to disk. Lines may be duplicated.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for any other name; [`crate::Error::Io`].
    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        let _ = lines;
        path::require_note_file(name)?;
        Err(read_only(name))
    }
}
