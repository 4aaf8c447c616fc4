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
mod door;
mod elsewhere;
mod events;
mod gate;
mod guests;
pub mod hub;
mod language;
mod mounted;
mod pages;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use ubp_core::Error;
use ubp_core::export::{InHub, Template};
use ubp_core::message;
use ubp_core::message::Language;
use ubp_core::progress::Cancel;
use ubp_host::export::web_app::{TEMPLATE, WebApp};
use ubp_host::hub::Hub;
use ubp_host::live::{Live, Notices};
use ubp_host::{Environment, Project};

use crate::coediting::{self, Coediting};
use crate::http::{FAREWELL, Token, require};
use crate::sharing::{GuestDoor, Share, SharedAt, Sharing};
use crate::{lsp, mcp};

pub(crate) use answer::{Refusal, notice};
pub(crate) use api::parameters;
pub use desktop::Desktop;
use door::Door;
use events::Events;
pub(crate) use gate::guarded;
pub(crate) use language::voice;

/// The preferred port.
const PORT: u16 = 4747;
/// Limit on concurrent calls; others wait.
const CALLS: usize = 16;

/// The web app, and what requests for any project share.
struct App {
    files: WebApp,
    /// Paths of its files.
    paths: Vec<String>,
    template: Template,
    /// The languages that messages can be in, besides English.
    languages: Vec<Language>,
    /// Whether only browsers on this machine can reach it.
    is_local: bool,
    desktop: Option<Arc<dyn Desktop>>,
}

/// Shared state of all requests for a project.
struct Viewer {
    app: Arc<App>,
    live: Arc<Live>,
    /// The project's folder, without symbolic links.
    root: PathBuf,
    /// Its place in the hub that shows it.
    in_hub: Option<(InHub, Arc<Hub>)>,
    events: Events,
    coediting: Arc<Coediting>,
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
    /// How guests reach it; `None` if it is not shared.
    pub share: Option<Share>,
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
    /// Where guests reach it; absent if it is not shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedAt>,
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
    let app = Arc::new(App::of(options)?);
    let project = Project::find(folder)?;
    require_token(options)?;
    let live = Live::start(project, environment, notices.clone())?;
    let viewer = Viewer::of(app, live.clone(), None)?;
    let sharing = options.share.is_some().then(|| Sharing::of(live.clone(), notices));
    let result = block_on(CALLS, serve(viewer, sharing.clone(), options, cancel, announce));
    if let Some(sharing) = sharing {
        sharing.typed.record_all(&live);
    }
    live.stop();
    result
}

/// Runs a server.
fn block_on<E: From<Error>>(calls: usize, serving: impl Future<Output = Result<(), E>>) -> Result<(), E> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(calls)
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let result = runtime.block_on(serving);
    runtime.shutdown_timeout(FAREWELL);
    result
}

/// Other machines may not reach a viewer whose token nobody chose.
fn require_token(options: &Options) -> ubp_core::Result<()> {
    let given = options.token.as_deref().map(|text| Token::new(text, "--token")).transpose()?;
    let address = SocketAddr::new(options.host, options.port.unwrap_or(PORT));
    require(address, given.as_ref(), message!("set --token to a secret"))
}

async fn serve<E: From<Error>>(
    viewer: Viewer,
    sharing: Option<Arc<Sharing>>,
    options: &Options,
    cancel: &Cancel,
    announce: impl FnOnce(Address) -> Result<(), E>,
) -> Result<(), E> {
    let (languages, live) = (viewer.app.languages.clone(), viewer.live.clone());
    let mut door = Door::open(options, languages.clone(), "ubp viewer").await?;
    // It checks access itself: named tokens open it and nothing else.
    let mcp = mcp::router(&live, options.write, &door.names, door.token, door.stop.clone())?;
    let coediting = viewer.coediting.clone();
    let (viewer, stop) = (Arc::new(viewer), door.stop.clone());
    let mut guests = None;
    if let (Some(share), Some(sharing)) = (&options.share, sharing) {
        let entrance = GuestDoor::open(share, sharing.clone(), languages).await?;
        door.address.shared = Some(entrance.at.clone());
        let addresses = guests::addresses(viewer.clone(), sharing, stop.clone());
        guests = Some(tokio::spawn(entrance.serve(addresses, stop.clone())));
    }
    let served = door.serve(addresses(viewer, stop), Some(mcp), cancel, announce).await;
    if let Some(guests) = guests {
        // Requests that take longer are dropped.
        let _ = tokio::time::timeout(FAREWELL, guests).await;
    }
    coediting.finish().await;
    served
}

