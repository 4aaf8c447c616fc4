//! `ubp audit` and `ubp undo`: what was changed through UBP, and taking it back.

use clap::Args;
use ubp_core::Error;
use ubp_core::ops::audit::{self, Params};
use ubp_core::ops::undo;

use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp audit`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                the latest changes\n  \
    ubp audit --page login.md -n 5\n  \
    ubp audit 3f9a01c2d4e5                   one of them with its diff")]
pub struct AuditArgs {
    /// Only this change
    #[arg(value_name = "ENTRY")]
    pub entry: Option<String>,
    /// Only changes of this page: path (also a former one), id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Most changes to print, 1 to 1000 [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp undo`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                which change?\n  \
    ubp undo 3f9a01c2d4e5 --dry-run\n  \
    ubp undo 3f9a01c2d4e5\n\n\
    It takes back all that belongs together, as long as the files are as the change left them.")]
pub struct UndoArgs {
    /// The change, as `ubp audit` names it
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: AuditArgs) -> CommandResult {
    let params = |page| Params { page, entry: args.entry.clone(), limit: args.limit };
    let page = args.page.as_deref().map(|page| session.page(terminal, page));
    // A page that is gone was where it is typed, whatever else has that name now.
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
