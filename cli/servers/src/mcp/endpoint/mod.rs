//! What an endpoint for many clients has besides its tools: whether it is healthy, and what it did.
//!
//! **Invariants**
//! - Nothing that a page says or a client asks for is in an answer, a metric or a log line of this module, and no name of a
//!   project is told without a token (`tests/tests/hub_endpoint.rs`).

mod health;
mod metrics;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use health::Health;
use metrics::Metrics;
use ubp_host::hub::Counts;

pub(super) use health::{HEALTH, METRICS};
pub(super) use metrics::{Outcome, Refused};

/// Counts the projects.
pub(super) type Count = Box<dyn Fn() -> Counts + Send + Sync>;

/// An endpoint for many clients.
pub(super) struct Endpoint {
    health: Health,
    metrics: Metrics,
    running: AtomicUsize,
    /// Open connections.
    pub connections: Arc<AtomicUsize>,
}

impl Endpoint {
    /// An endpoint for the projects that `count` counts. It calls that once.
    pub(super) fn new(count: Count) -> Arc<Self> {
        Arc::new(Self {
            health: Health::new(count),
            metrics: Metrics::default(),
            running: AtomicUsize::new(0),
            connections: Arc::default(),
        })
    }

    /// Records that a request was not let in.
    pub(super) fn refused(&self, why: Refused) {
        self.metrics.refused(why);
    }

    /// Begins a call of a tool.
    pub(super) fn begin(self: &Arc<Self>, tool: &'static str) -> Call {
        self.running.fetch_add(1, Ordering::AcqRel);
        Call { endpoint: self.clone(), tool, begun: Instant::now(), outcome: Outcome::Cancelled }
    }
}

/// A running call. It counts as cancelled if it is dropped before its end.
pub(super) struct Call {
    endpoint: Arc<Endpoint>,
    tool: &'static str,
    begun: Instant,
    outcome: Outcome,
}

impl Call {
    /// Ends it.
    pub(super) fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.endpoint.running.fetch_sub(1, Ordering::AcqRel);
        self.endpoint.metrics.called(self.tool, self.outcome, self.begun.elapsed());
    }
}
