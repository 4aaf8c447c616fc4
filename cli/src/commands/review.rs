//! `ubp review`: record that pages are true of their code.

use clap::Args;
use ubp_core::ops::review_page::{self, Params};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp review`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp review login-feature.md                      record a page that is fresh\n  \
    ubp review --still-accurate login-feature.md     the code changed; I read the page and it is true\n  \
    ubp review --all                                 every page whose code did not change\n\n\
    The record is .ubp/refs.lock: commit it together with the pages.")]
pub struct ReviewArgs {
    /// The pages: paths, ids, titles or aliases
    #[arg(value_name = "PAGE", required_unless_present = "all")]
    pub pages: Vec<String>,
    /// Every page that names sources
    #[arg(long, conflicts_with = "pages")]
    pub all: bool,
    /// Also record pages whose code changed: they were read again and are true
    #[arg(long)]
    pub still_accurate: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ReviewArgs,
) -> CommandResult {
    let params =
        Params { pages: args.pages, all: args.all, still_accurate: args.still_accurate, ..Params::default() };
    let output = session.read(terminal, global, |context| review_page::run(context, params))?;
    answer(terminal, &output, review_page::show)?;
    Ok(if output.refused.is_empty() { ExitStatus::Success } else { ExitStatus::Finding })
}
