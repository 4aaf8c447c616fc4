//! `ubp refs`: find the pages that describe a file, or a symbol in it.

use clap::Args;
use std::path::PathBuf;

use ubp_core::ops::refs::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp refs`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp refs src/auth/login.ts\n  \
    ubp refs 'src/auth/login.ts#login'    pages about one function, class or key\n  \
    ubp refs src/auth/login.ts --json")]
pub struct RefsArgs {
    /// A file of the project, or a symbol in it: FILE#SYMBOL
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: &RefsArgs,
) -> CommandResult {
    let params = Params { file: session.source(&args.file), max_tokens: None };
    let output = session.read(terminal, global, |context| refs::run(context, params))?;
    answer(terminal, &output, refs::show)
}
