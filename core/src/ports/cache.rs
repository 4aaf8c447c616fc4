//! Bytes that the engine can make again at any time, kept where other processes find them, so that one
//! makes them and all share one copy.

use std::io::{self, Write};
use std::sync::Arc;

/// Bytes that stay as they are for as long as they are held, whatever becomes of the cache.
pub type CachedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A place for derived bytes, each under a name that is never given to other bytes. It may lose
/// anything at any time, and refuse to keep anything.
pub trait Cache: Send + Sync {
    /// What was kept under `name`, whole and as it was kept; `None` when it is not there or was
    /// damaged. Names are made of lower-case letters and digits of ASCII; there is nothing under others.
    fn get(&self, name: &str) -> Option<CachedBytes>;

    /// Keeps what `write` writes under `name`, and hands it out as [`Cache::get`] does. What other
    /// names stand for may go. `None` when it is not kept: because it cannot be, because the cache was
    /// just written to and shall not be worn out, or because `write` failed; it may not have been asked.
    fn put(&self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>)
    -> Option<CachedBytes>;
}

/// Whether a cache may keep something under `name`.
pub fn is_cache_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}
