//! Arguments of the commands that follow links and make them.

use clap::{Args, ValueEnum};

use super::Format;

/// `ubp graph`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp graph                                    the whole project\n  \
    ubp graph \"Login Feature\" --depth 3\n  \
    ubp graph UserDB --direction incoming --link-type depends_on\n  \
    ubp graph --format json > graph.json")]
pub struct GraphArgs {
    /// The page in the middle; the whole project when absent
    #[arg(value_name = "PAGE")]
    pub page: Option<String>,
    /// Hops around it (1 to 5)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Which way links are followed
    #[arg(long, value_name = "WAY")]
    pub direction: Option<DirectionChoice>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Most pages to print
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Output format
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// Which way links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DirectionChoice {
    /// To what a page links to
    #[value(alias = "out")]
    Outgoing,
    /// To what links to a page
    #[value(alias = "in")]
    Incoming,
    /// Either way
    Both,
}

/// `ubp traverse`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp traverse \"Login Feature\"\n  \
    ubp traverse UserDB --direction in --type depends_on --depth 4")]
pub struct TraverseArgs {
    /// The page to start from: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Hops to go (1 to 5, default 2)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Which way links are followed: out, in or both
    #[arg(long, value_name = "WAY")]
    pub direction: Option<DirectionChoice>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "type", visible_alias = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Most pages to print (default 200)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Keep the whole answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp impact`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp impact \"User Database\"               who depends on this page\n  \
    ubp impact src/auth/login.ts             which pages describe this file, and who depends on them\n  \
    ubp impact src/auth                      the same for everything in a folder\n  \
    ubp impact UserDB --link-type depends_on --type api --depth 5\n\n\
    The score is the strength of the weakest link on the way, halved by every hop but the first:\n\
    depends_on and source_refs 1.0, implements 0.9, extends 0.8, conflicts_with 0.7, others 0.5.")]
pub struct ImpactArgs {
    /// The page that changes (path, id, title or alias), or the path of a source file or folder
    #[arg(value_name = "PAGE|FILE|FOLDER")]
    pub page: String,
    /// Hops that the change may take (1 to 5, default 3)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Let the change pass links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Print only pages of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_types: Vec<String>,
    /// Most pages to print (default 100)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Keep the whole answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp suggest-links`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp suggest-links                            the best over all pages\n  \
    ubp suggest-links --page \"Login Feature\" --threshold 0.5\n  \
    ubp accept login-feature.md user-db.md       make the link\n  \
    ubp dismiss login-feature.md weather.md      never suggest it again")]
pub struct SuggestLinksArgs {
    /// Only links that this page lacks: path, id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Least score (0.0 to 1.0; 0.8 unless the project says otherwise)
    #[arg(long, value_name = "N")]
    pub threshold: Option<f64>,
    /// Most suggestions (1 to 50)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Also what was dismissed or accepted before
    #[arg(long)]
    pub all: bool,
    /// Keep the whole answer within N tokens (256 or more)
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
    /// The page that it should link to
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// The line to link on; the best place when absent
    #[arg(long, value_name = "N")]
    pub line: Option<usize>,
    /// The words to link, as they are written
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp dismiss`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp dismiss login-feature.md weather.md\n\n\
    It holds in both directions, and stands in .ubp/decisions.jsonl, which is meant to be committed.")]
pub struct DismissArgs {
    /// The page that should not link: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub source: String,
    /// The page that it should not link to
    #[arg(value_name = "TARGET")]
    pub target: String,
}
