//! What the command sees of the process around it. Everything is handed in, so that tests and Node
//! run the same command without a process of their own.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

use ubp_core::progress::Cancel;
use ubp_host::Environment;

/// Streams, folder, environment and the request to stop.
pub struct Io {
    /// What servers are asked through, and where answers of a person come from.
    pub input: Box<dyn Read + Send>,
    /// Results go here, and nothing else.
    pub out: Box<dyn Write + Send>,
    /// Everything else goes here.
    pub err: Box<dyn Write + Send>,
    /// Whether a person can answer questions.
    pub in_is_terminal: bool,
    /// Whether a person reads the results.
    pub out_is_terminal: bool,
    /// Whether a person reads the messages.
    pub err_is_terminal: bool,
    /// Columns of the terminal, where it has any.
    pub width: Option<usize>,
    /// The current folder.
    pub folder: PathBuf,
    /// The environment.
    pub environment: Environment,
    /// Asked to stop by Ctrl-C, a signal, or the host.
    pub cancel: Cancel,
    /// What starts this command in a process of its own: a program and the arguments before those of the command.
    /// Empty where nothing does.
    pub program: Vec<OsString>,
}

impl Io {
    pub(crate) fn flush(&mut self) -> Result<(), crate::output::Failure> {
        self.out.flush()?;
        self.err.flush()?;
        Ok(())
    }
}
