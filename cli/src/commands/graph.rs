//! `ubp graph`: which pages link to which.

use ubp_core::ops::get_graph::{self, GraphDirection, Params};

use crate::args::{DirectionChoice, Format, Global, GraphArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GraphArgs,
) -> CommandResult {
    let params = Params {
        page: args.page,
        depth: args.depth,
        direction: args.direction.map(direction),
        link_types: args.link_types,
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
