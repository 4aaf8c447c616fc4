//! `ubp hub view`: all projects of a hub at one address. `/` lists them, `/p/NAME/` is the viewer of one, `/api/` asks all of
//! them, and `/open` leads to a page by its name `project:page`.
//!
//! **Invariants**, each tested in `tests/tests/viewer/hub.rs`
//! - The checks of the viewer apply to every address.
//! - No address of one project leads to a file of another, or to a file outside of the projects.
//! - A project that cannot be read is named, and the others are shown.
//! - A tag that was fetched cannot be changed.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ubp_core::export::{ProjectLink, SiteSettings, projects_page};
use ubp_core::hint::Buttons;
use ubp_core::message::{Message, told_to};
use ubp_core::ops::find;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Error, message};
use ubp_host::Environment;
use ubp_host::hub::{Answering as _, Hub, HubAsker, Listed, OpenProject};
use ubp_host::live::Notices;

use super::answer::{self, Refusal};
use super::api::{self, Called, LONGEST};
use super::door::Door;
use super::language::voice;
use super::mounted::{Mounted, PROJECTS, segment};
use super::pages::{Found, file_at, page_policy};
use super::{Address, App, Options, block_on, blocking, elsewhere, require_token};
use crate::http::random;

/// Limit on concurrent calls, so that those of a slow project leave room for the others.
const CALLS: usize = 64;

/// Serves the listed projects until `cancel`. Calls `announce` once it listens.
///
/// # Errors
/// Those of [`Hub::open`] and `announce`; as [`super::run`].
pub fn run<E: From<Error>>(
    listed: Listed,
    options: &Options,
    environment: &Environment,
    notices: Notices,
    cancel: &Cancel,
    announce: impl FnOnce(Address) -> Result<(), E>,
) -> Result<(), E> {
    let app = Arc::new(App::of(options)?);
    require_token(options)?;
    let hub = Hub::open(listed, environment, notices)?;
    block_on(CALLS, async {
        let door = Door::open(options, app.languages.clone(), "ubp hub view").await?;
        let mounted = Arc::new(Mounted::new(hub, app, door.stop.clone()));
        let addresses = Router::new()
            .route("/api/{operation}", post(call))
            .route("/open", get(open))
            .fallback(show)
            .with_state(mounted.clone());
        let served = door.serve(addresses, None, cancel, announce).await;
        mounted.finish().await;
        served
    })
}

/// A project in the list.
#[derive(Serialize)]
struct InList {
    project: String,
    /// Address, relative to the hub.
    address: String,
    folder: String,
    tags: Vec<String>,
    /// The tag of a repository that it is.
    version: Option<String>,
    read_only: bool,
    pages: Option<usize>,
    /// Why it cannot be read, or its settings cannot be used.
    error: Option<String>,
}

#[derive(Serialize)]
struct Projects {
    projects: Vec<InList>,
    /// Why the list itself cannot be read.
    problem: Option<String>,
}

/// `POST /api/projects`, and operations that read, over all projects.
async fn call(
    State(mounted): State<Arc<Mounted>>,
    Path(Called { operation: name }): Path<Called>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let voice = voice(&headers, &mounted.app.languages);
    let body = api::parameters(&headers, body, LONGEST, &voice).await?;
    if name == "projects" {
        let projects = mounted.projects().await.map_err(|error| Refusal::told(&error, &voice))?;
        let hub = mounted.hub.clone();
        let answer = blocking(move |cancel| {
            let projects = projects.iter().map(|project| in_list(project, voice, cancel)).collect();
            Ok(Projects { projects, problem: hub.problem() })
        });
        let answer = answer.await.map_err(|error| Refusal::told(&error, &voice))?;
        return Ok(axum::Json(answer).into_response());
    }
    let Some(operation) = find(&name) else {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "invalid_params", "unknown operation"));
    };
    let hub = mounted.hub.clone();
    let answer = blocking(move |cancel| {
        let params: Value = serde_json::from_slice(if body.is_empty() { b"{}" } else { &body })
            .map_err(|error| Error::invalid(message!("{error}", error)))?;
        told_to(voice, || match operation.name {
            // The pages beside the one on the screen wait for no other project.
            "complete" | "get_page" => hub.call_at_once(operation, params, cancel),
            _ => hub.call(HubAsker::Person, operation, params, None, &Silent, cancel),
        })
    });
    Ok(axum::Json(answer.await.map_err(|error| Refusal::told(&error, &voice))?).into_response())
}

fn in_list(project: &OpenProject, voice: Buttons, cancel: &Cancel) -> InList {
    let OpenProject { place, live } = project;
    let told = |error: &Error| error.message().told(&voice);
    let pages = live.as_ref().map_err(|error| told(error)).and_then(|live| {
        let count = live.with_at_once(Caller::Person, cancel, |context| {
            context.index.graph().map(|graph| graph.page_count())
        });
        count.map_err(|error| told(&error))
    });
    let problem = live.as_ref().ok().and_then(|live| live.problem());
    InList {
        project: place.name.clone(),
        address: address_of(&place.name),
        folder: place.root.to_string_lossy().into_owned(),
        tags: place.tags.clone(),
        version: place.pinned.as_ref().map(|(pin, _)| pin.tag.clone()),
        read_only: place.pinned.is_some(),
        pages: pages.as_ref().ok().copied(),
        error: pages.err().or(problem),
    }
}

