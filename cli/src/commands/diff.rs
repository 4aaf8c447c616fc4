//! `ubp diff`: compare the graph of two revisions.

use clap::{Args, ValueEnum};
use ubp_core::freshness::StaleReason;
use ubp_core::ops::diff::{self, Params, StalePage};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp diff`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp diff                                 uncommitted changes\n  \
    ubp diff main                            the working folder against main\n  \
    ubp diff v1.2..v1.3                      one revision against another\n  \
    ubp diff origin/main...HEAD --format markdown    for a pull request\n  \
    ubp diff origin/main...HEAD --exit-code --fail-on broken,cycles\n\n\
    A...B compares B with the merge base of A and B, as in git.")]
pub struct DiffArgs {
    /// A..B, A...B, or A for A and the working folder [default: HEAD and the working folder]
    #[arg(value_name = "RANGE", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// Hops to follow impact, 1 to 5 [default: 3]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Print at most N affected pages [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with status 1 on new broken links, broken claims, stale pages, pages to read again, or dependency cycles
    #[arg(long)]
    pub exit_code: bool,
    /// What --exit-code fails on, separated by commas [default: all]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', requires = "exit_code")]
    pub fail_on: Vec<FailOn>,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<DiffFormat>,
}

/// A problem that `--exit-code` fails on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// New broken links
    Broken,
    /// What pages say about the code and is not true any more
    Claims,
    /// Pages that became stale
    Stale,
    /// New dependency cycles
    Cycles,
    /// Pages to read again, because a contract or file that they describe changed
    Reread,
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// For a comment on a pull request
    Markdown,
}

mod markdown;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: DiffArgs,
) -> CommandResult {
    let params = Params { range: args.range, depth: args.depth, limit: args.limit };
    // Comparing two commits does not need the index of the working folder.
    let output = match params.concerns_working_folder()? {
        true => session.read(terminal, global, |context| diff::run(context, params))?,
        false => session.write(terminal, |context| diff::run(context, params))?,
    };
    terminal.json |= args.format == Some(DiffFormat::Json);
    if args.format == Some(DiffFormat::Markdown) && !terminal.json {
        let text = markdown::comment(&output, |page| terminal.path(page));
        terminal.put(text.trim_end())?;
    } else {
        answer(terminal, &output, diff::show)?;
    }
    // As in `ubp stale`.
    let is_serious =
        |page: &StalePage| page.stale_refs.iter().any(|stale| stale.reason != StaleReason::BodyChanged);
    let fails = |what| args.fail_on.is_empty() || args.fail_on.contains(&what);
    let found = (fails(FailOn::Broken) && !output.broken_links.is_empty())
        || (fails(FailOn::Claims) && !output.broken_claims.is_empty())
        || (fails(FailOn::Stale) && output.staleness.stale.iter().any(is_serious))
        || (fails(FailOn::Reread) && output.touched.iter().any(|page| page.is_due(false)))
        || (fails(FailOn::Cycles) && !output.cycles.added.is_empty());
    Ok(if args.exit_code && found { ExitStatus::Finding } else { ExitStatus::Success })
}
