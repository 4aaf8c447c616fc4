//! `ubp list`: the pages.

use ubp_core::ops::list_pages::{self, Output, Params, SortKey, SortOrder};

use crate::args::{Global, ListArgs, OrderChoice, SortChoice};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

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
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    for listed in &output.pages {
        let page = &listed.page;
        let day = page.updated_at.get(..10).unwrap_or(&page.updated_at);
        let facts = paint.faint(format!(
            "{} · {day} · {} out, {} in",
            printable(&page.doc_type),
            listed.link_count,
            listed.backlink_count
        ));
        let staleness = super::staleness_label(paint, page.staleness);
        terminal.line(format!(
            "{}  {}  {facts}{staleness}",
            paint.path(terminal.path(&page.filepath)),
            printable(&page.title)
        ))?;
    }
    let footer = match output.pages.len() {
        shown if shown == output.total => counted(shown, "page", "pages"),
        shown => format!("{shown} of {} pages", output.total),
    };
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    Ok(())
}
