//! Asks the person about a proposal at once, through clients that can show a form (elicitation). Only the client's answer
//! decides: no parameter of a tool does.
//!
//! In revisions of the protocol with requests of the server, a question is one. A call waits for its answer only for a
//! while, because clients end calls; a later answer still counts. In revisions without them, a call ends with the question,
//! and the client repeats the call with the answer.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, ErrorData, InputRequest, InputRequiredResult, InputResponses, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use ubp_core::message;
use ubp_core::message::{CommandsIn, Language, Message};
use ubp_core::ops::{find, get_proposal};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::show::{MarkdownPage, Page, Span};
use ubp_core::{Caller, Error};
use ubp_host::live::{Live, Seen};

use super::call::{clipped, failure, success};
use super::server::Server;
use super::tools::Row;
use crate::messages::printable;

/// Field of an answer with what became of a proposal, if the person was asked.
pub(super) const OUTCOME: &str = "outcome";

/// The fields of a proposal in it.
const OUTCOME_FIELDS: [&str; 3] = ["state", "conflicts", "decision"];

/// How long a call waits for an answer. Many clients end calls after a minute.
const CALL: Duration = Duration::from_secs(50);

/// How long a question stays open.
const QUESTION: Duration = Duration::from_secs(10 * 60);

/// Maximum number of calls that wait to be repeated; the oldest are forgotten.
const MOST_HELD: usize = 100;

/// Maximum characters of a comment.
const LONGEST_COMMENT: usize = 2_000;

/// Name of the question in an answer that asks for input, and of the field with the choice in the form.
const DECISION: &str = "decision";

/// Name of the field for a comment in the form.
const COMMENT: &str = "comment";

/// The answer of a tool that makes changes.
pub(super) struct Change {
    pub answer: Value,
    pub told: String,
    /// Whether files are hidden from the agent.
    pub is_restricted: bool,
}

/// Questions of all clients of a server.
pub(super) struct Asking {
    language: Language,
    call: Duration,
    question: Duration,
    held: Mutex<VecDeque<Held>>,
}

/// A call that the client repeats with the answer of the person.
struct Held {
    /// What the client repeats.
    state: String,
    operation: &'static str,
    proposal: String,
    change: Change,
}

impl Default for Asking {
    fn default() -> Self {
        Self::in_language(Language::ENGLISH)
    }
}

