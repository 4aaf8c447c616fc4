//! One call of a tool: the operation on a thread of its own, stopped when the client loses interest,
//! with progress for clients that want it.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use ubp_core::Error;
use ubp_core::ops::Effect;
use ubp_core::progress::{Cancel, Progress, Stage};
use ubp_core::{Caller, Context};
use ubp_host::live::Asker;

use super::markdown::MarkdownPage;
use super::server::Server;
use super::tools::Row;

/// Tokens of an answer unless the caller says otherwise: what leaves an agent's window usable. 50,000
/// characters, as for a page with its context.
const MAX_TOKENS: usize = 12_500;

/// Runs the tool.
///
/// # Errors
/// Only for defects: everything that an agent can mend is a result.
pub(super) async fn call(
    server: &Server,
    row: &Row,
    arguments: Option<JsonObject>,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let operation = row.operation;
    let mut params = arguments.unwrap_or_default();
    if row.takes_max_tokens {
        params.entry("max_tokens").or_insert(MAX_TOKENS.into());
    }
    let limit = (!is_dry_run(&params)).then(|| server.limit.clone());
    let max_tokens = params.get("max_tokens").and_then(Value::as_u64);
    let live = server.live.clone();
    // The audit log tells people which client it was.
    let agent = context.client_info().map(|client| {
        // A name is a name: a client that sends more does not fill the log with it.
        format!("{} {}", client.name, client.version).chars().take(100).collect::<String>()
    });
    let answer = run(&context, move |progress, cancel| {
        let params = Value::Object(params);
        let mut page = MarkdownPage::default();
        let answer = if operation.facts.effect == Effect::Read {
            let asker = Asker { caller: Caller::Agent, agent: agent.as_deref() };
            live.call(asker, operation, params, Some(&mut page), progress, cancel).map(Ok)
        } else {
            live.with(Caller::Agent, progress, cancel, |context| {
                let context = Context { agent: agent.as_deref(), ..*context };
                let change = || (operation.call)(&context, params, Some(&mut page));
                match limit.filter(|_| !operation.facts.index_only) {
                    Some(limit) => limit.hold(context.manifest.agents.writes_per_minute, change),
                    None => change().map(Ok),
                }
            })
        };
        answer.map(|answer| answer.map(|answer| (answer, page.finish())))
    })
    .await?;
    if let (Some(failed), Err(error)) = (&server.failed, &answer)
        && !matches!(error, Error::Cancelled)
    {
        failed(&clipped(&format!("{}: {error}", operation.mcp_name)));
    }
    match answer {
        Ok(Ok((answer, told))) => Ok(success(answer, told, max_tokens)),
        Ok(Err(refused)) => Ok(failure("too_many_writes", &refused.to_string(), Some(&refused.hint()))),
        Err(Error::Internal(message)) => Err(ErrorData::internal_error(message, None)),
        Err(error) => Ok(failure(error.code(), &error.to_string(), error.hint().as_deref())),
    }
}

fn is_dry_run(params: &JsonObject) -> bool {
    params.get("dry_run").and_then(Value::as_bool).unwrap_or(false)
}

/// Runs `work` on a thread where it may wait, for as long as the request stands.
///
/// # Errors
/// When `work` panics.
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
        // The reporter is gone: what it said last still goes out before the answer.
        let _ = told.await;
    }
    finished.map_err(|_| ErrorData::internal_error("the operation failed unexpectedly", None))
}

/// Hears of progress on the working thread, and passes on what there is room for.
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
        // A hundred steps of a stage are enough for anybody.
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
        // Progress only ever grows, over all stages together.
        let now = before + report.done as f64;
        if now <= last {
            continue;
        }
        last = now;
        let message = match report.stage {
            Stage::Pages => "reading pages",
            Stage::Links => "resolving links",
            Stage::Vectors => "computing vectors",
            Stage::Queries => "asking queries",
            Stage::Suggestions => "looking for links",
            Stage::Site => "writing pages",
            Stage::Comparisons => "comparing memories",
        };
        let param = ProgressNotificationParam::new(token.clone(), now)
            .with_total(before + report.total as f64)
            .with_message(message);
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

fn success(answer: Value, mut told: String, max_tokens: Option<u64>) -> CallToolResult {
    if max_tokens.is_some_and(|most| ubp_core::text::estimate_tokens(&told) as u64 > most) {
        // Its size is promised, that of the text is not.
        told = answer.to_string();
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(told)]);
    result.structured_content = Some(answer);
    result
}

/// An error that the caller can do something about.
fn failure(code: &str, message: &str, hint: Option<&str>) -> CallToolResult {
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

/// A core error where the protocol has no result to put it in.
pub(super) fn protocol_error(error: &Error) -> ErrorData {
    let data = Some(json!({ "code": error.code(), "hint": error.hint() }));
    let message = clipped(&error.to_string());
    match error {
        Error::PageNotFound { .. } => ErrorData::resource_not_found(message, data),
        Error::InvalidParams { .. } | Error::AmbiguousPage { .. } | Error::OutsideProject { .. } => {
            ErrorData::invalid_params(message, data)
        }
        _ => ErrorData::internal_error(message, data),
    }
}

/// A message that quotes what a client sent, however long that was: its beginning and its end, which
/// says what was wrong.
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
    fn a_message_is_never_as_long_as_what_it_quotes() {
        assert_eq!(clipped("no page 'x'"), "no page 'x'");
        let clip = clipped(&format!("no page '{}': look at ubp_list_pages", "頁".repeat(1_000_000)));
        assert!(clip.len() < 2_100 && clip.starts_with("no page '頁"), "{clip}");
        assert!(clip.ends_with("頁': look at ubp_list_pages"), "{clip}");
        let result = failure("page_not_found", &"x".repeat(1_000_000), None);
        assert!(serde_json::to_string(&result).unwrap().len() < 5_000);
    }
}
