//! Access tokens. Only hashes are stored and compared, so that the time of a comparison reveals nothing.

use std::net::SocketAddr;
use std::path::Path;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::History;
use ubp_core::{Error, Result};
use ubp_host::GitHistory;
use ubp_host::atomic::{self, Readers};

/// Minimum number of characters; shorter tokens could be guessed.
const SHORTEST: usize = 16;

/// A secret that clients send.
#[derive(Clone, Copy)]
pub(crate) struct Token([u8; 32]);

impl Token {
    /// A token; `called` is its name in errors.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if it is too short.
    pub(crate) fn new(text: &str, called: &str) -> Result<Self> {
        if text.len() < SHORTEST {
            return Err(Error::invalid(message!(
                "{called} is too short: it needs at least {shortest} characters",
                called,
                shortest = SHORTEST
            )));
        }
        Ok(Self(Sha256::digest(text).into()))
    }

    /// Whether `sent` is this token.
    pub(crate) fn is(&self, sent: &str) -> bool {
        <[u8; 32]>::from(Sha256::digest(sent)) == self.0
    }
}

/// A random token with 244 bits of entropy.
pub(crate) fn random() -> String {
    [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|half| half.simple().to_string()).concat()
}

/// The token in the file at `path`, which only its owner can read. Created if the file does not exist.
///
/// # Errors
/// [`Error::Io`] with `name` as the path if the file can be neither read nor created.
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

/// Refuses a file with tokens, relative to the project in `root`, that is in git: whoever can push to the repository
/// would know them, or could choose one.
///
/// # Errors
/// [`Error::InvalidParams`].
pub(crate) fn require_uncommitted(root: &Path, name: &str) -> Result<()> {
    let git = GitHistory::new(root);
    // If git cannot tell, the files of this machine count.
    let committed = git.head().ok().flatten().and_then(|head| git.read_at(&head, name).ok().flatten());
    match committed {
        None => Ok(()),
        Some(_) => Err(Error::invalid_with_hint(
            message!("{name} is in git: others may know its tokens, or have added some", name),
            message!("take it out with `git rm --cached {name}`, and revoke what you do not know", name),
        )),
    }
}

/// Refuses an address that other machines can reach without a token; `way` says how to set one.
///
/// # Errors
/// [`Error::InvalidParams`].
pub(crate) fn require(address: SocketAddr, token: Option<&Token>, way: Message) -> Result<()> {
    if address.ip().is_loopback() || token.is_some() {
        return Ok(());
    }
    Err(Error::invalid(message!(
        "others can reach {address}: {way}, or listen on 127.0.0.1",
        address = address.to_string(),
        way
    )))
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
    fn a_stored_token_is_reused_and_only_its_owner_can_read_it() {
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
