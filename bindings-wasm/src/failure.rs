//! Errors for JavaScript: an `Error` with a code and a hint. After a panic the module's memory cannot be trusted, so
//! every later call is refused.

use std::cell::Cell;

use js_sys::{Error as JsError, Reflect};
use ubp_core::Result;
use wasm_bindgen::prelude::*;

#[cfg(feature = "base")]
use crate::reader::told;

const AGAIN: &str = "start a new worker with a fresh module, and open the vault again";

thread_local! {
    /// Whether a call is running. It stays true after a trap.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call from JavaScript.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> std::result::Result<T, JsValue> {
    if AT_WORK.replace(true) {
        let message = "an earlier call failed or is still running; this module cannot be used any more";
        return Err(failure("internal", message, Some(AGAIN)));
    }
    let result = work();
    AT_WORK.set(false);
    result.map_err(|error| {
        let (message, hint) = told(&error);
        failure(error.code(), &message, hint.as_deref())
    })
}

/// The message and the hint of an error, for programs.
#[cfg(not(feature = "base"))]
fn told(error: &ubp_core::Error) -> (String, Option<String>) {
    (error.to_string(), error.hint().map(|hint| hint.told(&ubp_core::hint::Buttons::default())))
}

fn failure(code: &str, message: &str, hint: Option<&str>) -> JsValue {
    let error = JsError::new(message);
    error.set_name("UbpError");
    for (name, value) in [("code", JsValue::from(code)), ("hint", hint.map_or(JsValue::NULL, JsValue::from))]
    {
        // Fails only for frozen objects, and this one is new.
        let _ = Reflect::set(&error, &name.into(), &value);
    }
    error.into()
}

/// The message of a JavaScript exception.
#[cfg(feature = "base")]
pub(crate) fn words(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<JsError>() {
        Some(error) => String::from(error.message()),
        None => js_sys::JsString::from(thrown.clone()).into(),
    }
}

/// Turns panics into errors; otherwise they would be traps without a message.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_val(failure("internal", &format!("internal error: {panic}"), Some(AGAIN)));
    }));
}
