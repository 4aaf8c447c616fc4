//! What the suites and benches share: made-up vaults, and a terminal without a process. Suites are in
//! `tests/`, benches in `benches/`; `tests/run` runs every check.

pub mod clients;
pub mod contract;
pub mod fixture;
pub mod generator;
pub mod mcp;
pub mod tables;
pub mod terminal;
