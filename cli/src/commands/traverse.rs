//! `ubp traverse`: the pages around a page, as a tree of shortest paths.

use clap::Args;
use ubp_core::ops::graph_traverse::{self, Params};

use super::graph::DirectionChoice;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp traverse`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp traverse \"Login Feature\"\n  \
    ubp traverse UserDB --direction in --type depends_on --depth 4")]
pub struct TraverseArgs {
    /// The page to start from: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Hops to follow, 1 to 5 [default: 2]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Direction in which to follow links [default: both]
    #[arg(long, value_name = "WAY")]
    pub direction: Option<DirectionChoice>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "type", visible_alias = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Print at most N pages [default: 200]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: TraverseArgs,
) -> CommandResult {
    let params = Params {
        page: Some(session.page(terminal, &args.page)),
        depth: args.depth,
        direction: args.direction.map(super::graph::direction),
        link_types: args.link_types,
        limit: args.limit,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| graph_traverse::run(context, params))?;
    answer(terminal, &output, graph_traverse::show)
}
