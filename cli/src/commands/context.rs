//! `ubp context`: read a page with its surroundings.

use ubp_core::ops::get_context::{self, Params};

use crate::args::{ContextArgs, Global};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ContextArgs,
) -> CommandResult {
    let params = Params {
        page: Some(args.page),
        depth: args.depth,
        link_types: args.link_types,
        max_size: args.max_size,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_context::run(context, params))?;
    answer(terminal, &output, get_context::show)
}
