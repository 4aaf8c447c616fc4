//! The options of every command. Each command defines its arguments, flags and examples in its own file; clap derives
//! help, errors and shell completions from them.

pub(crate) mod choice;

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use crate::commands::Command;

/// The arguments of `ubp`.
#[derive(Debug, Parser)]
#[command(
    name = "ubp",
    version,
    about = "Markdown pages with [[links]] as a searchable blueprint, for people and AI agents",
    after_help = "Examples:\n  \
        ubp                                    show the project's state and next steps\n  \
        ubp init                               start a project in this folder\n  \
        ubp search \"how do sessions expire\"    ask a question\n  \
        ubp get \"Login Feature\"                read a page with its links\n  \
        ubp viewer                             read and write pages in a browser\n  \
        ubp doctor                             find broken links and other problems\n\n\
        `ubp help <command>` shows each command with its own examples.",
    propagate_version = true,
    disable_help_subcommand = false
)]
pub struct Arguments {
    #[command(flatten)]
    pub global: Global,
    /// The command; without one, `ubp` shows the state of the project and what to do next.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Help heading of the flags that every command has.
const EVERY: &str = "Global options";

/// Flags that every command has.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true, help_heading = EVERY)]
    pub directory: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long, global = true, help_heading = EVERY)]
    pub json: bool,
    /// Print results and errors only
    #[arg(short, long, global = true, help_heading = EVERY, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print details of what is done (or set UBP_LOG=debug)
    #[arg(short, long, global = true, help_heading = EVERY)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = EVERY)]
    pub color: ColorChoice,
    /// Answer from the index as it is; do not check files for changes
    #[arg(long, global = true, help_heading = EVERY)]
    pub no_refresh: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
