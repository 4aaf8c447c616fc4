//! `ubp impact`: who is affected when a page or a source file changes.

use std::collections::BTreeMap;

use ubp_core::ops::get_impact::{self, AffectedPage, Output, Params, most_frequent};
use ubp_core::ops::{Step, StepDirection};

use crate::args::{Global, ImpactArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ImpactArgs,
) -> CommandResult {
    let params = Params {
        page: Some(args.page),
        depth: args.depth,
        link_types: args.link_types,
        doc_types: args.doc_types,
        limit: args.limit,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_impact::run(context, params))?;
    let json = terminal.json;
    answer(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    if let Some(page) = &output.changed_page {
        let path = paint.path(terminal.path(&page.filepath));
        terminal.line(format!("{}  {path}", paint.strong(printable(&page.title))))?;
    }
    if let Some(file) = &output.changed_file {
        terminal.line(paint.path(printable(file)))?;
    }
    for found in &output.affected {
        print_page(terminal, found)?;
    }
    if output.total_affected == 0 {
        let hint = match &output.changed_file {
            Some(_) => "no page names this file; `source_refs` in the front matter of a page does",
            None => "no other page is affected",
        };
        terminal.note(hint);
        return Ok(());
    }
    let shown = output.affected.len();
    let count = counted(output.total_affected, "page", "pages");
    let all = if shown < output.total_affected { format!("{shown} of {count}") } else { count };
    let footer = format!(
        "{all} affected · by page type: {} · by link: {}",
        listed(&output.counts.by_doc_type),
        listed(&output.counts.by_link_type)
    );
    let footer = terminal.err.faint(printable(&footer));
    terminal.note(footer);
    Ok(())
}

fn print_page(terminal: &mut Terminal<'_>, found: &AffectedPage) -> Result<(), Failure> {
    let paint = terminal.out;
    let page = &found.page;
    let facts = format!("{} · {}", page.doc_type, counted(found.distance, "hop", "hops"));
    terminal.line(format!(
        "  {:.2}  {}  {}  {}{}",
        found.score,
        paint.path(terminal.path(&page.filepath)),
        printable(&page.title),
        paint.faint(printable(&facts)),
        super::staleness_label(paint, page.staleness)
    ))?;
    let way: Vec<String> = found.path.iter().map(|step| told(terminal, step)).collect();
    terminal.line(format!("        {}", paint.faint(way.join(" "))))
}

fn told(terminal: &Terminal<'_>, step: &Step) -> String {
    let arrow = if step.direction == StepDirection::Outgoing { "->" } else { "<-" };
    format!("{arrow} {} ({})", terminal.path(&step.to), printable(&step.link_type))
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    let parts: Vec<String> =
        most_frequent(counts).into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}
