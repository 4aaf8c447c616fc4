//! Suites that use several crates, in one program to link only once.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod agent_hooks;
mod architecture;
#[cfg(unix)]
mod background;
mod claims;
#[cfg(unix)]
mod commit_hook;
mod contract;
mod corpora;
mod diff;
#[cfg(unix)]
mod documents;
mod export;
mod first_hour;
mod freshness;
mod hidden;
mod hints;
mod hostile;
mod hub;
#[cfg(unix)]
mod hub_endpoint;
mod import;
mod index_files;
mod languages;
mod link_code;
#[cfg(unix)]
mod live;
mod lsp;
mod mcp;
mod memory;
mod names;
mod okf;
mod parity;
mod process;
#[cfg(unix)]
mod pull_requests;
mod query;
mod renames;
mod source_blocks;
mod transcripts;
mod viewer;
#[cfg(unix)]
mod worktrees;
mod writing;
