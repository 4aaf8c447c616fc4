//! `.ubp/audit.jsonl`: the changes made through UBP, who made them, and the text before. One JSON object per line: each
//! change before it is made, then the outcome of each group.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, Plan, RecordChange, Version, records};
use crate::freshness::LastEdit;
use crate::ports::{ContentHash, Source};
use crate::text::fold_key;
use crate::{Caller, Context};
use crate::{Error, Result};

/// Name of the file in `.ubp/`.
pub const FILE: &str = crate::path::ROTATED.0;

/// Name of the rotated file.
const FORMER: &str = crate::path::ROTATED.2;

/// Size in bytes that is worth a warning: more than twice the size after rotation.
const LARGE: u64 = 3 * crate::path::ROTATED.1;

/// The size of the log in bytes, if it is worth a warning.
///
/// # Errors
/// As [`AuditLog::read`].
pub(crate) fn remarkable_size(source: &dyn Source) -> Result<Option<u64>> {
    let mut bytes = 0;
    for file in [FORMER, FILE] {
        bytes += source.state_lines(file, &mut |_| {})?;
    }
    Ok(Some(bytes).filter(|&bytes| bytes > LARGE))
}

/// Whether two agents have the same name, whatever the versions of their programs, which follow the last space.
pub(crate) fn is_same_agent(one: Option<&str>, other: Option<&str>) -> bool {
    let name = |agent: Option<&str>| {
        agent.map(|agent| agent.rsplit_once(' ').map_or(agent, |(name, _)| name).to_owned())
    };
    name(one) == name(other)
}

/// Whether the agent has this name, in any letter case and Unicode form, with or without the version of its program.
pub(crate) fn goes_by(agent: &str, name: &str) -> bool {
    let is_it = |agent: &str| fold_key(agent) == fold_key(name);
    is_it(agent) || agent.rsplit_once(' ').is_some_and(|(agent, _)| is_it(agent))
}

/// A change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Id of the entry: the group's id, a dot, and its number in the group.
    pub id: String,
    /// Id of the group of changes made together.
    pub group: String,
    /// Time, RFC 3339.
    pub at: String,
    /// The caller.
    pub caller: Caller,
    /// Name that the agent gave.
    #[serde(default)]
    pub agent: Option<String>,
    /// The operation.
    pub operation: String,
    /// The group that this change undid.
    #[serde(default)]
    pub undoes: Option<String>,
    /// The accepted proposal; `agent` is then the agent that made it.
    #[serde(default)]
    pub proposal: Option<String>,
    /// Path of the page, relative to the pages folder; for a file of reviews or decisions, `.ubp/` and its name.
    pub path: String,
    /// Former path, if the page moved. Without hashes, it is a file that listings leave out, or with `/` at the end, a folder
    /// that the change made.
    #[serde(default)]
    pub from: Option<String>,
    /// Path of the deleted file, relative to `.ubp/trash/`.
    #[serde(default)]
    pub trash: Option<String>,
    /// Hash of the file before; absent for a new file.
    #[serde(default)]
    pub before_hash: Option<String>,
    /// Hash of the file after; absent for a deleted file.
    #[serde(default)]
    pub after_hash: Option<String>,
    /// Text before; absent if it is not text, or unchanged. For reviews and decisions, the removed lines.
    #[serde(default)]
    pub before: Option<String>,
    /// Text after; absent if it is not text, or unchanged. For reviews and decisions, the added lines.
    #[serde(default)]
    pub after: Option<String>,
    /// The last edit of the page before the change: RFC 3339, or `unknown`; absent if it does not decide how fresh the
    /// page is.
    #[serde(default)]
    pub edited: Option<String>,
}

/// The outcome of a group of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// All changes were written.
    Done,
    /// Nothing was written.
    Failed,
    /// Some changes were written and could not be undone.
    HalfDone,
    /// The process ended before it recorded an outcome.
    Unfinished,
}

#[derive(Debug, Serialize, Deserialize)]
struct Outcome {
    group: String,
    at: String,
    outcome: OutcomeKind,
    #[serde(default)]
    message: Option<String>,
}

