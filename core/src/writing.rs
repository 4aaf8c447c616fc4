//! The one way in which operations change pages. It refuses what agents may not touch, shows what would
//! change, notes every change in the audit log before it is made, writes all of it or nothing, lets what
//! is recorded about a page follow it, and leaves the index true.
//!
//! **Invariants**
//! - After a renaming every link leads where it led, and undoing restores every byte
//!   (`ops/tests/writing/properties.rs`).
//! - A change of several files is made whole or not at all (`FaultySource` breaks every step in
//!   `ops/tests/writing.rs`).
//! - Of all who edit one version of a page, one succeeds, and the others are told (`tests/tests/writing.rs`).
//! - Only `add`, which completes front matter, `save_page` and files of state are written without a plan.
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

/// A page's file at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Path relative to the pages folder.
    pub path: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its bytes; `None` where only a file that is moved back has them.
    pub bytes: Option<Vec<u8>>,
}

impl Version {
    /// The file with these bytes.
    pub(crate) fn new(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), hash: ContentHash::of(&bytes), bytes: Some(bytes) }
    }

    /// The file as it is now.
    pub(crate) fn read(source: &dyn Source, path: &str) -> Result<Self> {
        Ok(Self::new(path, source.read(path)?))
    }

    fn bytes(&self) -> Result<&[u8]> {
        self.bytes.as_deref().ok_or_else(|| {
            let missing = io::Error::new(io::ErrorKind::NotFound, "its content is kept nowhere any longer");
            Error::io(&self.path, missing)
        })
    }

    fn text(&self) -> Option<&str> {
        self.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// What becomes of one file. Without `before` it is new, without `after` it goes to the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub before: Option<Version>,
    pub after: Option<Version>,
    /// Where in the trash it lies while it is deleted.
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

    /// The change that takes this one back.
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

/// Changes that belong together.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The operation that they are made for.
    pub operation: &'static str,
    /// In the order in which they are made.
    pub changes: Vec<Change>,
    /// What is recorded of it, before the pages change.
    pub records: Vec<RecordChange>,
    /// The group of the audit log that they take back.
    pub undoes: Option<String>,
    /// Whether the caller wrote the text.
    by_hand: bool,
    /// Whether links to other pages may lead to these pages after the change.
    takes_links: bool,
}

impl Plan {
    pub(crate) fn new(operation: &'static str, changes: Vec<Change>) -> Self {
        Self { operation, changes, records: Vec::new(), undoes: None, by_hand: false, takes_links: false }
    }

    /// The same for text that the caller wrote.
    pub(crate) fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// The same; with `allowed`, links to other pages may lead to these pages.
    pub(crate) fn taking_links(mut self, allowed: bool) -> Self {
        self.takes_links = allowed;
        self
    }

    /// The same, and this on record.
    pub(crate) fn recording(mut self, change: RecordChange) -> Self {
        self.records.push(change);
        self
    }
}

/// A file that was changed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Its path relative to the pages folder; the one it had, for a deleted page.
    pub filepath: String,
    /// Its former path, for a page that moved.
    pub moved_from: Option<String>,
    /// SHA-256 of the file before; absent for a new page.
    pub previous_hash: Option<String>,
    /// SHA-256 of the file after; absent for a deleted page.
    pub content_hash: Option<String>,
    /// Where a deleted page lies, relative to `.ubp/trash/`; absent while nothing is written.
    pub trash: Option<String>,
}

/// What writing came to.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub changed: Vec<ChangedFile>,
    /// Unified diffs of all files.
    pub diff: String,
    /// Group of the audit log; `None` when nothing was written.
    pub audit_id: Option<String>,
    /// Why the index was not updated, although the files were written.
    pub index_error: Option<String>,
}

/// Makes the changes, or with `dry_run` only says what they are.
///
/// # Errors
/// [`Error::ReadOnly`] for an agent; [`Error::Conflict`] when a file is no longer what was planned for;
/// [`Error::Io`]. Nothing is changed then. [`Error::HalfDone`] when something failed on the way and could
/// not be taken back either.
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
            // Where it goes if it is taken back.
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
    // The files are what they are by now; an entry without its outcome is read as unfinished.
    let _ = audit::end(context, &id, outcome, result.as_ref().err());
    let half_done = |error| match error {
        Error::HalfDone { message, .. } => Error::HalfDone { message, entry: id.clone() },
        other => other,
    };
    result.map_err(half_done)?;
    // The files are written, so a failing index is not a failure of the change.
    let index_error = settle(context, &plan).err().map(|error| error.to_string());
    // Whoever may write next finds this in the index.
    drop(held);
    Ok(written(Some(id), index_error))
}

