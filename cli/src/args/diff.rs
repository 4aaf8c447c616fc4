//! Arguments of `ubp diff`.

use clap::{Args, ValueEnum};

/// `ubp diff`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp diff                                 what is not committed yet\n  \
    ubp diff main                            the working folder against main\n  \
    ubp diff v1.2..v1.3                      one revision against another\n  \
    ubp diff origin/main...HEAD --format markdown    this branch, for a pull request\n  \
    ubp diff origin/main...HEAD --exit-code --fail-on broken,cycles\n\n\
    A...B compares B with the last commit that it has in common with A, as git does.")]
pub struct DiffArgs {
    /// A..B, A...B, or A for A and the working folder (default: HEAD and the working folder)
    #[arg(value_name = "RANGE", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// Hops over which impact is followed (1 to 5, default 3)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Most affected pages to print (default 100)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// End with status 1 when links broke, code overtook pages, or dependency cycles are new
    #[arg(long)]
    pub exit_code: bool,
    /// What --exit-code fails on, separated by commas (default: all of them)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', requires = "exit_code")]
    pub fail_on: Vec<FailOn>,
    /// Output format
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<DiffFormat>,
}

/// What a change must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Break links
    Broken,
    /// Leave pages behind the code
    Stale,
    /// Close dependency cycles
    Cycles,
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
