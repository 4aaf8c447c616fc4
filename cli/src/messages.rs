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
    levels: bool,
}

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// All goes well.
    Info,
    /// It goes on, and something should be looked at.
    Warn,
    /// What was asked for was not done.
    Error,
    /// The process ends.
    Fatal,
}

impl Level {
    fn label(self) -> &'static str {
        match self {
            Self::Info => "[INFO]",
            Self::Warn => "[WARN]",
            Self::Error => "[ERROR]",
            Self::Fatal => "[FATAL]",
        }
    }
}

impl Messages {
    /// Takes the error stream over from the terminal.
    pub(crate) fn of(terminal: &mut Terminal<'_>) -> Self {
        let stream = std::mem::replace(&mut terminal.io.err, Box::new(std::io::sink()));
        let stream = Arc::new(Mutex::new(stream));
        terminal.io.err = Box::new(Shared(stream.clone()));
        Self { stream, paint: terminal.err, quiet: terminal.quiet, levels: false }
    }

    /// The same, every line with its level before it, as programs that collect logs like it.
    pub(crate) fn with_levels(self) -> Self {
        Self { levels: true, ..self }
    }

    /// Whether lines have levels.
    pub(crate) fn has_levels(&self) -> bool {
        self.levels
    }

    /// A message that has a level.
    pub(crate) fn log(&self, level: Level, text: &str) {
        let is_error = matches!(level, Level::Error | Level::Fatal);
        if is_error || !self.quiet {
            let text = printable(text).replace('\n', " ");
            let _ = writeln!(Shared(self.stream.clone()), "{} {text}", level.label());
        }
    }

    /// Where calls that failed are told of.
    pub(crate) fn failures(&self) -> Arc<dyn Fn(&str) + Send + Sync> {
        let stream = self.stream.clone();
        Arc::new(move |text| {
            let text = printable(text).replace('\n', " ");
            let _ = writeln!(Shared(stream.clone()), "{} {text}", Level::Error.label());
        })
    }

    /// A line for people.
    pub(crate) fn say(&self, text: &str) {
        if self.levels {
            self.log(Level::Info, text);
        } else if !self.quiet {
            // A closed error stream must not stop the server.
            let _ = writeln!(Shared(self.stream.clone()), "{}", printable(text));
        }
    }

    /// Where the engine's notices go.
    pub(crate) fn notices(&self) -> Notices {
        let (stream, paint, quiet, levels) = (self.stream.clone(), self.paint, self.quiet, self.levels);
        Arc::new(move |notice| {
            if quiet {
                return;
            }
            let mut lines = printable(&notice.text);
            if levels {
                let level = if notice.is_warning { Level::Warn } else { Level::Info };
                let hint = notice.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
                let line = format!("{lines}{}", printable(&hint)).replace('\n', " ");
                let _ = writeln!(Shared(stream.clone()), "{} {line}", level.label());
                return;
            }
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
