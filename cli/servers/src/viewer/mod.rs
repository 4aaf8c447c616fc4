//! `ubp viewer`: a local server for the project in a browser. It serves pages as exported sites do, and gives the web
//! app the operation table, events, and the files that pages show. It handles access and transport; answers come from
//! the engine.
//!
//! **Invariants**, each tested in `tests/tests/viewer`
//! - Requests without the token, from other origins or under other host names get no data (`attacks.rs`).
//! - No address, however it is written, and no symbolic link leads to a file that pages do not show (`attacks.rs`).
//! - No text of a page becomes an element, an attribute or a script (`attacks.rs`).
//! - Every address of an exported site shows the same content here (`pages.rs`).
//! - A listener that does not read uses one stream and a few buffered events (`events.rs`).

mod answer;
mod api;
mod attachments;
mod desktop;
mod events;
mod gate;
mod language;
mod pages;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ubp_core::Error;
use ubp_core::export::Template;
use ubp_core::message;
use ubp_core::message::Language;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context};
use ubp_host::export::web_app::{TEMPLATE, WebApp};
use ubp_host::live::{Live, Notices};
use ubp_host::{Environment, Project};

use crate::http::{self, FAREWELL, Limits, Names, Token, asked_to_stop, bind, random, require};
use crate::{lsp, mcp};

pub use desktop::Desktop;
use events::Events;
use gate::{FRAME, Gate, frame_secret};

/// The preferred port.
const PORT: u16 = 4747;
/// Limit on concurrent calls; others wait.
const CALLS: usize = 16;

/// Shared state of all requests.
struct Viewer {
    live: Arc<Live>,
    /// The project's folder, without symbolic links.
    root: PathBuf,
    /// Whether only browsers on this machine can reach it.
    is_local: bool,
    desktop: Option<Arc<dyn Desktop>>,
    app: WebApp,
    /// The languages that messages can be in, besides English.
    languages: Vec<Language>,
    /// Paths of the web app's files.
    files: Vec<String>,
    template: Template,
    events: Events,
}

/// Options of the viewer.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on.
    pub host: IpAddr,
    /// Port; `None` for the preferred one, or any free one.
    pub port: Option<u16>,
    /// Additional host names of the server.
    pub allow_host: Vec<String>,
    /// The required token; `None` for a new one.
    pub token: Option<String>,
    /// Whether agents may change pages.
    pub write: mcp::Writing,
    /// Folder of a web app to use instead of the built-in one.
    pub web_app: Option<PathBuf>,
    /// The languages that messages can be in, besides English.
    pub languages: Vec<Language>,
    /// The desktop that browsers on this machine may open files on.
    pub desktop: Option<Arc<dyn Desktop>>,
}

/// The address of the viewer, for programs.
#[derive(Debug, Clone, Serialize)]
pub struct Address {
    /// URL that opens the viewer, with the token.
    pub url: String,
    /// URL of the viewer for a frame in an editor. It contains a secret, and works through a proxy under any host name
    /// and below any path.
    pub frame: String,
    /// The required token.
    pub token: String,
    /// The port.
    pub port: u16,
}

