//! What the engine needs from its host. The engine accesses clock, disk, network and environment only through these
//! traits. Each has an in-memory implementation for tests and browsers, and one conformance suite (in the crate
//! `ubp-testing`) that all implementations pass.
//!
//! `core/clippy.toml` forbids the functions that would bypass the ports, and `tests/tests/architecture.rs` checks the
//! dependencies. SQLite is not behind a port: it is the index on every target, so that ranking is the same everywhere.

mod cache;
mod clock;
mod embedder;
mod history;
mod memory;
mod memory_history;
mod revision;
mod source;
mod symbols;

#[cfg(test)]
mod tests;

pub use cache::{Cache, CachedBytes, is_cache_name};
pub use clock::Clock;
pub use embedder::{Embedder, ModelInfo, TextKind};
pub use history::{
    ChangedFile, Commit, CommitChanges, CommittedFile, FileVersion, History, Moved, Revision, SourceChange,
};
#[cfg(not(target_family = "wasm"))]
pub use history::{Removal, Removing, Walked};
pub use memory::{FixedClock, MemoryCache, MemorySource};
pub use memory_history::{MemoryHistory, NoHistory};
pub use revision::{Blobs, RevisionHistory, RevisionSource};
pub(crate) use source::abbreviated;
pub use source::{ContentHash, FileStat, Listing, PageFile, Source, Unreadable, WriteGuard};
#[cfg(not(target_family = "wasm"))]
pub use source::{EntryKind, FolderEntry, PageElsewhere};
pub use symbols::{NoSymbols, Symbol, SymbolHashes, SymbolPart, Symbols, Target, WholeFile};
