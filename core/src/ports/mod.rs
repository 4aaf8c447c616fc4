//! What the engine needs from its host. The engine reads no clock, no disk, no network and no
//! environment: it asks these traits, and each has an in-memory version for tests and browsers.
//! One conformance suite per port (feature `testing`) holds every version to the same behaviour.

mod cache;
mod clock;
mod embedder;
mod history;
mod memory;
mod revision;
mod source;

#[cfg(any(test, feature = "testing"))]
pub mod conformance;
#[cfg(any(test, feature = "testing"))]
mod faulty;
#[cfg(any(test, feature = "testing"))]
mod hash_embedder;

pub use cache::{Cache, CachedBytes, is_cache_name};
pub use clock::Clock;
pub use embedder::{Embedder, ModelInfo, TextKind};
#[cfg(any(test, feature = "testing"))]
pub use faulty::FaultySource;
#[cfg(any(test, feature = "testing"))]
pub use hash_embedder::HashEmbedder;
pub use history::{Commit, CommittedFile, History, Revision, SourceChange};
pub use memory::{FixedClock, MemoryCache, MemoryHistory, MemorySource, NoHistory};
pub use revision::{Blobs, RevisionHistory, RevisionSource};
pub use source::{ContentHash, FileStat, Listing, PageFile, Source, Unreadable, WriteGuard};
