//! `ubp suggest-links`, `ubp accept` and `ubp dismiss`: links that are missing, and what becomes of them.

use ubp_core::ops::suggest_links::{self, Output, Params, Status};
use ubp_core::ops::{accept, dismiss};

use crate::args::{AcceptArgs, DismissArgs, Global, SuggestLinksArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer, answer_with};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SuggestLinksArgs,
) -> CommandResult {
    let params = Params {
        page: args.page,
        threshold: args.threshold,
        limit: args.limit,
        include_decided: args.all,
        max_tokens: args.max_tokens,
    };
    let output = session.read(terminal, global, |context| suggest_links::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    for suggestion in &output.suggestions {
        let (source, target) =
            (terminal.path(&suggestion.source.filepath), terminal.path(&suggestion.target.filepath));
        let status = match suggestion.status {
            Status::Pending => String::new(),
            Status::Accepted => format!("  {}", paint.faint("[accepted]")),
            Status::Dismissed => format!("  {}", paint.faint("[dismissed]")),
        };
        terminal.line(format!(
            "{:.2}  {} -> {}{status}",
            suggestion.score,
            paint.path(source),
            paint.path(target)
        ))?;
        terminal.line(format!("      {}", paint.faint(&suggestion.reason)))?;
        if let Some(place) = &suggestion.place {
            let context = printable(&place.context);
            terminal.line(format!("      line {}: {context}", paint.line(place.line)))?;
        }
    }
    let count = output.suggestions.len();
    let footer = match count {
        0 => "no link is missing for sure; a lower --threshold shows less certain ones".into(),
        _ => {
            format!("{}; `ubp accept PAGE TARGET` makes a link", counted(count, "suggestion", "suggestions"))
        }
    };
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    Ok(())
}

pub(crate) fn accept(terminal: &mut Terminal<'_>, session: &Session, args: AcceptArgs) -> CommandResult {
    let params = accept::Params {
        source: args.source,
        target: args.target,
        line: args.line,
        text: args.text,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| accept::run(context, params))?;
    answer(terminal, &output, accept::show)
}

pub(crate) fn dismiss(terminal: &mut Terminal<'_>, session: &Session, args: DismissArgs) -> CommandResult {
    let params = dismiss::Params { source: args.source, target: args.target };
    let output = session.write(terminal, |context| dismiss::run(context, params))?;
    answer(terminal, &output, dismiss::show)
}
