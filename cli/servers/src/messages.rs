//! Messages of a server for people: on standard error, from several threads.

use std::io::Write;
use std::sync::{Arc, Mutex};

use ubp_core::message::{Language, Message};
use ubp_host::documents::Level;
use ubp_host::live::Notices;

use crate::Shared;

/// Style of messages.
#[derive(Debug, Clone)]
pub struct MessageStyle {
    /// Whether to print only errors.
    pub quiet: bool,
    /// Prefix of a warning, with colours if the stream has them.
    pub warning: String,
    /// Prefix of a hint.
    pub hint: String,
    /// The language of messages, except in a log.
    pub language: Language,
}

/// The error stream of the command, shared.
pub struct Messages {
    stream: Shared<Box<dyn Write + Send>>,
    style: MessageStyle,
    levels: bool,
}

/// `text` with control characters, except line breaks and tabs, replaced by spaces.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c }).collect()
}

impl Messages {
    /// Shares the stream with its owner.
    pub fn over(stream: &mut Box<dyn Write + Send>, style: MessageStyle) -> Self {
        let own = std::mem::replace(stream, Box::new(std::io::sink()));
        let shared = Shared(Arc::new(Mutex::new(own)));
        *stream = Box::new(shared.clone());
        Self { stream: shared, style, levels: false }
    }

    /// The same with a level before each line, for programs that collect logs.
    pub(crate) fn with_levels(self) -> Self {
        Self { levels: true, ..self }
    }

    /// Whether lines start with a level.
    pub(crate) fn has_levels(&self) -> bool {
        self.levels
    }

    /// The language of messages.
    pub(crate) fn language(&self) -> Language {
        self.style.language
    }

    /// Prints a message with a level.
    pub(crate) fn log(&self, level: Level, text: &str) {
        let is_error = matches!(level, Level::Error | Level::Fatal);
        if is_error || !self.style.quiet {
            let text = printable(text).replace('\n', " ");
            let _ = writeln!(self.stream.clone(), "{} {text}", level.label());
        }
    }

    /// Callback that reports failed calls.
    pub(crate) fn failures(&self) -> Arc<dyn Fn(&str) + Send + Sync> {
        let stream = self.stream.clone();
        Arc::new(move |text| {
            let text = printable(text).replace('\n', " ");
            let _ = writeln!(stream.clone(), "{} {text}", Level::Error.label());
        })
    }

    /// Prints a line.
    pub(crate) fn say(&self, message: &Message) {
        if self.levels {
            // A log is for programs, too.
            self.log(Level::Info, &message.to_string());
        } else if !self.style.quiet {
            // A closed error stream must not stop the server.
            let text = message.in_language(self.style.language);
            let _ = writeln!(self.stream.clone(), "{}", printable(&text));
        }
    }

    /// Callback that prints notices of the engine.
    pub fn notices(&self) -> Notices {
        let (stream, style, levels) = (self.stream.clone(), self.style.clone(), self.levels);
        Arc::new(move |notice| {
            if style.quiet {
                return;
            }
            // A log is for programs, too.
            let language = if levels { Language::ENGLISH } else { style.language };
            let mut lines = printable(&notice.text.in_language(language));
            let hint = notice.hint.map(|hint| hint.in_language(language));
            if levels {
                let level = if notice.is_warning { Level::Warn } else { Level::Info };
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                let line = format!("{lines}{}", printable(&hint)).replace('\n', " ");
                let _ = writeln!(stream.clone(), "{} {line}", level.label());
                return;
            }
            if notice.is_warning {
                lines = format!("{} {lines}", style.warning);
            }
            if let Some(hint) = hint {
                lines = format!("{lines}\n{} {}", style.hint, printable(&hint));
            }
            let _ = writeln!(stream.clone(), "{lines}");
        })
    }
}
