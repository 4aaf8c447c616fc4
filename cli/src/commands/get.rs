//! `ubp get`: read a page.

use clap::Args;
use ubp_core::ops::get_page::{self, Params};
use ubp_core::ops::preview_answer::{self, Previewed};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp get`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp get login-feature.md\n  \
    ubp get \"Login Feature\" --section login-feature/flow\n  \
    ubp get login-feature.md --code          with signatures of its symbols\n  \
    ubp get login-feature.md --as-agent      what does an agent see?\n  \
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
    /// Also print the signatures and doc comments of symbols that the page, or the section, names
    #[arg(long, conflicts_with = "as_agent")]
    pub code: bool,
    /// Print what an agent gets, and which sections are left out [default limit: 12500 tokens]
    #[arg(long)]
    pub as_agent: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GetArgs,
) -> CommandResult {
    if args.as_agent {
        let params = preview_answer::Params {
            page: session.page(terminal, &args.page),
            operation: Some(Previewed::GetPage),
            section: args.section,
            max_tokens: args.max_tokens,
            ..preview_answer::Params::default()
        };
        let output = session.read(terminal, global, |context| preview_answer::run(context, params))?;
        return answer(terminal, &output, preview_answer::show);
    }
    let params = Params {
        page: Some(session.page(terminal, &args.page)),
        section: args.section,
        max_tokens: args.max_tokens,
        code: args.code,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_page::run(context, params))?;
    answer(terminal, &output, get_page::show)
}
