//! Which of several servers on a project watches and indexes: the one that holds `.ubp/serve.lock`.
//! The system takes the lock from a process that dies, however it dies, and the next one gets it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::file_lock::{self, FileLock};
use crate::{Project, UBP_DIR};

const LOCK: &str = "serve.lock";

/// This process's claim to the lock.
#[derive(Debug)]
pub(super) struct ServeLock {
    path: PathBuf,
    claim: Mutex<Claim>,
    indexer: AtomicBool,
}

#[derive(Debug)]
enum Claim {
    None,
    Held(FileLock),
    /// Where nobody can lock anything, every process is on its own.
    Alone,
}

/// How an attempt to get the lock ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// It is this process's, as before.
    Kept,
    /// It is this process's from now on.
    Taken,
    /// It belongs to another one.
    Elsewhere,
    /// There is no way to have a lock here; from now on this process works as if it were alone.
    Impossible(io::Error),
}

impl ServeLock {
    pub(super) fn new(root: &Path) -> Self {
        let path = root.join(UBP_DIR).join(LOCK);
        Self { path, claim: Mutex::new(Claim::None), indexer: AtomicBool::new(false) }
    }

    /// Whether this process watches and indexes.
    pub(super) fn is_indexer(&self) -> bool {
        self.indexer.load(Ordering::Acquire)
    }

    /// Works without a lock from now on: the index is this process's own.
    pub(super) fn go_alone(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = Claim::Alone;
        self.indexer.store(true, Ordering::Release);
    }

    /// Gets the lock if nobody has it. Costs one look at the disk, so that every answer can ask.
    pub(super) fn attempt(&self) -> Attempt {
        let mut claim = self.claim.lock().unwrap_or_else(PoisonError::into_inner);
        match &*claim {
            Claim::Alone => return Attempt::Kept,
            Claim::Held(lock) if lock.is_at(&self.path) => return Attempt::Kept,
            _ => {}
        }
        *claim = Claim::None;
        self.indexer.store(false, Ordering::Release);
        match FileLock::take(&self.path, Duration::ZERO) {
            Ok(Some(mut lock)) => {
                lock.sign(&format!("{} {}\n", std::process::id(), env!("CARGO_PKG_VERSION")));
                *claim = Claim::Held(lock);
                self.indexer.store(true, Ordering::Release);
                Attempt::Taken
            }
            Ok(None) => Attempt::Elsewhere,
            // The folder is gone for now, and with it the project.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Attempt::Elsewhere,
            Err(error) => {
                *claim = Claim::Alone;
                self.indexer.store(true, Ordering::Release);
                Attempt::Impossible(error)
            }
        }
    }

    /// Lets another process have it.
    pub(super) fn release(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = Claim::None;
        self.indexer.store(false, Ordering::Release);
    }
}

/// Whether a server watches and indexes this project.
pub fn is_served(project: &Project) -> bool {
    file_lock::is_held(&project.root.join(UBP_DIR).join(LOCK)).unwrap_or(false)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        folder
    }

    #[test]
    fn one_has_it_and_the_next_gets_it() {
        let folder = project();
        let (first, second) = (ServeLock::new(folder.path()), ServeLock::new(folder.path()));
        assert!(matches!(first.attempt(), Attempt::Taken));
        assert!(matches!(first.attempt(), Attempt::Kept));
        assert!(matches!(second.attempt(), Attempt::Elsewhere));
        assert!(first.is_indexer() && !second.is_indexer());
        first.release();
        assert!(matches!(second.attempt(), Attempt::Taken));
        assert!(matches!(first.attempt(), Attempt::Elsewhere));
        #[cfg(unix)]
        {
            let said = std::fs::read_to_string(folder.path().join(UBP_DIR).join(LOCK)).unwrap();
            assert_eq!(said, format!("{} {}\n", std::process::id(), env!("CARGO_PKG_VERSION")));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_was_deleted_is_taken_anew() {
        let folder = project();
        let (first, second) = (ServeLock::new(folder.path()), ServeLock::new(folder.path()));
        assert!(matches!(first.attempt(), Attempt::Taken));
        std::fs::remove_file(folder.path().join(UBP_DIR).join(LOCK)).unwrap();
        assert!(matches!(first.attempt(), Attempt::Taken));
        assert!(matches!(second.attempt(), Attempt::Elsewhere));
        std::fs::remove_file(folder.path().join(UBP_DIR).join(LOCK)).unwrap();
        assert!(matches!(second.attempt(), Attempt::Taken));
        assert!(matches!(first.attempt(), Attempt::Elsewhere), "and never two at once for long");
    }

    #[test]
    fn without_the_folder_there_is_nothing_to_hold() {
        let folder = tempfile::tempdir().unwrap();
        let lock = ServeLock::new(folder.path());
        assert!(matches!(lock.attempt(), Attempt::Elsewhere));
        assert!(!lock.is_indexer());
    }
}
