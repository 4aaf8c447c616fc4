//! Starts this program again, detached from the terminal, and waits until it listens.

use std::ffi::OsString;
use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use ubp_core::message::Message;

use serde_json::Value;
use ubp_core::message;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};
use ubp_host::{UBP_DIR, keep_out_of_git};

use super::commands::Report;
use super::{Files, IGNORED, LOG, Running, log, shown};
use crate::printable;

/// How long a server may take to listen. It opens the project, but does not build the index first.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// Starts a server in the background for the project in `root`. `program` is the program and its leading arguments;
/// `arguments` make it listen on `address`.
///
/// # Errors
/// [`Error::InvalidParams`] if one is running or the options are refused; [`Error::Io`] if the address is in use. No
/// process is left running.
pub fn start(
    root: &Path,
    address: SocketAddr,
    program: &[OsString],
    arguments: &[OsString],
    cancel: &Cancel,
) -> Result<Report> {
    let files = Files::of(root);
    refuse_second(&files)?;
    if let Err(error) = TcpListener::bind(address) {
        // Another start may just have taken the address.
        refuse_second(&files)?;
        return Err(Error::io(address.to_string(), error));
    }
    let [program, before @ ..] = program else {
        return Err(Error::invalid(message!(
            "this host cannot start a background process: leave out --daemon"
        )));
    };
    let failed = |error| Error::io(program.to_string_lossy(), error);
    keep_out_of_git(&root.join(UBP_DIR), IGNORED);
    let log = log::open(&files.log()).map_err(|error| Error::io(shown(LOG), error))?;
    let mut command = Command::new(program);
    command
        .args(before)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    apart(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    match wait(&mut child, cancel) {
        Ok(running) => Ok(Report::new(true, Some(running))),
        Err(error) => {
            // The child of this call, which no other command knows yet.
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

fn refuse_second(files: &Files) -> Result<()> {
    match files.running()? {
        None => Ok(()),
        Some(running) => Err(runs_already(&running)),
    }
}

/// The error for a second server.
pub(in crate::mcp) fn runs_already(running: &Running) -> Error {
    Error::invalid(message!(
        "a server of this project is already running in the background: {url} (process {pid}); `ubp mcp-server --stop` stops it",
        url = running.url,
        pid = running.pid
    ))
}

/// Waits until the child reports its address or an error.
fn wait(child: &mut Child, cancel: &Cancel) -> Result<Running> {
    let Some(mut output) = child.stdout.take() else {
        return Err(Error::Internal("the new process has no output".into()));
    };
    let (sender, said) = channel();
    let read = move || {
        let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
        // A server writes one line, an error takes several; then the output ends.
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            text.extend_from_slice(bytes.get(..count).unwrap_or_default());
            if let Ok(running) = serde_json::from_slice::<Running>(&text) {
                let _ = sender.send(Ok(running));
                return;
            }
        }
        let _ = sender.send(Err(text));
    };
    std::thread::Builder::new()
        .name("ubp-start".into())
        .spawn(read)
        .map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
    let begun = Instant::now();
    loop {
        match said.recv_timeout(PAUSE) {
            Ok(Ok(running)) => return Ok(running),
            Ok(Err(text)) => return Err(refusal(&text)),
            Err(RecvTimeoutError::Disconnected) => return Err(refusal(b"")),
            Err(RecvTimeoutError::Timeout) => {
                cancel.check()?;
                if begun.elapsed() > PATIENCE {
                    return Err(refusal(b""));
                }
            }
        }
    }
}

/// The error that the child reported.
fn refusal(said: &[u8]) -> Error {
    let answer: Value = serde_json::from_slice(said).unwrap_or_default();
    let text = |field: &str| answer["error"][field].as_str().map(printable);
    match (text("message"), text("hint")) {
        (Some(message), Some(hint)) => Error::invalid(Message::verbatim(format!("{message} ({hint})"))),
        (Some(message), None) => Error::invalid(Message::verbatim(message)),
        (None, _) => {
            Error::invalid(message!("the server did not start to listen; see {shown}", shown = shown(LOG)))
        }
    }
}

#[cfg(windows)]
fn apart(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// On Unix, the new process detaches itself: see [`detach`].
#[cfg(not(windows))]
fn apart(_command: &mut Command) {}

/// Detaches from the terminal, so that closing it does not end this process.
pub(in crate::mcp) fn detach() {
    #[cfg(unix)]
    {
        // Fails only for the leader of a process group, which then stays as it was started.
        let _ = rustix::process::setsid();
    }
}
