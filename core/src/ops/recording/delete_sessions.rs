//! Deletes recorded sessions of agents.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::ops::Facts;
use crate::ops::moment::moment;
use crate::path::{session_file, session_of_file};
use crate::sessions::{find_id, read_beginning_with};
use crate::show::{Page, Span, counted};
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::destroying("Delete recorded sessions of agents.")
    .command("sessions delete")
    .arguments(&["sessions"])
    .button("Delete");

/// Which sessions to delete: `sessions`, `before` or `all`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Their ids, or the beginnings of them.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// Those without an answer since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`.
    pub before: Option<String>,
    /// All sessions.
    #[serde(default)]
    pub all: bool,
}

/// What was deleted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Ids of the deleted sessions, sorted.
    pub deleted: Vec<String>,
}

/// Deletes the sessions.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown session, an invalid time, and if not exactly one choice is made; nothing is
/// deleted then. [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let chosen = [!params.sessions.is_empty(), params.before.is_some(), params.all];
    if chosen.iter().filter(|&&is_chosen| is_chosen).count() != 1 {
        return Err(Error::invalid(message!("give the sessions to delete, or `before`, or `all`")));
    }
    let mut names: Vec<String> = if params.all {
        // Also files that cannot be read.
        context.source.session_files()?
    } else if let Some(before) = &params.before {
        let before = moment("before", before, context.clock.now())?;
        // Also those that are too old to be listed.
        let old = |last: &str| last.parse::<Timestamp>().is_ok_and(|last| last < before);
        let old = read_beginning_with(context, "")?.into_iter().filter(|kept| old(&kept.fields.last_at));
        old.map(|kept| session_file(&kept.fields.session)).collect()
    } else {
        let found = params.sessions.iter().map(|name| Ok(session_file(&find_id(context, name)?)));
        found.collect::<Result<_>>()?
    };
    names.sort_unstable();
    names.dedup();
    names.iter().try_for_each(|name| context.source.remove_session(name))?;
    let deleted = names.iter().filter_map(|name| session_of_file(name)).map(str::to_owned).collect();
    Ok(Output { deleted })
}

/// Shows how many sessions were deleted.
pub fn show(output: &Output, page: &mut dyn Page) {
    let sessions = counted(output.deleted.len(), "session", "sessions");
    page.note(&[Span::said(&message!("deleted {sessions}", sessions))]);
}
