//! The `ubp` command inside a Node process.

use std::ffi::OsString;

use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;
use ubp_cli::Io;
use ubp_core::Error;

use crate::answer::{Promised, guarded};
use crate::stop::Stop;

/// Runs the command on the streams of this process, and returns a promise of its exit status. `arguments` start with
/// the program name. `program` starts the same command in a new process: the executable of Node and its arguments.
#[napi]
pub fn run<'env>(
    env: &'env Env,
    arguments: Vec<String>,
    stop: &Stop,
    program: Option<Vec<String>>,
) -> napi::Result<Object<'env>> {
    let (promised, promise) = Promised::new(env)?;
    let cancel = stop.cancel();
    let work = move || {
        promised.keep(guarded(|| {
            #[cfg(feature = "testing")]
            crate::answer::panic_if_asked(arguments.get(1).map(String::as_str));
            let program = program.unwrap_or_default().into_iter().map(OsString::from).collect();
            let mut io = Io { program, ..Io::of_process(cancel) };
            let status = ubp_cli::run(arguments.into_iter().map(OsString::from), &mut io);
            Ok((status as u8).to_string())
        }));
    };
    std::thread::Builder::new().name("ubp-command".into()).spawn(work).map_err(|error| no_thread(&error))?;
    Ok(promise)
}

/// The error if the system cannot start a thread.
pub(crate) fn no_thread(error: &std::io::Error) -> napi::Error {
    let error = Error::Internal(format!("cannot start a thread: {error}"));
    napi::Error::from_reason(error.to_string())
}
