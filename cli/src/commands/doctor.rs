//! `ubp doctor`: list problems and how to fix them.

use clap::Args;
use ubp_core::ops::doctor::{self, Params, Severity};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp doctor`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp doctor\n  \
    ubp doctor unresolved_link      every broken link\n  \
    ubp doctor --exit-code          fail on errors or warnings\n  \
    ubp doctor --claims             what pages say that is not true any more\n  \
    ubp doctor --okf                do pages follow the Open Knowledge Format?\n  \
    ubp doctor --all --json")]
pub struct DoctorArgs {
    /// Only findings of this kind, and all of them; the name is that in JSON
    #[arg(value_name = "KIND")]
    pub kind: Option<String>,
    /// Check instead what pages say about the code: paths, links, commands, flags, variables and names that commits removed
    #[arg(long)]
    pub claims: bool,
    /// Exit with status 1 if there are errors or warnings
    #[arg(long)]
    pub exit_code: bool,
    /// Also check whether pages follow the Open Knowledge Format 0.2
    #[arg(long)]
    pub okf: bool,
    /// Print all findings, not only the first few of each kind
    #[arg(long)]
    pub all: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: &DoctorArgs,
) -> CommandResult {
    let params = Params { kind: args.kind.clone(), claims: args.claims, okf: args.okf, ..Params::default() };
    let output = session.read(terminal, global, |context| doctor::run(context, params))?;
    answer(terminal, &output, if args.all { doctor::show_all } else { doctor::show })?;
    let bad = output.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    Ok(if bad && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}
