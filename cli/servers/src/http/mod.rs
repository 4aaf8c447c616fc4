//! What every server of ubp that speaks HTTP asks of a request before it answers. A page in a browser reaches
//! local servers too, so the names that a request comes under and from are checked on every one, and those who
//! come from elsewhere must know a token.

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
pub(crate) use token::{Token, bearer, kept, random, require};

/// How often a request to stop is looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(60);
/// How long calls may take to end once a server is to stop.
pub(crate) const FAREWELL: Duration = Duration::from_secs(2);

/// Takes the address. Any port will do where it says 0.
///
/// # Errors
/// [`Error::Io`] when it cannot be had.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| Error::io(address.to_string(), error))
}

/// The body of a request, of `most` bytes at most.
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

/// Waits for Ctrl-C, a signal, the host's request, or the end of the process that started this one.
pub(crate) async fn asked_to_stop(cancel: &Cancel) {
    while !cancel.is_requested() {
        tokio::time::sleep(LOOK).await;
    }
}
