//! Time and random identifiers, as a port so that tests can fix both.

use jiff::Timestamp;
use jiff::tz::Offset;
use uuid::Uuid;

/// The host's clock and source of identifiers.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
    /// The local time zone's offset at the current time, for dates that people read.
    fn offset(&self) -> Offset {
        Offset::UTC
    }
    /// A monotonic clock in microseconds, for deadlines; only differences are meaningful.
    fn monotonic_micros(&self) -> u64;
    /// A new UUID v7.
    fn new_id(&self) -> Uuid;
}
