//! `ubp get`: read a page.

use ubp_core::ops::LinkInfo;
use ubp_core::ops::get_page::{self, Output, Params};

use crate::args::{GetArgs, Global};
use crate::output::{CommandResult, Failure, printable};
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GetArgs,
) -> CommandResult {
    let params = Params {
        page: Some(args.page),
        section: args.section,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_page::run(context, params))?;
    let json = terminal.json;
    answer(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let page = &output.page;
    let staleness = super::staleness_label(paint, page.staleness);
    terminal.line(format!(
        "{}  {}{staleness}",
        paint.strong(printable(&page.title)),
        paint.path(terminal.path(&page.filepath))
    ))?;
    let facts = format!("{} · id {} · updated {}", page.doc_type, page.doc_id, page.updated_at);
    terminal.line(paint.faint(printable(&facts)))?;
    if !output.tags.is_empty() {
        terminal.line(paint.faint(printable(&format!("tags: {}", output.tags.join(", ")))))?;
    }
    for stale in &output.stale_ref_details {
        terminal.line(paint.warning(super::stale_ref(stale)))?;
    }
    terminal.line("")?;
    for section in &output.sections {
        terminal.line(printable(section.content.trim_end_matches(['\n', '\r'])))?;
        terminal.line("")?;
    }
    links(terminal, "Links to", &output.outlinks)?;
    links(terminal, "Linked from", &output.backlinks)
}

fn links(terminal: &mut Terminal<'_>, title: &str, links: &[LinkInfo]) -> Result<(), Failure> {
    if links.is_empty() {
        return Ok(());
    }
    let paint = terminal.out;
    terminal.line(paint.strong(format!("{title} ({})", links.len())))?;
    for link in links {
        let place = match (&link.filepath, &link.source_path) {
            (Some(path), _) => paint.path(terminal.path(path)),
            (None, Some(source)) => paint.path(printable(source)),
            (None, None) => paint.warning(format!("{} (not there)", printable(&link.title))),
        };
        let kind = paint.faint(format!("({})", link.link_type));
        terminal.line(format!("  {place} {kind}  {}", printable(&link.link_context)))?;
    }
    Ok(())
}
