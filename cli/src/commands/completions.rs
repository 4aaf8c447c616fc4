//! `ubp completions`: completions for a shell.

use clap::CommandFactory;

use crate::ExitStatus;
use crate::args::{Arguments, CompletionsArgs};
use crate::output::CommandResult;
use crate::session::Terminal;

pub(crate) fn run(terminal: &mut Terminal<'_>, args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "ubp", &mut script);
    terminal.io.out.write_all(&script)?;
    Ok(ExitStatus::Success)
}
