//! `ubp doctor`: what is wrong, and the way out.

use ubp_core::ops::doctor::{self, Params, Severity};

use crate::ExitStatus;
use crate::args::{DoctorArgs, Global};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: &DoctorArgs,
) -> CommandResult {
    let output = session.read(terminal, global, |context| doctor::run(context, Params::default()))?;
    answer(terminal, &output, if args.all { doctor::show } else { doctor::show_few })?;
    let bad = output.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    Ok(if bad && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}
