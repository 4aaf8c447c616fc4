//! Arguments of the commands that compare pages with code.

use std::path::PathBuf;

use clap::Args;

use ubp_core::freshness::Staleness;

use super::choice::{self, one_of};

/// `ubp stale`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp stale\n  \
    ubp stale --exit-code                    fail when a page is stale or possibly stale\n  \
    ubp stale --exit-code --only stale       fail only when one is stale\n  \
    ubp stale --changed-since origin/main    only what this branch touched")]
pub struct StaleArgs {
    /// End with status 1 when a listed page is stale or possibly stale
    #[arg(long)]
    pub exit_code: bool,
    /// Only pages with this freshness
    #[arg(long, value_name = "STATE", value_parser = one_of::<Staleness>(choice::STALENESS))]
    pub only: Option<Staleness>,
    /// Only pages that changed, or whose sources did, since this revision
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
}

/// `ubp review`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp review login-feature.md                      record a page that is fresh\n  \
    ubp review --still-accurate login-feature.md     the code changed; I read the page and it is true\n  \
    ubp review --all                                 every page whose code did not change\n\n\
    The record is .ubp/refs.lock: commit it together with the pages.")]
pub struct ReviewArgs {
    /// The pages: paths, ids, titles or aliases
    #[arg(value_name = "PAGE", required_unless_present = "all")]
    pub pages: Vec<String>,
    /// Every page that names sources
    #[arg(long, conflicts_with = "pages")]
    pub all: bool,
    /// Also record pages whose code changed: they were read again and are true
    #[arg(long)]
    pub still_accurate: bool,
}

/// `ubp refs`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp refs src/auth/login.ts\n  \
    ubp refs src/auth/login.ts --json")]
pub struct RefsArgs {
    /// A file of the project
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
