//! `ubp audit` and `ubp undo`: list changes made through UBP, and undo them.

use clap::Args;
use ubp_core::Error;
use ubp_core::ops::audit::{self, Params};
use ubp_core::ops::undo;

use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp audit`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                the latest changes\n  \
    ubp audit --page login.md -n 5\n  \
    ubp audit --by claude-code --since 7d    what the agent did this week\n  \
    ubp audit 3f9a01c2d4e5                   one change with its diff")]
pub struct AuditArgs {
    /// Only this change
    #[arg(value_name = "ENTRY")]
    pub entry: Option<String>,
    /// Only changes of this page: path (current or former), id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Only changes by `person`, or made or proposed by the agent of this name
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Only changes since then: a date, a time (RFC 3339), or a span such as 7d or 12h
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Print at most N changes, 1 to 1000 [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp undo`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                find the change\n  \
    ubp undo 3f9a01c2d4e5 --dry-run\n  \
    ubp undo 3f9a01c2d4e5\n\n\
    The whole change is undone, unless one of its files has changed since.")]
pub struct UndoArgs {
    /// Id of the change, from `ubp audit`
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: AuditArgs) -> CommandResult {
    let params = |page| Params {
        page,
        by: args.by.clone(),
        since: args.since.clone(),
        entry: args.entry.clone(),
        limit: args.limit,
    };
    let page = args.page.as_deref().map(|page| session.page(terminal, page));
    // Try the typed path first: it may be a deleted page's, even if another page has that name now.
    let place = args.page.as_deref().map(|page| session.place_of_page(page));
    let output = session.write(terminal, |context| match audit::run(context, params(place)) {
        Err(Error::PageNotFound { .. }) => audit::run(context, params(page)),
        output => output,
    })?;
    answer(terminal, &output, audit::show)
}

pub(crate) fn undo(terminal: &mut Terminal<'_>, session: &Session, args: UndoArgs) -> CommandResult {
    let params = undo::Params { entry: args.entry, dry_run: args.dry_run };
    let output = session.write(terminal, |context| undo::run(context, params))?;
    answer(terminal, &output, undo::show)
}
