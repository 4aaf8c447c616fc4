//! The addresses of guests: the same pages, files, events and operations as the owner's, of the project as the guest sees it.
//! What the owner alone may use has no address here: agents, the language server, the desktop.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use ubp_core::export::GuestOf;
use ubp_core::ops::{OPERATIONS, Operation};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::writing::typing::Typing as _;
use ubp_core::{Caller, Context, Error, Result, message};
use ubp_host::live::{Asker, Seen};

use super::answer::Refusal;
use super::api::{self, Called};
use super::language::voice;
use super::{Viewer, events, pages};
use crate::coediting::{self, Access};
use crate::sharing::{Guest, Sharing};

/// A guest at a viewer.
#[derive(Clone)]
pub(super) struct Visitor {
    pub guest: Arc<Guest>,
    pub sharing: Arc<Sharing>,
}

/// Shared state of all requests of guests.
#[derive(Clone)]
struct Place {
    viewer: Arc<Viewer>,
    sharing: Arc<Sharing>,
    stop: CancellationToken,
}

/// The addresses of guests, which stay until `stop`.
pub(super) fn addresses(viewer: Arc<Viewer>, sharing: Arc<Sharing>, stop: CancellationToken) -> Router {
    tokio::spawn(sharing.clone().watch(stop.clone()));
    tokio::spawn(sharing.clone().record(stop.clone()));
    Router::new()
        .route("/api/events", get(listen))
        .route("/api/{operation}", post(call))
        .route("/coedit", get(coedit))
        .fallback(show)
        .with_state(Place { viewer, sharing, stop })
}

impl Place {
    fn visitor(&self, guest: Arc<Guest>) -> Visitor {
        Visitor { guest, sharing: self.sharing.clone() }
    }
}

impl Visitor {
    /// The guest, as pages describe it.
    pub(super) fn described(&self) -> GuestOf {
        let right = self.guest.right;
        let operations = OPERATIONS.iter().map(|row| row.name).filter(|name| right.allows(name)).collect();
        GuestOf { name: self.guest.name.clone(), right: right.as_str(), operations }
    }

    /// Runs `work` with the project as the guest sees it.
    pub(super) fn with<T>(&self, cancel: &Cancel, work: impl FnOnce(&Context<'_>) -> Result<T>) -> Result<T> {
        let Seen { rights, live } = self.guest.sees(&self.sharing.views)?;
        let agent = Some(self.guest.name.as_str());
        live.with(Caller::Agent, &Silent, cancel, |context| {
            work(&Context { agent, rights: Some(&rights), ..*context })
        })
    }

    /// Runs an operation for the guest.
    pub(super) fn ask(&self, operation: &Operation, params: Value, cancel: &Cancel) -> Result<Value> {
        let Seen { rights, live } = self.guest.sees(&self.sharing.views)?;
        let proposing = self.guest.proposing(params.clone());
        let typing = self.sharing.typed.by(vec![&self.guest.name]);
        let asker = Asker {
            agent: Some(&self.guest.name),
            rights: Some(&rights),
            proposing: Some(&proposing),
            typing: Some(&typing),
            ..Asker::from(Caller::Agent)
        };
        if operation.facts.at_once {
            match live.call_at_once(asker, operation, params.clone(), cancel) {
                Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. } | Error::Database(_)) => {}
                answered => return answered,
            }
        }
        live.call(asker, operation, params, None, &Silent, cancel)
    }
}

async fn listen(
    State(place): State<Place>,
    Extension(guest): Extension<Arc<Guest>>,
    headers: HeaderMap,
) -> std::result::Result<Response, Refusal> {
    events::open(place.viewer.clone(), Some(place.visitor(guest)), &headers, place.stop).await
}

async fn call(
    State(place): State<Place>,
    Extension(guest): Extension<Arc<Guest>>,
    Path(Called { operation }): Path<Called>,
    headers: HeaderMap,
    body: Body,
) -> std::result::Result<Response, Refusal> {
    if !guest.right.allows(&operation) {
        let voice = voice(&headers, &place.viewer.app.languages);
        let told = message!("your link does not let you do this").told(&voice);
        return Err(Refusal::new(StatusCode::FORBIDDEN, "forbidden", told));
    }
    let _place = place.sharing.place().await;
    api::answer(place.viewer.clone(), Some(place.visitor(guest)), &operation, &headers, body).await
}

async fn show(
    State(place): State<Place>,
    Extension(guest): Extension<Arc<Guest>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let _place = place.sharing.place().await;
    pages::answer(place.viewer.clone(), Some(place.visitor(guest)), method, uri, headers).await
}

/// Editing together with others. Who may only read or propose can watch.
async fn coedit(
    State(place): State<Place>,
    Extension(guest): Extension<Arc<Guest>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Place { viewer, stop, .. } = place.clone();
    if viewer.is_read_only() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let voice = voice(&headers, &viewer.app.languages);
    // The guest leaves when its link is over, or the server stops.
    let over = stop.child_token();
    let (ended, end) = (guest.ended.clone(), over.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = ended.cancelled() => end.cancel(),
            () = end.cancelled() => {}
        }
    });
    let access = Arc::new(place.visitor(guest));
    coediting::connect(upgrade, viewer.coediting.clone(), coediting::Who::Guest(access), voice, over)
}

impl Access for Visitor {
    fn name(&self) -> &str {
        &self.guest.name
    }

    fn may_write(&self, page: &str) -> Option<bool> {
        self.guest.may_write(&self.sharing.views, page)
    }

    fn is_heard(&self) -> bool {
        self.sharing.hears(&self.guest)
    }

    fn saved(&self, names: &[&str], path: &str, before: &[u8], after: &[u8]) {
        self.sharing.typed.by(names.to_vec()).saved(path, before, after);
    }
}
