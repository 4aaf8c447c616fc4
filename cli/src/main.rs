//! The native `ubp`: hands the process to the library.

use std::process::ExitCode;

use ubp_cli::{Io, run};
use ubp_core::progress::Cancel;

#[allow(clippy::disallowed_methods)]
fn main() -> ExitCode {
    let cancel = Cancel::default();
    let request = cancel.clone();
    // The one owner of signals: this is the program, which nothing else takes in. Without a handler the process ends at once, which loses nothing either.
    let _ = ctrlc::set_handler(move || {
        if request.is_requested() {
            std::process::exit(130);
        }
        request.request();
    });
    let status = run(std::env::args_os(), &mut Io::of_process(cancel));
    ExitCode::from(status as u8)
}
