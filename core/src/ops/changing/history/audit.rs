//! The log of changes made through UBP: who made them, and their outcome. An agent sees only its own changes.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::message;
use crate::message::Style;
use crate::ops::moment::moment;
use crate::ops::page::{Found, PageName, look_up, path_of, readings};
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::writing::audit::{AuditLog, Entry, OutcomeKind, goes_by, is_same_agent};
use crate::writing::shorten;
use crate::{Caller, Context};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("List the changes made through UBP, latest first.")
    .tool(Tool::Writing)
    .quoting_pages()
    .command("audit")
    .arguments(&["entry"]);

/// Stands for all people, who have no names here.
const PERSON: &str = "person";

/// Default number of entries.
const DEFAULT_LIMIT: usize = 20;

/// Selects the changes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only changes of this page: path (current or former), id, title or alias.
    pub page: Option<String>,
    /// Only changes by `person`, or made or proposed by the agent of this name.
    #[schemars(extend("x-for-programs" = true))]
    pub by: Option<String>,
    /// Only changes since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`.
    pub since: Option<String>,
    /// Only this change, or this group of changes, by its id; includes the full texts.
    pub entry: Option<String>,
    /// Maximum number of entries (1 to 1000, default: 20).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// The changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The requested change.
    pub entry: Option<String>,
    /// The changes, latest first.
    pub entries: Vec<AuditEntry>,
    /// Number of changes, including those beyond `limit`.
    pub total: usize,
    #[serde(skip)]
    is_filtered: bool,
}

/// A change of one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Its id.
    pub id: String,
    /// Id of the group of changes that `undo` undoes together.
    pub group: String,
    /// When, RFC 3339.
    pub at: String,
    /// Who made it.
    pub caller: Caller,
    /// The name that the agent gave.
    pub agent: Option<String>,
    /// The accepted proposal; `agent` is then the agent that made it.
    pub proposal: Option<String>,
    /// The operation.
    pub operation: String,
    /// Path of the page; for a file of reviews or decisions, `.ubp/` and its name.
    pub filepath: String,
    /// Its previous path, if it moved.
    pub moved_from: Option<String>,
    /// Its path in `.ubp/trash/`, if it was deleted.
    pub trash: Option<String>,
    /// SHA-256 of the file before; absent for a new page.
    pub previous_hash: Option<String>,
    /// SHA-256 of the file after; absent for a deleted page.
    pub content_hash: Option<String>,
    /// Whether the change succeeded.
    pub outcome: OutcomeKind,
    /// The group that it undid.
    pub undoes: Option<String>,
    /// The group that undid it.
    pub undone_by: Option<String>,
    /// Unified diff. For agents, empty in a list and at most 8,000 bytes.
    pub diff: String,
    /// Text before; only for a requested entry, and absent if it is not text or did not change.
    pub before: Option<String>,
    /// Text after, under the same conditions.
    pub after: Option<String>,
}

/// Lists the changes.
///
/// # Errors
/// [`Error::InvalidParams`] for a limit out of range or an unknown entry; [`Error::PageNotFound`] and
/// [`Error::AmbiguousPage`] for a page that neither exists nor existed; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=1000).contains(&limit) {
        return Err(Error::invalid(message!("limit is {limit}; it must be from 1 to 1000", limit)));
    }
    let log = AuditLog::read(context.source)?;
    let whole = params.entry.is_some();
    let mut entries: Vec<&Entry> = log.entries.iter().filter(|entry| is_theirs(context, entry)).collect();
    if let Some(name) = &params.entry {
        entries.retain(|entry| entry.id == *name || entry.group == *name);
        if entries.is_empty() {
            return Err(unknown(context, name));
        }
    }
    if let Some(name) = &params.page {
        let path = context.index.read(|db| match look_up(db, name)? {
            Found::Page(page) => path_of(db, page).map(Some),
            _ => Ok(None),
        })?;
        let is_there = path.is_some();
        // The changes of a deleted page are still listed.
        let paths = path.map_or_else(|| readings(context.pages_dir(), name.trim()), |path| vec![path]);
        let is_asked = |path: &str| paths.iter().any(|asked| asked == path);
        entries.retain(|entry| is_asked(&entry.path) || entry.from.as_deref().is_some_and(is_asked));
        if entries.is_empty() && !is_there {
            context.index.read(|db| PageName { page: Some(name), ..PageName::default() }.require(db))?;
        }
    }
    if let Some(name) = &params.by {
        let all = entries.clone();
        entries.retain(|entry| is_by(entry, name));
        if entries.is_empty() && !all.is_empty() {
            return Err(unknown_author(name, &all));
        }
    }
    if let Some(since) = &params.since {
        let since = moment("since", since, context.clock.now())?;
        entries.retain(|entry| entry.at.parse::<Timestamp>().is_ok_and(|at| at >= since));
    }
    let total = entries.len();
    let mut entries: Vec<AuditEntry> =
        entries.into_iter().rev().take(limit).map(|entry| shown(&log, entry, whole)).collect();
    if context.caller == Caller::Agent {
        for entry in &mut entries {
            // Full texts would fill the context window of a model, which can read the page instead.
            (entry.before, entry.after) = (None, None);
            if whole { shorten(&mut entry.diff) } else { entry.diff.clear() }
        }
    }
    let is_filtered = params.page.is_some() || params.since.is_some();
    Ok(Output { entry: params.entry, entries, total, is_filtered })
}

