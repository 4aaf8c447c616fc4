//! Locks between processes. The system releases a lock when its process ends, in any way. A lock file is not deleted on
//! release: otherwise two processes could each lock a different file at the same path.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::identity::is_file_at;

/// Pause between attempts. The kernel can wait for a lock, but not with a timeout.
const PAUSE: Duration = Duration::from_millis(3);

/// A lock, released on drop.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// Locks the file at `path`, which is created if missing; `None` if another process holds the lock for `longest`.
    ///
    /// # Errors
    /// Any I/O error; [`ErrorKind::Unsupported`] if the file system has no locks.
    pub fn take(path: &Path, longest: Duration) -> io::Result<Option<Self>> {
        let until = Instant::now() + longest;
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            if !locked(&file, until)? {
                return Ok(None);
            }
            // If the file was deleted between opening and locking, other processes would lock a new one.
            if is_file_at(&file, path) {
                return Ok(Some(Self(file)));
            }
        }
    }

    /// Locks an existing folder; `None` if another process holds the lock for `longest`.
    ///
    /// # Errors
    /// Any I/O error; some systems cannot lock folders.
    pub fn take_folder(path: &Path, longest: Duration) -> io::Result<Option<Self>> {
        let folder = File::open(path)?;
        Ok(locked(&folder, Instant::now() + longest)?.then_some(Self(folder)))
    }

    /// Whether it still protects `path`. It does not if the lock file was deleted: others then create a new one.
    pub fn is_at(&self, path: &Path) -> bool {
        is_file_at(&self.0, path)
    }

    /// The content of the file.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn text(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.0.rewind()?;
        self.0.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Writes `text` to the file, for information only. Errors are ignored.
    pub fn sign(&mut self, text: &str) {
        let file = &mut self.0;
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    }
}

/// Whether a process holds the lock of the file at `path`.
///
/// # Errors
/// Any I/O error.
pub fn is_held(path: &Path) -> io::Result<bool> {
    match File::open(path) {
        // A shared lock, so that concurrent checks do not see each other as holders.
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn locked(file: &File, until: Instant) -> io::Result<bool> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_process_holds_the_lock_and_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        assert!(!is_held(&path).unwrap());
        let mut held = FileLock::take(&path, Duration::ZERO).unwrap().unwrap();
        held.sign("somebody\n");
        assert!(is_held(&path).unwrap());
        assert!(FileLock::take(&path, Duration::from_millis(10)).unwrap().is_none());
        drop(held);
        assert!(!is_held(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "somebody\n");
    }

    #[test]
    fn a_waiting_process_gets_the_lock_when_it_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let held = FileLock::take(&path, Duration::ZERO).unwrap().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| FileLock::take(&path, Duration::from_secs(20)).unwrap());
            drop(held);
            assert!(waiting.join().unwrap().is_some());
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_deleted_lock_file_protects_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let held = FileLock::take(&path, Duration::ZERO).unwrap().unwrap();
        thread::scope(|scope| {
            let (path, stays) = (&path, Duration::from_secs(20));
            let waiting = scope.spawn(move || FileLock::take(path, stays).unwrap().unwrap());
            fs::remove_file(path).unwrap();
            assert!(!held.is_at(path));
            drop(held);
            assert!(waiting.join().unwrap().is_at(path), "the lock is on the file at the path");
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_can_be_locked() {
        let folder = tempfile::tempdir().unwrap();
        let held = FileLock::take_folder(folder.path(), Duration::ZERO).unwrap().unwrap();
        assert!(FileLock::take_folder(folder.path(), Duration::ZERO).unwrap().is_none());
        drop(held);
        assert!(FileLock::take_folder(folder.path(), Duration::ZERO).unwrap().is_some());
    }
}
