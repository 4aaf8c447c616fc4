//! `ubp suggest-links`, `ubp accept` and `ubp dismiss`: links that are missing, and what becomes of them.

use ubp_core::ops::suggest_links::{self, Params};
use ubp_core::ops::{accept, dismiss};

use crate::args::{AcceptArgs, DismissArgs, Global, SuggestLinksArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

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
    answer(terminal, &output, suggest_links::show)
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
