//! Host names and origins that a server accepts. Without this check, a web page could resolve its own host name to this
//! machine and read the answers (DNS rebinding).

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Method, Uri, header};
use ubp_core::word;

/// Host names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Accepted values of `Host` and `Origin`.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub hosts: Vec<String>,
    pub origins: Vec<String>,
}

impl Names {
    /// The names of a server that listens on `address`, and additional ones.
    pub(crate) fn of(address: SocketAddr, further: &[String]) -> Self {
        let port = address.port();
        let mut names: Vec<String> = LOOPBACK.iter().map(|name| (*name).to_owned()).collect();
        match address.ip() {
            ip if ip.is_unspecified() => {}
            IpAddr::V4(ip) => names.push(ip.to_string()),
            IpAddr::V6(ip) => names.push(format!("[{ip}]")),
        }
        names.extend(further.iter().cloned());
        names.dedup();
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        let mut origins: Vec<String> = names
            .iter()
            .flat_map(|name| [format!("http://{name}:{port}"), format!("https://{name}:{port}")])
            .collect();
        if port == 80 {
            // Clients leave out the default port of a scheme.
            hosts.extend(names.iter().cloned());
            origins.extend(names.iter().map(|name| format!("http://{name}")));
        }
        Self { hosts, origins }
    }

    /// Adds the host of an address that clients use, such as that of a proxy.
    pub(crate) fn also(&mut self, url: &Uri) {
        let (Some(scheme), Some(host)) = (url.scheme_str(), url.authority()) else { return };
        self.hosts.push(host.to_string());
        self.origins.push(format!("{scheme}://{host}"));
    }

    /// Why a request is refused; `None` if it is accepted.
    pub(crate) fn refusal(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let known = |names: &[String], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if hosts.next().is_some() || !host.is_some_and(|host| known(&self.hosts, host)) {
            return Some(word!("unknown host name for this server"));
        }
        if uri.authority().is_some_and(|authority| !known(&self.hosts, authority.as_str())) {
            return Some(word!("unknown host name for this server"));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| known(&self.origins, origin))) {
            return Some(word!("requests from other sites are refused"));
        }
        // Fetch metadata of browsers. Another site may link here, but not embed pages or send requests.
        let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let leads_here = [Method::GET, Method::HEAD].contains(method)
            && said("sec-fetch-mode") == Some("navigate")
            && said("sec-fetch-dest").is_none_or(|place| place == "document");
        match said("sec-fetch-site") {
            None | Some("same-origin" | "none") => None,
            Some(_) if leads_here => None,
            Some(_) => Some(word!("requests from other sites are refused")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refused(method: &Method, uri: &str, sent: &[(&'static str, &str)]) -> bool {
        let names = Names::of("127.0.0.1:4747".parse().unwrap(), &["box.lan".into()]);
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, value.parse().unwrap());
        }
        names.refusal(method, &uri.parse().unwrap(), &headers).is_some()
    }

    #[test]
    fn requests_under_unknown_host_names_are_refused() {
        for host in ["127.0.0.1:4747", "localhost:4747", "LOCALHOST:4747", "[::1]:4747", "box.lan:4747"] {
            assert!(!refused(&Method::GET, "/", &[("host", host)]), "{host}");
        }
        for host in
            ["evil.example:4747", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:4747", "", "box.lan"]
        {
            assert!(refused(&Method::GET, "/", &[("host", host)]), "{host}");
        }
        assert!(refused(&Method::GET, "/", &[]));
        assert!(refused(&Method::GET, "/", &[("host", "localhost:4747"), ("host", "evil.example:4747")]));
        assert!(refused(&Method::GET, "http://evil.example:4747/", &[("host", "localhost:4747")]));
    }

    #[test]
    fn a_proxy_has_a_name_without_the_port() {
        let mut names = Names::of("127.0.0.1:4747".parse().unwrap(), &[]);
        names.also(&"https://docs.example/mcp".parse().unwrap());
        let refused = |host: &str, origin: &str| {
            let headers = HeaderMap::from_iter([
                (header::HOST, host.parse().unwrap()),
                (header::ORIGIN, origin.parse().unwrap()),
            ]);
            names.refusal(&Method::POST, &"/mcp".parse().unwrap(), &headers).is_some()
        };
        assert!(!refused("docs.example", "https://docs.example"));
        assert!(refused("docs.example:4747", "https://docs.example"));
        assert!(refused("docs.example", "http://docs.example"));
    }

    #[test]
    fn requests_from_other_origins_are_refused() {
        let host = ("host", "localhost:4747");
        for origin in ["http://localhost:4747", "http://127.0.0.1:4747", "https://box.lan:4747"] {
            assert!(!refused(&Method::POST, "/", &[host, ("origin", origin)]), "{origin}");
        }
        for origin in
            ["http://evil.example", "null", "http://localhost:3000", "file://", "http://localhost:4747.x"]
        {
            assert!(refused(&Method::GET, "/", &[host, ("origin", origin)]), "{origin}");
        }
        let both = [host, ("origin", "http://localhost:4747"), ("origin", "http://evil.example")];
        assert!(refused(&Method::POST, "/", &both));
    }

    #[test]
    fn other_sites_may_link_here_but_not_embed_pages() {
        let host = ("host", "localhost:4747");
        let site = |site| ("sec-fetch-site", site);
        let navigates = ("sec-fetch-mode", "navigate");
        assert!(!refused(&Method::GET, "/", &[host, site("same-origin")]));
        assert!(!refused(
            &Method::GET,
            "/",
            &[host, site("cross-site"), navigates, ("sec-fetch-dest", "document")]
        ));
        for dest in ["iframe", "image", "embed"] {
            assert!(refused(
                &Method::GET,
                "/",
                &[host, site("same-site"), navigates, ("sec-fetch-dest", dest)]
            ));
        }
        assert!(refused(&Method::POST, "/", &[host, site("cross-site"), navigates]));
        assert!(refused(&Method::GET, "/", &[host, site("same-site"), ("sec-fetch-mode", "no-cors")]));
    }
}
