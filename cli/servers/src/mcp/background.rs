//! A server in the background: started once per project, found by later commands, and stopped by a request to this
//! instance. No process is killed by its id, which another process may have by then.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use ubp_core::progress::Cancel;
use ubp_core::word;
use ubp_core::{Error, Result};
use ubp_host::file_lock::{self, FileLock};
use ubp_host::{UBP_DIR, atomic, keep_out_of_git};

use crate::http::{kept, require_uncommitted};

mod commands;
mod log;
mod start;

pub use commands::Report;
pub(super) use log::Log;
pub use start::start;
pub(super) use start::{detach, runs_already};

/// Names of the files in `.ubp`.
const LOCK: &str = "mcp-server.lock";
const STATE: &str = "mcp-server.json";
const STOP: &str = "mcp-server.stop";
const LOG: &str = "mcp-server.log";

/// The token of servers over HTTP.
const TOKEN: &str = "mcp-server.token";

/// Pattern for all of them in `.gitignore`.
pub(super) const IGNORED: &str = "mcp-server.*";

/// How often a server checks for a stop request, and a command whether the server has stopped.
const LOOK: Duration = Duration::from_millis(100);
/// How long a server waits for the lock, which another command may be testing.
const GLANCE: Duration = Duration::from_millis(500);
/// How long a command waits for the server with the lock to write its address.
const SAYING: Duration = Duration::from_secs(3);

/// State file of a server in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Running {
    /// Unique id of this start.
    pub instance: String,
    /// Process id.
    pub pid: u32,
    /// Address for clients.
    pub url: String,
    /// When it started to listen, RFC 3339.
    pub started_at: String,
    /// Version of the program.
    pub version: String,
    /// File with the token for clients, relative to the project; absent without a token, or if one was given by the
    /// user.
    #[serde(default)]
    pub token_file: Option<String>,
}

/// The files through which servers in the background and commands communicate.
#[derive(Debug, Clone)]
pub struct Files(PathBuf);

impl Files {
    /// The files of the project in `root`.
    pub fn of(root: &Path) -> Self {
        Self(root.join(UBP_DIR))
    }

    /// Path of the log.
    pub(super) fn log(&self) -> PathBuf {
        self.0.join(LOG)
    }

    /// The token for clients, and the name of its file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file can be neither read nor created, [`Error::InvalidParams`] if it is in git.
    pub(super) fn token(&self) -> Result<(String, String)> {
        let name = shown(TOKEN);
        require_uncommitted(self.0.parent().unwrap_or(&self.0), &name)?;
        keep_out_of_git(&self.0, IGNORED);
        Ok((kept(&self.path(TOKEN), &name)?, name))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The running server, if any. Its lock ends with its process, so files of a killed server are not mistaken for a
    /// running one.
    ///
    /// # Errors
    /// [`Error::Io`] if the lock cannot be tested, or the server that has it does not write its address.
    pub(super) fn running(&self) -> Result<Option<Running>> {
        let begun = Instant::now();
        while self.is_held()? {
            if let Some(running) = self.said() {
                return Ok(Some(running));
            }
            if begun.elapsed() > SAYING {
                let words = word!("a server in the background has this lock, but did not report its address");
                return Err(Error::io(shown(LOCK), io::Error::new(ErrorKind::TimedOut, words)));
            }
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }

    /// Whether a server has the lock.
    fn is_held(&self) -> Result<bool> {
        file_lock::is_held(&self.path(LOCK)).map_err(|error| Error::io(shown(LOCK), error))
    }

    fn said(&self) -> Option<Running> {
        serde_json::from_slice(&fs::read(self.path(STATE)).ok()?).ok()
    }
}

fn shown(name: &str) -> String {
    format!("{UBP_DIR}/{name}")
}

/// The lock of the server in the background. Released on drop, and when the process ends.
pub(super) struct Holding {
    _lock: FileLock,
    files: Files,
    instance: String,
    ended: Arc<AtomicBool>,
}

impl Holding {
    /// Takes the lock; `None` if another server has it.
    ///
    /// # Errors
    /// [`Error::Io`] if locking fails.
    pub(super) fn take(files: &Files) -> Result<Option<Self>> {
        let taken = FileLock::take(&files.path(LOCK), GLANCE);
        let Some(lock) = taken.map_err(|error| Error::io(shown(LOCK), error))? else { return Ok(None) };
        // Remove files of a killed server.
        for name in [STATE, STOP] {
            forget(&files.path(name)).map_err(|error| Error::io(shown(name), error))?;
        }
        let instance = uuid::Uuid::now_v7().simple().to_string();
        Ok(Some(Self { _lock: lock, files: files.clone(), instance, ended: Arc::default() }))
    }

    /// Writes the state file, and the same to `out` for the process that started this one. Requests `cancel` when a
    /// command asks the server to stop.
    ///
    /// # Errors
    /// [`Error::Io`] if the state file cannot be written.
    pub(super) fn announce(
        &self,
        url: &str,
        token_file: Option<&str>,
        out: &mut dyn Write,
        cancel: &Cancel,
    ) -> Result<()> {
        let running = Running {
            instance: self.instance.clone(),
            pid: std::process::id(),
            url: url.to_owned(),
            started_at: now(),
            version: env!("CARGO_PKG_VERSION").into(),
            token_file: token_file.map(str::to_owned),
        };
        let text = serde_json::to_string(&running).map_err(|error| Error::Internal(error.to_string()))?;
        atomic::write(&self.files.path(STATE), format!("{text}\n").as_bytes(), &shown(STATE))?;
        // The process that started this one may have ended.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        let (path, instance, ended) = (self.files.path(STOP), self.instance.clone(), self.ended.clone());
        let cancel = cancel.clone();
        let watch = move || {
            while !ended.load(Ordering::Acquire) {
                if fs::read_to_string(&path).is_ok_and(|asked| asked.trim() == instance) {
                    cancel.request();
                    return;
                }
                std::thread::sleep(LOOK);
            }
        };
        let thread = std::thread::Builder::new().name("ubp-background".into()).spawn(watch);
        thread.map(drop).map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        for name in [STATE, STOP] {
            // A file that cannot be removed is harmless: without the lock, commands ignore it.
            let _ = forget(&self.files.path(name));
        }
    }
}

fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The current time in whole seconds.
fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        let files = Files::of(folder.path());
        (folder, files)
    }

