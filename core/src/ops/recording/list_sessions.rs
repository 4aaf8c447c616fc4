//! The recorded sessions of agents, on this machine alone.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::message;
use crate::ops::moment::moment;
use crate::ops::page::PageName;
use crate::ops::page::path_of;
use crate::ops::{Facts, budget};
use crate::sessions::{SessionFields, read_all};
use crate::show::{Page, Span, counted, to_the_second};
use crate::writing::audit::goes_by;
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the recorded sessions of agents, latest first.").command("sessions");

/// Default number of sessions.
const DEFAULT_LIMIT: usize = 20;

/// Selects the sessions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only sessions with an answer since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`.
    pub since: Option<String>,
    /// Only those of this client, by its name, with or without the version.
    pub agent: Option<String>,
    /// Only those that got text of this page: path, id, title or alias.
    pub page: Option<String>,
    /// Maximum number of sessions (1 to 1000, default: 20).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// The sessions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The sessions, latest first.
    pub sessions: Vec<SessionFields>,
    /// Number of matching sessions, including those beyond `limit`.
    pub total: usize,
    /// Whether new sessions are recorded: the setting `sessions.record`.
    pub recording: bool,
    /// Days until a session is deleted: the setting `sessions.keep_days`.
    pub keep_days: u32,
}

/// Lists the sessions.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a limit or time that is invalid; [`crate::Error::PageNotFound`],
/// [`crate::Error::AmbiguousPage`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, DEFAULT_LIMIT, 1, 1000)?;
    let since =
        params.since.as_deref().map(|since| moment("since", since, context.clock.now())).transpose()?;
    let page = params.page.as_deref().map(|name| {
        context.index.read(|db| {
            let page = PageName { page: Some(name), ..PageName::default() }.require(db)?;
            path_of(db, page)
        })
    });
    let page = page.transpose()?;
    let mut sessions = read_all(context)?;
    sessions.retain(|kept| {
        let last = kept.fields.last_at.parse::<Timestamp>().ok();
        let agent = kept.fields.agent.as_deref();
        since.is_none_or(|since| last.is_some_and(|last| last >= since))
            && params
                .agent
                .as_deref()
                .is_none_or(|name| agent.is_some_and(|agent| goes_by(agent, name.trim())))
            && page.as_ref().is_none_or(|page| kept.pages.contains(page))
    });
    let total = sessions.len();
    let settings = context.manifest.sessions;
    let sessions = sessions.into_iter().take(limit).map(|kept| kept.fields).collect();
    Ok(Output { sessions, total, recording: settings.record, keep_days: settings.keep_days })
}

/// Shows the sessions, with what to do next.
pub fn show(output: &Output, page: &mut dyn Page) {
    let row = |session: &SessionFields| {
        vec![
            session.session.clone(),
            to_the_second(&session.started_at).replace('T', " ").trim_end_matches('Z').to_owned(),
            session.answer_count.to_string(),
            session.error_count.to_string(),
            session.tokens.to_string(),
            session.page_count.to_string(),
            session.agent.clone().unwrap_or_default(),
        ]
    };
    if !output.sessions.is_empty() {
        let columns = [
            message!("session"),
            message!("started (UTC)"),
            message!("answers"),
            message!("errors"),
            message!("tokens"),
            message!("pages"),
            message!("client"),
        ];
        page.table(&columns, &output.sessions.iter().map(row).collect::<Vec<_>>());
    }
    let shown = output.sessions.len();
    let count = match shown == output.total {
        true => message!(
            "{shown}, on this machine only; deleted after {days}",
            shown = counted(shown, "session", "sessions"),
            days = counted(output.keep_days as usize, "day", "days")
        ),
        false => {
            message!("{shown} of {total} sessions; a higher limit shows more", shown, total = output.total)
        }
    };
    page.note(&[Span::said(&count)]);
    if !output.recording {
        page.note(&[Span::said(&message!(
            "new sessions are not recorded: `sessions.record` is false in the manifest"
        ))]);
    }
    if let Some(first) = output.sessions.first() {
        let next = Next::call("get_session").with("session", first.session.as_str());
        page.hint(&[Span::said(&message!("{command} shows its answers", command = next))]);
    }
}
