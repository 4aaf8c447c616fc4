//! What the suites and benches share: made-up vaults, and a terminal without a process. Suites are in
//! `tests/`, benches in `benches/`; `tests/run` runs every check.

use std::io::Write;

pub mod clients;
pub mod contract;
pub mod fixture;
pub mod generator;
pub mod mcp;
pub mod tables;
pub mod terminal;

/// Says that a test found nothing to run on. The test harness knows only tests that pass and tests that fail, and shows
/// what a test prints only when it fails: so `tests/run` counts these lines, which go around it.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "\nskipped: {why}");
}
