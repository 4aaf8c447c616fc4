//! `ubp review`: record that pages are true of their code.

use ubp_core::ops::review_page::{self, Output, Params};
use ubp_core::ops::source_diff::SourceDifference;

use crate::ExitStatus;
use crate::args::{Global, ReviewArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ReviewArgs,
) -> CommandResult {
    let params = Params { page: None, pages: args.pages, all: args.all, still_accurate: args.still_accurate };
    let output = session.read(terminal, global, |context| review_page::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, print)?;
    Ok(if output.refused.is_empty() { ExitStatus::Success } else { ExitStatus::Finding })
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    for page in &output.refused {
        let path = paint.path(terminal.path(&page.filepath));
        let label = super::staleness_label(paint, page.staleness);
        terminal.line(format!("{} {path}{label}", paint.warning("not recorded:")))?;
        print_changes(terminal, &page.changes)?;
        let command = printable(&page.settle_with);
        terminal.line(format!("  Read the page against this; when it is true: {command}"))?;
    }
    for page in &output.reviewed {
        let path = paint.path(terminal.path(&page.filepath));
        let what = if page.changed { "reviewed:" } else { "reviewed before:" };
        let files = counted(page.source_count, "source", "sources");
        terminal.line(format!("{} {path} ({files})", paint.good(what)))?;
        print_changes(terminal, &page.changes)?;
        for missing in &page.missing {
            terminal.warn(format!("{}; correct its source_refs", super::stale_ref(missing)));
        }
    }
    for page in &output.without_sources {
        terminal.warn(format!("{page} names no sources, so there is nothing to record"));
    }
    if output.written {
        let note = terminal.err.faint("commit .ubp/refs.lock together with the pages");
        terminal.note(note);
    }
    Ok(())
}

fn print_changes(terminal: &mut Terminal<'_>, changes: &[SourceDifference]) -> Result<(), Failure> {
    let paint = terminal.out;
    for change in changes {
        terminal.line(format!("  {}", super::stale_ref(&change.source)))?;
        for commit in &change.commits {
            let id = commit.id.get(..10).unwrap_or(&commit.id);
            let day = commit.time.get(..10).unwrap_or(&commit.time);
            terminal.line(paint.faint(format!("    {id} {day} {}", printable(&commit.subject))))?;
        }
        for line in change.diff.as_deref().unwrap_or_default().lines() {
            terminal.line(format!("    {}", printable(line)))?;
        }
    }
    Ok(())
}
