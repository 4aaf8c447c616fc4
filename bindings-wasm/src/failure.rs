//! What JavaScript gets when something fails: an `Error` with a code and a hint. A defect ends the
//! module: nothing that it holds in memory can be trusted afterwards, and it says so ever after.

use std::cell::Cell;

use js_sys::{Error as JsError, Reflect};
use ubp_core::Result;
use ubp_core::hint::Buttons;
use wasm_bindgen::prelude::*;

const AGAIN: &str = "start a new worker with a fresh module, and open the vault again";

thread_local! {
    /// Whether a call is at work. One that trapped never says that it has ended.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call from JavaScript.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> std::result::Result<T, JsValue> {
    if AT_WORK.replace(true) {
        let message = "an earlier call broke off, or is at work still; this module can answer nothing more";
        return Err(failure("internal", message, Some(AGAIN)));
    }
    let result = work();
    AT_WORK.set(false);
    result.map_err(|error| {
        let hint = error.hint().map(|hint| hint.told(&Buttons));
        failure(error.code(), &error.to_string(), hint.as_deref())
    })
}

fn failure(code: &str, message: &str, hint: Option<&str>) -> JsValue {
    let error = JsError::new(message);
    error.set_name("UbpError");
    for (name, value) in [("code", JsValue::from(code)), ("hint", hint.map_or(JsValue::NULL, JsValue::from))]
    {
        // Fails for frozen objects alone, and this one is new.
        let _ = Reflect::set(&error, &name.into(), &value);
    }
    error.into()
}

/// What JavaScript threw, in words.
#[cfg(feature = "base")]
pub(crate) fn words(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<JsError>() {
        Some(error) => String::from(error.message()),
        None => js_sys::JsString::from(thrown.clone()).into(),
    }
}

/// Makes a panic an error like every other; without that it would be a trap without words.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_val(failure("internal", &format!("internal error: {panic}"), Some(AGAIN)));
    }));
}