/// The addresses of a project, which stay until `stop`.
fn addresses(viewer: Arc<Viewer>, stop: CancellationToken) -> Router {
    tokio::spawn(events::count_vectors(viewer.clone(), stop.clone()));
    tokio::spawn(events::follow_proposals(viewer.clone(), stop.clone()));
    tokio::spawn(viewer.coediting.clone().follow(stop.clone()));
    Router::new()
        .route("/api/events", get(events::listen))
        .route("/api/{operation}", post(api::call))
        .route("/desktop", post(desktop::open))
        .route("/lsp", get(language_server))
        .route("/coedit", get(coedit))
        .fallback(pages::show)
        .with_state((viewer, stop))
}

/// The language server, for the web app and other editors.
async fn language_server(
    State((viewer, stop)): State<(Arc<Viewer>, CancellationToken)>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if viewer.is_read_only() {
        return StatusCode::NOT_FOUND.into_response();
    }
    lsp::connect(upgrade, viewer.live.clone(), viewer.app.languages.clone(), stop)
}

/// Editing together with others, for the web app. In a project that is only read, it can be watched.
async fn coedit(
    State((viewer, stop)): State<(Arc<Viewer>, CancellationToken)>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let voice = voice(&headers, &viewer.app.languages);
    let who = if viewer.is_read_only() { coediting::Who::Reader } else { coediting::Who::Owner };
    coediting::connect(upgrade, viewer.coediting.clone(), who, voice, stop)
}

impl App {
    fn of(options: &Options) -> ubp_core::Result<Self> {
        let files = WebApp::find(options.web_app.clone())?;
        let page = String::from_utf8(files.read(TEMPLATE)?).map_err(|_| {
            Error::invalid(message!("{template} of the web app is not UTF-8", template = TEMPLATE))
        })?;
        let is_local = options.host.is_loopback();
        Ok(Self {
            template: Template::new(page)?,
            paths: files.paths()?,
            files,
            languages: options.languages.clone(),
            is_local,
            desktop: options.desktop.clone().filter(|_| is_local),
        })
    }

    /// The file of the web app at an address, if it is one.
    fn file(&self, file: &str) -> Option<ubp_core::Result<Vec<u8>>> {
        (file != TEMPLATE && self.paths.iter().any(|own| own == file)).then(|| self.files.read(file))
    }
}

impl Viewer {
    fn of(app: Arc<App>, live: Arc<Live>, in_hub: Option<(InHub, Arc<Hub>)>) -> ubp_core::Result<Self> {
        let root = std::fs::canonicalize(live.root())
            .map_err(|error| Error::io(live.root().display().to_string(), error))?;
        let coediting = Coediting::new(live.clone());
        Ok(Self { app, live, root, in_hub, events: Events::default(), coediting })
    }

    /// Whether the project can only be read.
    fn is_read_only(&self) -> bool {
        self.in_hub.as_ref().is_some_and(|(place, _)| place.read_only)
    }

    /// The user's programs, if they may open files of the project.
    fn desktop(&self) -> Option<&Arc<dyn Desktop>> {
        self.app.desktop.as_ref().filter(|_| !self.is_read_only())
    }

    /// Runs `work` as [`blocking`] does.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Cancel) -> ubp_core::Result<T> + Send + 'static,
    ) -> ubp_core::Result<T> {
        let viewer = self.clone();
        blocking(move |cancel| work(&viewer, cancel)).await
    }
}

/// Runs `work` on a blocking thread; cancels it if the caller stops waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&Cancel) -> ubp_core::Result<T> + Send + 'static,
) -> ubp_core::Result<T> {
    struct Lost(Cancel);
    impl Drop for Lost {
        fn drop(&mut self) {
            self.0.request();
        }
    }
    let cancel = Cancel::default();
    let _lost = Lost(cancel.clone());
    let done = tokio::task::spawn_blocking(move || {
        cancel.check()?;
        work(&cancel)
    });
    done.await.map_err(|_| Error::Internal("the operation failed unexpectedly".into()))?
}
