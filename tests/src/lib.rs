//! What the suites and benches share: generated vaults, and a terminal without a process. Suites are in `tests/`,
//! benches in `benches/`; `tests/run` runs every check.

use std::io::Write;

pub mod clients;
pub mod contract;
pub mod fixture;
pub mod generator;
pub mod lsp;
pub mod mcp;
pub mod mixed_embedder;
pub mod signal;
pub mod tables;
pub mod terminal;

/// Reports that a test had nothing to run on. The test harness has no "skipped" and hides the output of tests that
/// pass, so this line bypasses it; `tests/run` counts these lines.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "\nskipped: {why}");
}
