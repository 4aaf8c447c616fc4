//! What clients have to know. Only hashes are kept and compared, so that comparing takes the same time
//! whatever was sent.

use std::net::SocketAddr;
use std::path::Path;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use ubp_core::{Error, Result};
use ubp_host::atomic::{self, Readers};

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

/// 244 bits that nobody can guess.
pub(crate) fn random() -> String {
    [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|half| half.simple().to_string()).concat()
}

/// The token in the file at `path`, which its owner alone can read; made anew where there is none.
///
/// # Errors
/// [`Error::Io`], which `name` names, when the file can be neither read nor made.
pub(crate) fn kept(path: &Path, name: &str) -> Result<String> {
    let failed = |error| Error::io(name, error);
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= SHORTEST => return Ok(text.trim().to_owned()),
        Ok(_) => std::fs::remove_file(path).map_err(failed)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let text = random();
    atomic::append(path, format!("{text}\n").as_bytes(), Readers::Owner).map_err(failed)?;
    Ok(text)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_token_stays_the_same_and_is_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let first = kept(&path, "token").unwrap();
        assert_eq!((first.len(), kept(&path, "token").unwrap()), (64, first.clone()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "short\n").unwrap();
        let second = kept(&path, "token").unwrap();
        assert!(second.len() == 64 && second != first);
    }
}
