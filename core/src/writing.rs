//! All changes of pages by operations go through this module. It refuses changes that agents may not make, shows diffs,
//! records every change in the audit log before it is made, writes all of it or nothing, moves reviews and decisions
//! along with renamed pages, and updates the index.
//!
//! **Invariants**
//! - After a rename every link leads to the same page as before, and an undo restores every byte
//!   (`ops/tests/writing/properties.rs`).
//! - A change of several files is made completely or not at all (`FaultySource` breaks every step in
//!   `ops/tests/writing.rs`).
//! - If several callers edit the same version of a page, one succeeds and the others get an error
//!   (`tests/tests/writing.rs`).
//! - Only `add`, which completes front matter, `save_page` and changes of state files bypass plans.
//! - Only an edit by a person or a review makes a page fresh (`ops/tests/writing/freshness.rs`).
//! - An agent cannot change the target of links to or on a read-only page (`ops/tests/writing/names.rs`).

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::freshness::{LastEdit, ReviewLock};
use crate::index::derived_id;
use crate::ops::favorites;
use crate::page::{LinkTypes, Value, decode, parse};
use crate::ports::{ContentHash, Source};
use crate::progress::Cancel;
use crate::suggest::decisions;
use crate::{Caller, Context};
use crate::{Error, Result};

pub mod audit;
mod diff;
pub(crate) mod edits;
pub(crate) mod links;
pub(crate) mod names;
mod records;

use audit::{Entry, OutcomeKind};
pub(crate) use diff::shorten;
pub use names::MovedLink;
pub(crate) use records::RecordChange;
use records::Standing;

/// A version of a page's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Path relative to the pages folder.
    pub path: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its content; `None` if only a file that is about to be moved has it.
    pub bytes: Option<Vec<u8>>,
}

impl Version {
    /// The file with these bytes.
    pub(crate) fn new(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), hash: ContentHash::of(&bytes), bytes: Some(bytes) }
    }

    /// The current file.
    pub(crate) fn read(source: &dyn Source, path: &str) -> Result<Self> {
        Ok(Self::new(path, source.read(path)?))
    }

    fn bytes(&self) -> Result<&[u8]> {
        self.bytes.as_deref().ok_or_else(|| {
            let missing = io::Error::new(io::ErrorKind::NotFound, "its content is no longer stored anywhere");
            Error::io(&self.path, missing)
        })
    }

    fn text(&self) -> Option<&str> {
        self.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// A change of one file. Without `before` the file is created, without `after` it is moved to the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub before: Option<Version>,
    pub after: Option<Version>,
    /// Path in the trash while the file is deleted.
    pub trash: Option<String>,
    /// The last edit of the page before the change, if it decides how fresh the page is.
    pub edited: Option<LastEdit>,
}

impl Change {
    fn new(before: Option<Version>, after: Option<Version>) -> Self {
        Self { before, after, trash: None, edited: None }
    }

    pub(crate) fn create(after: Version) -> Self {
        Self::new(None, Some(after))
    }

    pub(crate) fn edit(before: Version, after: Vec<u8>) -> Self {
        let after = Version::new(before.path.clone(), after);
        Self::new(Some(before), Some(after))
    }

    pub(crate) fn relocate(before: Version, path: String, after: Vec<u8>) -> Self {
        Self::new(Some(before), Some(Version::new(path, after)))
    }

    pub(crate) fn delete(before: Version) -> Self {
        Self::new(Some(before), None)
    }

    /// The reverse change.
    fn reversed(&self) -> Self {
        Self { trash: self.trash.clone(), ..Self::new(self.after.clone(), self.before.clone()) }
    }

    fn moved(&self) -> Option<(&str, &str)> {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) if before.path != after.path => Some((&before.path, &after.path)),
            _ => None,
        }
    }
}

/// Changes that are made together.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The operation that makes the changes.
    pub operation: &'static str,
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Changes of reviews and decisions, made before those of the pages.
    pub records: Vec<RecordChange>,
    /// The audit-log group that this plan undoes.
    pub undoes: Option<String>,
    /// Whether the text is the caller's own.
    by_hand: bool,
    /// Whether links that lead to other pages may lead to these pages after the change.
    takes_links: bool,
}

