//! Records what clients ask and get, for `ubp sessions`. A connection is a session. Clients without connections of their
//! own, in revisions from 2026-07-28, have one as long as they keep asking.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult, ErrorData, JsonObject};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use ubp_core::sessions::{KeptParams, Outcome, Recorded, Witness};
use ubp_host::sessions::{Recorder, Session};

use super::server::Server;

/// The tool of pages that are read as resources.
pub(super) const READ: &str = "resources/read";

/// Silence after which a client without a connection begins another session.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// Maximum number of such clients that are remembered.
const MOST_CLIENTS: usize = 64;

/// The session of a client.
#[derive(Clone, Default)]
pub(super) struct Recording {
    /// That of this connection.
    own: Arc<OnceLock<Arc<Session>>>,
    /// Those of clients without connections, by their names.
    others: Arc<Mutex<HashMap<String, Latest>>>,
}

/// A session, and the time of its last request.
type Latest = (Arc<Session>, Instant);

impl Recording {
    /// The same for another client.
    pub(super) fn for_another_client(&self) -> Self {
        Self { own: Arc::default(), others: self.others.clone() }
    }

    fn session(&self, agent: Option<String>, context: &RequestContext<RoleServer>, at: &str) -> Arc<Session> {
        let begin = || Session::begin(agent.clone(), at.to_owned());
        if context.meta.client_info().is_none() {
            return self.own.get_or_init(begin).clone();
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.retain(|_, (_, last)| last.elapsed() < SILENCE);
        if others.len() >= MOST_CLIENTS {
            others.clear();
        }
        let (session, last) =
            others.entry(agent.clone().unwrap_or_default()).or_insert_with(|| (begin(), Instant::now()));
        *last = Instant::now();
        session.clone()
    }
}

/// A call whose answer will be recorded.
pub(super) struct Call {
    recorder: Arc<Recorder>,
    session: Arc<Session>,
    tool: String,
    params: KeptParams,
    at: String,
    begun: Instant,
    /// Notes what the answer leaves out.
    pub witness: Arc<Witness>,
}

/// Begins a call; `None` if nothing is recorded.
pub(super) fn begin(
    server: &Server,
    tool: &str,
    params: Option<&JsonObject>,
    context: &RequestContext<RoleServer>,
) -> Option<Call> {
    let recording = server.recording.as_ref()?;
    let recorder = server.place.views().whole().recorder()?;
    let at = Timestamp::now().to_string();
    let session = recording.session(server.author(context).name, context, &at);
    let params = params.map(KeptParams::of).unwrap_or_default();
    let (tool, witness) = (tool.to_owned(), Arc::default());
    Some(Call { recorder, session, tool, params, at, begun: Instant::now(), witness })
}

impl Call {
    /// Records the answer to a tool.
    pub(super) fn finish(self, answer: &Result<CallToolResponse, ErrorData>) {
        match answer {
            Ok(CallToolResponse::Complete(result)) => {
                let text = text(result);
                let outcome = match (&result.structured_content, result.is_error) {
                    (Some(answer), None | Some(false)) => Outcome::Answer(answer),
                    _ => Outcome::Error(code(result)),
                };
                self.record(&outcome, &text);
            }
            // The answer follows when the person has decided, and is recorded then.
            Ok(_) => {}
            Err(error) => self.record(&Outcome::Error("internal"), &error.message),
        }
    }

    /// Records a page that was read as a resource.
    pub(super) fn finish_page(self, path: &str, text: &ubp_core::Result<String>) {
        match text {
            Ok(text) => {
                let answer = json!({ "filepath": path, "content": text });
                self.record(&Outcome::Answer(&answer), text);
            }
            Err(error) => self.record(&Outcome::Error(error.code()), &error.to_string()),
        }
    }

    fn record(self, outcome: &Outcome<'_>, text: &str) {
        let Self { recorder, session, tool, params, at, begun, witness } = self;
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        recorder.record(&session, Recorded::new(at, milliseconds, &tool, params, outcome, text, &witness));
    }
}

fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn code(result: &CallToolResult) -> &str {
    let error = result.meta.as_ref().and_then(|meta| meta.0.get("unified-blueprint/error"));
    error.and_then(|error| error.get("code")).and_then(Value::as_str).unwrap_or("error")
}
