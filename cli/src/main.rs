//! The native `ubp`: passes the process to the library.

use std::process::ExitCode;

use ubp_cli::{Io, run};
use ubp_core::progress::Cancel;

#[allow(clippy::disallowed_methods)]
fn main() -> ExitCode {
    let cancel = Cancel::default();
    let request = cancel.clone();
    // Only the program may own signals. If no handler can be set, Ctrl-C ends the process at once, which loses no data.
    let _ = ctrlc::set_handler(move || {
        if request.is_requested() {
            std::process::exit(130);
        }
        request.request();
    });
    let status = run(std::env::args_os(), &mut Io::of_process(cancel));
    ExitCode::from(status as u8)
}