impl Plan {
    pub(crate) fn new(operation: &'static str, changes: Vec<Change>) -> Self {
        Self { operation, changes, records: Vec::new(), undoes: None, by_hand: false, takes_links: false }
    }

    /// Marks the text as the caller's own.
    pub(crate) fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// With `allowed`, links that lead to other pages may lead to these pages after the change.
    pub(crate) fn taking_links(mut self, allowed: bool) -> Self {
        self.takes_links = allowed;
        self
    }

    /// Adds a change of reviews or decisions.
    pub(crate) fn recording(mut self, change: RecordChange) -> Self {
        self.records.push(change);
        self
    }
}

/// A changed file, or one that would change in a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Path relative to the pages folder; for a deleted page, the former path.
    pub filepath: String,
    /// Former path of a moved page.
    pub moved_from: Option<String>,
    /// SHA-256 of the former file; absent for a new page.
    pub previous_hash: Option<String>,
    /// SHA-256 of the new file; absent for a deleted page.
    pub content_hash: Option<String>,
    /// Path of a deleted page, relative to `.ubp/trash/`; absent in a dry run.
    pub trash: Option<String>,
}

/// The result of a change.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub changed: Vec<ChangedFile>,
    /// Unified diffs of all changed files.
    pub diff: String,
    /// Id of the audit-log group; `None` if nothing was written.
    pub audit_id: Option<String>,
    /// Why the index was not updated, if the files were written but the index was not.
    pub index_error: Option<String>,
}

/// Makes the changes, or with `dry_run` only returns the diff.
///
/// # Errors
/// [`Error::ReadOnly`] for an agent; [`Error::Conflict`] if a file is not in the planned state; [`Error::Io`]. Nothing
/// is changed in these cases. [`Error::HalfDone`] if a step failed and the earlier steps could not be undone.
pub(crate) fn carry_out(context: &Context<'_>, mut plan: Plan, dry_run: bool) -> Result<Written> {
    plan.changes.retain(|change| change.before != change.after);
    permit(context, &plan)?;
    names::permit(context, &plan)?;
    let id = context.clock.new_id().simple().to_string();
    let id = id.get(id.len().saturating_sub(12)..).unwrap_or(&id).to_owned();
    let time = context.clock.now();
    for change in &mut plan.changes {
        let place = match (&change.before, &change.after) {
            (Some(before), None) => before,
            // Path in the trash if the change is undone.
            (None, Some(after)) if change.trash.is_none() => after,
            _ => continue,
        };
        let folder = time.strftime("%Y-%m-%dT%H-%M-%SZ");
        change.trash = Some(format!("{folder}-{id}/{}", place.path));
    }
    let records = plan.records.iter().filter(|_| plan.undoes.is_some()).map(RecordChange::diff);
    let mut diff: String = plan.changes.iter().map(diff::of).chain(records).collect();
    if context.caller == Caller::Agent {
        shorten(&mut diff);
    }
    let changed = plan.changes.iter().map(changed).collect();
    let written = |audit_id, index_error| Written { changed, diff, audit_id, index_error };
    if dry_run || (plan.changes.is_empty() && plan.records.is_empty()) {
        let mut shown = written(None, None);
        shown.changed.iter_mut().for_each(|file| file.trash = None);
        return Ok(shown);
    }
    let held = context.source.lock()?;
    for change in &plan.changes {
        still_as_planned(context.source, change)?;
    }
    let by_hand = plan.by_hand && context.caller == Caller::Person;
    let edits = edits::note(context, &mut plan.changes, by_hand, plan.undoes.is_some())?;
    let result = audit::begin(context, &id, &plan).map(|()| make(context.source, &plan));
    if !matches!(result, Ok(Ok(()) | Err(Error::HalfDone { .. }))) {
        edits.take_back(context.source);
    }
    let result = result?;
    let outcome = match &result {
        Ok(()) => OutcomeKind::Done,
        Err(Error::HalfDone { .. }) => OutcomeKind::HalfDone,
        Err(_) => OutcomeKind::Failed,
    };
    // The files are written or not, whatever happens here. Without an outcome, the entry counts as unfinished.
    let _ = audit::end(context, &id, outcome, result.as_ref().err());
    let half_done = |error| match error {
        Error::HalfDone { message, .. } => Error::HalfDone { message, entry: id.clone() },
        other => other,
    };
    result.map_err(half_done)?;
    // The files are written, so an error of the index does not fail the change.
    let index_error = settle(context, &plan).err().map(|error| error.to_string());
    // Released only now, so that the next writer finds this change in the index.
    drop(held);
    Ok(written(Some(id), index_error))
}

