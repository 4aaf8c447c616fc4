//! What a server has to say to people: on standard error, from several threads.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use crate::live::Notices;
use crate::output::{Palette, printable};
use crate::session::Terminal;

/// The error stream of the command, shared.
pub(crate) struct Messages {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    paint: Palette,
    quiet: bool,
}

impl Messages {
    /// Takes the error stream over from the terminal.
    pub(crate) fn of(terminal: &mut Terminal<'_>) -> Self {
        let stream = std::mem::replace(&mut terminal.io.err, Box::new(std::io::sink()));
        let stream = Arc::new(Mutex::new(stream));
        terminal.io.err = Box::new(Shared(stream.clone()));
        Self { stream, paint: terminal.err, quiet: terminal.quiet }
    }

    /// A line for people.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            // A closed error stream must not stop the server.
            let _ = writeln!(Shared(self.stream.clone()), "{}", printable(text));
        }
    }

    /// Where the engine's notices go.
    pub(crate) fn notices(&self) -> Notices {
        let (stream, paint, quiet) = (self.stream.clone(), self.paint, self.quiet);
        Arc::new(move |notice| {
            if quiet {
                return;
            }
            let mut lines = printable(&notice.text);
            if notice.is_warning {
                lines = format!("{} {lines}", paint.warning("warning:"));
            }
            if let Some(hint) = &notice.hint {
                lines = format!("{lines}\n{} {}", paint.good("hint:"), printable(hint));
            }
            let _ = writeln!(Shared(stream.clone()), "{lines}");
        })
    }
}

struct Shared(Arc<Mutex<Box<dyn Write + Send>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
