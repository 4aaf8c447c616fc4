//! The machine under the engine: its disk, its git, its clock, behind the ports of the core; and what opens a project
//! with them, for one command, for a server, and for a Node process. It needs no terminal and prints nothing.
//!
//! **Invariants**
//! - Nothing outside of the project is read or written, through symbolic links neither, and no command that a
//!   project names is run (`disk/hostile_tests.rs`, `git/hostile_tests.rs`).
//! - After a crash, a full disk or another writer there is either the old file or the new one, whole (`atomic.rs`,
//!   and the conformance suite of `Source`).
//! - An export changes no file that no export wrote (`export/folder.rs`).

pub mod atomic;
mod clock;
mod disk;
pub mod documents;
mod embedding_lock;
mod environment;
pub mod export;
pub mod file_lock;
mod git;
mod identity;
mod ignore_rules;
pub mod live;
mod mapped_cache;
pub mod memory;
pub mod models;
pub mod opening;
mod project;
pub mod user_data;
mod walk;
mod write_lock;

pub use clock::SystemClock;
pub use disk::DiskSource;
pub(crate) use disk::is_visible;
pub use embedding_lock::EmbeddingLock;
pub use environment::Environment;
pub use git::GitHistory;
pub(crate) use ignore_rules::is_rule_file;
pub use mapped_cache::MappedCache;
pub use project::{DATABASE, InitOptions, InitSummary, PagesFolder, Project, UBP_DIR, init, pages_folders};
pub use write_lock::keep_out_of_git;
