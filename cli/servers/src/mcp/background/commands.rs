//! Status and stop of the server in the background.

use std::io::{Error as IoError, ErrorKind};
use std::time::{Duration, Instant};

use serde::Serialize;
use ubp_core::reported;
use ubp_core::{Error, Result};
use ubp_host::atomic;

use super::{Files, LOCK, LOG, LOOK, Running, STOP, shown};

/// How long a server may take to stop.
const PATIENCE: Duration = Duration::from_secs(15);

/// Output of `--daemon`, `--status` and `--stop`.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether the server is running.
    pub running: bool,
    /// Address for clients; of the stopped server after `--stop`.
    pub url: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// When it started to listen, RFC 3339.
    pub started_at: Option<String>,
    /// Version of the program.
    pub version: Option<String>,
    /// File with the token for clients, relative to the project; absent without a token, or if one was given by the
    /// user.
    pub token_file: Option<String>,
    /// Log file, relative to the project.
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
    /// Reports whether a server is running in the background.
    ///
    /// # Errors
    /// [`Error::Io`] if the lock cannot be tested, or the server that has it does not write its address.
    pub fn status(&self) -> Result<Report> {
        let running = self.running()?;
        Ok(Report::new(running.is_some(), running))
    }

    /// Stops the server, waits for its end, and returns its last report.
    ///
    /// # Errors
    /// As [`Files::status`], and [`Error::Io`] if it does not stop.
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
    // Another instance may have started in the meantime.
    while files.is_held()? && files.said().is_none_or(|said| said.instance == running.instance) {
        if begun.elapsed() > PATIENCE {
            let words = reported!(
                "process {process} does not stop; if it hangs, kill it, which releases this lock",
                process = running.pid
            );
            return Err(Error::io(shown(LOCK), IoError::new(ErrorKind::TimedOut, words)));
        }
        std::thread::sleep(LOOK / 2);
    }
    Ok(())
}
