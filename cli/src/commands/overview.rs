//! `ubp` without a command: the state of the project, and what to do next.

use std::path::Path;

use ubp_core::Error;
use ubp_core::message;
use ubp_core::ops::status::{self, Params};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::{CommandResult, Failure, printable};
use crate::session::Session;
use crate::terminal::{Terminal, answer};

pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, global: &Global) -> CommandResult {
    let session = match Session::open(terminal, folder) {
        Err(Failure::Engine(Error::NoProject { folder })) if !terminal.json => {
            return begin(terminal, &folder);
        }
        opened => opened?,
    };
    let output = session.read(terminal, global, |context| status::run(context, Params::default()))?;
    if !terminal.json {
        let root = printable(&session.project.root.to_string_lossy());
        terminal.put(terminal.out.strong(root))?;
    }
    answer(terminal, &output, status::show_overview)
}

/// How to begin without a project.
fn begin(terminal: &mut Terminal<'_>, folder: &str) -> CommandResult {
    terminal
        .line(message!("No UBP project in {folder} or in any folder above.", folder = printable(folder)))?;
    terminal.put("")?;
    let next = terminal.out.strong(terminal.told(&message!("Next")));
    terminal.put(next)?;
    terminal.line(message!("  `ubp init` starts a project with the Markdown files in this folder"))?;
    terminal.line(message!("  `ubp --help` lists every command"))?;
    Ok(ExitStatus::Success)
}
