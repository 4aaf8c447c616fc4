//! `ubp get`: read a page.

use clap::Args;
use ubp_core::ops::get_page::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp get`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp get login-feature.md\n  \
    ubp get \"Login Feature\" --section login-feature/flow\n  \
    ubp get 0198c1d2-... --json")]
pub struct GetArgs {
    /// The page: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Only this section and its subsections
    #[arg(long, value_name = "ID")]
    pub section: Option<String>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GetArgs,
) -> CommandResult {
    let params = Params {
        page: Some(session.page(terminal, &args.page)),
        section: args.section,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_page::run(context, params))?;
    answer(terminal, &output, get_page::show)
}
