//! Limits the requests of each token, and the calls of all at once, so that one runaway agent does not take the server from
//! the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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

/// How many tokens are remembered before those that were not used for a minute are forgotten.
const MOST: usize = 1_000;

/// How long a client should wait for a free place.
const WAIT: Duration = Duration::from_secs(1);

/// What is left of the limits.
pub(super) struct Rate {
    limits: Limits,
    places: Arc<Semaphore>,
    /// By the name of a token; the one without a name is shared by all who know it.
    left: Mutex<HashMap<Option<String>, Left>>,
}

/// The requests that a token may send now. A whole minute's may come at once, and they come back evenly.
#[derive(Debug, Clone, Copy)]
struct Left {
    requests: f64,
    at: Instant,
}

/// A place of a running call, free again when the last clone is dropped.
pub(in crate::mcp) type Place = Arc<OwnedSemaphorePermit>;

impl Rate {
    pub(super) fn new(limits: Limits) -> Self {
        let most = limits.calls.clamp(1, Semaphore::MAX_PERMITS);
        Self { limits, places: Arc::new(Semaphore::new(most)), left: Mutex::default() }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Counts a request with the token of this name.
    ///
    /// # Errors
    /// How long to wait before the next one.
    pub(super) fn count(&self, token: Option<&str>, now: Instant) -> Result<(), Duration> {
        let most = f64::from(self.limits.per_minute.max(1));
        let per_second = most / 60.0;
        let requests = |left: &Left| {
            let back = now.saturating_duration_since(left.at).as_secs_f64() * per_second;
            (left.requests + back).min(most)
        };
        let mut known = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let token = token.map(str::to_owned);
        if known.len() >= MOST && !known.contains_key(&token) {
            known.retain(|_, left| requests(left) < most);
        }
        let left = known.entry(token).or_insert(Left { requests: most, at: now });
        let free = requests(left);
        if free < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - free) / per_second));
        }
        *left = Left { requests: free - 1.0, at: now };
        Ok(())
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
    fn each_token_has_requests_of_its_own_which_come_back_evenly() {
        let (rate, begun) = (rate(1, 60), Instant::now());
        for _ in 0..60 {
            rate.count(Some("ci"), begun).unwrap();
        }
        assert_eq!(rate.count(Some("ci"), begun), Err(Duration::from_secs(1)));
        rate.count(Some("bot"), begun).unwrap();
        rate.count(None, begun).unwrap();
        let later = begun + Duration::from_millis(1_500);
        rate.count(Some("ci"), later).unwrap();
        assert_eq!(rate.count(Some("ci"), later), Err(Duration::from_millis(500)));
        let long_after = begun + Duration::from_secs(600);
        for _ in 0..60 {
            rate.count(Some("ci"), long_after).unwrap();
        }
        assert!(rate.count(Some("ci"), long_after).is_err(), "no more than a minute's are saved up");
    }

    #[test]
    fn tokens_that_were_not_used_are_forgotten() {
        let (rate, begun) = (rate(1, 60), Instant::now());
        for at in 0..MOST {
            rate.count(Some(&at.to_string()), begun).unwrap();
        }
        rate.count(Some("last"), begun + Duration::from_secs(90)).unwrap();
        assert_eq!(rate.left.lock().unwrap().len(), 1);
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
