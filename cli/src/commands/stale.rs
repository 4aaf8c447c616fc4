//! `ubp stale`: the pages that code overtook.

use ubp_core::freshness::Staleness;
use ubp_core::ops::check_staleness::{self, Params};

use crate::ExitStatus;
use crate::args::{Global, StaleArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: StaleArgs,
) -> CommandResult {
    let params = Params { only: args.only, changed_since: args.changed_since, ..Params::default() };
    let output = session.read(terminal, global, |context| check_staleness::run(context, params))?;
    answer(terminal, &output, check_staleness::show)?;
    let found = output.pages.iter().any(|page| page.page.staleness > Staleness::Fresh);
    Ok(if found && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}
