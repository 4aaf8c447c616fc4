//! What was changed through UBP, by whom, and what came of it. An agent sees only its own changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::page::{Found, look_up, path_of};
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::writing::audit::{AuditLog, Entry, OutcomeKind};
use crate::writing::shorten;
use crate::{Caller, Context};
use crate::{Error, Result};

/// What surfaces know of it.
pub const FACTS: Facts = Facts::reading("List the changes that were made through UBP, the latest first.")
    .tool(Tool::Writing)
    .quoting_pages()
    .command("audit");

/// Entries when nothing else is asked for.
const DEFAULT_LIMIT: usize = 20;

/// Which changes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only changes of this page: path (also a former one), id, title or alias.
    pub page: Option<String>,
    /// Only this change, or this group of changes, by its id; with the whole texts.
    pub entry: Option<String>,
    /// Most entries (1 to 1000, default 20).
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// The changes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The change that was asked for.
    pub entry: Option<String>,
    /// The latest first.
    pub entries: Vec<AuditEntry>,
    /// How many there are, those left out included.
    pub total: usize,
}

/// A change of one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Names it.
    pub id: String,
    /// Names the changes that belong together: what `undo` takes back.
    pub group: String,
    /// When, RFC 3339.
    pub at: String,
    /// Who asked for it.
    pub caller: Caller,
    /// What the agent calls itself.
    pub agent: Option<String>,
    /// The operation.
    pub operation: String,
    /// Path of the page; of a file of reviews or decisions, `.ubp/` and its name.
    pub filepath: String,
    /// Its path before, if it moved.
    pub moved_from: Option<String>,
    /// Where it lies below `.ubp/trash/`, if it was deleted.
    pub trash: Option<String>,
    /// SHA-256 of the file before; absent for a new page.
    pub previous_hash: Option<String>,
    /// SHA-256 of the file after; absent for a deleted page.
    pub content_hash: Option<String>,
    /// What came of it.
    pub outcome: OutcomeKind,
    /// The group that it took back.
    pub undoes: Option<String>,
    /// The group that took it back.
    pub undone_by: Option<String>,
    /// Unified diff. For agents empty in a list, and at most 8,000 bytes.
    pub diff: String,
    /// Text before; only where one entry is asked for, and absent where it is no text or did not change.
    pub before: Option<String>,
    /// Text after, likewise.
    pub after: Option<String>,
}

/// Lists the changes.
///
/// # Errors
/// [`Error::InvalidParams`] for a limit out of range or an unknown entry; [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=1000).contains(&limit) {
        return Err(Error::invalid(format!("limit is {limit}; it must be from 1 to 1000")));
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
        let path = path.as_deref().unwrap_or(name);
        entries.retain(|entry| entry.path == path || entry.from.as_deref() == Some(path));
    }
    let total = entries.len();
    let mut entries: Vec<AuditEntry> =
        entries.into_iter().rev().take(limit).map(|entry| shown(&log, entry, whole)).collect();
    if context.caller == Caller::Agent {
        for entry in &mut entries {
            // Whole texts would fill the window of a model, which can read the page.
            (entry.before, entry.after) = (None, None);
            if whole { shorten(&mut entry.diff) } else { entry.diff.clear() }
        }
    }
    Ok(Output { entry: params.entry, entries, total })
}

/// Whether the caller may see and undo the change: a person every change, an agent only changes by agents of the same
/// name.
pub(crate) fn is_theirs(context: &Context<'_>, entry: &Entry) -> bool {
    // The version of the client follows the last space.
    let name = |agent: Option<&str>| {
        agent.map(|agent| agent.rsplit_once(' ').map_or(agent, |(name, _)| name).to_owned())
    };
    context.caller == Caller::Person
        || (entry.caller == Caller::Agent && name(entry.agent.as_deref()) == name(context.agent))
}

pub(crate) fn unknown(context: &Context<'_>, name: &str) -> Error {
    Error::invalid(match context.caller {
        Caller::Person => format!("no change is called '{name}'; `ubp audit` lists them"),
        Caller::Agent => format!("unknown change '{name}'; an agent can list and undo only its own changes"),
    })
}

fn shown(log: &AuditLog, entry: &Entry, whole: bool) -> AuditEntry {
    AuditEntry {
        id: entry.id.clone(),
        group: entry.group.clone(),
        at: entry.at.clone(),
        caller: entry.caller,
        agent: entry.agent.clone(),
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

/// Lists the changes; one that was asked for with its diff.
pub fn show(output: &Output, page: &mut dyn Page) {
    for entry in &output.entries {
        let time = entry.at.get(..19).unwrap_or(&entry.at).replace('T', " ");
        let who = match (entry.caller, &entry.agent) {
            (Caller::Person, _) => "person".to_owned(),
            (Caller::Agent, Some(name)) => format!("agent {name}"),
            (Caller::Agent, None) => "agent".to_owned(),
        };
        let facts = format!("  {time}  {who}  {}  ", entry.operation);
        let mut line = vec![Span::Code(&entry.id), Span::Text(&facts)];
        if let Some(from) = &entry.moved_from {
            line.extend([Span::Path(from), Span::Text(" -> ")]);
        }
        line.push(Span::Path(&entry.filepath));
        line.extend(match (entry.outcome, &entry.undone_by) {
            (_, Some(_)) => Some(Span::Faint("  [undone]")),
            (OutcomeKind::Done, None) => None,
            (OutcomeKind::Failed, None) => Some(Span::Faint("  [failed, nothing changed]")),
            (OutcomeKind::HalfDone, None) => Some(Span::Alarm("  [half done]")),
            (OutcomeKind::Unfinished, None) => Some(Span::Alarm("  [unfinished]")),
        });
        page.line(&line);
        if output.entry.is_some() {
            page.diff(&entry.diff);
        }
    }
    let shown = output.entries.len();
    if output.entries.is_empty() {
        page.note(&[Span::Text("nothing was changed through ubp yet")]);
    } else if output.total > shown {
        let words = format!("{shown} of {} changes; a higher limit shows more", output.total);
        page.note(&[Span::Text(&words)]);
    }
}
