//! Implements the ports of the core on this machine (disk, git, clock), and opens projects with them, for commands,
//! servers and Node processes. It needs no terminal and prints nothing.
//!
//! **Invariants**
//! - Nothing outside the project, the other worktrees of its repository and the user's own folders is read or written, not
//!   even through symbolic links, and no command in a project's configuration is run (`disk/hostile_tests.rs`,
//!   `git/hostile_tests.rs`, `worktrees.rs`).
//! - After a crash, a full disk or a concurrent write, a file has either its old or its new content (`atomic.rs`, and
//!   the conformance suite of `Source`).
//! - An export changes only files that an export wrote (`export/folder.rs`).

pub mod atomic;
mod clock;
mod disk;
pub mod documents;
mod embedding_lock;
mod environment;
pub mod export;
pub mod fetch;
pub mod file_lock;
mod first_index;
mod git;
pub mod hub;
mod identity;
mod ignore_rules;
pub mod import;
pub mod live;
mod mapped_cache;
pub mod memory;
pub mod models;
pub mod opening;
pub mod priority;
mod project;
pub mod sessions;
pub mod shared_vectors;
mod symbols;
pub mod user_data;
pub mod view;
mod walk;
pub mod worktrees;
mod write_lock;

pub use clock::SystemClock;
pub use disk::DiskSource;
pub(crate) use disk::is_visible;
pub use embedding_lock::EmbeddingLock;
pub use environment::Environment;
pub use git::{GitHistory, Hooks};
pub(crate) use ignore_rules::is_rule_file;
pub use mapped_cache::MappedCache;
pub use project::{
    AddedTemplates, DATABASE, InitOptions, InitSummary, PagesFolder, Project, UBP_DIR, add_templates, init,
    pages_folders,
};
pub use symbols::CodeSymbols;
pub use write_lock::keep_out_of_git;
