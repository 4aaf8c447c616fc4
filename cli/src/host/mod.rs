//! The machine under the engine: its disk, its git, its clock, behind the ports of the core.

pub mod atomic;
mod clock;
mod disk;
mod git;
mod ignore_rules;
mod project;
mod walk;

pub use clock::SystemClock;
pub use disk::DiskSource;
pub use git::GitHistory;
pub use project::{DATABASE, InitOptions, InitSummary, Project, init};