/// The parsed log.
#[derive(Debug, Default)]
pub struct AuditLog {
    /// All entries, oldest first.
    pub entries: Vec<Entry>,
    outcomes: HashMap<String, OutcomeKind>,
    undone: HashMap<String, String>,
}

impl AuditLog {
    /// Reads the log; other lines, such as incomplete ones, are skipped.
    ///
    /// # Errors
    /// [`Error::Io`] if it exists but cannot be read.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let mut log = Self::default();
        for file in [FORMER, FILE] {
            source.state_lines(file, &mut |line| {
                if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
                    log.entries.push(entry);
                } else if let Ok(outcome) = serde_json::from_slice::<Outcome>(line) {
                    log.outcomes.insert(outcome.group, outcome.outcome);
                }
            })?;
        }
        for entry in &log.entries {
            if let Some(undone) = &entry.undoes
                && log.outcomes.get(&entry.group) == Some(&OutcomeKind::Done)
            {
                log.undone.insert(undone.clone(), entry.group.clone());
            }
        }
        Ok(log)
    }

    /// The outcome of the entry's group.
    pub fn outcome(&self, entry: &Entry) -> OutcomeKind {
        self.outcomes.get(&entry.group).copied().unwrap_or(OutcomeKind::Unfinished)
    }

    /// The group that undid the entry's group.
    pub fn undone_by(&self, entry: &Entry) -> Option<&str> {
        let by = self.undone.get(&entry.group)?;
        // If the undo was undone, the change is in force again.
        let mut in_force = true;
        let mut next = by;
        // A log from an unpacked project may contain a cycle.
        for _ in 0..self.undone.len() {
            let Some(later) = self.undone.get(next) else { break };
            in_force = !in_force;
            next = later;
        }
        in_force.then_some(by.as_str())
    }

    /// All entries of the group with the id `name`, or of the group that has the entry `name`.
    pub fn group(&self, name: &str) -> Vec<Entry> {
        let named = |entry: &&Entry| entry.id == name || entry.group == name;
        let Some(group) = self.entries.iter().find(named).map(|entry| &entry.group) else {
            return Vec::new();
        };
        self.entries.iter().filter(|entry| entry.group == *group).cloned().collect()
    }
}

impl Entry {
    /// The recorded change.
    pub(super) fn change(&self) -> Result<Change> {
        let version = |path: &str, hash: &Option<String>, text: &Option<String>| -> Result<Option<Version>> {
            let Some(hash) = hash else { return Ok(None) };
            let hash: ContentHash = hash.parse()?;
            let bytes = text.as_ref().map(|text| text.clone().into_bytes());
            // The text of an edited log line must not be written to a file.
            let bytes = bytes.filter(|bytes| ContentHash::of(bytes) == hash);
            Ok(Some(Version { path: path.to_owned(), hash, bytes }))
        };
        Ok(Change {
            before: version(self.from.as_deref().unwrap_or(&self.path), &self.before_hash, &self.before)?,
            after: version(&self.path, &self.after_hash, &self.after)?,
            trash: self.trash.clone(),
            edited: self.edited.as_deref().and_then(LastEdit::parse),
        })
    }

    /// Whether the files are as the change leaves them.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn is_in_force(&self, source: &dyn Source, pages_dir: &str) -> Result<bool> {
        if let Some(record) = self.record() {
            return Ok(record.standing(source)? == records::Standing::After);
        }
        let change = self.change()?;
        let now = |version: &Version| -> Result<Option<ContentHash>> {
            Ok(Version::find(source, pages_dir, &version.path)?.map(|version| version.hash))
        };
        let left = match &change.before {
            Some(before) if change.after.is_none() || change.moved().is_some() => now(before)?.is_some(),
            _ => false,
        };
        let arrived = match &change.after {
            Some(after) => now(after)? == Some(after.hash),
            None => true,
        };
        Ok(arrived && !left)
    }

    /// The removed and added lines of a file of reviews or decisions; `None` for a change of a page.
    pub(super) fn record(&self) -> Option<RecordChange> {
        RecordChange::logged(&self.path, self.before.as_deref(), self.after.as_deref())
    }

    /// The change as a unified diff.
    pub(crate) fn diff(&self) -> String {
        if let Some(record) = self.record() {
            return record.diff();
        }
        self.change().map(|change| super::diff::of(&change)).unwrap_or_default()
    }
}

