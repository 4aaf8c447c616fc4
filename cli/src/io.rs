//! The process environment of a command. All of it is passed in, so that tests and Node run the same command inside
//! their own process.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

use ubp_core::progress::Cancel;
use ubp_host::Environment;

/// Streams, folder, environment and cancellation.
pub struct Io {
    /// Requests to a server over standard input, and answers to questions.
    pub input: Box<dyn Read + Send>,
    /// Results only.
    pub out: Box<dyn Write + Send>,
    /// Messages, progress and errors.
    pub err: Box<dyn Write + Send>,
    /// Whether a person can answer questions.
    pub in_is_terminal: bool,
    /// Whether `out` is a terminal.
    pub out_is_terminal: bool,
    /// Whether `err` is a terminal.
    pub err_is_terminal: bool,
    /// Columns of the terminal; `None` if unknown.
    pub width: Option<usize>,
    /// The current folder.
    pub folder: PathBuf,
    /// The environment.
    pub environment: Environment,
    /// Requested by Ctrl-C, a signal or the host.
    pub cancel: Cancel,
    /// Program and leading arguments that start this command in a new process. Empty if that is not possible.
    pub program: Vec<OsString>,
}

impl Io {
    pub(crate) fn flush(&mut self) -> Result<(), crate::output::Failure> {
        self.out.flush()?;
        self.err.flush()?;
        Ok(())
    }
}
