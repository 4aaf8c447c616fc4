//! Reads small files from other machines.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use ubp_core::{Error, Result, message};

use crate::Environment;
use crate::models::{Route, is_allowed};

/// Timeout for connecting.
const CONNECTING: Duration = Duration::from_secs(5);
/// Timeout for all of it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses an address that is not encrypted, unless it is of this machine.
///
/// # Errors
/// [`Error::InvalidParams`].
pub fn require_safe(url: &str) -> Result<()> {
    let url = url.to_owned();
    let is_safe = url.parse().is_ok_and(|uri| is_allowed(&uri));
    is_safe.then_some(()).ok_or_else(|| Error::invalid(message!("'{url}' must begin with https://", url)))
}

/// The content at an address, at most `most` bytes. Redirects are not followed.
///
/// # Errors
/// As [`require_safe`]; [`Error::InvalidParams`] if it cannot be read, or is longer.
pub fn fetch(url: &str, environment: &Environment, most: usize) -> Result<Vec<u8>> {
    require_safe(url)?;
    let failed = |error: String| {
        Error::invalid(message!("{file} cannot be read: {error}", file = url.to_owned(), error))
    };
    let agent = Route::of(environment).agent_for(url, CONNECTING);
    let request = agent.get(url).config().timeout_global(Some(PATIENCE)).build();
    let response = request.call().map_err(|error| failed(error.to_string()))?;
    if !response.status().is_success() {
        return Err(failed(response.status().to_string()));
    }
    let mut bytes = Vec::new();
    let limit = most as u64 + 1;
    let read = response.into_body().into_reader().take(limit).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > most {
        return Err(failed(ErrorKind::FileTooLarge.to_string()));
    }
    Ok(bytes)
}
