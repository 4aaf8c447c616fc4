//! How many changes agents may make in a minute, over all clients of a server: an agent that runs wild
//! is stopped before a person has to take back more than can be looked through.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// When changes were made.
#[derive(Default)]
pub(super) struct Limit {
    times: Mutex<VecDeque<Instant>>,
}

/// A change that was one too many.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    per_minute: usize,
    wait: Duration,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} changes within a minute are the limit", self.per_minute)
    }
}

impl Refused {
    /// The way out.
    pub(super) fn hint(&self) -> String {
        let seconds = self.wait.as_secs() + 1;
        format!(
            "go on in {seconds} seconds; `agents.writes_per_minute` in .ubp/manifest.json raises the limit"
        )
    }
}

impl Limit {
    /// Makes a change if there is room for it. What fails changes nothing, and does not count.
    pub(super) fn hold<T, E>(
        &self,
        per_minute: usize,
        change: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<T, Refused>, E> {
        // Counted before it is made, so that many at once are not all let through.
        let begun = match self.take(per_minute, Instant::now()) {
            Ok(begun) => begun,
            Err(refused) => return Ok(Err(refused)),
        };
        let result = change();
        if result.is_err() {
            let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = times.iter().position(|time| *time == begun) {
                times.remove(at);
            }
        }
        result.map(Ok)
    }

    fn take(&self, per_minute: usize, now: Instant) -> Result<Instant, Refused> {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        while times.front().is_some_and(|first| now.duration_since(*first) >= MINUTE) {
            times.pop_front();
        }
        if times.len() >= per_minute {
            let wait = times.front().map_or(MINUTE, |first| MINUTE - now.duration_since(*first));
            return Err(Refused { per_minute, wait });
        }
        times.push_back(now);
        Ok(now)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_changes_are_made_in_a_minute() {
        let (limit, begin) = (Limit::default(), Instant::now());
        for second in 0..3 {
            assert!(limit.take(3, begin + Duration::from_secs(second)).is_ok());
        }
        let refused = limit.take(3, begin + Duration::from_secs(20)).unwrap_err();
        assert_eq!(refused, Refused { per_minute: 3, wait: Duration::from_secs(40) });
        assert!(refused.hint().starts_with("go on in 41 seconds"), "{}", refused.hint());
        assert!(limit.take(4, begin + Duration::from_secs(20)).is_ok(), "a raised limit holds at once");
        assert!(limit.take(3, begin + Duration::from_secs(82)).is_ok());
    }

    #[test]
    fn what_fails_does_not_count() {
        let limit = Limit::default();
        for _ in 0..10 {
            assert_eq!(limit.hold(1, || Err::<(), _>("conflict")), Err("conflict"));
        }
        assert_eq!(limit.hold(1, || Ok::<_, ()>(5)), Ok(Ok(5)));
        assert!(limit.hold(1, || Ok::<_, ()>(6)).unwrap().is_err());
    }
}
