//! `ubp suggest-links`, `ubp link-code`, `ubp accept` and `ubp dismiss`: find missing links, and add or reject them.

use std::path::Path;

use clap::Args;
use ubp_core::ops::suggest_links::{self, Params};
use ubp_core::ops::{accept, dismiss, link_code, queue, suggest_types};
use ubp_core::path;

use crate::args::Global;
use crate::args::choice::{self, one_of};
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

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
    /// Minimum confidence, 0.0 to 1.0 [default: 0.8, or suggest.threshold of the project]
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
    ubp accept login-feature.md user-db.md --line 12 --text \"user table\"\n  \
    ubp accept login-feature.md user-db.md --type depends_on\n  \
    ubp accept login-feature.md 'src/login.ts#login'    a symbol of the code\n  \
    ubp accept login-feature.md 'src/login.ts#login' --type source_refs")]
pub struct AcceptArgs {
    /// The page that should link: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub source: String,
    /// The page to link to, or a file or symbol of the project: FILE#SYMBOL
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// The line to link on [default: the best place]
    #[arg(long, value_name = "N")]
    pub line: Option<usize>,
    /// The text to link, exactly as on the page
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Write a link of this type into front matter instead
    #[arg(long = "type", value_name = "TYPE", conflicts_with_all = ["line", "text"])]
    pub link_type: Option<String>,
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
    /// The page not to link to, or a file or symbol of the project: FILE#SYMBOL
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Dismiss only this type of the link, in this direction
    #[arg(long = "type", value_name = "TYPE")]
    pub link_type: Option<String>,
}

/// `ubp suggest-types`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp suggest-types                            of all pages\n  \
    ubp suggest-types --page \"Login Feature\"\n  \
    ubp accept login-feature.md user-db.md --type depends_on\n\n\
    A type is suggested if a sentence with a link states it, such as \"Login depends on [[User DB]]\". \
    Nothing is written until you accept it.")]
pub struct SuggestTypesArgs {
    /// Only sentences of this page: path, id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Minimum confidence, 0.0 to 1.0 [default: 0.5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Print at most N suggestions [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Include suggestions that were dismissed or accepted before
    #[arg(long)]
    pub all: bool,
}

/// `ubp link-code`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp link-code                                the best suggestions of all pages\n  \
    ubp link-code --page guide.md --threshold 0.5\n  \
    ubp accept guide.md 'src/login.ts#login'     make the name in the text a link\n  \
    ubp accept guide.md 'src/login.ts#login' --type source_refs\n  \
    ubp dismiss guide.md 'src/login.ts#login'    never suggest it again\n\n\
    A symbol or file is suggested if a page names it in a code span, nothing else has that name, and the \
    page does not describe it yet. Nothing is written until you accept it.")]
pub struct LinkCodeArgs {
    /// Only names on this page: path, id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Minimum confidence, 0.0 to 1.0 [default: 0.8]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Print at most N suggestions [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Include suggestions that were dismissed or accepted before
    #[arg(long)]
    pub all: bool,
}

/// `ubp queue`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp queue                                    everything that waits for you\n  \
    ubp queue --kind link --from 0.5 --below 0.8\n  \
    ubp queue --kind type,proposal\n  \
    ubp queue --kind code                        names of code; takes longer")]
pub struct QueueArgs {
    /// Only items of these kinds [default: all but code]
    #[arg(long = "kind", value_name = "KIND,…", value_delimiter = ',', value_parser = one_of::<queue::Kind>(choice::QUEUE_KIND))]
    pub kinds: Vec<queue::Kind>,
    /// Lowest confidence of a suggestion, 0.0 to 1.0 [default: 0.5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Confidence below which a suggestion has to be [default: any]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub below: Option<f64>,
    /// Print at most N items [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

pub(crate) fn types(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SuggestTypesArgs,
) -> CommandResult {
    let params = suggest_types::Params {
        page: args.page.map(|page| session.page(terminal, &page)),
        threshold: args.threshold,
        limit: args.limit,
        include_decided: args.all,
    };
    let output = session.read(terminal, global, |context| suggest_types::run(context, params))?;
    answer(terminal, &output, suggest_types::show)
}

pub(crate) fn code(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: LinkCodeArgs,
) -> CommandResult {
    let params = link_code::Params {
        page: args.page.map(|page| session.page(terminal, &page)),
        threshold: args.threshold,
        limit: args.limit,
        include_decided: args.all,
    };
    let output = session.read(terminal, global, |context| link_code::run(context, params))?;
    answer(terminal, &output, link_code::show)
}

/// A page, or a file or symbol of the project.
fn target(terminal: &mut Terminal<'_>, session: &Session, typed: &str) -> String {
    let file = typed.split('#').next().unwrap_or(typed);
    let is_code = !path::is_page(file)
        && path::file_name(file).contains('.')
        && session.project.root.join(session.source(Path::new(file))).is_file();
    if is_code { session.source(Path::new(typed)) } else { session.page(terminal, typed) }
}

pub(crate) fn queue(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: QueueArgs,
) -> CommandResult {
    let params = queue::Params { kinds: args.kinds, from: args.from, below: args.below, limit: args.limit };
    let output = session.read_meaning(terminal, global, |context| queue::run(context, params))?;
    answer(terminal, &output, queue::show)
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
        target: target(terminal, session, &args.target),
        line: args.line,
        text: args.text,
        link_type: args.link_type,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| accept::run(context, params))?;
    answer(terminal, &output, accept::show)
}

pub(crate) fn dismiss(terminal: &mut Terminal<'_>, session: &Session, args: DismissArgs) -> CommandResult {
    let params = dismiss::Params {
        source: session.page(terminal, &args.source),
        target: target(terminal, session, &args.target),
        link_type: args.link_type,
    };
    let output = session.write(terminal, |context| dismiss::run(context, params))?;
    answer(terminal, &output, dismiss::show)
}
