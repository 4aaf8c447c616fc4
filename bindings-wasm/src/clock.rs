//! The browser's clock and random numbers.

use jiff::Timestamp;
use ubp_core::ports::Clock;
use uuid::{Builder, Uuid};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn milliseconds() -> f64;
}

/// The current time.
pub(crate) struct BrowserClock;

impl Clock for BrowserClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(js_sys::Date::now() as i64).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn monotonic_micros(&self) -> u64 {
        (milliseconds() * 1_000.0) as u64
    }

    fn new_id(&self) -> Uuid {
        let mut random = [0; 10];
        if getrandom::fill(&mut random).is_err() {
            // A fallback, so that ids are unique even if the browser provides no random numbers.
            random[2..].copy_from_slice(&self.monotonic_micros().to_be_bytes());
        }
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or(0);
        Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}
