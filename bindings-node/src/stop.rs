//! A request to stop, in the hands of JavaScript.

use napi_derive::napi;
use ubp_core::progress::Cancel;

/// Asks one command or one call to stop.
#[napi]
#[derive(Default)]
pub struct Stop(Cancel);

#[napi]
impl Stop {
    /// Nobody asked yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks. What waits ends at once, what runs at its next good moment.
    #[napi]
    pub fn request(&self) {
        self.0.request();
    }
}

impl Stop {
    pub(crate) fn cancel(&self) -> Cancel {
        self.0.clone()
    }
}
