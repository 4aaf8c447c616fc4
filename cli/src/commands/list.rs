//! `ubp list`: the pages.

use ubp_core::ops::list_pages::{self, Params, SortKey, SortOrder};

use crate::args::{Global, ListArgs, OrderChoice, SortChoice};
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
        staleness: args.staleness.map(super::staleness),
        sort: args.sort.map(|choice| match choice {
            SortChoice::Title => SortKey::Title,
            SortChoice::UpdatedAt => SortKey::UpdatedAt,
            SortChoice::CreatedAt => SortKey::CreatedAt,
            SortChoice::Filepath => SortKey::Filepath,
        }),
        order: args.order.map(|choice| match choice {
            OrderChoice::Asc => SortOrder::Asc,
            OrderChoice::Desc => SortOrder::Desc,
        }),
        limit: args.limit,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| list_pages::run(context, params))?;
    answer(terminal, &output, list_pages::show)
}
