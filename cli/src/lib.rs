//! The `ubp` command. A terminal, a Node process and a test all call [`run`] with arguments and
//! streams. What is known about a project comes from the engine.
//!
//! **Invariants**
//! - Results go to standard output, everything else to standard error. A closed pipe is not an error
//!   (`tests/tests/transcripts`).
//! - Control characters of pages never reach a terminal (`output.rs`).
//! - Ctrl-C stops the command after the current batch or file, with status 130; a second one stops it at once and
//!   loses no more (`tests/tests/process/interrupted.rs`).

mod agents;
mod args;
mod commands;
mod commit_hook;
mod editor;
mod io;
pub mod language;
mod output;
mod page;
mod places;
mod progress;
mod questions;
mod session;
mod streams;
mod terminal;
mod word_diff;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
pub use editor::ThisDesktop;
pub use io::Io;
use ubp_core::message::Language;
pub use ubp_host::Environment;
pub use ubp_servers::SharedBuffer;

use crate::args::Arguments;
use crate::commands::Command;
use crate::output::Palette;
use crate::terminal::Terminal;

/// Exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Done.
    Success = 0,
    /// A finding, with a flag such as `--exit-code`.
    Finding = 1,
    /// Wrong usage, or an error.
    Error = 2,
    /// Cancelled.
    Interrupted = 130,
}

/// Runs the command in `arguments`, which start with the program name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, io: &mut Io) -> ExitStatus {
    let arguments = match parsed(arguments, language::of(&io.environment)) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, io),
    };
    let mut terminal = Terminal::new(io, &arguments.global);
    let command = arguments.command.unwrap_or(Command::Overview);
    let result = commands::run(&mut terminal, &arguments.global, command);
    match result.and_then(|status| terminal.io.flush().map(|()| status)) {
        Ok(status) => status,
        Err(failure) => terminal.fail(&failure),
    }
}

fn parsed(
    arguments: impl IntoIterator<Item = OsString>,
    language: Language,
) -> Result<Arguments, clap::Error> {
    if language.tag() == Language::ENGLISH.tag() {
        return Arguments::try_parse_from(arguments);
    }
    let command = language::translated(Arguments::command(), language);
    Arguments::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

fn usage(error: &clap::Error, io: &mut Io) -> ExitStatus {
    let colored =
        |terminal: bool| terminal && io.environment.get("NO_COLOR").is_none_or(|value| value.is_empty());
    let rendered =
        |color: bool| if color { error.render().ansi().to_string() } else { error.render().to_string() };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = rendered(colored(io.out_is_terminal));
            // Standard output is closed: there is nowhere to report to.
            let _ = io.out.write_all(text.as_bytes());
            ExitStatus::Success
        }
        _ => {
            let is_colored = colored(io.err_is_terminal);
            let language = language::of(&io.environment);
            let told = match language.tag() == Language::ENGLISH.tag() {
                true => None,
                false => language::explained(error, language, Palette::new(is_colored)),
            };
            let text = told.unwrap_or_else(|| rendered(is_colored));
            let _ = io.err.write_all(text.as_bytes());
            ExitStatus::Error
        }
    }
}
