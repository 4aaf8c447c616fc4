//! One tool call: runs the operation on its own thread, with progress for clients that request it, and cancels it with
//! the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject,
    ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use ubp_core::Error;
use ubp_core::manifest::AuthorRights;
use ubp_core::ops::Effect;
use ubp_core::progress::{Cancel, Progress, Stage};
use ubp_core::sessions::Witness;
use ubp_core::show::{MAX_TOKENS, MarkdownPage, MarkdownReader, Page, Reader, Tools};
use ubp_core::{Caller, Context};
use ubp_host::live::{Asker, Seen};

use super::Writing;
use super::arguments;
use super::asking::{self, Change};
use super::recording;
use super::server::Server;
use super::tools::Row;

/// Parameter with the reason for a change, of servers that propose changes.
pub(super) const REASON: &str = "reason";

/// Runs the tool, and records the answer.
///
/// # Errors
/// Only for defects: an error that the agent can fix is a result.
pub(super) async fn call(
    server: &Server,
    row: &Row,
    given: Option<JsonObject>,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let Some(recording) = recording::begin(server, &row.listed.name, given.as_ref(), &context) else {
        return answer(server, row, given, context, None).await;
    };
    let result = answer(server, row, given, context, Some(recording.witness.clone())).await;
    recording.finish(&result);
    result
}

async fn answer(
    server: &Server,
    row: &Row,
    given: Option<JsonObject>,
    context: RequestContext<RoleServer>,
    witness: Option<Arc<Witness>>,
) -> Result<CallToolResponse, ErrorData> {
    let operation = row.operation;
    let settled = arguments::settled(&row.listed.name, &row.takes, given.unwrap_or_default());
    let mut params = match settled {
        Ok(params) => params,
        Err(error) => return Ok(refused(server, row, &error).into()),
    };
    let reason = match row.takes_reason {
        true => params.remove(REASON).and_then(|reason| reason.as_str().map(str::to_owned)),
        false => None,
    };
    if row.takes_max_tokens {
        params.entry("max_tokens").or_insert(MAX_TOKENS.into());
    }
    let limit = (!is_dry_run(&params)).then(|| server.limit.clone());
    let (own, author) = (server.clone(), server.author(&context));
    let reads = operation.facts.effect == Effect::Read;
    let only_where_required = server.write != Writing::Propose;
    let proposing = (!reads)
        .then(|| server.session().proposing(Value::Object(params.clone()), reason, only_where_required));
    let tools = server.tools();
    let answer = run(&context, move |progress, cancel| {
        let Seen { rights, live } = own.seen_by(&author)?;
        let (agent, rights) = (author.name.as_deref(), Some(&*rights));
        let params = Value::Object(params);
        let reader = MarkdownReader::new(tools.clone());
        let mut page = MarkdownPage::new(tools);
        let answer = if reads {
            let asker = Asker { agent, rights, witness: witness.as_deref(), ..Asker::from(Caller::Agent) };
            let told = Some((&mut page as &mut dyn Page, &reader as &dyn Reader));
            live.call(asker, operation, params, told, progress, cancel).map(Ok)
        } else {
            live.with(Caller::Agent, progress, cancel, |context| {
                let context = Context {
                    agent,
                    rights,
                    proposing: proposing.as_ref(),
                    witness: witness.as_deref(),
                    reader: Some(&reader),
                    ..*context
                };
                let change = || (operation.call)(&context, params, Some(&mut page));
                match limit.filter(|_| !operation.facts.index_only) {
                    Some(limit) => limit.hold(context.manifest.agents.writes_per_minute, change),
                    None => change().map(Ok),
                }
            })
        };
        let is_restricted = rights.is_some_and(AuthorRights::hides);
        answer.map(|answer| answer.map(|answer| (answer, page.finish(), is_restricted)))
    })
    .await?;
    match answer {
        Ok(Ok((answer, told, is_restricted))) => {
            if server.write == Writing::No {
                return Ok(success(answer, told).into());
            }
            if reads {
                server.session().note_read(&answer);
                return Ok(success(answer, told).into());
            }
            server.session().note_proposal(&answer);
            asking::ask(server, row, Change { answer, told, is_restricted }, &context).await
        }
        Ok(Err(refused)) => {
            Ok(failure("too_many_writes", &refused.to_string(), Some(&refused.hint())).into())
        }
        Err(Error::Internal(message)) => {
            server.note_failure(row, &message);
            Err(ErrorData::internal_error(message, None))
        }
        Err(error) => Ok(refused(server, row, &error).into()),
    }
}

/// The answer to a call with an error that the caller can fix.
fn refused(server: &Server, row: &Row, error: &Error) -> CallToolResult {
    if !matches!(error, Error::Cancelled) {
        server.note_failure(row, &error.to_string());
    }
    let hint = error.hint().map(|hint| hint.told(&server.tools()));
    failure(error.code(), &error.to_string(), hint.as_deref())
}

fn is_dry_run(params: &JsonObject) -> bool {
    params.get("dry_run").and_then(Value::as_bool).unwrap_or(false)
}

