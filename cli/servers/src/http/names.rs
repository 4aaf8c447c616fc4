//! The names under which a server may be asked, and pages from which it may be: with others, a page from
//! elsewhere could let its own name lead to this machine and read what it likes.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Method, Uri, header};

/// Names under which this machine reaches itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The values of `Host` and `Origin` that requests may have.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    pub hosts: Vec<String>,
    pub origins: Vec<String>,
}

impl Names {
    /// Those of a server that listens at `address`, and `further` ones.
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
            // Clients leave out the port that a scheme has by itself.
            hosts.extend(names.iter().cloned());
            origins.extend(names.iter().map(|name| format!("http://{name}")));
        }
        Self { hosts, origins }
    }

    /// Why a request is refused, if it is.
    pub(crate) fn refusal(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let known = |names: &[String], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if hosts.next().is_some() || !host.is_some_and(|host| known(&self.hosts, host)) {
            return Some("this server does not go by that name");
        }
        if uri.authority().is_some_and(|authority| !known(&self.hosts, authority.as_str())) {
            return Some("this server does not go by that name");
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if !origins.all(|origin| origin.to_str().is_ok_and(|origin| known(&self.origins, origin))) {
            return Some("pages of other servers may not ask this one");
        }
        // What a browser says of who asks. Another site may lead people here, and do nothing else.
        let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let leads_here = [Method::GET, Method::HEAD].contains(method)
            && said("sec-fetch-mode") == Some("navigate")
            && said("sec-fetch-dest").is_none_or(|place| place == "document");
        match said("sec-fetch-site") {
            None | Some("same-origin" | "none") => None,
            Some(_) if leads_here => None,
            Some(_) => Some("pages of other servers may not ask this one"),
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
    fn only_its_own_names_reach_a_server() {
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
    fn only_its_own_pages_ask_it() {
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
    fn other_sites_may_lead_here_but_embed_nothing() {
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
