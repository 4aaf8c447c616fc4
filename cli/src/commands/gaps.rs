//! `ubp gaps`: list questions that found nothing.

use clap::Args;
use ubp_core::ops::gaps::{self, Params};

use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp gaps`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp gaps                                 what do readers miss?\n  \
    ubp gaps -n 100 --json\n  \
    ubp gaps --clear                         after writing the missing pages\n\n\
    Questions of people and agents are recorded in .ubp/gaps.json, on this machine\n\
    alone. \"search\": {\"record_gaps\": false} in the manifest turns that off.")]
pub struct GapsArgs {
    /// Print at most N questions, 1 to 500 [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Delete the list after printing it
    #[arg(long)]
    pub clear: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: GapsArgs) -> CommandResult {
    let params = Params { limit: args.limit, clear: args.clear };
    let output = session.write(terminal, |context| gaps::run(context, params))?;
    answer(terminal, &output, gaps::show)
}
