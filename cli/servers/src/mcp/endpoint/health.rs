//! `GET /health` for load balancers, and `GET /metrics` for Prometheus.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use ubp_host::hub::Counts;

use super::metrics::{CONTENT_TYPE, Now};
use super::{Count, Endpoint};

/// Path of the state.
pub(in crate::mcp) const HEALTH: &str = "/health";
/// Path of the metrics.
pub(in crate::mcp) const METRICS: &str = "/metrics";

/// How long the projects stay counted: everyone may ask for the state, as often as they like.
const AGE: Duration = Duration::from_secs(2);
/// How long an answer waits for a count.
const PATIENCE: Duration = Duration::from_secs(1);

/// Knows how many projects there are.
pub(super) struct Health {
    count: Arc<dyn Fn() -> Counts + Send + Sync>,
    last: Arc<Mutex<(Instant, Counts)>>,
    is_counting: Arc<AtomicBool>,
}

impl Health {
    pub(super) fn new(count: Count) -> Self {
        let last = (Instant::now(), count());
        Self { count: count.into(), last: Arc::new(Mutex::new(last)), is_counting: Arc::default() }
    }

    /// How many projects there are. If counting takes long, how many there were.
    async fn counts(&self) -> Counts {
        let known = |last: &Mutex<(Instant, Counts)>| *last.lock().unwrap_or_else(PoisonError::into_inner);
        let (counted, counts) = known(&self.last);
        if counted.elapsed() < AGE || self.is_counting.swap(true, Ordering::AcqRel) {
            return counts;
        }
        let (count, last, is_counting) = (self.count.clone(), self.last.clone(), self.is_counting.clone());
        let counting = tokio::task::spawn_blocking(move || {
            let counts = count();
            *last.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), counts);
            is_counting.store(false, Ordering::Release);
        });
        let _ = tokio::time::timeout(PATIENCE, counting).await;
        known(&self.last).1
    }
}

impl Endpoint {
    /// The answer to [`HEALTH`]. Callers under an unknown host name only learn whether it is healthy.
    pub(in crate::mcp) async fn healthy(&self, is_known_host: bool) -> Response {
        let counts = self.health.counts().await;
        let is_leaving = self.leaving.load(Ordering::Acquire);
        let ok = counts.failed_projects < counts.projects && !is_leaving;
        let mut body = json!({ "ok": ok });
        if is_known_host {
            body["projects"] = counts.projects.into();
            body["failed_projects"] = counts.failed_projects.into();
        }
        let status = if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        (status, [(header::CACHE_CONTROL, "no-store")], Json(body)).into_response()
    }

    /// The answer to [`METRICS`].
    pub(in crate::mcp) async fn measured(&self, sessions: usize) -> Response {
        let Counts { projects, failed_projects } = self.health.counts().await;
        let text = self.metrics.text(Now {
            running: self.running.load(Ordering::Acquire),
            sessions,
            connections: self.connections.load(Ordering::Acquire),
            projects,
            failed_projects,
        });
        ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response()
    }
}
