//! What an endpoint for many clients has besides its tools: whether it is healthy, and what it did.
//!
//! **Invariants**
//! - Nothing that a page says or a client asks for is in an answer, a metric or a log line of this module, and no name of a
//!   project is told without a token (`tests/tests/hub_endpoint.rs`).

mod call_log;
mod door;
mod health;
mod jwt;
mod metrics;
mod oauth;
mod rate;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use axum::http::Uri;
use axum::response::Response;
use call_log::{CallLog, Ended};
use health::Health;
use jiff::Timestamp;
use metrics::Metrics;
use oauth::Resource;
use rate::Rate;
use ubp_core::{Error, Result, message};
use ubp_host::Environment;
use ubp_host::hub::Counts;
use ubp_host::live::{Notice, Notices};

use crate::http::named_tokens::{NamedToken, Tokens};
use crate::messages::{LogFormat, Messages};

pub(super) use door::{Refusal, refusal};
pub(super) use health::{HEALTH, METRICS};
pub(super) use metrics::{Outcome, Refused};
pub use oauth::Authorization;
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
    /// The address that clients use, if that is another one.
    pub url: Option<String>,
    /// Who else gives tokens; needs the address.
    pub authorization: Option<Authorization>,
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
    url: Option<Uri>,
    resource: Option<Resource>,
    messages: Notices,
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
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for an address that cannot be one.
    pub(super) fn new(
        settings: Settings,
        count: Count,
        messages: &Messages,
        environment: &Environment,
    ) -> Result<Arc<Self>> {
        let url = settings.url.as_deref().map(|url| {
            let address: Option<Uri> = url.parse().ok();
            let is_one =
                |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.authority().is_some();
            address.filter(is_one).ok_or_else(|| {
                Error::invalid(message!(
                    "--url is '{url}'; it must be an address such as https://docs.example/mcp",
                    url
                ))
            })
        });
        let resource = settings.authorization.zip(settings.url.clone());
        let resource = resource.map(|(authorization, url)| Resource::new(authorization, url, environment));
        Ok(Arc::new(Self {
            health: Health::new(count),
            metrics: Metrics::default(),
            rate: Rate::new(settings.limits),
            log: settings.log.map(|format| CallLog { format, stream: messages.stream() }),
            socket: settings.socket,
            url: url.transpose()?,
            resource: resource.transpose()?,
            messages: messages.notices(),
            running: AtomicUsize::new(0),
            open: Arc::default(),
            leaving: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            connections: Arc::default(),
        }))
    }

    /// The address that clients use, if that is another one.
    pub(super) fn url(&self) -> Option<&Uri> {
        self.url.as_ref()
    }

    /// What this is as a resource of an authorization server, if that is the path.
    pub(super) fn description(&self, path: &str) -> Option<Response> {
        self.resource.as_ref()?.description(path)
    }

    /// The header for clients without a valid token; `is_wrong` if they sent one.
    pub(super) fn challenge(&self, is_wrong: bool) -> Option<String> {
        Some(self.resource.as_ref()?.challenge(is_wrong))
    }

    /// The reader with this token of an authorization server.
    pub(super) async fn reader(&self, token: &str, tokens: &Tokens) -> Option<NamedToken> {
        match self.resource.as_ref()?.reader(token, tokens).await {
            Ok(reader) => reader,
            Err(error) => {
                if let Some(error) = error {
                    let text =
                        message!("tokens of the authorization server cannot be checked: {error}", error);
                    (self.messages)(Notice { is_warning: true, text, hint: None });
                }
                None
            }
        }
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
