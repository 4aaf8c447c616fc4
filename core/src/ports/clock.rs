//! Time and randomness, so that tests can fix both.

use jiff::Timestamp;
use uuid::Uuid;

/// The host's clock and source of identifiers.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
    /// A monotonic reading in microseconds, for deadlines: only differences mean anything.
    fn monotonic_micros(&self) -> u64;
    /// A fresh UUID v7.
    fn new_id(&self) -> Uuid;
}