/// Runs `work` on a blocking thread, until the request is cancelled.
///
/// # Errors
/// If `work` panics.
pub(super) async fn run<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    work: impl FnOnce(&dyn Progress, &Cancel) -> ubp_core::Result<T> + Send + 'static,
) -> Result<ubp_core::Result<T>, ErrorData> {
    let cancel = Cancel::default();
    let (request, lost) = (cancel.clone(), context.ct.clone());
    let watch = tokio::spawn(async move {
        lost.cancelled().await;
        request.request();
    });
    let (reporter, reports) = Reporter::new();
    let told = context
        .meta
        .get_progress_token()
        .map(|token| tokio::spawn(tell(context.peer.clone(), token, reports)));
    let finished = tokio::task::spawn_blocking(move || {
        let reporter = reporter;
        work(&reporter, &cancel)
    })
    .await;
    watch.abort();
    if let Some(told) = told {
        // The sender is dropped: this sends the last progress before the answer.
        let _ = told.await;
    }
    finished.map_err(|_| ErrorData::internal_error("the operation failed unexpectedly", None))
}

/// Receives progress on the working thread. Drops reports if the channel is full.
struct Reporter {
    sender: mpsc::Sender<Report>,
    last: AtomicU64,
}

struct Report {
    stage: Stage,
    done: usize,
    total: usize,
}

impl Reporter {
    fn new() -> (Self, mpsc::Receiver<Report>) {
        let (sender, receiver) = mpsc::channel(16);
        (Self { sender, last: AtomicU64::new(u64::MAX) }, receiver)
    }
}

impl Progress for Reporter {
    fn advance(&self, stage: Stage, done: usize, total: usize) {
        // At most one report per percent.
        let percent = (done * 100).checked_div(total).unwrap_or(0) as u64;
        let step = (stage as u64) << 32 | percent;
        if self.last.swap(step, Ordering::Relaxed) != step {
            let _ = self.sender.try_send(Report { stage, done, total });
        }
    }
}

async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut reports: mpsc::Receiver<Report>) {
    let (mut before, mut stage) = (0.0, None);
    let mut last = -1.0;
    while let Some(report) = reports.recv().await {
        if stage.is_some_and(|stage| stage != report.stage) {
            before = f64::max(last, 0.0);
        }
        stage = Some(report.stage);
        // MCP requires progress to increase, also across stages.
        let now = before + report.done as f64;
        if now <= last {
            continue;
        }
        last = now;
        let message = match report.stage {
            Stage::Pages => "reading pages",
            Stage::Links => "resolving links",
            Stage::Vectors => "computing vectors",
            Stage::Queries => "running queries",
            Stage::Suggestions => "comparing pages",
            Stage::Site => "writing pages",
            Stage::Comparisons => "comparing memories",
            Stage::Files => "writing files",
            Stage::History => "replaying history",
        };
        let param = ProgressNotificationParam::new(token.clone(), now)
            .with_total(before + report.total as f64)
            .with_message(message);
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

/// A tool result.
pub(super) fn success(answer: Value, told: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(told)]);
    result.structured_content = Some(answer);
    result
}

/// A tool result for an error that the caller can fix.
pub(super) fn failure(code: &str, message: &str, hint: Option<&str>) -> CallToolResult {
    let message = clipped(message);
    let mut text = format!("error ({code}): {message}");
    if let Some(hint) = hint {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    let mut meta = MetaObject::default();
    meta.0
        .insert("unified-blueprint/error".into(), json!({ "code": code, "message": message, "hint": hint }));
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}

/// An engine error as a protocol error, for requests without a result for it.
pub(super) fn protocol_error(server: &Server, error: &Error) -> ErrorData {
    protocol_error_with(&server.tools(), error)
}

/// The same for a server with these tools.
pub(super) fn protocol_error_with(tools: &Tools, error: &Error) -> ErrorData {
    let hint = error.hint().map(|hint| hint.told(tools));
    let data = Some(json!({ "code": error.code(), "hint": hint }));
    let message = clipped(&error.to_string());
    match error {
        Error::PageNotFound { .. } => ErrorData::resource_not_found(message, data),
        Error::InvalidParams { .. } | Error::AmbiguousPage { .. } | Error::OutsideProject { .. } => {
            ErrorData::invalid_params(message, data)
        }
        _ => ErrorData::internal_error(message, data),
    }
}

/// A message shortened in the middle. It may quote long input of the client; its end says what is wrong.
pub(super) fn clipped(message: &str) -> String {
    const BEGINNING: usize = 1_500;
    const END: usize = 500;
    if message.len() <= BEGINNING + END {
        return message.to_owned();
    }
    let beginning = message.floor_char_boundary(BEGINNING);
    let end = message.ceil_char_boundary(message.len() - END);
    let parts = (message.get(..beginning), message.get(end..));
    format!("{} … {}", parts.0.unwrap_or_default(), parts.1.unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_long_input_is_shortened_in_the_middle() {
        assert_eq!(clipped("no page 'x'"), "no page 'x'");
        let clip = clipped(&format!("no page '{}': look at ubp_list_pages", "頁".repeat(1_000_000)));
        assert!(clip.len() < 2_100 && clip.starts_with("no page '頁"), "{clip}");
        assert!(clip.ends_with("頁': look at ubp_list_pages"), "{clip}");
        let result = failure("page_not_found", &"x".repeat(1_000_000), None);
        assert!(serde_json::to_string(&result).unwrap().len() < 5_000);
    }
}
