//! `ubp context`: read a page and the pages around it.

use clap::Args;
use ubp_core::ops::get_context::{self, Params};
use ubp_core::ops::preview_answer::{self, Previewed};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp context`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp context \"Login Feature\"\n  \
    ubp context login-feature.md --code      with the code that it shows and names\n  \
    ubp context login-feature.md --depth 1 --max-tokens 4000 --json")]
pub struct ContextArgs {
    /// The page at the centre: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Hops from it, 1 to 3 [default: 2, or search.depth of the project]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Also print the code that the page shows, and the signatures and doc comments of symbols that it names
    #[arg(long)]
    pub code: bool,
    /// Limit the answer to N characters of JSON, at least 1000 [default: 50000]
    #[arg(long, value_name = "N")]
    pub max_size: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// Print what an agent gets, and which sections are left out [default limit: 12500 tokens]
    #[arg(long, conflicts_with_all = ["link_types", "max_size", "code"])]
    pub as_agent: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ContextArgs,
) -> CommandResult {
    if args.as_agent {
        let params = preview_answer::Params {
            page: session.page(terminal, &args.page),
            operation: Some(Previewed::GetContext),
            depth: args.depth,
            max_tokens: args.max_tokens,
            ..preview_answer::Params::default()
        };
        let output = session.read(terminal, global, |context| preview_answer::run(context, params))?;
        return answer(terminal, &output, preview_answer::show);
    }
    let params = Params {
        page: Some(session.page(terminal, &args.page)),
        depth: args.depth,
        link_types: args.link_types,
        code: args.code,
        max_size: args.max_size,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_context::run(context, params))?;
    answer(terminal, &output, get_context::show)
}
