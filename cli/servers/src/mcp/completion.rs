//! Completes arguments of prompts and resources: names of pages, and files that pages may describe.

use rmcp::RoleServer;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use rmcp::service::RequestContext;
use serde_json::json;
use ubp_core::Caller;
use ubp_core::ops::named;

use super::call::{self, protocol_error};
use super::server::Server;

/// Minimum characters to complete a file name: shorter ones would match most of a repository.
const SHORTEST: usize = 2;

/// Values for the argument being typed; none for free text.
pub(super) async fn complete(
    server: &Server,
    request: &CompleteRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CompleteResult, ErrorData> {
    let typed = request.argument.value.clone();
    let argument = request.argument.name.as_str();
    let (values, total) = match (&request.r#ref, argument) {
        (Reference::Resource(_), "path") => pages(server, typed, "filepath", context).await?,
        (Reference::Prompt(_), "page" | "area") => pages(server, typed, "name", context).await?,
        (Reference::Prompt(_), "file") => files(server, typed, context).await?,
        _ => (Vec::new(), 0),
    };
    result(values, total)
}

/// These values of `total`.
pub(super) fn result(values: Vec<String>, total: usize) -> Result<CompleteResult, ErrorData> {
    let more = total > values.len();
    let mut completion =
        CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(more);
    Ok(CompleteResult::new(completion))
}

async fn pages(
    server: &Server,
    typed: String,
    field: &'static str,
    context: RequestContext<RoleServer>,
) -> Result<(Vec<String>, usize), ErrorData> {
    let (own, author) = (server.clone(), server.author(&context));
    let params = json!({ "text": typed, "limit": CompletionInfo::MAX_VALUES });
    let answer = call::run(&context, move |progress, cancel| {
        let live = own.seen_by(&author)?.live;
        live.call(Caller::Agent, named("complete")?, params, None, progress, cancel)
    })
    .await?
    .map_err(|error| protocol_error(server, &error))?;
    let pages = answer["pages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let values = pages.iter().filter_map(|page| page[field].as_str().map(str::to_owned)).collect();
    Ok((values, answer["total"].as_u64().and_then(|total| usize::try_from(total).ok()).unwrap_or(0)))
}

async fn files(
    server: &Server,
    typed: String,
    context: RequestContext<RoleServer>,
) -> Result<(Vec<String>, usize), ErrorData> {
    if typed.chars().count() < SHORTEST {
        return Ok((Vec::new(), 0));
    }
    let (own, author) = (server.clone(), server.author(&context));
    let mut found = call::run(&context, move |progress, cancel| {
        own.seen_by(&author)?.live.with(Caller::Agent, progress, cancel, |context| {
            let name = literal(&typed);
            context.source.match_sources(&[format!("{name}*"), format!("{name}*/**"), format!("**/*{name}*")])
        })
    })
    .await?
    .map_err(|error| protocol_error(server, &error))?;
    let total = found.len();
    found.truncate(CompletionInfo::MAX_VALUES);
    Ok((found, total))
}

/// `text` escaped for use in a glob.
fn literal(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '!') {
            glob.push('[');
            glob.push(c);
            glob.push(']');
        } else {
            glob.push(c);
        }
    }
    glob
}
