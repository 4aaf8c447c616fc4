//! Locks among processes. The system takes a lock from a process that ends, however it ends. A lock file stays where it
//! is when nobody holds it: one that is deleted could be held by two, each with a file of its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::identity::is_file_at;

/// Pause between two attempts. The kernel can also wait, but not for a limited time.
const PAUSE: Duration = Duration::from_millis(3);

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct FileLock(File);

impl FileLock {
    /// The lock of the file at `path`, which is made if need be; `None` when another has it for `longest`.
    ///
    /// # Errors
    /// What went wrong; [`ErrorKind::Unsupported`] where the file system has no locks.
    pub fn take(path: &Path, longest: Duration) -> io::Result<Option<Self>> {
        let until = Instant::now() + longest;
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            if !locked(&file, until)? {
                return Ok(None);
            }
            // Deleted between opening and locking: the lock would be on a file that nobody finds.
            if is_file_at(&file, path) {
                return Ok(Some(Self(file)));
            }
        }
    }

    /// The lock of a folder that is there; `None` when another has it for `longest`.
    ///
    /// # Errors
    /// What went wrong; on some systems folders have no locks.
    pub fn take_folder(path: &Path, longest: Duration) -> io::Result<Option<Self>> {
        let folder = File::open(path)?;
        Ok(locked(&folder, Instant::now() + longest)?.then_some(Self(folder)))
    }

    /// Whether it still protects `path`. A lock file that was deleted protects nothing: others make a new one.
    pub fn is_at(&self, path: &Path) -> bool {
        is_file_at(&self.0, path)
    }

    /// What is in the file.
    ///
    /// # Errors
    /// What went wrong.
    pub fn text(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.0.rewind()?;
        self.0.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Puts `text` into the file, for people who look into it. The lock holds without it.
    pub fn sign(&mut self, text: &str) {
        let file = &mut self.0;
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    }
}

/// Whether somebody has the lock of the file at `path`.
///
/// # Errors
/// What went wrong.
pub fn is_held(path: &Path) -> io::Result<bool> {
    match File::open(path) {
        // Shared, so that those who ask at the same time do not take each other for a holder.
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
    fn one_has_it_and_others_are_told() {
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
    fn who_waits_gets_it_when_it_is_free() {
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
    fn a_file_that_was_deleted_is_locked_by_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let held = FileLock::take(&path, Duration::ZERO).unwrap().unwrap();
        thread::scope(|scope| {
            let (path, stays) = (&path, Duration::from_secs(20));
            let waiting = scope.spawn(move || FileLock::take(path, stays).unwrap().unwrap());
            fs::remove_file(path).unwrap();
            assert!(!held.is_at(path));
            drop(held);
            assert!(waiting.join().unwrap().is_at(path), "it is held where others look");
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
