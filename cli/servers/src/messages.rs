//! Messages of a server for people: on standard error, from several threads.

use std::io::Write;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::json;
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
    format: Option<LogFormat>,
}

/// The form of lines for programs that collect logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// A level and a text.
    Text,
    /// A JSON object.
    Json,
}

/// A line of a log, without its end.
fn logged(format: LogFormat, level: Level, text: &str) -> String {
    let text = printable(text).replace('\n', " ");
    let label = level.label();
    match format {
        LogFormat::Text => format!("{label} {text}"),
        LogFormat::Json => {
            let level = label.trim_matches(['[', ']']).to_ascii_lowercase();
            json!({ "time": Timestamp::now().to_string(), "level": level, "message": text }).to_string()
        }
    }
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
        Self { stream: shared, style, format: None }
    }

    /// The same with a level before each line, for programs that collect logs.
    pub(crate) fn with_levels(self) -> Self {
        self.with_format(Some(LogFormat::Text))
    }

    /// The same in the form of a log; `None` for people.
    pub(crate) fn with_format(self, format: Option<LogFormat>) -> Self {
        Self { format, ..self }
    }

    /// The stream that they are written to.
    pub(crate) fn stream(&self) -> Shared<Box<dyn Write + Send>> {
        self.stream.clone()
    }

    /// Whether lines start with a level.
    pub(crate) fn has_levels(&self) -> bool {
        self.format.is_some()
    }

    /// The language of messages.
    pub(crate) fn language(&self) -> Language {
        self.style.language
    }

    /// Prints a message with a level.
    pub(crate) fn log(&self, level: Level, text: &str) {
        let is_error = matches!(level, Level::Error | Level::Fatal);
        if is_error || !self.style.quiet {
            let line = logged(self.format.unwrap_or(LogFormat::Text), level, text);
            let _ = writeln!(self.stream.clone(), "{line}");
        }
    }

    /// Callback that reports failed calls.
    pub(crate) fn failures(&self) -> Arc<dyn Fn(&str) + Send + Sync> {
        let (stream, format) = (self.stream.clone(), self.format.unwrap_or(LogFormat::Text));
        Arc::new(move |text| {
            let _ = writeln!(stream.clone(), "{}", logged(format, Level::Error, text));
        })
    }

    /// Prints a line.
    pub(crate) fn say(&self, message: &Message) {
        if self.format.is_some() {
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
        let (stream, style, format) = (self.stream.clone(), self.style.clone(), self.format);
        Arc::new(move |notice| {
            if style.quiet {
                return;
            }
            // A log is for programs, too.
            let language = if format.is_some() { Language::ENGLISH } else { style.language };
            let mut lines = printable(&notice.text.in_language(language));
            let hint = notice.hint.map(|hint| hint.in_language(language));
            if let Some(format) = format {
                let level = if notice.is_warning { Level::Warn } else { Level::Info };
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                let _ = writeln!(stream.clone(), "{}", logged(format, level, &format!("{lines}{hint}")));
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