/// Whether the caller may see and undo the change: people may for every change, agents only for changes that agents of
/// the same name made or proposed.
pub(crate) fn is_theirs(context: &Context<'_>, entry: &Entry) -> bool {
    let by_agent = entry.caller == Caller::Agent || entry.proposal.is_some();
    context.caller == Caller::Person || (by_agent && is_same_agent(entry.agent.as_deref(), context.agent))
}

/// Whether a person made the change, or the agent of this name made or proposed it.
fn is_by(entry: &Entry, name: &str) -> bool {
    let name = name.trim();
    if name == PERSON {
        return entry.caller == Caller::Person && entry.proposal.is_none();
    }
    entry.agent.as_deref().is_some_and(|agent| goes_by(agent, name))
}

fn unknown_author(name: &str, entries: &[&Entry]) -> Error {
    let mut names: BTreeSet<&str> = entries.iter().filter_map(|entry| entry.agent.as_deref()).collect();
    if entries.iter().any(|entry| is_by(entry, PERSON)) {
        names.insert(PERSON);
    }
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    Error::invalid(message!("no change is by '{name}'; changes are by: {names}", name, names))
}

pub(crate) fn unknown(context: &Context<'_>, name: &str) -> Error {
    match context.caller {
        Caller::Person => Error::invalid_with_hint(
            message!("unknown change '{name}'", name),
            message!("{audit} lists them", audit = Next::call("audit")),
        ),
        Caller::Agent => Error::invalid(message!(
            "unknown change '{name}'; an agent can list and undo only its own changes",
            name
        )),
    }
}

fn shown(log: &AuditLog, entry: &Entry, whole: bool) -> AuditEntry {
    AuditEntry {
        id: entry.id.clone(),
        group: entry.group.clone(),
        at: entry.at.clone(),
        caller: entry.caller,
        agent: entry.agent.clone(),
        proposal: entry.proposal.clone(),
        operation: entry.operation.clone(),
        filepath: entry.path.clone(),
        moved_from: entry.from.clone(),
        trash: entry.trash.clone().filter(|_| entry.after_hash.is_none()),
        previous_hash: entry.before_hash.clone(),
        content_hash: entry.after_hash.clone(),
        outcome: log.outcome(entry),
        undoes: entry.undoes.clone(),
        undone_by: log.undone_by(entry).map(str::to_owned),
        diff: entry.diff(),
        before: entry.before.clone().filter(|_| whole),
        after: entry.after.clone().filter(|_| whole),
    }
}

/// Lists the changes; a requested change with its diff.
pub fn show(output: &Output, page: &mut dyn Page) {
    for entry in &output.entries {
        let time = entry.at.get(..19).unwrap_or(&entry.at).replace('T', " ");
        let who = match (entry.caller, &entry.agent) {
            (Caller::Person, Some(agent)) if entry.proposal.is_some() => {
                message!("person, proposed by {agent}", agent)
            }
            (Caller::Person, None) if entry.proposal.is_some() => message!("person, proposed by an agent"),
            (Caller::Person, _) => message!("person"),
            (Caller::Agent, Some(name)) => message!("agent {name}", name),
            (Caller::Agent, None) => message!("agent"),
        };
        let (time, operation) = (format!("  {time}  "), format!("  {}  ", entry.operation));
        let mut line =
            vec![Span::Code(&entry.id), Span::Text(&time), Span::said(&who), Span::Text(&operation)];
        if let Some(from) = &entry.moved_from {
            line.extend([Span::Path(from), Span::Text(" -> ")]);
        }
        line.push(Span::Path(&entry.filepath));
        let mark = match (entry.outcome, &entry.undone_by) {
            (_, Some(_)) => Some((Style::Faint, message!("[undone]"))),
            (OutcomeKind::Done, None) => None,
            (OutcomeKind::Failed, None) => Some((Style::Faint, message!("[failed, nothing changed]"))),
            (OutcomeKind::HalfDone, None) => Some((Style::Alarm, message!("[half done]"))),
            (OutcomeKind::Unfinished, None) => Some((Style::Alarm, message!("[unfinished]"))),
        };
        if let Some((style, mark)) = &mark {
            line.extend([Span::Text("  "), Span::Said(*style, mark)]);
        }
        page.line(&line);
        if output.entry.is_some() {
            page.diff(&entry.diff);
        }
    }
    let shown = output.entries.len();
    if output.entries.is_empty() {
        let told = match output.is_filtered {
            true => message!("no such changes"),
            false => message!("nothing was changed through ubp yet"),
        };
        page.note(&[Span::said(&told)]);
    } else if output.total > shown {
        let total = output.total;
        page.note(&[Span::said(&message!(
            "{shown} of {total} changes; a higher limit shows more",
            shown,
            total
        ))]);
    }
}
