//! Counts what an endpoint does, in the text format of Prometheus. Labels come from fixed lists, so that their number is
//! bounded and no text of a page or a question can be in them.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{CallToolResponse, ErrorCode, ErrorData};

/// The content type of the answer.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mcp) enum Outcome {
    /// With an answer.
    Ok,
    /// With an error that the client can fix.
    Error,
    /// With a defect of the server.
    Failed,
    /// The client cancelled it, or disconnected.
    Cancelled,
}

impl Outcome {
    /// That of a call with this result.
    pub(in crate::mcp) fn of(result: &Result<CallToolResponse, ErrorData>) -> Self {
        match result {
            Err(error) if error.code == ErrorCode::INTERNAL_ERROR => Self::Failed,
            Err(_) => Self::Error,
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => Self::Error,
            Ok(_) => Self::Ok,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a request was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::mcp) enum Refused {
    /// Its host name or origin.
    Host,
    /// A missing or wrong token.
    Token,
    /// Too long, or sent too slowly.
    Size,
    /// Too many requests with this token.
    Rate,
    /// Too many calls or clients at once.
    Busy,
    /// The server stops.
    Stopping,
}

impl Refused {
    fn label(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Token => "token",
            Self::Size => "size",
            Self::Rate => "rate",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Histogram {
    buckets: [u64; BOUNDS.len()],
    sum: Duration,
    count: u64,
}

#[derive(Debug, Default)]
struct Counted {
    calls: BTreeMap<(&'static str, Outcome), u64>,
    seconds: BTreeMap<&'static str, Histogram>,
    refused: BTreeMap<Refused, u64>,
}

/// Counters since the start of the server.
#[derive(Debug, Default)]
pub(super) struct Metrics(Mutex<Counted>);

/// Numbers at the moment of the answer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Now {
    pub running: usize,
    pub sessions: usize,
    pub connections: usize,
    pub projects: usize,
    pub failed_projects: usize,
}

impl Metrics {
    fn counted(&self) -> std::sync::MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn called(&self, tool: &'static str, outcome: Outcome, time: Duration) {
        let mut counted = self.counted();
        *counted.calls.entry((tool, outcome)).or_default() += 1;
        let seconds = counted.seconds.entry(tool).or_default();
        for (bucket, bound) in seconds.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(time.as_secs_f64() <= bound);
        }
        seconds.sum += time;
        seconds.count += 1;
    }

    pub(super) fn refused(&self, why: Refused) {
        *self.counted().refused.entry(why).or_default() += 1;
    }

    /// All of them as text.
    pub(super) fn text(&self, now: Now) -> String {
        let mut text = Text::default();
        let counted = self.counted();
        text.family("ubp_info", "gauge", "The version of the server.");
        text.line("ubp_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        text.family("ubp_calls_total", "counter", "Calls of tools, by outcome.");
        for ((tool, outcome), number) in &counted.calls {
            text.line("ubp_calls_total", &[("tool", tool), ("outcome", outcome.label())], number);
        }
        text.family("ubp_call_seconds", "histogram", "Time from a call to its answer.");
        for (tool, seconds) in &counted.seconds {
            for (bucket, bound) in seconds.buckets.iter().zip(BOUNDS) {
                text.line("ubp_call_seconds_bucket", &[("tool", tool), ("le", &bound.to_string())], bucket);
            }
            text.line("ubp_call_seconds_bucket", &[("tool", tool), ("le", "+Inf")], seconds.count);
            text.line("ubp_call_seconds_sum", &[("tool", tool)], seconds.sum.as_secs_f64());
            text.line("ubp_call_seconds_count", &[("tool", tool)], seconds.count);
        }
        text.family("ubp_refused_requests_total", "counter", "Requests that were not let in, by reason.");
        for (why, number) in &counted.refused {
            text.line("ubp_refused_requests_total", &[("reason", why.label())], number);
        }
        for (name, help, number) in [
            ("ubp_running_calls", "Calls without an answer yet.", now.running),
            ("ubp_sessions", "Connected clients.", now.sessions),
            ("ubp_connections", "Open connections.", now.connections),
        ] {
            text.family(name, "gauge", help);
            text.line(name, &[], number);
        }
        text.family("ubp_projects", "gauge", "Projects, by whether they can be read.");
        let ready = now.projects.saturating_sub(now.failed_projects);
        text.line("ubp_projects", &[("state", "ready")], ready);
        text.line("ubp_projects", &[("state", "failed")], now.failed_projects);
        text.0
    }
}

/// The text format of Prometheus, version 0.0.4.
#[derive(Default)]
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, value)) in labels.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{value}\"", if at == 0 { '{' } else { ',' });
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{end} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_tool_and_outcome_and_into_every_bucket_above_their_time() {
        let metrics = Metrics::default();
        metrics.called("ubp_search", Outcome::Ok, Duration::from_millis(30));
        metrics.called("ubp_search", Outcome::Ok, Duration::from_secs(60));
        metrics.called("ubp_search", Outcome::Error, Duration::from_millis(5));
        metrics.refused(Refused::Token);
        let text = metrics.text(Now { running: 2, projects: 3, failed_projects: 1, ..Now::default() });
        for line in [
            "# TYPE ubp_calls_total counter",
            "ubp_calls_total{tool=\"ubp_search\",outcome=\"ok\"} 2",
            "ubp_calls_total{tool=\"ubp_search\",outcome=\"error\"} 1",
            "ubp_call_seconds_bucket{tool=\"ubp_search\",le=\"0.005\"} 1",
            "ubp_call_seconds_bucket{tool=\"ubp_search\",le=\"0.025\"} 1",
            "ubp_call_seconds_bucket{tool=\"ubp_search\",le=\"0.05\"} 2",
            "ubp_call_seconds_bucket{tool=\"ubp_search\",le=\"30\"} 2",
            "ubp_call_seconds_bucket{tool=\"ubp_search\",le=\"+Inf\"} 3",
            "ubp_call_seconds_sum{tool=\"ubp_search\"} 60.035",
            "ubp_call_seconds_count{tool=\"ubp_search\"} 3",
            "ubp_refused_requests_total{reason=\"token\"} 1",
            "ubp_running_calls 2",
            "ubp_projects{state=\"ready\"} 2",
            "ubp_projects{state=\"failed\"} 1",
        ] {
            assert!(text.lines().any(|known| known == line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_value_of_a_label_cannot_end_it() {
        let mut text = Text::default();
        text.line("a", &[("b", "x\"} 1\na{b=\"\\")], 2);
        assert_eq!(text.0, "a{b=\"x\\\"} 1\\na{b=\\\"\\\\\"} 2\n");
    }
}
