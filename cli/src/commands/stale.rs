//! `ubp stale`: list pages whose code changed after their last review.

use crate::args::choice::{self, one_of};
use clap::Args;
use ubp_core::freshness::{StaleReason, Staleness};
use ubp_core::ops::check_staleness::{self, CheckedPage, Params};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp stale`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp stale\n  \
    ubp stale --exit-code                    status 1 if there are any\n  \
    ubp stale --exit-code --only stale       fail only when one is stale\n  \
    ubp stale --exit-code --any-change       fail also for changed bodies\n  \
    ubp stale --changed-since origin/main    only pages affected by this branch")]
pub struct StaleArgs {
    /// Exit with status 1 if a listed page is stale or possibly stale
    #[arg(long)]
    pub exit_code: bool,
    /// With --exit-code, fail also for symbols that changed without their contract
    #[arg(long, requires = "exit_code")]
    pub any_change: bool,
    /// Only pages with this freshness
    #[arg(long, value_name = "STATE", value_parser = one_of::<Staleness>(choice::STALENESS))]
    pub only: Option<Staleness>,
    /// Only pages that changed, or whose sources changed, since this revision
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: StaleArgs,
) -> CommandResult {
    let params = Params { only: args.only, changed_since: args.changed_since, ..Params::default() };
    let output = session.read(terminal, global, |context| check_staleness::run(context, params))?;
    answer(terminal, &output, check_staleness::show)?;
    let is_finding = |page: &CheckedPage| {
        let is_serious = |reason: &StaleReason| args.any_change || *reason != StaleReason::BodyChanged;
        page.page.staleness > Staleness::Fresh && page.reasons.iter().any(is_serious)
    };
    let found = output.pages.iter().any(is_finding);
    Ok(if found && args.exit_code { ExitStatus::Finding } else { ExitStatus::Success })
}
