//! The socket of a viewer, and the checks at its door.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ubp_core::Error;
use ubp_core::message::Language;
use ubp_core::progress::Cancel;

use super::gate::{self, FRAME, Gate, frame_secret};
use super::{Address, Options, PORT};
use crate::http::{self, FAREWELL, Limits, Names, Token, asked_to_stop, bind, random};

/// A server that listens, but answers nothing yet.
pub(super) struct Door {
    listener: TcpListener,
    gate: Arc<Gate>,
    pub address: Address,
    pub names: Names,
    pub token: Token,
    /// Ends the server.
    pub stop: CancellationToken,
}

impl Door {
    /// Listens as the options say. `command` is what prints the address.
    ///
    /// # Errors
    /// [`Error::Io`] if the address cannot be bound, [`Error::InvalidParams`] for a token that is too short.
    pub(super) async fn open(
        options: &Options,
        languages: Vec<Language>,
        command: &'static str,
    ) -> ubp_core::Result<Self> {
        let wanted = SocketAddr::new(options.host, options.port.unwrap_or(PORT));
        let listener = listen(wanted, options.port.is_some()).await?;
        let bound = listener.local_addr().map_err(|error| Error::io(wanted.to_string(), error))?;
        let text = options.token.clone().unwrap_or_else(random);
        let token = Token::new(&text, "--token")?;
        let names = Names::of(bound, &options.allow_host);
        let gate = Gate::new(names.clone(), token, &text, bound.port(), languages, command);
        let address = reached(bound, text, &options.allow_host);
        let gate = Arc::new(gate);
        Ok(Self { listener, gate, address, names, token, stop: CancellationToken::new() })
    }

    /// Serves `addresses` to whom the gate lets in, and `open` to everybody, until `cancel`.
    pub(super) async fn serve<E: From<Error>>(
        self,
        addresses: Router,
        open: Option<Router>,
        cancel: &Cancel,
        announce: impl FnOnce(Address) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { listener, gate, address, stop, .. } = self;
        let framed = addresses.clone().layer(middleware::from_fn_with_state(gate.clone(), gate::check_frame));
        let router = addresses
            .layer(middleware::from_fn_with_state(gate, gate::check))
            // The slash at the end makes the start page an address, too.
            .nest(&format!("{FRAME}/{{secret}}/"), framed)
            .merge(open.unwrap_or_default())
            .layer(middleware::map_response(gate::guarded));
        announce(address)?;
        let mut serving = std::pin::pin!(http::serve(listener, router, Limits::default(), stop.clone()));
        tokio::select! {
            () = &mut serving => {}
            () = asked_to_stop(cancel) => {
                stop.cancel();
                // Requests that take longer are dropped.
                let _ = tokio::time::timeout(FAREWELL, serving).await;
            }
        }
        stop.cancel();
        Ok(())
    }
}

/// Binds the address; on another port if that one is in use and was not chosen by the user.
async fn listen(address: SocketAddr, chosen: bool) -> ubp_core::Result<TcpListener> {
    match bind(address).await {
        Err(Error::Io { source, .. }) if !chosen && source.kind() == std::io::ErrorKind::AddrInUse => {
            bind(SocketAddr::new(address.ip(), 0)).await
        }
        bound => bound,
    }
}

/// The address for browsers.
fn reached(address: SocketAddr, token: String, allow_host: &[String]) -> Address {
    let port = address.port();
    let host = match (address.ip().is_unspecified(), allow_host.first()) {
        (true, Some(name)) => format!("{name}:{port}"),
        (true, None) => format!("127.0.0.1:{port}"),
        (false, _) => address.to_string(),
    };
    let encoded = percent_encoding::utf8_percent_encode(&token, percent_encoding::NON_ALPHANUMERIC);
    let frame = format!("http://{host}{FRAME}/{}/", frame_secret(&token, port));
    Address { url: format!("http://{host}/?token={encoded}"), frame, token, port, shared: None }
}
