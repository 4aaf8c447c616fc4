//! The socket that guests come through.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use axum::http::Uri;
use axum::{Router, middleware};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ubp_core::message::Language;
use ubp_core::{Error, Result, message};

use super::{Certificate, ENTRY, GuestGate, Secured, Sharing, check};
use crate::http::{Limits, Names, bind, serve_over};
use crate::viewer::guarded;

/// The preferred port.
const PORT: u16 = 4748;

/// Limit on connections of guests. The owner has others.
const CONNECTIONS: usize = 80;

/// How many of these one address may have.
const FROM_ONE: usize = 40;

/// How guests reach a viewer.
#[derive(Debug, Clone)]
pub struct Share {
    /// Address to listen on; without a port, the one of last time, or any free one.
    pub host: IpAddr,
    /// The port.
    pub port: Option<u16>,
    /// Additional host names of the server.
    pub allow_host: Vec<String>,
    /// What encrypts connections; `None` for a proxy that does.
    pub certificate: Option<Certificate>,
    /// The address of that proxy.
    pub proxy: Option<Uri>,
}

/// Where guests reach a viewer.
#[derive(Debug, Clone, Serialize)]
pub struct SharedAt {
    /// The start of links, without `/` at its end.
    pub address: String,
    /// The socket that listens.
    pub listens: String,
    /// SHA-256 of a certificate that UBP made, as browsers show it; null for the owner's, and behind a proxy.
    pub fingerprint: Option<String>,
    /// Links that work.
    pub links: usize,
}

/// Where guests would reach a viewer that was not shared yet: the address of this machine in its network.
pub fn usual_address() -> String {
    format!("https://{}", SocketAddr::new(own_address(), PORT))
}

/// The address from which this machine reaches others. Nothing is sent.
fn own_address() -> IpAddr {
    let found = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        // An address for documentation, which is routed like any other.
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_unspecified())
    };
    found().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// A server for guests that listens, but answers nothing yet.
pub(crate) struct GuestDoor {
    listener: TcpListener,
    gate: Arc<GuestGate>,
    secured: Option<Secured>,
    pub at: SharedAt,
}

impl GuestDoor {
    /// Listens as `share` says.
    ///
    /// # Errors
    /// [`Error::Io`] if the address cannot be bound; those of [`Certificate`] and of the file of links;
    /// [`Error::InvalidParams`] for connections that nothing encrypts.
    pub(crate) async fn open(share: &Share, sharing: Arc<Sharing>, languages: Vec<Language>) -> Result<Self> {
        if share.certificate.is_none() && share.proxy.is_none() && !share.host.is_loopback() {
            return Err(Error::invalid(message!(
                "links are secrets: without TLS, share only behind a proxy, with --share-proxy URL"
            )));
        }
        let listener = listen(share, &sharing).await?;
        let failed = |error| Error::io(share.host.to_string(), error);
        let bound = listener.local_addr().map_err(failed)?;
        let port = bound.port();
        let reached = if bound.ip().is_unspecified() { own_address() } else { bound.ip() };
        let mut own = vec!["localhost".into(), "127.0.0.1".into(), "[::1]".into(), reached.to_string()];
        own.extend(share.allow_host.iter().cloned());
        let secured = share.certificate.as_ref().map(|certificate| certificate.load(&own)).transpose()?;
        let scheme = if secured.is_some() { "https" } else { "http" };
        let mut names = Names::of(bound, &share.allow_host);
        let mut is_secure = secured.is_some();
        let address = match &share.proxy {
            Some(proxy) => {
                names.also(proxy);
                is_secure = proxy.scheme_str() == Some("https");
                proxy.to_string().trim_end_matches('/').to_owned()
            }
            None => {
                let host = match share.allow_host.first() {
                    Some(name) => format!("{name}:{port}"),
                    None => SocketAddr::new(reached, port).to_string(),
                };
                for name in &share.allow_host {
                    if let Ok(url) = format!("{scheme}://{name}").parse().as_ref().map_err(drop)
                        && port == 443
                    {
                        names.also(url);
                    }
                }
                format!("{scheme}://{host}")
            }
        };
        sharing.links.set_address(&address)?;
        let now = jiff::Timestamp::now();
        let links = sharing.links.all()?.iter().filter(|link| link.is_valid_at(now)).count();
        let fingerprint = secured.as_ref().and_then(|secured| secured.fingerprint.clone());
        let at = SharedAt { address, listens: bound.to_string(), fingerprint, links };
        let is_proxied = share.proxy.is_some();
        let gate = Arc::new(GuestGate { names, port, is_secure, is_proxied, languages, sharing });
        Ok(Self { listener, gate, secured, at })
    }

    /// Serves `addresses` to guests until `stop`.
    pub(crate) async fn serve(self, addresses: Router, stop: CancellationToken) {
        let Self { listener, gate, secured, .. } = self;
        let router = addresses
            .layer(middleware::from_fn_with_state(gate.clone(), check))
            .layer(middleware::map_response(guarded));
        // All guests behind a proxy come from its address.
        let from_one = (!gate.is_proxied).then_some(FROM_ONE);
        let limits = Limits { connections: CONNECTIONS, from_one, ..Limits::default() };
        serve_over(listener, router, limits, secured.map(|secured| secured.acceptor), stop).await;
    }
}

/// Binds the address. If nobody chose the port, that of last time is preferred, so that links stay valid.
async fn listen(share: &Share, sharing: &Sharing) -> Result<TcpListener> {
    if let Some(port) = share.port {
        return bind(SocketAddr::new(share.host, port)).await;
    }
    let last = sharing.links.address()?.filter(|_| share.proxy.is_none());
    let last = last.and_then(|address| address.parse::<Uri>().ok()?.port_u16());
    for port in last.into_iter().chain([PORT]) {
        match bind(SocketAddr::new(share.host, port)).await {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    bind(SocketAddr::new(share.host, 0)).await
}

/// The address of a link with this secret.
pub fn link_at(address: &str, secret: &str) -> String {
    format!("{address}{ENTRY}#{secret}")
}
