//! Of several servers on a project, the one that holds `.ubp/serve.lock` watches and indexes. The system releases the
//! lock when its process ends, in any way, and another server takes it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::Project;
use crate::file_lock::{self, FileLock};

const LOCK: &str = "serve.lock";

/// The lock, from the view of this process.
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
    /// Locking is not possible, so every process indexes for itself.
    Alone,
}

/// Result of an attempt to take the lock.
#[derive(Debug)]
pub(super) enum Attempt {
    /// This process already held it.
    Kept,
    /// This process holds it now.
    Taken,
    /// Another process holds it.
    Elsewhere,
    /// Locking is not possible here; from now on this process indexes for itself.
    Impossible(io::Error),
}

impl ServeLock {
    /// The lock in the folder of the index.
    pub(super) fn new(index_dir: &Path) -> Self {
        let path = index_dir.join(LOCK);
        Self { path, claim: Mutex::new(Claim::None), indexer: AtomicBool::new(false) }
    }

    /// Whether this process watches and indexes.
    pub(super) fn is_indexer(&self) -> bool {
        self.indexer.load(Ordering::Acquire)
    }

    /// Stops using the lock, because this process has its own index.
    pub(super) fn go_alone(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = Claim::Alone;
        self.indexer.store(true, Ordering::Release);
    }

    /// Takes the lock if it is free. Cheap enough to call for every answer: one file system access.
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
            // The project's folder is missing at the moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Attempt::Elsewhere,
            Err(error) => {
                *claim = Claim::Alone;
                self.indexer.store(true, Ordering::Release);
                Attempt::Impossible(error)
            }
        }
    }

    /// Releases the lock.
    pub(super) fn release(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = Claim::None;
        self.indexer.store(false, Ordering::Release);
    }
}

/// Whether a server watches and indexes this project.
pub fn is_served(project: &Project) -> bool {
    file_lock::is_held(&project.index_dir.join(LOCK)).unwrap_or(false)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::UBP_DIR;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        folder
    }

    #[test]
    fn one_process_holds_the_lock_and_another_gets_it_after_release() {
        let folder = project();
        let (first, second) =
            (ServeLock::new(&folder.path().join(UBP_DIR)), ServeLock::new(&folder.path().join(UBP_DIR)));
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
    fn a_deleted_lock_file_is_created_and_locked_again() {
        let folder = project();
        let (first, second) =
            (ServeLock::new(&folder.path().join(UBP_DIR)), ServeLock::new(&folder.path().join(UBP_DIR)));
        assert!(matches!(first.attempt(), Attempt::Taken));
        std::fs::remove_file(folder.path().join(UBP_DIR).join(LOCK)).unwrap();
        assert!(matches!(first.attempt(), Attempt::Taken));
        assert!(matches!(second.attempt(), Attempt::Elsewhere));
        std::fs::remove_file(folder.path().join(UBP_DIR).join(LOCK)).unwrap();
        assert!(matches!(second.attempt(), Attempt::Taken));
        assert!(matches!(first.attempt(), Attempt::Elsewhere), "two processes hold it only briefly");
    }

    #[test]
    fn without_the_project_folder_the_lock_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let lock = ServeLock::new(&folder.path().join(UBP_DIR));
        assert!(matches!(lock.attempt(), Attempt::Elsewhere));
        assert!(!lock.is_indexer());
    }
}
