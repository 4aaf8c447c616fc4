//! `POST /api/<operation>`: the operation table over HTTP, JSON in and out.

use std::sync::Arc;
use ubp_core::message;
use ubp_core::message::told_to;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use ubp_core::Caller;
use ubp_core::Error;
use ubp_core::hint::Voice;
use ubp_core::ops::add_attachment::MOST_BYTES;
use ubp_core::ops::{Effect, Operation, find};
use ubp_core::progress::{Cancel, Silent};

use super::Viewer;
use super::answer::Refusal;
use super::elsewhere;
use super::guests::Visitor;
use super::language::voice;

/// Limit on the bytes of a request: a page, escaped as JSON.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// The same for an operation that takes a file: the largest attachment in base64, and the other parameters.
const LONGEST_WITH_FILE: usize = MOST_BYTES / 3 * 4 + 1024 * 1024;

/// What the address says. Addresses of frames also have a secret.
#[derive(Deserialize)]
pub(super) struct Called {
    pub operation: String,
}

pub(super) async fn call(
    State((viewer, _)): State<(Arc<Viewer>, CancellationToken)>,
    Path(Called { operation: name }): Path<Called>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    answer(viewer, None, &name, &headers, body).await
}

/// Answers a call of the owner, or of a guest who may call the operation.
pub(super) async fn answer(
    viewer: Arc<Viewer>,
    visitor: Option<Visitor>,
    name: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Some(operation) = find(name) else {
        return Err(Refusal::new(StatusCode::NOT_FOUND, "invalid_params", "unknown operation"));
    };
    if viewer.is_read_only() && operation.facts.effect != Effect::Read {
        let told = message!("this project is a tag that was fetched, which is only read");
        let way = message!("change it in its own repository");
        let voice = voice(headers, &viewer.app.languages);
        return Err(
            Refusal::new(StatusCode::FORBIDDEN, "read_only", told.told(&voice)).hint(way.told(&voice))
        );
    }
    let longest = if operation.facts.takes_file { LONGEST_WITH_FILE } else { LONGEST };
    let voice = voice(headers, &viewer.app.languages);
    let body = parameters(headers, body, longest, &voice).await?;
    let (answer, is_written, moved) = viewer
        .work(move |viewer, cancel| {
            let params: Value = if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&body) }
                .map_err(|error| Error::invalid(message!("{error}", error)))?;
            drop(body);
            let is_written = params.get("dry_run") != Some(&Value::Bool(true));
            let mut answer = told_to(voice, || match &visitor {
                None => ask(viewer, operation, params, cancel),
                Some(visitor) => visitor.ask(operation, params, cancel),
            })?;
            if let Some((_, hub)) = viewer.in_hub.as_ref().filter(|_| operation.name == "resolve_links") {
                elsewhere::resolve(hub, &mut answer, cancel);
            }
            let moved = if is_written { moved(&answer) } else { Vec::new() };
            let answer = serde_json::to_vec(&answer).map_err(|error| Error::Internal(error.to_string()))?;
            Ok((answer, is_written, moved))
        })
        .await
        .map_err(|error| Refusal::told(&error, &voice))?;
    for (from, to) in moved {
        viewer.coediting.moved(&from, &to);
    }
    if operation.facts.unwatched && is_written {
        viewer.events.tell_all();
    }
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}

/// The former and new paths of pages that an operation moved.
fn moved(answer: &Value) -> Vec<(String, String)> {
    let changed = answer.get("changed").and_then(Value::as_array);
    let path = |file: &Value, name: &str| Some(file.get(name)?.as_str()?.to_owned());
    changed
        .into_iter()
        .flatten()
        .filter_map(|file| Some((path(file, "moved_from")?, path(file, "filepath")?)))
        .collect()
}

/// The body of a request with parameters in JSON.
pub(crate) async fn parameters(
    headers: &HeaderMap,
    body: Body,
    longest: usize,
    voice: &(dyn Voice + Sync),
) -> Result<Bytes, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    // Any web page can send forms, which have other content types.
    if !kind.eq_ignore_ascii_case("application/json") {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Refusal::new(status, "invalid_params", "expected parameters as application/json"));
    }
    crate::http::body(body, longest).await.map_err(|status| {
        let message = match status {
            StatusCode::REQUEST_TIMEOUT => message!("the request did not arrive completely"),
            _ => message!("a request may have at most {most} MB", most = longest / 1024 / 1024),
        };
        Refusal::new(status, "invalid_params", message.told(voice))
    })
}

fn ask(viewer: &Viewer, operation: &Operation, params: Value, cancel: &Cancel) -> ubp_core::Result<Value> {
    if operation.facts.at_once {
        match viewer.live.call_at_once(Caller::Person, operation, params.clone(), cancel) {
            Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. } | Error::Database(_)) => {}
            answered => return answered,
        }
    }
    viewer.live.call(Caller::Person, operation, params, None, &Silent, cancel)
}
