//! One request and its redirects, each to an allowed address: encrypted, or on this machine.

use std::io::Read;
use std::net::IpAddr;
use std::time::Duration;

use ureq::http::{HeaderMap, Uri};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

use super::Failure;
use crate::Environment;
use ubp_core::message;
use ubp_core::message::Message;

/// Limit on redirects of a request.
const REDIRECTS: usize = 5;
/// Timeout for connecting, for the start of the answer, and between its parts.
const SILENCE: Duration = Duration::from_secs(30);

/// Network settings.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    proxy: Option<String>,
    direct: Vec<String>,
    roots: RootCerts,
}

impl Route {
    /// From the usual variables: `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`.
    pub fn of(environment: &Environment) -> Self {
        let first = |names: &[&str]| {
            names.iter().find_map(|name| environment.get(name).filter(|value| !value.is_empty()))
        };
        let proxy = first(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]).map(Into::into);
        let direct = first(&["NO_PROXY", "no_proxy"]).unwrap_or_default();
        let direct = direct.split(',').map(|host| host.trim().to_ascii_lowercase()).collect();
        let roots = first(&["SSL_CERT_FILE"]).and_then(certificates).unwrap_or(RootCerts::WebPki);
        Self { proxy, direct, roots }
    }

    /// An agent for requests to the host of `url`.
    pub fn agent_for(&self, url: &str, connecting: Duration) -> Agent {
        let uri: Option<Uri> = url.parse().ok();
        let host = uri.as_ref().and_then(Uri::host).unwrap_or_default().to_ascii_lowercase();
        self.agent_within(&host, connecting)
    }

    fn agent(&self, host: &str) -> Agent {
        self.agent_within(host, SILENCE)
    }

    fn agent_within(&self, host: &str, connecting: Duration) -> Agent {
        let direct = is_loopback(host) || self.direct.iter().any(|entry| covers(entry, host));
        let proxy = self.proxy.as_deref().filter(|_| !direct).and_then(|proxy| Proxy::new(proxy).ok());
        let tls = TlsConfig::builder().root_certs(self.roots.clone()).build();
        Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(connecting))
            .timeout_connect(Some(connecting))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .user_agent(concat!("ubp/", env!("CARGO_PKG_VERSION")))
            .build()
            .into()
    }
}

fn certificates(path: &str) -> Option<RootCerts> {
    let pem = std::fs::read(path).ok()?;
    let found = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then(|| RootCerts::new_with_certs(&found))
}

/// Whether an entry of `NO_PROXY` covers `host`.
fn covers(entry: &str, host: &str) -> bool {
    let bare = entry.trim_start_matches(['*', '.']);
    entry == "*"
        || (!bare.is_empty()
            && (host == bare || host.strip_suffix(bare).is_some_and(|rest| rest.ends_with('.'))))
}

/// Metadata of an answer.
#[derive(Debug)]
pub(super) struct Head {
    pub status: u16,
    /// Offset of the content in the file.
    pub start: u64,
    /// Length of the whole file.
    pub total: Option<u64>,
    /// ETag of the file.
    pub tag: Option<String>,
    /// The file's checksum.
    pub sha256: Option<String>,
}

/// Requests a file, starting at byte `from`.
pub(super) fn get(url: &str, from: u64, route: &Route) -> Result<(Head, Box<dyn Read>), Failure> {
    let mut address = url.to_owned();
    let mut tag = None;
    let mut sha256 = None;
    for step in 0..=REDIRECTS {
        let uri: Uri = address.parse().map_err(|_| Failure::Insecure(address.clone()))?;
        if !is_allowed(&uri) {
            return Err(Failure::Insecure(address));
        }
        let host = uri.host().unwrap_or_default().to_ascii_lowercase();
        let mut request = route.agent(&host).get(&address);
        if from > 0 {
            request = request.header("range", format!("bytes={from}-"));
        }
        let response = request.call().map_err(|error| unreachable(&host, &error))?;
        let headers = response.headers();
        // Only the hub's tags count: a file store behind it has others, some of which look like checksums.
        if step == 0 {
            tag = header(headers, "x-linked-etag").or_else(|| header(headers, "etag")).map(plain_tag);
            sha256 = tag.clone().filter(|tag| is_sha256(tag));
        }
        let status = response.status();
        if status.is_redirection() && status.as_u16() != 304 {
            let location = header(headers, "location").unwrap_or_default();
            address = joined(&uri, location).ok_or_else(|| Failure::Insecure(location.into()))?;
            continue;
        }
        let (start, total) = match header(headers, "content-range").and_then(range) {
            Some(range) if matches!(status.as_u16(), 206 | 416) => range,
            _ => (0, header(headers, "content-length").and_then(|length| length.parse().ok())),
        };
        let head = Head { status: status.as_u16(), start, total, tag, sha256 };
        return Ok((head, Box::new(response.into_body().into_reader())));
    }
    Err(Failure::Connection { reason: message!("too many redirects"), kept: 0 })
}

