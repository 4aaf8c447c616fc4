//! The system's clock and random numbers.

use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use ubp_core::ports::Clock;
use uuid::Uuid;

/// The current time.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn offset(&self) -> Offset {
        TimeZone::system().to_offset(self.now())
    }

    fn monotonic_micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ubp_testing::conformance;

    use super::*;

    #[test]
    fn conforms() {
        conformance::clock(&SystemClock::default());
    }

    #[test]
    fn time_passes() {
        let clock = SystemClock::default();
        let before = clock.monotonic_micros();
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.monotonic_micros() >= before + 2_000);
    }
}