    #[test]
    fn one_server_holds_the_lock_and_reports_its_address() {
        let (_folder, files) = files();
        assert!(files.running().unwrap().is_none());
        let holding = Holding::take(&files).unwrap().unwrap();
        let mut out = Vec::new();
        holding.announce("http://127.0.0.1:1/mcp", None, &mut out, &Cancel::default()).unwrap();
        assert!(Holding::take(&files).unwrap().is_none(), "only one server");
        let running = files.running().unwrap().unwrap();
        assert_eq!((running.pid, running.url.as_str()), (std::process::id(), "http://127.0.0.1:1/mcp"));
        assert_eq!(serde_json::from_slice::<Running>(&out).unwrap(), running);
        drop(holding);
        assert!(files.running().unwrap().is_none());
        assert!(!files.path(STATE).exists());
    }

    #[test]
    fn files_of_a_killed_server_are_ignored_and_replaced() {
        let (_folder, files) = files();
        let left = Running {
            instance: "old".into(),
            pid: 1,
            url: "http://127.0.0.1:1/mcp".into(),
            started_at: now(),
            version: "0".into(),
            token_file: None,
        };
        fs::write(files.path(STATE), serde_json::to_vec(&left).unwrap()).unwrap();
        fs::write(files.path(LOCK), "").unwrap();
        fs::write(files.path(STOP), "old").unwrap();
        assert!(files.running().unwrap().is_none());
        let holding = Holding::take(&files).unwrap().unwrap();
        assert!(!files.path(STATE).exists() && !files.path(STOP).exists());
        drop(holding);
    }

    #[test]
    fn only_a_stop_request_for_this_instance_stops_the_server() {
        let (_folder, files) = files();
        let holding = Holding::take(&files).unwrap().unwrap();
        let cancel = Cancel::default();
        holding.announce("http://127.0.0.1:1/mcp", None, &mut io::sink(), &cancel).unwrap();
        fs::write(files.path(STOP), "another").unwrap();
        std::thread::sleep(LOOK * 3);
        assert!(!cancel.is_requested());
        fs::write(files.path(STOP), format!("{}\n", holding.instance)).unwrap();
        let begun = Instant::now();
        while !cancel.is_requested() {
            assert!(begun.elapsed() < Duration::from_secs(5), "the request was not noticed");
            std::thread::sleep(LOOK / 10);
        }
    }
}