/// Serves the project around `folder` until `cancel`. Calls `announce` once it listens.
///
/// # Errors
/// Those of opening a project and of `announce`; [`Error::InvalidParams`] for an unusable web app, and for an address
/// that other machines can reach if no token is given; [`Error::Io`] if the address cannot be bound.
pub fn run<E: From<Error>>(
    folder: &Path,
    options: &Options,
    environment: &Environment,
    notices: Notices,
    cancel: &Cancel,
    announce: impl FnOnce(Address) -> Result<(), E>,
) -> Result<(), E> {
    let app = WebApp::find(options.web_app.clone())?;
    let page = String::from_utf8(app.read(TEMPLATE)?).map_err(|_| {
        Error::invalid(message!("{template} of the web app is not UTF-8", template = TEMPLATE))
    })?;
    let template = Template::new(page)?;
    let files = app.paths()?;
    let project = Project::find(folder)?;
    let root = std::fs::canonicalize(&project.root)
        .map_err(|error| Error::io(project.root.display().to_string(), error))?;
    let given = options.token.as_deref().map(|text| Token::new(text, "--token")).transpose()?;
    let address = SocketAddr::new(options.host, options.port.unwrap_or(PORT));
    require(address, given.as_ref(), message!("set --token to a secret"))?;
    let live = Live::start(project, environment, notices)?;
    let is_local = options.host.is_loopback();
    let viewer = Viewer {
        live: live.clone(),
        root,
        is_local,
        desktop: options.desktop.clone().filter(|_| is_local),
        app,
        languages: options.languages.clone(),
        files,
        template,
        events: Events::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(CALLS)
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let result = runtime.block_on(serve(viewer, address, options, cancel, announce));
    runtime.shutdown_timeout(FAREWELL);
    live.stop();
    result
}

async fn serve<E: From<Error>>(
    viewer: Viewer,
    address: SocketAddr,
    options: &Options,
    cancel: &Cancel,
    announce: impl FnOnce(Address) -> Result<(), E>,
) -> Result<(), E> {
    let listener = listen(address, options.port.is_some()).await?;
    let address = listener.local_addr().map_err(|error| Error::io(address.to_string(), error))?;
    let text = options.token.clone().unwrap_or_else(random);
    let token = Token::new(&text, "--token")?;
    let names = Names::of(address, &options.allow_host);
    let stop = CancellationToken::new();
    let mcp = mcp::router(&viewer.live, options.write, &names, token, stop.clone())?;
    let viewer = Arc::new(viewer);
    let counting = tokio::spawn(events::count_vectors(viewer.clone(), stop.clone()));
    let following = tokio::spawn(events::follow_proposals(viewer.clone(), stop.clone()));
    let gate = Arc::new(Gate::new(names, token, &text, address.port(), viewer.languages.clone()));
    let addresses = Router::new()
        .route("/api/events", get(events::listen))
        .route("/api/{operation}", post(api::call))
        .route("/desktop", post(desktop::open))
        .route("/lsp", get(language_server))
        .fallback(pages::show)
        .with_state((viewer, stop.clone()));
    let framed = addresses.clone().layer(middleware::from_fn_with_state(gate.clone(), gate::check_frame));
    let router = addresses
        .layer(middleware::from_fn_with_state(gate, gate::check))
        // The slash at the end makes the start page an address, too.
        .nest(&format!("{FRAME}/{{secret}}/"), framed)
        // It checks access itself: named tokens open it and nothing else.
        .merge(mcp)
        .layer(middleware::map_response(gate::guarded));
    announce(reached(address, text, &options.allow_host))?;
    let mut serving = std::pin::pin!(http::serve(listener, router, Limits::default(), stop.clone()));
    tokio::select! {
        () = &mut serving => {}
        () = asked_to_stop(cancel) => {
            stop.cancel();
            // Requests that take longer are dropped.
            let _ = tokio::time::timeout(FAREWELL, serving).await;
        }
    }
    counting.abort();
    following.abort();
    Ok(())
}

/// The language server, for the web app and other editors.
async fn language_server(
    State((viewer, stop)): State<(Arc<Viewer>, CancellationToken)>,
    upgrade: WebSocketUpgrade,
) -> Response {
    lsp::connect(upgrade, viewer.live.clone(), viewer.languages.clone(), stop)
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
    Address { url: format!("http://{host}/?token={encoded}"), frame, token, port }
}

impl Viewer {
    /// Runs `work` on a blocking thread; cancels it if the caller stops waiting.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Cancel) -> ubp_core::Result<T> + Send + 'static,
    ) -> ubp_core::Result<T> {
        struct Lost(Cancel);
        impl Drop for Lost {
            fn drop(&mut self) {
                self.0.request();
            }
        }
        let cancel = Cancel::default();
        let _lost = Lost(cancel.clone());
        let viewer = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            cancel.check()?;
            work(&viewer, &cancel)
        });
        done.await.map_err(|_| Error::Internal("the operation failed unexpectedly".into()))?
    }

    /// The same with a context whose caller is a person.
    async fn with<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Context<'_>) -> ubp_core::Result<T> + Send + 'static,
    ) -> ubp_core::Result<T> {
        self.work(|viewer, cancel| {
            viewer.live.with(Caller::Person, &Silent, cancel, |context| work(viewer, context))
        })
        .await
    }
}
