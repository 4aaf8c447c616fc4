//! Lets requests in, or tells clients when to come back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;

use super::Endpoint;
use super::metrics::Refused;
use super::rate::Place;

/// How long running calls may take once the server stops.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long a server that gives its socket to another one waits for requests on connections that it accepted.
const LAST: Duration = Duration::from_millis(300);
/// How often the end of calls is checked.
const LOOK: Duration = Duration::from_millis(20);
/// When clients of a stopping server should come back.
const RESTART: Duration = Duration::from_secs(2);

/// Why a request is not let in, and the answer to it.
pub(in crate::mcp) type Refusal = Box<(Refused, Response)>;

pub(in crate::mcp) fn refusal(why: Refused, answer: impl IntoResponse) -> Refusal {
    Box::new((why, answer.into_response()))
}

impl Endpoint {
    /// Lets a request with the token of this name in. A message counts as unanswered while the result exists.
    ///
    /// # Errors
    /// The answer if it has to wait.
    pub(in crate::mcp) fn admit(
        &self,
        method: &Method,
        token: Option<&str>,
    ) -> Result<Option<Admitted>, Refusal> {
        if self.stopping.load(Ordering::Acquire) {
            let mut response = later(StatusCode::SERVICE_UNAVAILABLE, RESTART, "the server stops");
            response.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("close"));
            return Err(refusal(Refused::Stopping, response));
        }
        if method != Method::POST {
            return Ok(None);
        }
        self.rate.count(token, Instant::now()).map_err(|wait| {
            let most = self.rate.limits().per_minute;
            let why = format!("more than {most} requests in a minute with this token");
            refusal(Refused::Rate, later(StatusCode::TOO_MANY_REQUESTS, wait, &why))
        })?;
        Ok(Some(Admitted { _open: self.open.clone(), _place: None }))
    }

    /// How long connections may still send a request once the server takes no new ones.
    pub(in crate::mcp) fn grace(&self) -> Duration {
        if self.gives_its_socket() { LAST } else { Duration::ZERO }
    }

    /// The longest message, in bytes.
    pub(in crate::mcp) fn longest(&self) -> usize {
        self.rate.limits().message
    }

    /// A place for a call.
    ///
    /// # Errors
    /// The answer if there is none.
    pub(in crate::mcp) fn place(&self) -> Result<Place, Refusal> {
        self.rate.place().map_err(|wait| {
            let most = self.rate.limits().calls;
            let why = format!("{most} calls are running, and no more may");
            refusal(Refused::Busy, later(StatusCode::TOO_MANY_REQUESTS, wait, &why))
        })
    }

    /// Makes health checks fail and, unless another process takes the socket over, refuses new requests.
    pub(in crate::mcp) fn leave(&self) {
        self.leaving.store(true, Ordering::Release);
        if !self.gives_its_socket() {
            self.stopping.store(true, Ordering::Release);
        }
    }

    /// Returns when all calls have ended, or after ten seconds.
    pub(in crate::mcp) async fn drain(&self) {
        if self.gives_its_socket() {
            tokio::time::sleep(LAST).await;
        }
        let ended = async {
            while Arc::strong_count(&self.open) > 1 {
                tokio::time::sleep(LOOK).await;
            }
        };
        let _ = tokio::time::timeout(FAREWELL, ended).await;
    }
}

/// A message that was let in.
pub(in crate::mcp) struct Admitted {
    _open: Arc<()>,
    _place: Option<Place>,
}

impl Admitted {
    /// With the place of a call.
    pub(in crate::mcp) fn in_place(self, place: Place) -> Self {
        Self { _place: Some(place), ..self }
    }

    /// The answer, which holds the place until the client has all of it.
    pub(in crate::mcp) fn held_by(self, response: Response) -> Response {
        response.map(|body| {
            Body::from_stream(body.into_data_stream().map(move |part| {
                let _held = &self;
                part
            }))
        })
    }
}

fn later(status: StatusCode, wait: Duration, why: &str) -> Response {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    let after = [(header::RETRY_AFTER, seconds.to_string())];
    (status, after, format!("{why}; try again in {seconds} s\n")).into_response()
}
