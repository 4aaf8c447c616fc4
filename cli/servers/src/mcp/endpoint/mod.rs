//! What an endpoint for many clients has besides its tools: whether it is healthy, and what it did.
//!
//! **Invariants**
//! - Nothing that a page says or a client asks for is in an answer, a metric or a log line of this module, and no name of a
//!   project is told without a token (`tests/tests/hub_endpoint.rs`).

mod call_log;
mod door;
mod health;
mod metrics;
mod rate;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use call_log::{CallLog, Ended};
use health::Health;
use jiff::Timestamp;
use metrics::Metrics;
use rate::Rate;
use ubp_host::hub::Counts;

use crate::messages::{LogFormat, Messages};

pub(super) use door::{Refusal, refusal};
pub(super) use health::{HEALTH, METRICS};
pub(super) use metrics::{Outcome, Refused};
pub use rate::Limits;

/// How an endpoint treats its clients.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What clients may use at most.
    pub limits: Limits,
    /// Prints a line for each call; `None` for no lines.
    pub log: Option<LogFormat>,
    /// Whether to take the listening socket on standard input instead of opening one.
    pub socket: bool,
}

/// Counts the projects.
pub(super) type Count = Box<dyn Fn() -> Counts + Send + Sync>;

/// An endpoint for many clients.
pub(super) struct Endpoint {
    health: Health,
    metrics: Metrics,
    rate: Rate,
    log: Option<CallLog>,
    socket: bool,
    running: AtomicUsize,
    /// Every message without a whole answer has a clone.
    open: Arc<()>,
    /// Whether health checks fail, so that no more clients come.
    leaving: AtomicBool,
    /// Whether requests are refused.
    stopping: AtomicBool,
    /// Open connections.
    pub connections: Arc<AtomicUsize>,
}

impl Endpoint {
    /// An endpoint for the projects that `count` counts. It calls that once.
    pub(super) fn new(settings: &Settings, count: Count, messages: &Messages) -> Arc<Self> {
        Arc::new(Self {
            health: Health::new(count),
            metrics: Metrics::default(),
            rate: Rate::new(settings.limits),
            log: settings.log.map(|format| CallLog { format, stream: messages.stream() }),
            socket: settings.socket,
            running: AtomicUsize::new(0),
            open: Arc::default(),
            leaving: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            connections: Arc::default(),
        })
    }

    /// Records that a request was not let in.
    pub(super) fn refused(&self, why: Refused) {
        self.metrics.refused(why);
    }

    /// Whether it listens on a socket that another process keeps open.
    pub(super) fn gives_its_socket(&self) -> bool {
        self.socket
    }

    /// Whether standard error is kept by a program, where secrets do not belong.
    pub(super) fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    /// Begins a call of a tool, with the name of its token and the number of projects that it names.
    pub(super) fn begin(
        self: &Arc<Self>,
        tool: &'static str,
        token: Option<String>,
        projects: Option<usize>,
    ) -> Call {
        self.running.fetch_add(1, Ordering::AcqRel);
        let outcome = Outcome::Cancelled;
        Call { endpoint: self.clone(), tool, token, projects, begun: Instant::now(), outcome }
    }
}

/// A running call. It counts as cancelled if it is dropped before its end.
pub(super) struct Call {
    endpoint: Arc<Endpoint>,
    tool: &'static str,
    token: Option<String>,
    projects: Option<usize>,
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
        let (endpoint, time) = (&self.endpoint, self.begun.elapsed());
        endpoint.running.fetch_sub(1, Ordering::AcqRel);
        endpoint.metrics.called(self.tool, self.outcome, time);
        if let Some(log) = &endpoint.log {
            let (token, outcome) = (self.token.as_deref(), self.outcome);
            log.write(
                &Ended { token, tool: self.tool, projects: self.projects, outcome, time },
                Timestamp::now(),
            );
        }
    }
}
