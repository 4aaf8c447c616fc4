//! A line for each call, for programs that collect logs. It says who called what and how that ended, never what was asked or
//! answered.

use std::io::Write;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use super::metrics::Outcome;
use crate::Shared;
use crate::messages::LogFormat;

/// Where lines go, and their form.
pub(super) struct CallLog {
    pub format: LogFormat,
    pub stream: Shared<Box<dyn Write + Send>>,
}

/// A call that ended.
pub(super) struct Ended<'a> {
    /// The name of its token; `None` for the shared one.
    pub token: Option<&'a str>,
    pub tool: &'a str,
    /// How many names, globs and tags of projects it was limited to; `None` for all projects.
    pub projects: Option<usize>,
    pub outcome: Outcome,
    pub time: Duration,
}

impl CallLog {
    /// Writes a line. A closed stream must not stop the server.
    pub(super) fn write(&self, ended: &Ended<'_>, now: Timestamp) {
        let _ = self.stream.clone().write_all(ended.line(self.format, now).as_bytes());
    }
}

impl Ended<'_> {
    fn line(&self, format: LogFormat, now: Timestamp) -> String {
        let Self { token, tool, projects, outcome, time } = self;
        let (outcome, milliseconds) = (outcome.label(), time.as_millis());
        match format {
            LogFormat::Json => {
                let line = json!({
                    "time": now.to_string(),
                    "level": "info",
                    "event": "call",
                    "token": token,
                    "tool": tool,
                    "projects": projects,
                    "outcome": outcome,
                    "ms": milliseconds as u64,
                });
                format!("{line}\n")
            }
            LogFormat::Text => {
                let token = token.unwrap_or("-");
                let projects = projects.map_or("all".to_owned(), |number| number.to_string());
                format!(
                    "[INFO] call time={now} token={token} tool={tool} projects={projects} outcome={outcome} ms={milliseconds}\n"
                )
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_who_called_what_and_how_that_ended() {
        let ended = Ended {
            token: Some("ci"),
            tool: "ubp_search",
            projects: None,
            outcome: Outcome::Ok,
            time: Duration::from_micros(12_700),
        };
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        assert_eq!(
            ended.line(LogFormat::Json, now),
            "{\"time\":\"2026-03-10T12:00:00Z\",\"level\":\"info\",\"event\":\"call\",\"token\":\"ci\",\"tool\":\"ubp_search\",\
             \"projects\":null,\"outcome\":\"ok\",\"ms\":12}\n"
        );
        let ended = Ended { token: None, projects: Some(2), outcome: Outcome::Error, ..ended };
        assert_eq!(
            ended.line(LogFormat::Text, now),
            "[INFO] call time=2026-03-10T12:00:00Z token=- tool=ubp_search projects=2 outcome=error ms=12\n"
        );
    }
}
