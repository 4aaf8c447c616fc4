//! One process at a time computes all vectors of a project: two that begin together would compute each of them twice.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::file_lock::{FileLock, is_held};
use crate::{Project, UBP_DIR, keep_out_of_git};

/// The lock's name in the project's own folder.
pub(crate) const NAME: &str = "vectors.lock";

/// Held until it is dropped.
#[derive(Debug)]
pub struct EmbeddingLock {
    _file: FileLock,
}

impl Project {
    /// The right to compute all vectors; `None` when another process has it for `longest`.
    ///
    /// # Errors
    /// What went wrong; [`io::ErrorKind::Unsupported`] where the file system has no locks.
    pub fn lock_embedding(&self, longest: Duration) -> io::Result<Option<EmbeddingLock>> {
        let path = self.embedding_lock_path();
        if !path.exists() {
            keep_out_of_git(&self.root.join(UBP_DIR), NAME);
        }
        Ok(FileLock::take(&path, longest)?.map(|file| EmbeddingLock { _file: file }))
    }

    /// Whether a process computes all vectors just now.
    pub fn is_embedding(&self) -> bool {
        is_held(&self.embedding_lock_path()).unwrap_or(false)
    }

    fn embedding_lock_path(&self) -> PathBuf {
        self.root.join(UBP_DIR).join(NAME)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{InitOptions, SystemClock, init};

    #[test]
    fn one_process_at_a_time_has_it_and_others_see_that() {
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
