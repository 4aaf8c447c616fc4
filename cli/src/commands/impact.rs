//! `ubp impact`: who is affected when a page, a source file or a folder of either changes.

use std::collections::BTreeMap;
use std::path::Path;

use ubp_core::graph::impact::SOURCE_REFS;
use ubp_core::ops::get_impact::{self, AffectedPage, Output, Params, most_frequent};
use ubp_core::ops::{Step, StepDirection};

use crate::args::{Global, ImpactArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: ImpactArgs,
) -> CommandResult {
    // What is there under the current folder is meant as it would be by any other command; the project's
    // own folder is where names are looked up, pages first.
    let seen = super::refs::source_path(session, folder, Path::new(&args.page));
    let is_elsewhere = seen != args.page && folder.join(&args.page).exists();
    let (page, file) = if is_elsewhere { (None, Some(seen)) } else { (Some(args.page), None) };
    let params = Params {
        page,
        file,
        depth: args.depth,
        link_types: args.link_types,
        doc_types: args.doc_types,
        limit: args.limit,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_impact::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    if let Some(page) = &output.changed_page {
        let path = paint.path(terminal.path(&page.filepath));
        terminal.line(format!("{}  {path}", paint.strong(printable(&page.title))))?;
    }
    if let Some(file) = &output.changed_file {
        terminal.line(paint.path(terminal.project_path(file)))?;
    }
    if let Some(folder) = &output.changed_folder {
        let seen = terminal.project_path(folder);
        terminal.line(paint.path(format!("{}/", seen.trim_end_matches('/'))))?;
    }
    for found in &output.affected {
        print_page(terminal, found, output.changed_folder.is_some())?;
    }
    if output.total_affected == 0 {
        let hint = match (&output.changed_file, &output.changed_folder) {
            (Some(_), _) => "no page names this file; `source_refs` in the front matter of a page does",
            (None, Some(_)) => "no page outside of this folder is affected",
            (None, None) => "no other page is affected",
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

fn print_page(terminal: &mut Terminal<'_>, found: &AffectedPage, several: bool) -> Result<(), Failure> {
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
    let mut way: Vec<String> = found.path.iter().map(|step| told(terminal, step)).collect();
    if several && let Some(first) = found.path.first() {
        way.insert(0, place(terminal, &first.from, first));
    }
    terminal.line(format!("        {}", paint.faint(way.join(" "))))
}

/// The beginning of a way: a page, or a file that one names.
pub(super) fn place(terminal: &Terminal<'_>, from: &str, first: &Step) -> String {
    let is_file = first.link_type == SOURCE_REFS || !ubp_core::path::is_page(from);
    if is_file { terminal.project_path(from) } else { terminal.path(from) }
}

pub(super) fn told(terminal: &Terminal<'_>, step: &Step) -> String {
    let arrow = if step.direction == StepDirection::Outgoing { "->" } else { "<-" };
    format!("{arrow} {} ({})", terminal.path(&step.to), printable(&step.link_type))
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    let parts: Vec<String> =
        most_frequent(counts).into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}
