//! Limits how often somebody may ask, so that one runaway client does not take the server from the others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many clients are remembered before those that did not ask for a minute are forgotten.
const MOST: usize = 1_000;

/// What is left to each client.
pub(crate) struct Rate<K> {
    most: f64,
    left: Mutex<HashMap<K, Left>>,
}

/// The requests that a client may send now. A whole minute's may come at once, and they come back evenly.
#[derive(Debug, Clone, Copy)]
struct Left {
    requests: f64,
    at: Instant,
}

impl<K: Eq + Hash> Rate<K> {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { most: f64::from(per_minute.max(1)), left: Mutex::default() }
    }

    fn requests(&self, left: &Left, now: Instant) -> f64 {
        let back = now.saturating_duration_since(left.at).as_secs_f64() * self.most / 60.0;
        (left.requests + back).min(self.most)
    }

    /// Counts a request of this client.
    ///
    /// # Errors
    /// How long to wait before the next one.
    pub(crate) fn count(&self, client: K, now: Instant) -> Result<(), Duration> {
        let mut known = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(&client) {
            known.retain(|_, left| self.requests(left, now) < self.most);
        }
        let left = known.entry(client).or_insert(Left { requests: self.most, at: now });
        let free = self.requests(left, now);
        if free < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - free) * 60.0 / self.most));
        }
        *left = Left { requests: free - 1.0, at: now };
        Ok(())
    }

    /// How long this client has to wait before its next request, without counting one.
    pub(crate) fn wait(&self, client: &K, now: Instant) -> Option<Duration> {
        let known = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let free = known.get(client).map_or(self.most, |left| self.requests(left, now));
        (free < 1.0).then(|| Duration::from_secs_f64((1.0 - free) * 60.0 / self.most))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_requests_of_its_own_which_come_back_evenly() {
        let (rate, begun) = (Rate::new(60), Instant::now());
        for _ in 0..60 {
            rate.count("ci", begun).unwrap();
        }
        assert_eq!(rate.count("ci", begun), Err(Duration::from_secs(1)));
        assert_eq!(rate.wait(&"ci", begun), Some(Duration::from_secs(1)));
        assert_eq!(rate.wait(&"bot", begun), None);
        rate.count("bot", begun).unwrap();
        let later = begun + Duration::from_millis(1_500);
        rate.count("ci", later).unwrap();
        assert_eq!(rate.count("ci", later), Err(Duration::from_millis(500)));
        let long_after = begun + Duration::from_secs(600);
        for _ in 0..60 {
            rate.count("ci", long_after).unwrap();
        }
        assert!(rate.count("ci", long_after).is_err(), "no more than a minute's are saved up");
    }

    #[test]
    fn clients_that_did_not_ask_are_forgotten() {
        let (rate, begun) = (Rate::new(60), Instant::now());
        for at in 0..MOST {
            rate.count(at, begun).unwrap();
        }
        rate.count(MOST, begun + Duration::from_secs(90)).unwrap();
        assert_eq!(rate.left.lock().unwrap().len(), 1);
    }
}