/// Records the changes before they are made.
pub(super) fn begin(context: &Context<'_>, group: &str, plan: &Plan) -> Result<()> {
    let at = context.clock.now().to_string();
    let mut lines = Vec::new();
    let mut number = 0;
    let mut blank = || {
        number += 1;
        Entry {
            id: format!("{group}.{number}"),
            group: group.to_owned(),
            at: at.clone(),
            caller: context.caller,
            agent: plan
                .proposal
                .as_ref()
                .map_or(context.agent, |(_, agent)| agent.as_deref())
                .map(str::to_owned),
            proposal: plan.proposal.as_ref().map(|(id, _)| id.clone()),
            operation: plan.operation.to_owned(),
            undoes: plan.undoes.clone(),
            ..Entry::default()
        }
    };
    for change in &plan.changes {
        let hash = |version: &Option<Version>| version.as_ref().map(|version| version.hash.to_string());
        let (before_hash, after_hash) = (hash(&change.before), hash(&change.after));
        let text = |version: &Option<Version>| {
            version.as_ref().filter(|_| before_hash != after_hash)?.text().map(str::to_owned)
        };
        let place = change.after.as_ref().or(change.before.as_ref());
        let entry = Entry {
            path: place.map(|version| version.path.clone()).unwrap_or_default(),
            from: change.moved().map(|(from, _)| from.to_owned()),
            trash: change.trash.clone(),
            before: text(&change.before),
            after: text(&change.after),
            before_hash,
            after_hash,
            edited: change.edited.map(|edited| edited.to_string()),
            ..blank()
        };
        push_line(&mut lines, &entry)?;
    }
    #[cfg(not(target_family = "wasm"))]
    for (path, from) in plan.unlisted.logged() {
        push_line(&mut lines, &Entry { path, from, ..blank() })?;
    }
    for record in &plan.records {
        let text = |lines: &[String]| (!lines.is_empty()).then(|| records::joined(lines, "\n"));
        let (before, after) = (text(&record.removed), text(&record.added));
        push_line(&mut lines, &Entry { path: record.path(), before, after, ..blank() })?;
    }
    context.source.append(FILE, &lines)
}

/// Records the outcome.
pub(super) fn end(
    context: &Context<'_>,
    group: &str,
    outcome: OutcomeKind,
    error: Option<&Error>,
) -> Result<()> {
    let mut line = Vec::new();
    let outcome = Outcome {
        group: group.to_owned(),
        at: context.clock.now().to_string(),
        outcome,
        message: error.map(ToString::to_string),
    };
    push_line(&mut line, &outcome)?;
    context.source.append(FILE, &line)
}

fn push_line(lines: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *lines, value).map_err(|error| Error::Internal(error.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ports::MemorySource;

    /// A log in which each group undoes another one.
    fn log(undoes: &[(&str, &str)]) -> AuditLog {
        let mut lines = Vec::new();
        for (group, undone) in undoes {
            let entry = Entry {
                id: format!("{group}.1"),
                group: (*group).into(),
                undoes: Some((*undone).into()),
                ..Entry::default()
            };
            let (at, outcome) = (String::new(), OutcomeKind::Done);
            push_line(&mut lines, &entry).unwrap();
            push_line(&mut lines, &Outcome { group: (*group).into(), at, outcome, message: None }).unwrap();
        }
        let source = MemorySource::default();
        source.append(FILE, &lines).unwrap();
        AuditLog::read(&source).unwrap()
    }

    #[test]
    fn undoing_an_undo_redoes_the_change() {
        let log = log(&[("b", "a"), ("c", "b")]);
        let entry = |group: &str| Entry { group: group.into(), ..Entry::default() };
        assert_eq!(log.undone_by(&entry("a")), None);
        assert_eq!(log.undone_by(&entry("b")), Some("c"));
    }

    #[test]
    fn entries_that_undo_each_other_do_not_hang() {
        for undoes in [&[("a", "b"), ("b", "a")][..], &[("a", "a")], &[("a", "b"), ("b", "c"), ("c", "a")]] {
            let log = log(undoes);
            for entry in &log.entries {
                log.undone_by(entry);
            }
        }
    }
}
