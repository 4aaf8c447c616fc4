//! A list in `.ubp/` that only this machine has, such as that of tokens: processes take turns to change it, git ignores it, and
//! it is refused if it is in git all the same.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use ubp_core::message;
use ubp_core::{Error, Result};
use ubp_host::file_lock::FileLock;
use ubp_host::{UBP_DIR, atomic, keep_out_of_git};

use super::token::require_uncommitted;

/// How long a process waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// The list.
#[derive(Debug, Clone)]
pub(crate) struct KeptFile {
    root: PathBuf,
    file: &'static str,
    /// Name of the file that a process locks while it changes the other one.
    lock: &'static str,
    /// When the file that was last found to be only on this machine was modified.
    own: Arc<Mutex<Option<SystemTime>>>,
}

impl KeptFile {
    /// That of the project in `root`, or of the hub whose list is there.
    pub(crate) fn new(root: &Path, file: &'static str, lock: &'static str) -> Self {
        Self { root: root.to_owned(), file, lock, own: Arc::default() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(UBP_DIR).join(self.file)
    }

    /// Its name in messages.
    fn name(&self) -> String {
        format!("{UBP_DIR}/{}", self.file)
    }

    /// The list, which is empty without a file.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::InvalidParams`] if the file was damaged.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self) -> Result<T> {
        let name = self.name();
        let text = match fs::read(self.path()) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
            Err(error) => return Err(Error::io(name, error)),
        };
        // Editors on Windows add one.
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        serde_json::from_slice(text).map_err(|error| {
            Error::invalid(message!(
                "{name}: {error}; fix the file, or delete it to revoke everything in it",
                name,
                error
            ))
        })
    }

    /// Refuses a file that is in git, which also a pull can change while a server runs.
    ///
    /// # Errors
    /// [`Error::InvalidParams`].
    pub(crate) fn require_own(&self) -> Result<()> {
        let modified = fs::metadata(self.path()).and_then(|metadata| metadata.modified()).ok();
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if own.is_none() || *own != modified {
            require_uncommitted(&self.root, &self.name())?;
            *own = modified;
        }
        Ok(())
    }

    /// Keeps other processes from changing the list. A hub may have no folder for it yet.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::OutsideProject`].
    pub(crate) fn hold(&self) -> Result<FileLock> {
        let folder = self.root.join(UBP_DIR);
        let name = format!("{UBP_DIR}/{}", self.lock);
        let failed = |error| Error::io(&*name, error);
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let path = folder.join(self.lock);
        if is_link(&folder) || is_link(&path) {
            return Err(Error::OutsideProject { path: name, folder: "project".into() });
        }
        if !folder.is_dir() {
            fs::create_dir(&folder).map_err(failed)?;
            fs::write(folder.join(".gitignore"), "*\n").map_err(failed)?;
        }
        keep_out_of_git(&folder, self.lock);
        FileLock::take(&path, PATIENCE).map_err(failed)?.ok_or_else(|| failed(ErrorKind::TimedOut.into()))
    }

    /// Writes the list.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn save(&self, list: &impl Serialize) -> Result<()> {
        keep_out_of_git(&self.root.join(UBP_DIR), self.file);
        let mut text =
            serde_json::to_string_pretty(list).map_err(|error| Error::Internal(error.to_string()))?;
        text.push('\n');
        atomic::write(&self.path(), text.as_bytes(), &self.name())
    }
}