fn unreachable(host: &str, error: &ureq::Error) -> Failure {
    let reason = match error {
        ureq::Error::HostNotFound => message!("{host} was not found", host),
        ureq::Error::Timeout(_) => message!("{host} does not answer", host),
        other => message!("{host}: {reason}", host, reason = Message::reported(other.to_string())),
    };
    Failure::Connection { reason, kept: 0 }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn plain_tag(tag: &str) -> String {
    tag.trim().trim_start_matches("W/").trim_matches('"').to_ascii_lowercase()
}

fn is_sha256(tag: &str) -> bool {
    tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Start and total of `bytes 5-9/10` or `bytes */10`.
fn range(value: &str) -> Option<(u64, Option<u64>)> {
    let (span, total) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split_once('-').and_then(|(start, _)| start.parse().ok()).unwrap_or(0);
    Some((start, total.parse().ok()))
}

/// Whether the address is encrypted or on this machine.
pub(crate) fn is_allowed(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    match uri.scheme_str() {
        Some("https") => !host.is_empty(),
        Some("http") => is_loopback(host),
        _ => false,
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The address of `location`, relative to `base`.
fn joined(base: &Uri, location: &str) -> Option<String> {
    let origin = format!("{}://{}", base.scheme_str()?, base.authority()?);
    if location.contains("://") {
        Some(location.into())
    } else if let Some(rest) = location.strip_prefix("//") {
        Some(format!("{}://{rest}", base.scheme_str()?))
    } else if location.starts_with('/') {
        Some(format!("{origin}{location}"))
    } else if location.is_empty() {
        None
    } else {
        let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        Some(format!("{origin}{folder}/{location}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_encrypted_or_local_addresses_are_followed() {
        let allowed = |url: &str| is_allowed(&url.parse().unwrap());
        for good in
            ["https://hub.example/x", "http://127.0.0.1:8000/x", "http://localhost/x", "http://[::1]:1/x"]
        {
            assert!(allowed(good), "{good}");
        }
        for bad in [
            "http://hub.example/x",
            "ftp://127.0.0.1/x",
            "http://127.0.0.1.hub.example/",
            "/x",
            "http://10.0.0.1/",
        ] {
            assert!(!allowed(bad), "{bad}");
        }
    }

    #[test]
    fn redirects_are_resolved_against_the_request() {
        let base: Uri = "https://hub.example/a/b?c".parse().unwrap();
        let to = |location: &str| joined(&base, location);
        assert_eq!(to("https://cdn.example/x?y=1").unwrap(), "https://cdn.example/x?y=1");
        assert_eq!(to("//cdn.example/x").unwrap(), "https://cdn.example/x");
        assert_eq!(to("/x").unwrap(), "https://hub.example/x");
        assert_eq!(to("x").unwrap(), "https://hub.example/a/x");
        assert_eq!(to(""), None);
    }

    #[test]
    fn ranges_and_tags_are_parsed() {
        assert_eq!(range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(range("bytes */10"), Some((0, Some(10))));
        assert_eq!(range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(range("lines 5-9/10"), None);
        assert_eq!(plain_tag("W/\"AbC\""), "abc");
        assert!(is_sha256(&"a1".repeat(32)) && !is_sha256(&"a1".repeat(20)) && !is_sha256(&"xy".repeat(32)));
    }

    #[test]
    fn the_proxy_is_not_used_for_hosts_in_no_proxy() {
        assert!(covers("hub.example", "hub.example") && covers("hub.example", "a.hub.example"));
        assert!(covers(".hub.example", "a.hub.example") && covers("*", "anything"));
        assert!(!covers("hub.example", "nothub.example") && !covers("", "hub.example"));
    }
}
