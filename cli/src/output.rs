//! Printing: colours and errors with hints for people, JSON for programs.

use std::fmt::Display;
use std::io;

use anstyle::{AnsiColor, Style};
use ubp_core::Error;

use crate::ExitStatus;

pub(crate) use ubp_servers::printable;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the engine or the host.
    Engine(Error),
    /// Standard output could not be written to. A closed pipe is not an error.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

pub(crate) type CommandResult = Result<ExitStatus, Failure>;

/// Styles for text; without colours, text stays as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    colored: bool,
}

impl Palette {
    pub(crate) fn new(colored: bool) -> Self {
        Self { colored }
    }

    pub(crate) fn path(self, text: impl Display) -> String {
        self.paint(AnsiColor::Magenta.on_default(), text)
    }

    pub(crate) fn line(self, text: impl Display) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn strong(self, text: impl Display) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub(crate) fn faint(self, text: impl Display) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    pub(crate) fn hit(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn error(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn warning(self, text: impl Display) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    pub(crate) fn bad(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default(), text)
    }

    pub(crate) fn good(self, text: impl Display) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn removed_word(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default().bold().strikethrough(), text)
    }

    pub(crate) fn added_word(self, text: impl Display) -> String {
        self.paint(AnsiColor::Green.on_default().bold().underline(), text)
    }

    fn paint(self, style: Style, text: impl Display) -> String {
        if self.colored { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// Whether text is painted.
    pub(crate) fn is_colored(self) -> bool {
        self.colored
    }

    /// `text` with the ranges in `highlights` (UTF-16 offsets) in bold.
    pub(crate) fn highlighted(self, text: &str, highlights: &[[usize; 2]]) -> String {
        if !self.colored {
            return printable(text);
        }
        let mut painted = String::new();
        let mut run = String::new();
        let mut inside = false;
        let mut offset = 0;
        for c in text.chars() {
            let hit = highlights.iter().any(|[start, end]| (*start..*end).contains(&offset));
            if hit != inside {
                painted.push_str(&if inside { self.hit(&run) } else { run.clone() });
                run.clear();
                inside = hit;
            }
            run.push(if c.is_control() { ' ' } else { c });
            offset += c.len_utf16();
        }
        painted.push_str(&if inside { self.hit(&run) } else { run });
        painted
    }
}

pub(crate) use ubp_core::message::counted;
