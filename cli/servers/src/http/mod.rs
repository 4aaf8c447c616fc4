//! Checks that every HTTP server of ubp makes before it answers. Web pages in a browser can reach local servers, so
//! `Host` and `Origin` of every request are checked, and clients on other machines need a token.

mod inherited;
pub(crate) mod kept_file;
pub mod named_tokens;
mod names;
pub(crate) mod rate;
mod serve;
mod token;

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use futures_util::StreamExt;
use tokio::net::TcpListener;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

pub(crate) use inherited::inherited;
pub(crate) use names::Names;
pub(crate) use serve::{Limits, Peer, serve, serve_over};
pub(crate) use token::{Token, bearer, kept, random, require, require_uncommitted};

/// How often cancellation is polled.
const LOOK: Duration = Duration::from_millis(100);
/// Timeout for the body of a request.
const BODY: Duration = Duration::from_secs(60);
/// How much of a body that is too long is read all the same, in bytes.
const REST: usize = 64 << 20;
/// And how long.
const REST_TIME: Duration = Duration::from_secs(5);
/// How long a stopping server waits for its calls to end.
pub(crate) const FAREWELL: Duration = Duration::from_secs(2);

/// Binds the address. Port 0 means any free port.
///
/// # Errors
/// [`Error::Io`] if that fails.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| Error::io(address.to_string(), error))
}

/// Reads the body of a request, at most `most` bytes. Of a longer body, some of the rest is read as well: a client that still
/// sends would not see the answer.
///
/// # Errors
/// The status to answer with.
pub(crate) async fn body(body: Body, most: usize) -> std::result::Result<Bytes, StatusCode> {
    let is_long = body.size_hint().lower() > most as u64;
    let mut parts = body.into_data_stream();
    let read = async {
        if is_long {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let mut bytes = Vec::new();
        while let Some(part) = parts.next().await {
            let part = part.map_err(|_| StatusCode::BAD_REQUEST)?;
            if bytes.len() + part.len() > most {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes.into())
    };
    let read = tokio::time::timeout(BODY, read).await.unwrap_or(Err(StatusCode::REQUEST_TIMEOUT));
    if read == Err(StatusCode::PAYLOAD_TOO_LARGE) {
        let rest = async {
            let mut left = REST;
            while let Some(Ok(part)) = parts.next().await {
                let Some(less) = left.checked_sub(part.len()) else { return };
                left = less;
            }
        };
        let _ = tokio::time::timeout(REST_TIME, rest).await;
    }
    read
}

/// Waits for Ctrl-C, a signal, cancellation by the host, or the end of the parent process.
pub(crate) async fn asked_to_stop(cancel: &Cancel) {
    while !cancel.is_requested() {
        tokio::time::sleep(LOOK).await;
    }
}