/// Writes what a person typed. It comes several times a minute and the editor takes it back by itself, so it is no
/// entry of the audit log, and nobody waits until the index has it. Agents get no such treatment.
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

/// Brings the index up to date with what was written, also for a caller who asked to stop meanwhile.
fn settle(context: &Context<'_>, plan: &Plan) -> Result<()> {
    let versions = plan.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
    let paths: Vec<String> = versions.map(|version| version.path.clone()).collect();
    context.with_cancel(&Cancel::default()).refresh_pages(&paths).map(drop)
}

/// Refuses changes of agents to pages that only people may change.
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

/// Refuses an edit whose author saw another version, and one by an agent who does not say which.
///
/// # Errors
/// [`Error::Conflict`], [`Error::InvalidParams`].
pub(crate) fn expect(context: &Context<'_>, given: Option<&str>, found: &Version) -> Result<()> {
    match given {
        Some(given) => {
            let expected: ContentHash = given.trim().parse()?;
            let same = expected == found.hash;
            same.then_some(()).ok_or_else(|| Error::conflict(&found.path, Some(expected), Some(found.hash)))
        }
        None if context.caller == Caller::Agent => Err(Error::invalid(format!(
            "`expected_hash` is missing: read {} first, and pass the `content_hash` that it came with",
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

/// Records and makes every change; after a failure everything is as it was.
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
            let message = format!("{error}; {} could not be taken back: {back}", record.path());
            return Err(Error::HalfDone { message, entry: String::new() });
        }
    }
    Err(error)
}

/// Makes every change of pages and lets records follow; after a failure everything is as it was.
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
    let message = format!("{failed}; what was done before could not be taken back: {}", stuck.join("; "));
    Err(Error::HalfDone { message, entry: String::new() })
}

/// What a change has made of its file, in words.
fn state(change: &Change) -> String {
    match (&change.before, &change.after) {
        (None, Some(after)) => format!("{} was created", after.path),
        (Some(before), Some(after)) if before.path != after.path => {
            format!("{} is now {}", before.path, after.path)
        }
        (Some(before), Some(_)) => format!("{} was rewritten", before.path),
        (Some(before), None) => {
            format!("{} lies at .ubp/trash/{}", before.path, change.trash.as_deref().unwrap_or_default())
        }
        (None, None) => String::new(),
    }
}

/// Makes one change, whole or not at all.
fn perform(source: &dyn Source, change: &Change) -> Result<()> {
    match (&change.before, &change.after) {
        (None, Some(after)) => {
            if let Some(trash) = &change.trash {
                match source.restore(trash, &after.path, after.hash) {
                    // Emptied, or changed there: the log has the text.
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

/// Lets reviews, decisions and favourites follow pages that moved.
fn follow(source: &dyn Source, changes: &[Change]) -> Result<()> {
    let moves: Vec<(&str, &str)> = changes.iter().filter_map(Change::moved).collect();
    if moves.is_empty() {
        return Ok(());
    }
    // A list that cannot be read is no reason to keep a page where it is.
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

/// What taking back a group of the audit log means for the files as they are now.
///
/// # Errors
/// [`Error::Undo`] when a file is no longer as the group left it, and nothing else can be done about it;
/// [`Error::Io`].
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
                        left: "other lines".into(),
                        found: "lines that were recorded later".into(),
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
        // Ended between moving the page and writing its links anew: moving it back is all there is to do.
        let is_moved_alone =
            change.moved().is_some() && at_before.is_none() && same(&at_after, &change.before);
        if is_moved_alone && !is_after {
            let bytes = at_after.as_ref().and_then(|version| version.bytes.clone());
            let after = change.before.map(|version| Version { bytes, ..version });
            plan.changes.push(Change { edited: change.edited, ..Change::new(at_after, after) });
        } else if is_after {
            let mut back = Change { edited: change.edited, ..change.reversed() };
            // A file that is only moved takes its bytes along.
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
