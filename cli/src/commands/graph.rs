//! `ubp graph`: how pages link to each other.

use clap::{Args, ValueEnum};
use ubp_core::ops::get_graph::{self, GraphDirection, Params};

use super::search::Format;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp graph`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp graph                                    the whole project\n  \
    ubp graph \"Login Feature\" --depth 3\n  \
    ubp graph UserDB --direction incoming --link-type depends_on\n  \
    ubp graph --format json > graph.json")]
pub struct GraphArgs {
    /// The page at the centre [default: the whole project]
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Hops from it, 1 to 5 [default: 2]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Direction in which to follow links [default: both]
    #[arg(long, value_name = "WAY")]
    pub direction: Option<DirectionChoice>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Add pages that links name but that do not exist
    #[arg(long)]
    pub wanted: bool,
    /// Print at most N pages [default: 1000]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// Direction in which to follow links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DirectionChoice {
    /// Links from a page
    #[value(alias = "out")]
    Outgoing,
    /// Links to a page
    #[value(alias = "in")]
    Incoming,
    /// Links from and to a page
    Both,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GraphArgs,
) -> CommandResult {
    let params = Params {
        page: args.page.map(|page| session.page(terminal, &page)),
        depth: args.depth,
        direction: args.direction.map(direction),
        link_types: args.link_types,
        wanted: args.wanted,
        limit: args.limit,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_graph::run(context, params))?;
    terminal.json |= args.format == Some(Format::Json);
    answer(terminal, &output, get_graph::show)
}

/// The direction that was chosen.
pub(super) fn direction(choice: DirectionChoice) -> GraphDirection {
    match choice {
        DirectionChoice::Outgoing => GraphDirection::Outgoing,
        DirectionChoice::Incoming => GraphDirection::Incoming,
        DirectionChoice::Both => GraphDirection::Both,
    }
}
