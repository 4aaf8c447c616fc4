//! What clients have to know. Only hashes are kept and compared, so that comparing takes the same time
//! whatever was sent.

use std::net::SocketAddr;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use ubp_core::{Error, Result};

/// Fewer characters could be guessed.
const SHORTEST: usize = 16;

/// A secret that clients send.
#[derive(Clone, Copy)]
pub(crate) struct Token([u8; 32]);

impl Token {
    /// This text. `called` is what errors call it.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for one that is too short.
    pub(crate) fn new(text: &str, called: &str) -> Result<Self> {
        if text.len() < SHORTEST {
            return Err(Error::invalid(format!(
                "{called} is too short: {SHORTEST} characters are the least"
            )));
        }
        Ok(Self(Sha256::digest(text).into()))
    }

    /// Whether that is what was sent.
    pub(crate) fn is(&self, sent: &str) -> bool {
        <[u8; 32]>::from(Sha256::digest(sent)) == self.0
    }
}

/// Refuses to be reached by others without a token; `way` says how to set one.
///
/// # Errors
/// [`Error::InvalidParams`].
pub(crate) fn require(address: SocketAddr, token: Option<&Token>, way: &str) -> Result<()> {
    if address.ip().is_loopback() || token.is_some() {
        return Ok(());
    }
    Err(Error::invalid(format!("others can reach {address}: {way}, or listen on 127.0.0.1")))
}

/// The token of an `Authorization` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
