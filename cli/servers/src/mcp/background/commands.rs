//! Asking after the server in the background, and ending it.

use std::io::{Error as IoError, ErrorKind};
use std::time::{Duration, Instant};

use serde::Serialize;
use ubp_core::{Error, Result};
use ubp_host::atomic;

use super::{Files, LOCK, LOG, LOOK, Running, STOP, shown};

/// How long a server may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

/// What there is to say of a server in the background.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether a server runs in the background now.
    pub running: bool,
    /// Where clients reach it, or did.
    pub url: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// When it began to listen, RFC 3339.
    pub started_at: Option<String>,
    /// The version of its program.
    pub version: Option<String>,
    /// The file with the token that clients send, relative to the project; absent where they send none, or one that
    /// was given.
    pub token_file: Option<String>,
    /// Its log, relative to the project.
    pub log: String,
}

impl Report {
    pub(super) fn new(running: bool, of: Option<Running>) -> Self {
        let log = shown(LOG);
        match of {
            None => {
                Self { running, url: None, pid: None, started_at: None, version: None, token_file: None, log }
            }
            Some(Running { pid, url, started_at, version, token_file, .. }) => Self {
                running,
                url: Some(url),
                pid: Some(pid),
                started_at: Some(started_at),
                version: Some(version),
                token_file,
                log,
            },
        }
    }
}

impl Files {
    /// What is to say of the server that runs in the background, or that none does.
    ///
    /// # Errors
    /// [`Error::Io`] when the lock cannot be looked at, or whoever has it does not say where it listens.
    pub fn status(&self) -> Result<Report> {
        let running = self.running()?;
        Ok(Report::new(running.is_some(), running))
    }

    /// Ends the server, and says of it what there was to say; returns when it has ended.
    ///
    /// # Errors
    /// As [`Files::status`], and [`Error::Io`] when it does not end.
    pub fn stop(&self) -> Result<Report> {
        let running = self.running()?;
        if let Some(running) = &running {
            end(self, running)?;
        }
        Ok(Report::new(false, running))
    }
}

fn end(files: &Files, running: &Running) -> Result<()> {
    atomic::write(&files.path(STOP), format!("{}\n", running.instance).as_bytes(), &shown(STOP))?;
    let begun = Instant::now();
    // Another one may have begun meanwhile, which was not asked.
    while files.is_held()? && files.said().is_none_or(|said| said.instance == running.instance) {
        if begun.elapsed() > PATIENCE {
            let words = format!(
                "process {} does not end; if it hangs, end it yourself, and this lock is free at once",
                running.pid
            );
            return Err(Error::io(shown(LOCK), IoError::new(ErrorKind::TimedOut, words)));
        }
        std::thread::sleep(LOOK / 2);
    }
    Ok(())
}
