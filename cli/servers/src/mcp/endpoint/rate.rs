//! Limits the requests of each token, and the calls of all at once, so that one runaway agent does not take the server from
//! the others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http;

/// Limits of an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a message.
    pub message: usize,
    /// Calls at once.
    pub calls: usize,
    /// Requests per minute with one token.
    pub per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message: 1 << 20, calls: 64, per_minute: 1_200 }
    }
}

/// How long a client should wait for a free place.
const WAIT: Duration = Duration::from_secs(1);

/// What is left of the limits.
pub(super) struct Rate {
    limits: Limits,
    places: Arc<Semaphore>,
    /// By the name of a token; the one without a name is shared by all who know it.
    requests: http::rate::Rate<Option<String>>,
}

/// A place of a running call, free again when the last clone is dropped.
pub(in crate::mcp) type Place = Arc<OwnedSemaphorePermit>;

impl Rate {
    pub(super) fn new(limits: Limits) -> Self {
        let most = limits.calls.clamp(1, Semaphore::MAX_PERMITS);
        let requests = http::rate::Rate::new(limits.per_minute);
        Self { limits, places: Arc::new(Semaphore::new(most)), requests }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Counts a request with the token of this name.
    ///
    /// # Errors
    /// How long to wait before the next one.
    pub(super) fn count(&self, token: Option<&str>, now: Instant) -> Result<(), Duration> {
        self.requests.count(token.map(str::to_owned), now)
    }

    /// A place for a call.
    ///
    /// # Errors
    /// How long to wait before the next attempt.
    pub(super) fn place(&self) -> Result<Place, Duration> {
        self.places.clone().try_acquire_owned().map(Arc::new).map_err(|_| WAIT)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn rate(calls: usize, per_minute: u32) -> Rate {
        Rate::new(Limits { calls, per_minute, ..Limits::default() })
    }

    #[test]
    fn a_place_is_free_again_when_nobody_holds_it() {
        let rate = rate(1, 60);
        let place = rate.place().unwrap();
        let other = place.clone();
        drop(place);
        assert!(rate.place().is_err());
        drop(other);
        assert!(rate.place().is_ok());
    }
}
