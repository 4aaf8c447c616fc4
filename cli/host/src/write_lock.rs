//! One writer at a time, over all processes. Checking the hash of a file and replacing it are two steps; a write
//! between them would be lost.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ubp_core::ports::WriteGuard;
use ubp_core::reported;

use crate::file_lock::FileLock;

/// Name of the lock file in `.ubp`.
pub(super) const NAME: &str = "write.lock";
/// Timeout for the lock. Writers hold it for milliseconds, except for thousands of files, so after this time the holder
/// hangs or was suspended.
const PATIENCE: Duration = Duration::from_secs(30);

/// The lock of a project in one process.
#[derive(Debug)]
pub(super) struct WriteLock {
    folder: PathBuf,
    holder: Mutex<Option<Holder>>,
    free: Condvar,
    patience: Duration,
}

#[derive(Debug)]
struct Holder {
    thread: ThreadId,
    depth: usize,
    /// `None` if the file system has no locks.
    file: Option<FileLock>,
}

/// The held lock, released on drop.
pub(super) struct Held<'a>(&'a WriteLock);

impl WriteGuard for Held<'_> {}

impl WriteLock {
    /// The lock in `folder`, which is `.ubp`.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, holder: Mutex::default(), free: Condvar::new(), patience: PATIENCE }
    }

    /// Waits for the lock. It is reentrant per thread.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if another process does not release it.
    pub(super) fn take(&self) -> io::Result<Held<'_>> {
        let me = thread::current().id();
        let mut holder = self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &mut *holder {
                Some(held) if held.thread == me => {
                    held.depth += 1;
                    return Ok(Held(self));
                }
                Some(_) => holder = self.free.wait(holder).unwrap_or_else(PoisonError::into_inner),
                None => break,
            }
        }
        *holder = Some(Holder { thread: me, depth: 1, file: None });
        drop(holder);
        // From here on, drop releases the lock within this process, also if locking the file fails.
        let held = Held(self);
        let file = locked(&self.folder, self.patience)?;
        if let Some(holder) = &mut *self.holder.lock().unwrap_or_else(PoisonError::into_inner) {
            holder.file = file;
        }
        Ok(held)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut holder = self.0.holder.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *holder {
            Some(held) if held.depth > 1 => held.depth -= 1,
            _ => *holder = None,
        }
        self.0.free.notify_one();
    }
}

/// Locks the file.
fn locked(folder: &Path, patience: Duration) -> io::Result<Option<FileLock>> {
    let path = folder.join(NAME);
    if !path.exists() {
        fs::create_dir_all(folder)?;
        keep_out_of_git(folder, NAME);
    }
    match FileLock::take(&path, patience) {
        Ok(None) => Err(held_too_long(&path)),
        // Some network file systems have no locks: then only the hashes protect against lost edits.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        taken => taken,
    }
}

fn held_too_long(path: &Path) -> io::Error {
    let message = reported!(
        "another process has been writing to this project for {seconds} seconds; if it hangs or was suspended, end it, \
        which releases {path}",
        seconds = PATIENCE.as_secs(),
        path = path.display()
    );
    io::Error::new(io::ErrorKind::TimedOut, message)
}

/// Adds a file name or pattern to `.gitignore` in `folder`, if an older version created that. Errors are ignored: they
/// only cause a line in `git status`.
pub fn keep_out_of_git(folder: &Path, name: &str) {
    let path = folder.join(".gitignore");
    let Ok(text) = fs::read_to_string(&path) else { return };
    if text.lines().any(|line| line.trim().trim_start_matches('/') == name) {
        return;
    }
    let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
    if let (false, Ok(mut file)) = (is_link, OpenOptions::new().append(true).open(&path)) {
        let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let _ = file.write_all(format!("{line_break}/{name}\n").as_bytes());
    }
}

/// Removes the line for a file name or pattern from `.gitignore` in `folder`. Errors are ignored as in
/// [`keep_out_of_git`].
pub fn show_to_git(folder: &Path, name: &str) {
    let path = folder.join(".gitignore");
    let Ok(text) = fs::read_to_string(&path) else { return };
    let is_other = |line: &&str| line.trim().trim_start_matches('/') != name;
    let kept: String = text.split_inclusive('\n').filter(is_other).collect();
    if kept != text {
        let _ = super::atomic::write(&path, kept.as_bytes(), ".ubp/.gitignore");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_one_writer_at_a_time_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // Each thread has its own handle, as processes do.
                    let lock = WriteLock::new(dir.path().join(".ubp"));
                    for _ in 0..50 {
                        let _held = lock.take().unwrap();
                        let _again = lock.take().unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        let shared = WriteLock::new(dir.path().join(".ubp"));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _held = shared.take().unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn waiting_for_the_lock_times_out() {
        let dir = tempfile::tempdir().unwrap();
        let stopped = WriteLock::new(dir.path().into());
        let held = stopped.take().unwrap();
        let lock = WriteLock { patience: Duration::from_millis(20), ..WriteLock::new(dir.path().into()) };
        let error = lock.take().map(drop).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().contains("write.lock"), "{error}");
        drop(held);
        drop(lock.take().unwrap());
    }

    #[test]
    fn the_lock_file_is_added_to_the_gitignore_of_older_projects() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".gitignore"), "/serve.lock").unwrap();
        for _ in 0..2 {
            drop(WriteLock::new(dir.path().into()).take().unwrap());
        }
        assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "/serve.lock\n/write.lock\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_deleted_while_held_is_created_again() {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriteLock::new(dir.path().into());
        let held = lock.take().unwrap();
        fs::remove_file(dir.path().join(NAME)).unwrap();
        drop(held);
        drop(lock.take().unwrap());
        assert!(dir.path().join(NAME).exists());
    }

    #[test]
    fn a_lock_that_cannot_be_created_is_an_error_and_blocks_no_one() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        let lock = WriteLock::new(dir.path().join("file"));
        for _ in 0..2 {
            assert!(lock.take().is_err());
        }
    }
}
