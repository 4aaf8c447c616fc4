//! `ubp list`: the pages.

use ubp_core::ops::list_pages::{self, Params};

use crate::args::{Global, ListArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ListArgs,
) -> CommandResult {
    let params = Params {
        doc_type: args.doc_type,
        tags: args.tags,
        folder: args.folder,
        staleness: args.staleness,
        sort: args.sort,
        order: args.order,
        limit: args.limit,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| list_pages::run(context, params))?;
    answer(terminal, &output, list_pages::show)
}