impl Asking {
    /// Asks in this language.
    pub(super) fn in_language(language: Language) -> Self {
        Self { language, call: CALL, question: QUESTION, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The form; `None` never happens.
    fn form(&self) -> Option<ElicitationSchema> {
        let told = |message: Message| message.in_language(self.language);
        let names = [message!("Accept"), message!("Reject"), message!("Decide later")].map(told);
        let form = json!({
            "type": "object",
            "properties": {
                DECISION: {
                    "type": "string", "title": told(message!("Decision")),
                    "enum": ["accept", "reject", "later"], "enumNames": names,
                },
                COMMENT: { "type": "string", "title": told(message!("Comment for the agent")) },
            },
            "required": [DECISION],
        });
        let mut form: ElicitationSchema = serde_json::from_value(form).ok()?;
        form.property_order = Some(vec![DECISION.into(), COMMENT.into()]);
        Some(form)
    }
}

/// The schema of [`OUTCOME`].
pub(super) fn outcome_schema() -> Value {
    let fields: serde_json::Map<String, Value> =
        OUTCOME_FIELDS.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({ "type": "object", "properties": fields })
}

/// What a person said about a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reply {
    said: Said,
    comment: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Accept,
    Reject,
    Later,
    /// The person closed the question, or the client answered something else.
    Nothing,
    /// There is no answer yet.
    NothingYet,
}

impl From<Said> for Reply {
    fn from(said: Said) -> Self {
        Self { said, comment: None }
    }
}

impl Reply {
    fn of(result: &ElicitResult) -> Self {
        let content = match (&result.action, &result.content) {
            (ElicitationAction::Accept, Some(content)) => content,
            _ => return Said::Nothing.into(),
        };
        let field = |name: &str| content.get(name).and_then(Value::as_str).map(str::trim);
        let said = match field(DECISION) {
            Some("accept") => Said::Accept,
            Some("reject") => Said::Reject,
            Some("later") => Said::Later,
            _ => Said::Nothing,
        };
        let comment = field(COMMENT).filter(|comment| !comment.is_empty());
        Self { said, comment: comment.map(|comment| comment.chars().take(LONGEST_COMMENT).collect()) }
    }
}

/// Asks the person about the proposal in the answer, if there is one and the client can, and takes back questions about
/// proposals that the change replaced. The result is the answer of the call.
///
/// # Errors
/// Only for defects.
pub(super) async fn ask(
    server: &Server,
    row: &Row,
    change: Change,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let proposal = change.answer.get("proposal").and_then(Value::as_str).map(str::to_owned);
    let author = server.author(context);
    // Whoever has a token may be anywhere: its client does not speak for the person.
    let asked = proposal.filter(|_| shows_forms(context) && !author.has_token);
    let open = server.session().questions();
    if asked.is_none() && open.is_empty() {
        return Ok(success(change.answer, change.told).into());
    }
    let own = server.clone();
    let (language, about) = (server.asking.language, asked.clone());
    let (question, obsolete) = working(move || {
        // The client reads the question too, so it has only what its agent may see.
        let Ok(Seen { live, .. }) = own.seen_by(&author) else { return (None, Vec::new()) };
        (about.and_then(|id| question(&live, language, &id)), no_longer_open(&live, open))
    })
    .await?;
    obsolete.iter().for_each(|proposal| server.session().close_question(proposal));
    let (Some(proposal), Some(message), Some(requested_schema)) = (asked, question, server.asking.form())
    else {
        return Ok(success(change.answer, change.told).into());
    };
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let form = ElicitRequest::new(form);
    if context.protocol_version().is_some_and(|version| !version.has_initialize()) {
        let state = uuid::Uuid::now_v7().simple().to_string();
        let mut held = server.asking.held();
        let extra = (held.len() + 1).saturating_sub(MOST_HELD);
        held.drain(..extra);
        held.push_back(Held { state: state.clone(), operation: row.operation.name, proposal, change });
        let asked = [(DECISION.to_owned(), InputRequest::Elicitation(form))];
        return Ok(InputRequiredResult::new(Some(asked.into()), Some(state)).into());
    }
    let request = ServerRequest::ElicitRequest(form);
    // Before it is sent, so that a change in another call at the same time takes it back.
    let taken_back = server.session().open_question(&proposal);
    let sent = context.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
    let Ok(handle) = sent else {
        server.session().close_question(&proposal);
        return settle(server, proposal, Said::Nothing.into(), change).await;
    };
    let reply = answer(server, &proposal, handle, taken_back, context).await;
    match reply {
        Some(Ok(outcome)) => Ok(finish(server, change, &outcome).into()),
        // The task that waits for the person failed.
        Some(Err(error)) => Err(error),
        None => settle(server, proposal, Said::NothingYet.into(), change).await,
    }
}

/// Waits for the person's answer, and does what it says. `None` if the call cannot wait any longer; the answer counts
/// later as well, unless the client cancelled the call.
async fn answer(
    server: &Server,
    proposal: &str,
    handle: RequestHandle<RoleServer>,
    taken_back: CancellationToken,
    context: &RequestContext<RoleServer>,
) -> Option<Result<Outcome, ErrorData>> {
    let (tell, told) = oneshot::channel();
    let (own, id, until) = (server.clone(), proposal.to_owned(), taken_back.clone());
    tokio::spawn(async move {
        let reply = wait(handle, own.asking.question, until).await;
        let outcome = decided(&own, id.clone(), reply).await;
        own.session().close_question(&id);
        // The call may have ended.
        let _ = tell.send(outcome);
    });
    tokio::select! {
        outcome = told => Some(outcome.unwrap_or_else(|_| Err(failed()))),
        () = tokio::time::sleep(server.asking.call) => None,
        () = context.ct.cancelled() => {
            taken_back.cancel();
            None
        }
    }
}

/// The answer of the person; nothing if it takes too long, the client is gone or the question is taken back.
async fn wait(
    mut handle: RequestHandle<RoleServer>,
    patience: Duration,
    taken_back: CancellationToken,
) -> Reply {
    let why = tokio::select! {
        answered = &mut handle.rx => {
            return match answered {
                Ok(Ok(ClientResult::ElicitResult(result))) => Reply::of(&result),
                _ => Said::Nothing.into(),
            };
        }
        () = taken_back.cancelled() => "the question is obsolete",
        () = tokio::time::sleep(patience) => "the person did not answer in time",
    };
    // The client may be gone.
    let _ = handle.cancel(Some(why.to_owned())).await;
    Said::Nothing.into()
}

/// Answers a repeated call, with what the person said.
///
/// # Errors
/// Only for defects.
pub(super) async fn resume(
    server: &Server,
    row: &Row,
    state: &str,
    responses: Option<InputResponses>,
) -> Result<CallToolResponse, ErrorData> {
    let held = {
        let mut held = server.asking.held();
        let is_it = |held: &Held| held.state == state && held.operation == row.operation.name;
        held.iter().position(is_it).and_then(|at| held.remove(at))
    };
    let Some(Held { proposal, change, .. }) = held else {
        let message =
            "the question of this `requestState` is not open: it was answered, or the server was restarted";
        let hint = "ubp_list_proposals says what became of your proposals";
        return Ok(failure("invalid_params", message, Some(hint)).into());
    };
    let reply = responses.and_then(|mut responses| responses.remove(DECISION));
    let reply = reply.and_then(|reply| serde_json::from_value::<ElicitResult>(reply).ok());
    let reply = reply.map_or_else(|| Said::Nothing.into(), |reply| Reply::of(&reply));
    settle(server, proposal, reply, change).await
}

/// Does what the person said. The result is the answer of the call.
async fn settle(
    server: &Server,
    proposal: String,
    reply: Reply,
    change: Change,
) -> Result<CallToolResponse, ErrorData> {
    let outcome = decided(server, proposal, reply).await?;
    Ok(finish(server, change, &outcome).into())
}

/// What became of a proposal.
struct Outcome {
    reply: Reply,
    /// Why the person's decision could not be carried out.
    error: Option<Error>,
    /// The fields of the proposal.
    fields: Option<Value>,
}

/// Does what the person said, as the person.
async fn decided(server: &Server, proposal: String, reply: Reply) -> Result<Outcome, ErrorData> {
    let live = server.place.views().whole().clone();
    working(move || {
        let decide = |operation| {
            let params = json!({ "proposals": [&proposal], "comment": &reply.comment });
            of_person(&live, operation, params).err()
        };
        let error = match reply.said {
            Said::Accept => decide("accept_proposal"),
            Said::Reject => decide("reject_proposal"),
            Said::Later | Said::Nothing | Said::NothingYet => None,
        };
        let shown = of_person(&live, "get_proposal", json!({ "proposal": &proposal })).ok();
        let fields = shown.map(|mut shown| {
            OUTCOME_FIELDS.iter().map(|name| ((*name).to_owned(), shown[name].take())).collect()
        });
        Outcome { reply, error, fields }
    })
    .await
}

/// The answer of the call, with what became of its proposal.
fn finish(server: &Server, change: Change, outcome: &Outcome) -> rmcp::model::CallToolResult {
    let Change { mut answer, told, is_restricted } = change;
    let mut page = MarkdownPage::new(server.tools());
    let Outcome { reply, error, fields } = outcome;
    let said = match (reply.said, error) {
        (Said::Accept, None) => "The person was asked at once, and accepted this: it is written now.",
        (Said::Accept, Some(_)) => "The person was asked at once, and accepted this, but it was not written:",
        (Said::Reject, None) => "The person was asked at once, and rejected this.",
        (Said::Reject, Some(_)) => "The person was asked at once, and rejected this, but:",
        (Said::Later, _) => "The person was asked at once, and decides later.",
        (Said::Nothing, _) => "The person was asked at once, but did not decide. It waits for review.",
        (Said::NothingYet, _) => {
            "The person was asked at once, and has not decided yet. It waits for review."
        }
    };
    page.line(&[Span::Strong(said)]);
    if is_restricted && error.is_some() {
        // The reason may be a page that the agent must not see.
        page.warn(&[Span::Text("The person is told why when accepting it elsewhere.")]);
    } else if let Some(error) = error {
        page.warn(&[Span::Text(&clipped(&error.to_string()))]);
    }
    if let Some(comment) = &reply.comment {
        page.line(&[Span::Text("The person's comment:")]);
        page.quote(comment, &[]);
    }
    if let (Some(answer), Some(fields)) = (answer.as_object_mut(), fields) {
        answer.insert(OUTCOME.into(), fields.clone());
    }
    success(answer, format!("{told}\n{}", page.finish()))
}

/// Whether the client can show a form. One that names no kind of question shows forms.
fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    let asks = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// The question about a proposal; `None` if the settings say not to ask.
fn question(live: &Live, language: Language, proposal: &str) -> Option<String> {
    let asked = live.with(Caller::Person, &Silent, &Cancel::default(), |context| {
        if !context.manifest.proposals.ask {
            return Ok(None);
        }
        let shown = get_proposal::run(context, get_proposal::Params { proposal: proposal.to_owned() })?;
        let mut page = MarkdownPage::new(CommandsIn(language));
        get_proposal::show_question(&shown, &mut page);
        Ok(Some(printable(&page.finish())))
    });
    asked.ok().flatten()
}

/// Those of the proposals that were decided, withdrawn or replaced.
fn no_longer_open(live: &Live, mut proposals: Vec<String>) -> Vec<String> {
    proposals.retain(|proposal| {
        let shown = of_person(live, "get_proposal", json!({ "proposal": proposal }));
        !shown.is_ok_and(|shown| shown["may_decide"] == true)
    });
    proposals
}

fn of_person(live: &Live, operation: &str, params: Value) -> ubp_core::Result<Value> {
    let operation = find(operation).ok_or_else(|| Error::Internal(format!("no operation {operation}")))?;
    live.call(Caller::Person, operation, params, None, &Silent, &Cancel::default())
}

/// Runs `work` on a blocking thread.
async fn working<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work).await.map_err(|_| failed())
}

fn failed() -> ErrorData {
    ErrorData::internal_error("asking the person failed unexpectedly", None)
}

#[cfg(test)]
mod tests;
