//! Asking after the server in the background, and ending it.

use std::io::{Error as IoError, ErrorKind};
use std::time::{Duration, Instant};

use serde::Serialize;
use ubp_core::{Error, Result};

use super::{Files, LOCK, LOG, LOOK, Running, STOP, shown};
use crate::ExitStatus;
use crate::host::atomic;
use crate::output::CommandResult;
use crate::session::{Terminal, answer_with};

/// How long a server may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

/// What the commands answer.
#[derive(Debug, Serialize)]
pub(super) struct Report {
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
    /// Its log, relative to the project.
    pub log: String,
}

impl Report {
    pub(super) fn new(running: bool, of: Option<Running>) -> Self {
        let log = shown(LOG);
        match of {
            None => Self { running, url: None, pid: None, started_at: None, version: None, log },
            Some(Running { pid, url, started_at, version, .. }) => Self {
                running,
                url: Some(url),
                pid: Some(pid),
                started_at: Some(started_at),
                version: Some(version),
                log,
            },
        }
    }

    pub(super) fn url(&self) -> &str {
        self.url.as_deref().unwrap_or_default()
    }
}

const NONE: &str = "No server of this project runs in the background.";

/// `ubp mcp-server --status`: ends with status 1 when no server runs.
pub(in crate::mcp) fn status(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let report = Report::new(true, files.running()?);
    let report = Report { running: report.url.is_some(), ..report };
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| {
        if !report.running {
            return terminal.line(NONE);
        }
        let (pid, since) = (report.pid.unwrap_or(0), report.started_at.as_deref().unwrap_or_default());
        terminal.line(format!("Serving {} (process {pid}, since {since})", report.url()))?;
        terminal.line(format!("Log: {}", terminal.project_path(&report.log)))
    })?;
    Ok(if report.running { ExitStatus::Success } else { ExitStatus::Finding })
}

/// `ubp mcp-server --stop`: returns when the server has ended.
pub(in crate::mcp) fn stop(terminal: &mut Terminal<'_>, files: &Files) -> CommandResult {
    let running = files.running()?;
    if let Some(running) = &running {
        end(files, running)?;
    }
    let report = Report::new(false, running);
    let json = terminal.json;
    answer_with(terminal, json, &report, |terminal, report| match report.pid {
        None => terminal.line(NONE),
        Some(pid) => terminal.line(format!("Ended the server at {} (process {pid}).", report.url())),
    })
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
