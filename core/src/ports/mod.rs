//! What the engine needs from its host. The engine reads no clock, no disk, no network and no
//! environment: it asks these traits, and each has an in-memory version for tests and browsers.
//! One conformance suite per port (crate `ubp-testing`) holds every version to the same behaviour.
//!
//! That it asks nothing else is held by `core/clippy.toml`, which forbids the functions, and by
//! `tests/tests/architecture.rs`, which checks what it depends on. SQLite is no port: it is the index on every
//! target, so that ranking is the same on all.

mod cache;
mod clock;
mod embedder;
mod history;
mod memory;
mod revision;
mod source;

#[cfg(test)]
mod tests;

pub use cache::{Cache, CachedBytes, is_cache_name};
pub use clock::Clock;
pub use embedder::{Embedder, ModelInfo, TextKind};
pub use history::{Commit, CommittedFile, History, Revision, SourceChange};
pub use memory::{FixedClock, MemoryCache, MemoryHistory, MemorySource, NoHistory};
pub use revision::{Blobs, RevisionHistory, RevisionSource};
pub use source::{ContentHash, FileStat, Listing, PageFile, Source, Unreadable, WriteGuard};
