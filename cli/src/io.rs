//! What the command sees of the process around it. Everything is handed in, so that tests and Node
//! run the same command without a process of their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use ubp_core::progress::Cancel;

/// Environment variables.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The process's own; variables that are not Unicode are left out.
    pub fn of_process() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
                .collect(),
        )
    }

    /// These variables alone.
    pub fn with<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(variables.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Streams, folder, environment and the request to stop.
pub struct Io {
    /// What servers are asked through; other commands read nothing.
    pub input: Box<dyn Read + Send>,
    /// Results go here, and nothing else.
    pub out: Box<dyn Write + Send>,
    /// Everything else goes here.
    pub err: Box<dyn Write + Send>,
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

/// A stream that several owners write to, for tests.
#[derive(Debug, Clone, Default)]
pub struct SharedBuffer(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl SharedBuffer {
    /// What was written so far.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
