//! `.ubp/audit.jsonl`: what was changed through UBP, by whom, and how it was before. One JSON object per
//! line: each change before it is made, then what came of those that belong together.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, Plan, RecordChange, Version, records};
use crate::freshness::LastEdit;
use crate::ports::{ContentHash, Source};
use crate::{Caller, Context};
use crate::{Error, Result};

/// The file's name in `.ubp/`.
pub const FILE: &str = "audit.jsonl";

/// One change of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Names it: the group's id, a dot, and its number in the group.
    pub id: String,
    /// Names the changes that belong together.
    pub group: String,
    /// When, RFC 3339.
    pub at: String,
    /// Who asked for it.
    pub caller: Caller,
    /// What the agent calls itself.
    #[serde(default)]
    pub agent: Option<String>,
    /// The operation.
    pub operation: String,
    /// The group that it took back.
    #[serde(default)]
    pub undoes: Option<String>,
    /// Path of the page, relative to the pages folder; of a file of reviews or decisions, `.ubp/` and its
    /// name.
    pub path: String,
    /// Its path before, if it moved.
    #[serde(default)]
    pub from: Option<String>,
    /// Where it lies below `.ubp/trash/`, or lay.
    #[serde(default)]
    pub trash: Option<String>,
    /// Hash of the file before; absent if there was none.
    #[serde(default)]
    pub before_hash: Option<String>,
    /// Hash of the file after; absent if there is none.
    #[serde(default)]
    pub after_hash: Option<String>,
    /// Text before; absent where it is no text, or did not change. Of reviews and decisions the lines
    /// that went.
    #[serde(default)]
    pub before: Option<String>,
    /// Text after; absent where it is no text, or did not change. Of reviews and decisions the lines
    /// that came.
    #[serde(default)]
    pub after: Option<String>,
    /// The last edit of the page before the change: RFC 3339, or `unknown`; absent if it does not decide how fresh the
    /// page is.
    #[serde(default)]
    pub edited: Option<String>,
}

/// What came of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// All of it was written.
    Done,
    /// None of it was written.
    Failed,
    /// A part was written and could not be taken back.
    HalfDone,
    /// It was not noted: the process ended on the way.
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

/// The log as it was read.
#[derive(Debug, Default)]
pub struct AuditLog {
    /// Every entry, oldest first.
    pub entries: Vec<Entry>,
    outcomes: HashMap<String, OutcomeKind>,
    undone: HashMap<String, String>,
}

impl AuditLog {
    /// Reads the log; lines that are none of ours, such as one that was torn, are passed over.
    ///
    /// # Errors
    /// [`Error::Io`] when it is there and cannot be read.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let bytes = source.read_state(FILE)?.unwrap_or_default();
        let mut log = Self::default();
        for line in bytes.split(|&byte| byte == b'\n') {
            if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
                log.entries.push(entry);
            } else if let Ok(outcome) = serde_json::from_slice::<Outcome>(line) {
                log.outcomes.insert(outcome.group, outcome.outcome);
            }
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

    /// What came of the entry's group.
    pub fn outcome(&self, entry: &Entry) -> OutcomeKind {
        self.outcomes.get(&entry.group).copied().unwrap_or(OutcomeKind::Unfinished)
    }

    /// The group that took the entry's group back.
    pub fn undone_by(&self, entry: &Entry) -> Option<&str> {
        let by = self.undone.get(&entry.group)?;
        // What was taken back and made again is in force.
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

    /// All entries of the group that `name` is the id of, or of one of whose entries it is.
    pub fn group(&self, name: &str) -> Vec<Entry> {
        let named = |entry: &&Entry| entry.id == name || entry.group == name;
        let Some(group) = self.entries.iter().find(named).map(|entry| &entry.group) else {
            return Vec::new();
        };
        self.entries.iter().filter(|entry| entry.group == *group).cloned().collect()
    }
}

impl Entry {
    /// The change that was made.
    pub(super) fn change(&self) -> Result<Change> {
        let version = |path: &str, hash: &Option<String>, text: &Option<String>| -> Result<Option<Version>> {
            let Some(hash) = hash else { return Ok(None) };
            let hash: ContentHash = hash.parse()?;
            let bytes = text.as_ref().map(|text| text.clone().into_bytes());
            // A line that somebody changed must not end in a file.
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

    /// The lines of a file of reviews or decisions that went and came; `None` for a change of a page.
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

/// Notes what is about to be done.
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
            agent: context.agent.map(str::to_owned),
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
    for record in &plan.records {
        let text = |lines: &[String]| (!lines.is_empty()).then(|| records::joined(lines, "\n"));
        let (before, after) = (text(&record.removed), text(&record.added));
        push_line(&mut lines, &Entry { path: record.path(), before, after, ..blank() })?;
    }
    context.source.append(FILE, &lines)
}

/// Notes what came of it.
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
