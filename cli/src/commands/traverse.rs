//! `ubp traverse`: the pages around a page, as a tree of the ways that lead to them.

use ubp_core::ops::graph_traverse::{self, Params};

use crate::args::{Global, TraverseArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: TraverseArgs,
) -> CommandResult {
    let params = Params {
        page: Some(args.page),
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
