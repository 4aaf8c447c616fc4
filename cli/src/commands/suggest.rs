//! `ubp suggest-links`, `ubp accept` and `ubp dismiss`: find missing links, and add or reject them.

use clap::Args;
use ubp_core::ops::suggest_links::{self, Params};
use ubp_core::ops::{accept, dismiss};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp suggest-links`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp suggest-links                            the best suggestions of all pages\n  \
    ubp suggest-links --page \"Login Feature\" --threshold 0.5\n  \
    ubp accept login-feature.md user-db.md       add the link\n  \
    ubp dismiss login-feature.md weather.md      never suggest it again")]
pub struct SuggestLinksArgs {
    /// Only missing links of this page, and its unlinked mentions: path, id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Minimum score, 0.0 to 1.0 [default: 0.8, or suggest.threshold of the project]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Print at most N suggestions, 1 to 50 [default: 10, or suggest.limit of the project]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Include suggestions that were dismissed or accepted before
    #[arg(long)]
    pub all: bool,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp accept`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp accept login-feature.md user-db.md\n  \
    ubp accept login-feature.md user-db.md --line 12 --text \"user table\"")]
pub struct AcceptArgs {
    /// The page that should link: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub source: String,
    /// The page to link to
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// The line to link on [default: the best place]
    #[arg(long, value_name = "N")]
    pub line: Option<usize>,
    /// The text to link, exactly as on the page
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp dismiss`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp dismiss login-feature.md weather.md\n\n\
    The decision applies in both directions. It is saved in .ubp/decisions.jsonl: commit that file.")]
pub struct DismissArgs {
    /// The page that should not link: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub source: String,
    /// The page not to link to
    #[arg(value_name = "TARGET")]
    pub target: String,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SuggestLinksArgs,
) -> CommandResult {
    let params = Params {
        page: args.page.map(|page| session.page(terminal, &page)),
        threshold: args.threshold,
        limit: args.limit,
        include_decided: args.all,
        max_tokens: args.max_tokens,
    };
    let output = session.read_meaning(terminal, global, |context| suggest_links::run(context, params))?;
    answer(terminal, &output, suggest_links::show)
}

pub(crate) fn accept(terminal: &mut Terminal<'_>, session: &Session, args: AcceptArgs) -> CommandResult {
    let params = accept::Params {
        source: session.page(terminal, &args.source),
        target: session.page(terminal, &args.target),
        line: args.line,
        text: args.text,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| accept::run(context, params))?;
    answer(terminal, &output, accept::show)
}

pub(crate) fn dismiss(terminal: &mut Terminal<'_>, session: &Session, args: DismissArgs) -> CommandResult {
    let params = dismiss::Params {
        source: session.page(terminal, &args.source),
        target: session.page(terminal, &args.target),
    };
    let output = session.write(terminal, |context| dismiss::run(context, params))?;
    answer(terminal, &output, dismiss::show)
}