/// Writes a page that a person edits. The editor saves several times a minute and has its own undo, so this is not
/// recorded in the audit log and does not wait for the index. Changes by agents go through [`carry_out`].
///
/// # Errors
/// As [`carry_out`].
pub(crate) fn save(context: &Context<'_>, before: Version, after: Vec<u8>) -> Result<()> {
    if context.caller == Caller::Agent {
        return carry_out(context, Plan::new("save_page", vec![Change::edit(before, after)]), false)
            .map(drop);
    }
    if before.bytes.as_ref() == Some(&after) {
        return Ok(());
    }
    context.source.write(&before.path, &after, Some(before.hash))
}

/// Updates the index from the written files, even if the caller requested cancellation in the meantime.
fn settle(context: &Context<'_>, plan: &Plan) -> Result<()> {
    let versions = plan.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
    let paths: Vec<String> = versions.map(|version| version.path.clone()).collect();
    context.with_cancel(&Cancel::default()).refresh_pages(&paths).map(drop)
}

/// Refuses changes by agents to read-only pages.
fn permit(context: &Context<'_>, plan: &Plan) -> Result<()> {
    if context.caller != Caller::Agent {
        return Ok(());
    }
    for before in plan.changes.iter().filter_map(|change| change.before.as_ref()) {
        if before.bytes.as_deref().is_some_and(is_read_only) {
            return Err(Error::ReadOnly { path: before.path.clone() });
        }
    }
    Ok(())
}

/// Whether the page's front matter says `agents: read-only`.
pub(crate) fn is_read_only(bytes: &[u8]) -> bool {
    let (text, _) = decode(bytes);
    let page = parse(&text, &LinkTypes::default());
    let word = match page.front_matter.get("agents") {
        Some(Value::Text(word)) => word.trim().to_lowercase().replace(['-', '_', ' '], ""),
        _ => return false,
    };
    word == "readonly"
}

/// Refuses an edit of another version than the current one, and an edit by an agent without `expected_hash`.
///
/// # Errors
/// [`Error::Conflict`], [`Error::InvalidParams`].
pub(crate) fn expect(context: &Context<'_>, given: Option<&str>, found: &Version) -> Result<()> {
    match given {
        Some(given) => {
            let is_current = found.hash.is(given)?;
            let (expected, now) = (given.trim().to_owned(), found.hash.to_string());
            is_current.then_some(()).ok_or(Error::Conflict { path: found.path.clone(), expected, found: now })
        }
        None if context.caller == Caller::Agent => Err(Error::invalid(format!(
            "`expected_hash` is missing: read {} first, and pass its `content_hash`",
            found.path
        ))),
        None => Ok(()),
    }
}

fn changed(change: &Change) -> ChangedFile {
    let hash = |version: &Option<Version>| version.as_ref().map(|version| version.hash.to_string());
    let at = change.after.as_ref().or(change.before.as_ref());
    ChangedFile {
        filepath: at.map(|version| version.path.clone()).unwrap_or_default(),
        moved_from: change.moved().map(|(from, _)| from.to_owned()),
        previous_hash: hash(&change.before),
        content_hash: hash(&change.after),
        trash: change.trash.clone().filter(|_| change.after.is_none()),
    }
}

