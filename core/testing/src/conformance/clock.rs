//! Conformance suite for clocks.

use ubp_core::ports::Clock;

/// Time never goes backwards, and identifiers are new UUIDs v7 in ascending order.
pub fn clock(clock: &dyn Clock) {
    let before = clock.now();
    let reading = clock.monotonic_micros();
    let ids: Vec<_> = (0..1_000).map(|_| clock.new_id()).collect();
    assert!(clock.now() >= before, "time ran backwards");
    assert!(clock.monotonic_micros() >= reading, "the monotonic clock ran backwards");

    assert!(ids.iter().all(|id| id.get_version_num() == 7), "{:?} is not a UUID v7", ids[0]);
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "identifiers are not ascending");
    let (seconds, _) = ids[0].get_timestamp().unwrap().to_unix();
    let drift = i64::try_from(seconds).unwrap() - before.as_second();
    assert!((-1..=60).contains(&drift), "the time of an identifier differs from the clock by {drift} s");
}
