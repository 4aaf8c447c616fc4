//! Lets one process at a time compute all vectors of a project, so that two do not compute the same ones.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::file_lock::{FileLock, is_held};
use crate::{Project, UBP_DIR, keep_out_of_git};

/// Name of the lock file in `.ubp`.
pub(crate) const NAME: &str = "vectors.lock";

/// The lock, released on drop.
#[derive(Debug)]
pub struct EmbeddingLock {
    _file: FileLock,
}

impl Project {
    /// Takes the lock for computing all vectors; `None` if another process holds it for `longest`.
    ///
    /// # Errors
    /// Any I/O error; [`io::ErrorKind::Unsupported`] if the file system has no locks.
    pub fn lock_embedding(&self, longest: Duration) -> io::Result<Option<EmbeddingLock>> {
        let path = self.embedding_lock_path();
        if !path.exists() {
            keep_out_of_git(&self.root.join(UBP_DIR), NAME);
        }
        Ok(FileLock::take(&path, longest)?.map(|file| EmbeddingLock { _file: file }))
    }

    /// Whether a process is computing all vectors.
    pub fn is_embedding(&self) -> bool {
        is_held(&self.embedding_lock_path()).unwrap_or(false)
    }

    fn embedding_lock_path(&self) -> PathBuf {
        self.index_dir.join(NAME)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{InitOptions, SystemClock, init};

    #[test]
    fn one_process_at_a_time_holds_the_lock_and_others_see_it() {
        let folder = tempfile::tempdir().unwrap();
        let project = init(folder.path(), &InitOptions::default(), &SystemClock::default()).unwrap().project;
        assert!(!project.is_embedding());
        let held = project.lock_embedding(Duration::ZERO).unwrap();
        assert!(held.is_some() && project.is_embedding());
        assert!(project.lock_embedding(Duration::ZERO).unwrap().is_none());
        drop(held);
        assert!(!project.is_embedding());
        assert!(project.lock_embedding(Duration::ZERO).unwrap().is_some());
    }
}