fn still_as_planned(source: &dyn Source, change: &Change) -> Result<()> {
    let found = |path: &str| match source.stat(path)? {
        Some(_) => source.read(path).map(|bytes| Some(ContentHash::of(&bytes))),
        None => Ok(None),
    };
    let expected = change.before.as_ref().map(|before| before.hash);
    let path = change.before.as_ref().or(change.after.as_ref()).map_or("", |version| &version.path);
    let there = found(path)?;
    if there != expected {
        return Err(Error::conflict(path, expected, there));
    }
    Ok(())
}

/// Makes all changes, or none if one fails.
fn make(source: &dyn Source, plan: &Plan) -> Result<()> {
    let mut recorded = 0;
    let mut result = Ok(());
    for record in &plan.records {
        result = record.apply(source);
        if result.is_err() {
            break;
        }
        recorded += 1;
    }
    let Err(error) = result.and_then(|()| make_changes(source, &plan.changes)) else { return Ok(()) };
    for record in plan.records.iter().take(recorded).rev() {
        if let Err(back) = record.reversed().apply(source) {
            let message = format!("{error}; {} could not be undone: {back}", record.path());
            return Err(Error::HalfDone { message, entry: String::new() });
        }
    }
    Err(error)
}

/// Makes all changes of pages and moves their reviews along, or nothing if a step fails.
fn make_changes(source: &dyn Source, changes: &[Change]) -> Result<()> {
    let mut failed = None;
    let mut made = 0;
    for change in changes {
        if let Err(error) = perform(source, change) {
            failed = Some(error);
            break;
        }
        made += 1;
    }
    let failed = match failed {
        Some(error) => error,
        None => match follow(source, changes) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        },
    };
    if matches!(failed, Error::HalfDone { .. }) && made == 0 {
        return Err(failed);
    }
    let mut stuck: Vec<String> = Vec::new();
    for change in changes.iter().take(made).rev() {
        if let Err(error) = perform(source, &change.reversed()) {
            stuck.push(format!("{} ({error})", state(change)));
        }
    }
    if stuck.is_empty() {
        return Err(failed);
    }
    let message = format!("{failed}; earlier changes could not be undone: {}", stuck.join("; "));
    Err(Error::HalfDone { message, entry: String::new() })
}

/// Describes what a change did to its file.
fn state(change: &Change) -> String {
    match (&change.before, &change.after) {
        (None, Some(after)) => format!("{} was created", after.path),
        (Some(before), Some(after)) if before.path != after.path => {
            format!("{} is now {}", before.path, after.path)
        }
        (Some(before), Some(_)) => format!("{} was rewritten", before.path),
        (Some(before), None) => {
            format!("{} is at .ubp/trash/{}", before.path, change.trash.as_deref().unwrap_or_default())
        }
        (None, None) => String::new(),
    }
}