/// The address of a project, relative to the hub.
fn address_of(name: &str) -> String {
    format!("{}{}/", PROJECTS.trim_start_matches('/'), segment(name))
}

#[derive(Deserialize)]
struct Wanted {
    /// `project:page`.
    page: String,
}

/// Leads to the page that `page` names.
async fn open(
    State(mounted): State<Arc<Mounted>>,
    wanted: Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Query(Wanted { page })) = wanted else {
        let why = message!("`page` is missing: project:page");
        return nothing(&mounted, &headers, StatusCode::BAD_REQUEST, &why);
    };
    let projects = match mounted.projects().await {
        Ok(projects) => projects,
        Err(error) => return Refusal::from(error).into_response(),
    };
    let asked = page.clone();
    let place = blocking(move |cancel| {
        let found = elsewhere::page_of(&projects, &asked, cancel);
        Ok(found.map(|(project, page)| format!("./{}{}", address_of(project), page.url)))
    });
    match place.await {
        Ok(Some(place)) => (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response(),
        _ => {
            let why = message!("no project of this hub has a page '{page}'", page);
            nothing(&mounted, &headers, StatusCode::NOT_FOUND, &why)
        }
    }
}

async fn show(State(mounted): State<Arc<Mounted>>, request: Request) -> Response {
    if request.uri().path().starts_with(PROJECTS) {
        return of_project(&mounted, request).await;
    }
    let (method, headers) = (request.method(), request.headers());
    if ![Method::GET, Method::HEAD].contains(method) {
        let allowed = [(header::ALLOW, "GET, HEAD")];
        let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_params", "operations need POST");
        return (allowed, refusal).into_response();
    }
    let file = file_at(request.uri().path()).unwrap_or_default();
    if let Some(bytes) = mounted.app.file(&file) {
        return match bytes {
            Ok(bytes) => Found::Application(bytes).response(&file),
            Err(error) => Refusal::from(error).into_response(),
        };
    }
    if request.uri().path() != "/" {
        return nothing(&mounted, headers, StatusCode::NOT_FOUND, &message!("nothing is at this address"));
    }
    let voice = voice(headers, &mounted.app.languages);
    let projects = match mounted.projects().await {
        Ok(projects) => projects,
        Err(error) => return Refusal::from(error).into_response(),
    };
    let link = |project: &OpenProject| ProjectLink {
        name: project.place.name.clone(),
        address: address_of(&project.place.name),
    };
    let links: Vec<ProjectLink> = projects.iter().map(link).collect();
    let nonce = random();
    let policy = page_policy(&nonce, false);
    let settings = SiteSettings {
        version: env!("CARGO_PKG_VERSION").into(),
        style_nonce: Some(nonce),
        installable: true,
        ..SiteSettings::default()
    };
    let title = message!("Projects").told(&voice);
    let html = projects_page(&mounted.app.template, &settings, &title, voice.0, &links).into_bytes();
    Found::Page { html, policy, status: StatusCode::OK }.response("")
}

/// Passes a request on to the project that its address names.
async fn of_project(mounted: &Arc<Mounted>, request: Request) -> Response {
    let headers = request.headers().clone();
    let rest = request.uri().path().strip_prefix(PROJECTS).unwrap_or_default();
    let (name, file) = match rest.split_once('/') {
        Some((name, file)) => (name.to_owned(), Some(format!("/{file}"))),
        None => (rest.to_owned(), None),
    };
    let router = match mounted.addresses_of(&name).await {
        Ok(Some(router)) => router,
        Ok(None) => {
            let why = message!("this hub has no such project");
            return nothing(mounted, &headers, StatusCode::NOT_FOUND, &why);
        }
        Err(error) => {
            return nothing(mounted, &headers, StatusCode::SERVICE_UNAVAILABLE, &error.message());
        }
    };
    let Some(file) = file else {
        // Addresses in the page are relative to the project's folder.
        return (StatusCode::SEE_OTHER, [(header::LOCATION, format!("./{name}/"))]).into_response();
    };
    let (mut parts, body) = request.into_parts();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(inner) = Uri::try_from(format!("{file}{query}")) else {
        return nothing(mounted, &headers, StatusCode::NOT_FOUND, &message!("nothing is at this address"));
    };
    parts.uri = inner;
    match TowerToHyperService::new(router).call(Request::from_parts(parts, body)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// An answer without content, and why: a page for people, JSON for programs.
fn nothing(mounted: &Mounted, headers: &HeaderMap, status: StatusCode, why: &Message) -> Response {
    let voice = voice(headers, &mounted.app.languages);
    let wants_page = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if wants_page.is_some_and(|accept| accept.contains("text/html")) {
        return answer::notice(status, &message!("This page cannot be shown"), why, voice);
    }
    let code = if status == StatusCode::NOT_FOUND { "page_not_found" } else { "invalid_params" };
    Refusal::new(status, code, why.told(&voice)).into_response()
}
