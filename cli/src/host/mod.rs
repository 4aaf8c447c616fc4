//! The machine under the engine: its disk, its git, its clock, behind the ports of the core.

pub mod atomic;
mod clock;
mod disk;
mod git;
mod ignore_rules;
mod mapped_cache;
pub mod memory;
mod project;
pub(crate) mod user_data;
mod walk;
mod write_lock;

pub use clock::SystemClock;
pub use disk::DiskSource;
pub(crate) use disk::is_visible;
pub use git::GitHistory;
pub(crate) use ignore_rules::is_rule_file;
pub use mapped_cache::MappedCache;
pub use project::{DATABASE, InitOptions, InitSummary, Project, UBP_DIR, init};
pub(crate) use write_lock::keep_out_of_git;
