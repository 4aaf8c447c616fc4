//! Checks that every HTTP server of ubp makes before it answers. Web pages in a browser can reach local servers, so
//! `Host` and `Origin` of every request are checked, and clients on other machines need a token.

pub mod named_tokens;
mod names;
mod serve;
mod token;

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;
use tokio::net::TcpListener;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

pub(crate) use names::Names;
pub(crate) use serve::{Limits, serve};
pub(crate) use token::{Token, bearer, kept, random, require, require_uncommitted};

/// How often cancellation is polled.
const LOOK: Duration = Duration::from_millis(100);
/// Timeout for the body of a request.
const BODY: Duration = Duration::from_secs(60);
/// How long a stopping server waits for its calls to end.
pub(crate) const FAREWELL: Duration = Duration::from_secs(2);

/// Binds the address. Port 0 means any free port.
///
/// # Errors
/// [`Error::Io`] if that fails.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| Error::io(address.to_string(), error))
}

/// Reads the body of a request, at most `most` bytes.
///
/// # Errors
/// The status to answer with.
pub(crate) async fn body(body: Body, most: usize) -> std::result::Result<Bytes, StatusCode> {
    match tokio::time::timeout(BODY, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Waits for Ctrl-C, a signal, cancellation by the host, or the end of the parent process.
pub(crate) async fn asked_to_stop(cancel: &Cancel) {
    while !cancel.is_requested() {
        tokio::time::sleep(LOOK).await;
    }
}
