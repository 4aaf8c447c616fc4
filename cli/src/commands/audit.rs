//! `ubp audit` and `ubp undo`: what was changed through UBP, and taking it back.

use ubp_core::ops::audit::{self, Params};
use ubp_core::ops::undo;

use crate::args::{AuditArgs, UndoArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: AuditArgs) -> CommandResult {
    let params = Params {
        page: args.page.map(|page| terminal.below_pages(&page)),
        entry: args.entry,
        limit: args.limit,
    };
    let output = session.write(terminal, |context| audit::run(context, params))?;
    answer(terminal, &output, audit::show)
}

pub(crate) fn undo(terminal: &mut Terminal<'_>, session: &Session, args: UndoArgs) -> CommandResult {
    let params = undo::Params { entry: args.entry, dry_run: args.dry_run };
    let output = session.write(terminal, |context| undo::run(context, params))?;
    answer(terminal, &output, undo::show)
}
