//! Answers for JavaScript: JSON, or an error with its code and hint. Promises are never rejected here, so that errors
//! are created in one place, in JavaScript.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;
use ubp_core::hint::Calls;
use ubp_core::{Error, Result};

/// The answer of a call: either `json` or `error`.
#[napi(object)]
pub struct Answer {
    /// The operation's output.
    pub json: Option<String>,
    /// What went wrong.
    pub error: Option<Failure>,
}

/// An error of the engine.
#[napi(object)]
pub struct Failure {
    /// A stable name for programs.
    pub code: String,
    /// What went wrong, for people.
    pub message: String,
    /// How to fix it, if known.
    pub hint: Option<String>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code().into(),
            message: error.to_string(),
            hint: error.hint().map(|hint| hint.told(&Calls)),
        }
    }
}

impl From<Result<String>> for Answer {
    fn from(result: Result<String>) -> Self {
        match result {
            Ok(json) => Self { json: Some(json), error: None },
            Err(error) => Self { json: None, error: Some(Failure::from(&error)) },
        }
    }
}

/// Runs `work`, and turns a panic into an error, so that a defect of UBP does not end the process.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::Internal(words(&*panic).to_owned())))
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

/// Resolves a promise from any thread.
pub(crate) struct Promised(Box<dyn FnOnce(Answer) + Send>);

impl Promised {
    /// A new promise, and the value that resolves it.
    pub(crate) fn new(env: &Env) -> napi::Result<(Self, Object<'_>)> {
        type Say = Box<dyn FnOnce(Env) -> napi::Result<Answer>>;
        let (deferred, promise) = env.create_deferred::<Answer, Say>()?;
        let say = move |answer| deferred.resolve(Box::new(move |_env| Ok(answer)));
        Ok((Self(Box::new(say)), promise))
    }

    /// Resolves the promise.
    pub(crate) fn keep(self, result: Result<String>) {
        (self.0)(result.into());
    }
}

/// Panics, for tests of [`guarded`].
#[cfg(feature = "testing")]
#[allow(clippy::panic)]
pub(crate) fn panic_if_asked(name: Option<&str>) {
    if name == Some("panic") {
        panic!("asked to panic");
    }
}
