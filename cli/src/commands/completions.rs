//! `ubp completions`: completions for a shell.

use crate::args::Arguments;
use clap::Args;
use clap::CommandFactory;

use crate::ExitStatus;
use crate::output::CommandResult;
use crate::session::Terminal;

/// `ubp completions`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp completions bash > ~/.local/share/bash-completion/completions/ubp\n  \
    ubp completions fish > ~/.config/fish/completions/ubp.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "ubp", &mut script);
    terminal.io.out.write_all(&script)?;
    Ok(ExitStatus::Success)
}
