//! `ubp refs`: find the pages that describe a file, a symbol in it, or what a change touches.

use clap::Args;
use std::path::PathBuf;

use ubp_core::ops::TouchedPage;
use ubp_core::ops::refs::{self, Params};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp refs`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp refs src/auth/login.ts\n  \
    ubp refs 'src/auth/login.ts#login'    pages about one function, class or key\n  \
    ubp refs --diff                       pages about what is not committed yet\n  \
    ubp refs --diff main...HEAD           pages about what this branch changed\n  \
    ubp refs --diff main...HEAD --exit-code\n  \
    ubp refs src/auth/login.ts --json\n\n\
    A...B compares B with the merge base of A and B, as in git. A compares A with the working folder.")]
pub struct RefsArgs {
    /// A file of the project, or a symbol in it: FILE#SYMBOL
    #[arg(value_name = "FILE", required_unless_present = "diff", conflicts_with = "diff")]
    pub file: Option<PathBuf>,
    /// Pages that describe what a change touches: A..B, A...B, or A for A and the working folder [default: HEAD and the
    /// working folder]
    #[arg(
        long,
        value_name = "RANGE",
        num_args = 0..=1,
        default_missing_value = "HEAD",
        allow_hyphen_values = true
    )]
    pub diff: Option<String>,
    /// With --diff, exit with status 1 if a page has to be read again: it describes a contract or file that changed, and
    /// it was neither changed nor reviewed
    #[arg(long, requires = "diff")]
    pub exit_code: bool,
    /// With --exit-code, fail also for symbols that changed without their contract
    #[arg(long, requires = "exit_code")]
    pub any_change: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: &RefsArgs,
) -> CommandResult {
    let file = args.file.as_ref().map(|file| session.source(file));
    let params = Params { file, diff: args.diff.clone(), max_tokens: None };
    let output = session.read(terminal, global, |context| refs::run(context, params))?;
    answer(terminal, &output, refs::show)?;
    let is_due = |page: &TouchedPage| page.is_due(args.any_change);
    let found = output.change.is_some_and(|change| change.pages.iter().any(is_due));
    Ok(if found && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}
