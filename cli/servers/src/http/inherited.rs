//! A listening socket on standard input. Whoever passes it, such as systemd, keeps it open: clients that connect while a
//! server is replaced wait for the next one.

use tokio::net::TcpListener;
use ubp_core::{Error, Result, message};

/// The socket on standard input.
///
/// # Errors
/// [`Error::InvalidParams`] if there is none.
#[cfg(unix)]
pub(crate) fn inherited() -> Result<TcpListener> {
    use std::os::fd::AsFd;

    let none = || {
        Error::invalid_with_hint(
            message!("standard input is not a socket that listens for TCP connections"),
            message!("systemd passes one with `StandardInput=socket`; without it, leave out --socket"),
        )
    };
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map_err(|_| none())?;
    if rustix::net::getpeername(&socket).is_ok() {
        return Err(none());
    }
    let socket = std::net::TcpListener::from(socket);
    socket.local_addr().and_then(|_| socket.set_nonblocking(true)).map_err(|_| none())?;
    TcpListener::from_std(socket).map_err(|_| none())
}

/// The same, on a system whose sockets are no files.
#[cfg(not(unix))]
pub(crate) fn inherited() -> Result<TcpListener> {
    Err(Error::invalid(message!("--socket is for Linux, macOS and other systems with Unix sockets")))
}
