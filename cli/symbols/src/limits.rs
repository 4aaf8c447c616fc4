//! What reading a file may cost.

use std::fmt;
use std::time::{Duration, Instant};

/// Limits for reading one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the file, in bytes.
    pub bytes: usize,
    /// Maximum time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2_000_000, time: Duration::from_secs(2) }
    }
}

/// Why the definitions of a file are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// The file is larger than [`Limits::bytes`].
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The file has more definitions than are kept.
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// Reading took longer than [`Limits::time`].
    TookTooLong {
        /// The limit.
        limit: Duration,
    },
    /// The file is not text: it contains the character NUL.
    Binary,
    /// The file does not have the syntax of its format, which is not read partially.
    Invalid {
        /// The line of the first error, counted from 1.
        line: usize,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, limit } => write!(f, "too large: {bytes} bytes, the limit is {limit}"),
            Self::TooMany { limit } => write!(f, "more than {limit} definitions"),
            Self::TookTooLong { limit } => write!(f, "took longer than {} ms", limit.as_millis()),
            Self::Binary => f.write_str("not a text file"),
            Self::Invalid { line } => write!(f, "invalid syntax on line {line}"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Tells when the time for a file is over.
pub(crate) struct Deadline {
    started: Instant,
    limit: Duration,
    /// Calls until the clock is read again.
    calls: u32,
}

/// Reading the clock at each step would take longer than the steps.
const CALLS: u32 = 512;

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self { started: Instant::now(), limit, calls: CALLS }
    }

    pub(crate) const fn limit(&self) -> Duration {
        self.limit
    }

    /// # Errors
    /// [`Unreadable::TookTooLong`].
    pub(crate) fn check(&self) -> Result<(), Unreadable> {
        if self.started.elapsed() > self.limit {
            return Err(Unreadable::TookTooLong { limit: self.limit });
        }
        Ok(())
    }

    /// The same for a small step: looks at the clock only now and then.
    pub(crate) fn step(&mut self) -> Result<(), Unreadable> {
        self.calls = self.calls.saturating_sub(1);
        if self.calls == 0 {
            self.calls = CALLS;
            self.check()?;
        }
        Ok(())
    }
}
