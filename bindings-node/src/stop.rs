//! Cancellation, for JavaScript.

use napi_derive::napi;
use ubp_core::progress::Cancel;

/// Cancels one command or call.
#[napi]
#[derive(Default)]
pub struct Stop(Cancel);

#[napi]
impl Stop {
    /// A new, unused one.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests cancellation. A waiting call ends at once, a running one at its next safe point.
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
