//! Signals to processes.

use std::process::{Command, Stdio};

/// Sends a signal, such as `-9`; whether the process exists. `-0` only asks. Every shell has a built-in `kill`; the
/// program of that name is missing from small systems.
pub fn send(signal: &str, process: u32) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill \"$0\" \"$1\"", signal, &process.to_string()]).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}
