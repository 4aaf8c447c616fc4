//! `ubp context`: read a page with its surroundings.

use ubp_core::ops::get_context::{self, Output, Params};

use crate::args::{ContextArgs, Global};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

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
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let center = &output.center;
    terminal.line(format!(
        "{}  {}",
        paint.strong(printable(&center.page.title)),
        paint.path(terminal.path(&center.page.filepath))
    ))?;
    terminal.line("")?;
    terminal.line(printable(center.content.trim_end()))?;
    for related in &output.related {
        let arrow = if related.direction == "outlink" { "->" } else { "<-" };
        terminal.line("")?;
        terminal.line(format!(
            "{arrow} {}  {} {}",
            paint.strong(printable(&related.page.title)),
            paint.path(terminal.path(&related.page.filepath)),
            paint.faint(format!("({}, {})", related.link_type, counted(related.depth, "hop", "hops")))
        ))?;
        if !related.summary.is_empty() {
            terminal.line(format!("   {}", printable(&related.summary)))?;
        }
    }
    if output.truncated_count > 0 {
        let left_out = counted(output.truncated_count, "related page", "related pages");
        terminal.note(format!("{left_out} left out for size; --max-size allows more"));
    }
    Ok(())
}
