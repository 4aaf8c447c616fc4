//! Derived bytes that processes share: one process computes them, and all use the same copy. They can be computed again
//! at any time.

use std::io::{self, Write};
use std::sync::Arc;

/// Bytes that do not change while they are held, even if the cache is emptied.
pub type CachedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Storage for derived bytes. A name is never reused for other bytes. The cache may lose entries at any time, and
/// refuse new ones.
pub trait Cache: Send + Sync {
    /// The bytes stored under `name`, complete and unchanged; `None` if they are missing or damaged. Valid names
    /// consist of lower-case ASCII letters and digits; others have no entries.
    fn get(&self, name: &str) -> Option<CachedBytes>;

    /// Stores the output of `write` under `name`, and returns it like [`Cache::get`]. Other entries may be removed.
    /// `None` if it is not stored: because it is not possible, because the cache limits the rate of writes and was
    /// written to recently, or because `write` failed. `write` may not be called at all.
    fn put(&self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>)
    -> Option<CachedBytes>;
}

/// Whether `name` is valid for an entry of a cache.
pub fn is_cache_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}
