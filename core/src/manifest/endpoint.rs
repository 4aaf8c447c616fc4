//! A server that computes vectors in place of a model on this machine.

use std::net::IpAddr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::values;
use crate::embed::Prefixes;
use crate::{reported, word};

/// A server with the call `POST {url}/embeddings` of OpenAI's API, which Ollama, vLLM, llama.cpp and others offer too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The address that `/embeddings` is appended to, such as `http://127.0.0.1:11434/v1`.
    pub url: String,
    /// Whether the server may be another machine: pages and queries are sent there.
    #[serde(default)]
    pub allow_remote: bool,
    /// Maximum number of tokens in a text, by an estimate that is rather too high.
    #[serde(default = "window", deserialize_with = "values::whole::<16, 131_072, _, _>")]
    pub window: usize,
    /// Text put before every query and passage.
    #[serde(default)]
    pub prefixes: Prefixes,
    /// The start of the model's vector of a known text, which shows whether the server has another model now. Empty if it
    /// was never asked.
    #[serde(default)]
    pub fingerprint: String,
}

/// Of the models that servers offer, few have a smaller one.
fn window() -> usize {
    512
}

impl Endpoint {
    /// The server at an address as people type it: `/v1` is added if it has no path, and `/embeddings` removed.
    ///
    /// # Errors
    /// A message if it is not an address, contains a password, or is another machine without `allow_remote`.
    pub fn new(
        url: &str,
        allow_remote: bool,
        window: Option<usize>,
        prefixes: Prefixes,
    ) -> Result<Self, String> {
        let url = url.trim().trim_end_matches('/').trim_end_matches("/embeddings").trim_end_matches('/');
        let has_path = url.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        let url = if has_path { url.to_owned() } else { format!("{url}/v1") };
        let window = window.unwrap_or_else(self::window);
        Self { url, allow_remote, window, prefixes, fingerprint: String::new() }.checked()
    }

    fn checked(self) -> Result<Self, String> {
        let Some((origin, host)) = parts(&self.url) else {
            return Err(reported!(
                "'{url}' is not an address such as http://127.0.0.1:11434/v1",
                url = self.url
            ));
        };
        if origin.contains('@') {
            let words = word!(
                "the address contains a user name or password; the variable UBP_ENDPOINT_KEY is for keys"
            );
            return Err(words.into());
        }
        if !self.allow_remote && !is_loopback(host) {
            return Err(reported!(
                "{host} is another machine, and pages and queries would be sent there; \"allow_remote\": true permits that"
            ));
        }
        Ok(self)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        parts(&self.url).map_or("", |(origin, _)| origin)
    }

    /// Whether the server is another machine.
    pub fn is_remote(&self) -> bool {
        parts(&self.url).is_none_or(|(_, host)| !is_loopback(host))
    }
}

/// The origin and the host of an address.
fn parts(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    if !["http", "https"].contains(&scheme) {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(six) => six.split_once(']')?.0,
        None => host.split(':').next()?,
    };
    let is_host = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c.is_control());
    is_host.then(|| (&url[..scheme.len() + 3 + authority.len()], host))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

pub(super) fn endpoint<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Endpoint>, D::Error> {
    let read: Option<Endpoint> = Option::deserialize(value)?;
    read.map(Endpoint::checked).transpose().map_err(D::Error::custom)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn url(typed: &str, allow_remote: bool) -> Result<String, String> {
        Endpoint::new(typed, allow_remote, None, Prefixes::default()).map(|endpoint| endpoint.url)
    }

    #[test]
    fn an_address_is_completed_as_people_type_it() {
        for typed in [
            "http://localhost:11434",
            "http://localhost:11434/",
            "http://localhost:11434/v1",
            "http://localhost:11434/v1/",
            "http://localhost:11434/v1/embeddings",
        ] {
            assert_eq!(url(typed, false).unwrap(), "http://localhost:11434/v1", "{typed}");
        }
        assert_eq!(url("http://[::1]:8080/api/v1", false).unwrap(), "http://[::1]:8080/api/v1");
    }

    #[test]
    fn another_machine_has_to_be_permitted() {
        for typed in ["https://api.openai.com/v1", "http://192.168.1.5:11434", "http://localhost.evil.org"] {
            assert!(url(typed, false).unwrap_err().contains("allow_remote"), "{typed}");
            let endpoint = Endpoint::new(typed, true, None, Prefixes::default()).unwrap();
            assert!(endpoint.is_remote(), "{typed}");
        }
        let near = Endpoint::new("http://127.0.0.2:1", true, None, Prefixes::default()).unwrap();
        assert!(!near.is_remote());
        assert_eq!(near.origin(), "http://127.0.0.2:1");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for typed in ["", "localhost:11434", "ftp://localhost", "http://", "http:///v1", "file:///etc/passwd"]
        {
            assert!(url(typed, true).unwrap_err().contains("is not an address"), "{typed}");
        }
        assert!(url("https://me:secret@api.openai.com/v1", true).unwrap_err().contains("UBP_ENDPOINT_KEY"));
    }
}
