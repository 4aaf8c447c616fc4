//! The native `ubp`: hands the process to the library.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::process::ExitCode;

use ubp_cli::{Environment, Io, run};
use ubp_core::progress::Cancel;

fn main() -> ExitCode {
    let cancel = Cancel::default();
    let request = cancel.clone();
    // Without a handler the process ends at once, which loses nothing either.
    let _ = ctrlc::set_handler(move || {
        if request.is_requested() {
            std::process::exit(130);
        }
        request.request();
    });
    let mut io = Io {
        input: Box::new(stdin()),
        out_is_terminal: stdout().is_terminal(),
        err_is_terminal: stderr().is_terminal(),
        out: Box::new(std::io::BufWriter::new(stdout())),
        err: Box::new(stderr()),
        width: terminal_size(),
        folder: std::env::current_dir().unwrap_or_default(),
        environment: Environment::of_process(),
        cancel,
    };
    let status = run(std::env::args_os(), &mut io);
    ExitCode::from(status as u8)
}

fn terminal_size() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_rows, columns)| usize::from(columns))
}
