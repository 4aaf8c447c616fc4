//! `ubp traverse`: the pages around a page, as a tree of the ways that lead to them.

use std::collections::HashMap;

use ubp_core::ops::StepDirection;
use ubp_core::ops::graph_traverse::{self, Output, Params, TraversedPage};

use crate::args::{Global, TraverseArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

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
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let start = &output.start;
    let title = paint.strong(printable(&start.title));
    terminal.line(format!("{title}  {}", paint.path(terminal.path(&start.filepath))))?;
    let mut beyond: HashMap<&str, Vec<&TraversedPage>> = HashMap::new();
    for page in &output.pages {
        if let Some(step) = page.path.last() {
            beyond.entry(&step.from).or_default().push(page);
        }
    }
    // Pages still to print, the next one last. A page comes right after the one that leads to it.
    let of = |path: &str| beyond.get(path).into_iter().flatten().rev().copied();
    let mut ahead: Vec<&TraversedPage> = of(&start.filepath).collect();
    while let Some(page) = ahead.pop() {
        if let Some(step) = page.path.last() {
            let arrow = if step.direction == StepDirection::Outgoing { "->" } else { "<-" };
            let indent = "  ".repeat(page.depth);
            let path = paint.path(terminal.path(&page.page.filepath));
            let link_type = paint.faint(printable(&format!("({})", step.link_type)));
            let staleness = super::staleness_label(paint, page.page.staleness);
            terminal.line(format!("{indent}{arrow} {path} {link_type}{staleness}"))?;
        }
        ahead.extend(of(&page.page.filepath));
    }
    let shown = output.pages.len();
    let footer = format!("{shown} of {} in reach", counted(output.total_pages, "page", "pages"));
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    Ok(())
}
