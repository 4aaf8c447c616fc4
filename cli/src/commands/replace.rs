//! `ubp replace`: find and replace text in all pages.

use clap::Args;
use ubp_core::ops::replace::{self, Params};

use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp replace`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp replace \"sign in\" \"log in\" --dry-run          show what would change\n  \
    ubp replace \"sign in\" \"log in\" --in guides        only pages in a folder\n  \
    ubp replace --regex 'v(\\d+)\\.0' 'version $1'      $1 is the first group\n\n\
    The search is case-sensitive; `(?i)` in a regular expression ignores case. `ubp undo` undoes all of it.")]
pub struct ReplaceArgs {
    /// The text to find
    #[arg(value_name = "OLD", allow_hyphen_values = true)]
    pub old: String,
    /// The replacement
    #[arg(value_name = "NEW", allow_hyphen_values = true)]
    pub new: String,
    /// OLD is a regular expression; `$1` in NEW is its first group
    #[arg(long)]
    pub regex: bool,
    /// Only pages at or below this path (repeatable)
    #[arg(long = "in", value_name = "PATH")]
    pub paths: Vec<String>,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: ReplaceArgs) -> CommandResult {
    let paths = args.paths.iter().map(|typed| session.page_or_folder(terminal, typed)).collect();
    let params = Params {
        old: args.old,
        new: args.new,
        regex: args.regex,
        paths,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| replace::run(context, params))?;
    answer(terminal, &output, replace::show)
}
