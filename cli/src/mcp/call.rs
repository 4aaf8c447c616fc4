//! One call of a tool: the operation on a thread of its own, stopped when the client loses interest,
//! with progress for clients that want it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, JsonObject, MetaObject, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use ubp_core::Error;
use ubp_core::ops::{Caller, Context, Effect};
use ubp_core::progress::{Cancel, Progress, Stage};

use super::server::Server;
use super::text;
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
    if operation.effect != Effect::Read
        && !is_dry_run(&params)
        && let Err(wait) = server.limit.take()
    {
        let message = format!("{} changes within a minute are the limit", server.limit.per_minute());
        let hint = format!(
            "go on in {} seconds; `agents.writes_per_minute` in .ubp/manifest.json raises the limit",
            wait.as_secs() + 1
        );
        return Ok(failure("too_many_writes", &message, Some(&hint)));
    }
    let max_tokens = params.get("max_tokens").and_then(Value::as_u64);
    let live = server.live.clone();
    // The audit log tells people which client it was.
    let agent = context.client_info().map(|client| format!("{} {}", client.name, client.version));
    let answer = run(&context, move |progress, cancel| {
        let params = Value::Object(params);
        if operation.effect == Effect::Read {
            return live.call(Caller::Agent, operation.name, params, progress, cancel);
        }
        live.with(Caller::Agent, progress, cancel, |context| {
            Context { agent: agent.as_deref(), ..*context }.call(operation.name, params)
        })
    })
    .await?;
    match answer {
        Ok(answer) => Ok(success(operation.name, answer, max_tokens)),
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
        };
        let param = ProgressNotificationParam::new(token.clone(), now)
            .with_total(before + report.total as f64)
            .with_message(message);
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

fn success(name: &str, answer: Value, max_tokens: Option<u64>) -> CallToolResult {
    let mut shown = text::render(name, &answer);
    if max_tokens.is_some_and(|most| ubp_core::text::estimate_tokens(&shown) as u64 > most) {
        // Its size is promised, that of the text is not.
        shown = answer.to_string();
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(shown)]);
    result.structured_content = Some(answer);
    result
}

/// An error that the caller can do something about.
fn failure(code: &str, message: &str, hint: Option<&str>) -> CallToolResult {
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
    match error {
        Error::PageNotFound { .. } => ErrorData::resource_not_found(error.to_string(), data),
        Error::InvalidParams { .. } | Error::AmbiguousPage { .. } | Error::OutsideProject { .. } => {
            ErrorData::invalid_params(error.to_string(), data)
        }
        _ => ErrorData::internal_error(error.to_string(), data),
    }
}

/// How many changes agents may make.
pub(super) struct Limit {
    per_minute: usize,
    times: std::sync::Mutex<std::collections::VecDeque<std::time::Instant>>,
}

impl Limit {
    pub(super) fn new(per_minute: usize) -> Arc<Self> {
        Arc::new(Self { per_minute, times: std::sync::Mutex::default() })
    }

    fn per_minute(&self) -> usize {
        self.per_minute
    }

    /// Counts a change, or says how long to wait for the next one.
    fn take(&self) -> Result<(), std::time::Duration> {
        const MINUTE: std::time::Duration = std::time::Duration::from_secs(60);
        let now = std::time::Instant::now();
        let mut times = self.times.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while times.front().is_some_and(|first| now.duration_since(*first) >= MINUTE) {
            times.pop_front();
        }
        match times.front() {
            Some(first) if times.len() >= self.per_minute => Err(MINUTE - now.duration_since(*first)),
            None if self.per_minute == 0 => Err(MINUTE),
            _ => {
                times.push_back(now);
                Ok(())
            }
        }
    }
}
