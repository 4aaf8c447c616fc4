//! Lists and reads the notes that `ubp import` converts: a folder, or a ZIP archive with archives inside of it. Nothing is
//! unpacked to disk under a name from an archive.
//!
//! **Invariants**
//! - An archive is refused as a whole if an entry leads out of it, is encrypted, overlaps another one, or unpacks to far
//!   more than its size (`archive/tests.rs`).
//! - Symbolic links are not followed (`tests.rs`).

mod archive;
mod folder;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ubp_core::import::{Export, ExportFile, Notice};
use ubp_core::message;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result, path as paths};

use archive::Archives;

/// Maximum number of files of an export.
const MOST_FILES: usize = 200_000;
/// Maximum size of a file in bytes: it is read as a whole.
const LARGEST: u64 = 1 << 30;

/// The files of an export.
#[derive(Debug, Default)]
pub struct Notes {
    files: Vec<ExportFile>,
    notices: Vec<Notice>,
    places: HashMap<String, Place>,
    archives: Archives,
}

/// Where a file is.
#[derive(Debug)]
enum Place {
    Disk(PathBuf),
    /// Number of the archive and of its entry.
    Entry(usize, usize),
}

impl Notes {
    /// Lists the folder or archive at `path`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for an archive that is damaged or refused, or if there are too many files;
    /// [`Error::Io`]; [`Error::Cancelled`].
    pub fn open(path: &Path, cancel: &Cancel) -> Result<Self> {
        let shown = path.to_string_lossy();
        let metadata = std::fs::metadata(path).map_err(|error| Error::io(shown.clone(), error))?;
        let mut notes = Self::default();
        if metadata.is_dir() {
            folder::list(path, &mut notes, cancel)?;
            notes.open_parts(cancel)?;
        } else {
            let file = std::fs::File::open(path).map_err(|error| Error::io(shown.clone(), error))?;
            archive::list(file, &shown, 0, &mut notes, cancel)?;
        }
        notes.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(notes)
    }

    /// If the folder has nothing but archives, an export was unpacked once: lists what is in them instead.
    fn open_parts(&mut self, cancel: &Cancel) -> Result<()> {
        if !archive::are_parts(self.files.iter().map(|file| file.path.as_str())) {
            return Ok(());
        }
        for file in std::mem::take(&mut self.files) {
            let Some(Place::Disk(path)) = self.places.remove(&file.path) else { continue };
            if archive::is_archive(&file.path) {
                let opened =
                    std::fs::File::open(&path).map_err(|error| Error::io(file.path.clone(), error))?;
                archive::list(opened, &file.path, 1, self, cancel)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, size: u64, place: Place) -> Result<()> {
        if self.files.len() >= MOST_FILES {
            return Err(Error::invalid(message!(
                "more than {most_files} files; import a part of them",
                most_files = MOST_FILES
            )));
        }
        self.files.push(ExportFile { path: path.clone(), size });
        self.places.insert(path, place);
        Ok(())
    }

    /// The files for [`ubp_core::import::prepare`]; `read` is [`Notes::read`].
    pub fn export<'a>(&self, read: &'a dyn Fn(&str) -> Result<Vec<u8>>) -> Export<'a> {
        Export { files: self.files.clone(), read, notices: self.notices.clone() }
    }

    /// The content of a file.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a damaged or too large one; [`Error::Io`].
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        let missing = || Error::io(path, std::io::ErrorKind::NotFound.into());
        let size = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        let size = size.ok().and_then(|at| self.files.get(at)).ok_or_else(missing)?.size;
        if size > LARGEST {
            return Err(Error::invalid(message!(
                "{path}: larger than 1 GB; move it out of the export",
                path
            )));
        }
        match self.places.get(path).ok_or_else(missing)? {
            Place::Disk(file) => std::fs::read(file).map_err(|error| Error::io(path, error)),
            Place::Entry(archive, entry) => self.archives.read(*archive, *entry, path),
        }
    }
}

/// Whether a name is one that no system lets out of its folder.
fn is_confined(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && matches!(path.as_bytes().get(2), Some(b'/'));
    !path.is_empty()
        && !drive
        && !path.starts_with('/')
        && !path.contains('\0')
        && path.split('/').all(|part| part != "..")
        && paths::join("", path).is_some_and(|path| !path.is_empty())
}