/// Makes one change completely or not at all.
fn perform(source: &dyn Source, change: &Change) -> Result<()> {
    match (&change.before, &change.after) {
        (None, Some(after)) => {
            if let Some(trash) = &change.trash {
                match source.restore(trash, &after.path, after.hash) {
                    // The file in the trash was deleted or changed; the log has the text.
                    Err(Error::Io { source: error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(Error::Conflict { path, .. }) if path == *trash => {}
                    other => return other,
                }
            }
            source.write(&after.path, after.bytes()?, None)
        }
        (Some(before), None) => {
            let trash = change.trash.as_deref().unwrap_or(&before.path);
            source.discard(&before.path, trash, before.hash)
        }
        (Some(before), Some(after)) if before.path == after.path => {
            source.write(&after.path, after.bytes()?, Some(before.hash))
        }
        (Some(before), Some(after)) => {
            source.rename(&before.path, &after.path, before.hash)?;
            if before.hash == after.hash {
                return Ok(());
            }
            let written = after.bytes().and_then(|bytes| source.write(&after.path, bytes, Some(before.hash)));
            written.map_err(|error| match source.rename(&after.path, &before.path, before.hash) {
                Ok(()) => error,
                Err(back) => Error::HalfDone {
                    message: format!("{error}; {} is now {} ({back})", before.path, after.path),
                    entry: String::new(),
                },
            })
        }
        (None, None) => Ok(()),
    }
}

/// Moves reviews, decisions and favourites along with renamed pages.
fn follow(source: &dyn Source, changes: &[Change]) -> Result<()> {
    let moves: Vec<(&str, &str)> = changes.iter().filter_map(Change::moved).collect();
    if moves.is_empty() {
        return Ok(());
    }
    // An unreadable list of favourites must not prevent a rename.
    let _ = favorites::follow(source, &moves);
    let mut lock = ReviewLock::load(source, |_| true)?;
    let mut followed = false;
    for (from, to) in &moves {
        followed |= lock.rename(from, to);
    }
    if followed {
        lock.save(source)?;
    }
    let decided = moves
        .iter()
        .try_for_each(|(from, to)| decisions::follow(source, &derived_id(from), &derived_id(to), to));
    if decided.is_err() && followed {
        let mut lock = ReviewLock::load(source, |_| true)?;
        for (from, to) in moves.iter().rev() {
            lock.rename(to, from);
        }
        lock.save(source)?;
    }
    decided
}

/// The plan that undoes a group of the audit log, given the current files.
///
/// # Errors
/// [`Error::Undo`] if a file has changed since then, so that the change cannot be undone; [`Error::Io`].
pub(crate) fn reversal(source: &dyn Source, entries: &[Entry]) -> Result<Plan> {
    let mut plan = Plan::new("undo", Vec::new());
    for entry in entries.iter().rev() {
        if let Some(record) = entry.record() {
            match record.standing(source)? {
                Standing::After => plan.records.push(record.reversed()),
                Standing::Before => {}
                Standing::Other => {
                    return Err(Error::Undo {
                        path: record.path(),
                        entry: entry.id.clone(),
                        left: "the recorded lines".into(),
                        found: "other lines".into(),
                    });
                }
            }
            continue;
        }
        let change = entry.change()?;
        let now = |version: &Option<Version>| -> Result<Option<Version>> {
            let Some(version) = version else { return Ok(None) };
            Ok(match source.stat(&version.path)? {
                Some(_) => Some(Version::read(source, &version.path)?),
                None => None,
            })
        };
        let (at_before, at_after) = (now(&change.before)?, now(&change.after)?);
        let same = |a: &Option<Version>, b: &Option<Version>| {
            a.as_ref().map(|version| version.hash) == b.as_ref().map(|version| version.hash)
        };
        let stays = change.moved().is_none() && change.before.is_some() && change.after.is_some();
        let is_after =
            same(&at_after, &change.after) && (stays || at_before.is_none() || change.before.is_none());
        let is_before =
            same(&at_before, &change.before) && (stays || at_after.is_none() || change.after.is_none());
        // The process ended after moving the page and before rewriting its links, so it only has to be moved back.
        let is_moved_alone =
            change.moved().is_some() && at_before.is_none() && same(&at_after, &change.before);
        if is_moved_alone && !is_after {
            let bytes = at_after.as_ref().and_then(|version| version.bytes.clone());
            let after = change.before.map(|version| Version { bytes, ..version });
            plan.changes.push(Change { edited: change.edited, ..Change::new(at_after, after) });
        } else if is_after {
            let mut back = Change { edited: change.edited, ..change.reversed() };
            // A file that is only moved keeps its content.
            if let (Some(before), Some(after)) = (&mut back.before, &mut back.after) {
                before.bytes = at_after.and_then(|version| version.bytes);
                if before.hash == after.hash {
                    after.bytes.clone_from(&before.bytes);
                }
            } else if let Some(before) = &mut back.before {
                before.bytes = at_after.and_then(|version| version.bytes);
            }
            plan.changes.push(back);
        } else if !is_before {
            let left = change.after.as_ref().or(change.before.as_ref());
            let found = if change.after.is_some() { at_after } else { at_before };
            return Err(Error::Undo {
                path: left.map(|version| version.path.clone()).unwrap_or_default(),
                entry: entry.id.clone(),
                left: change.after.as_ref().map_or("no page".into(), |version| version.hash.to_string()),
                found: found.map_or("no page".into(), |version| version.hash.to_string()),
            });
        }
    }
    Ok(plan)
}
