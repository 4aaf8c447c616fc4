//! All changes of pages by operations go through this module. It refuses changes that agents may not make, shows diffs,
//! records every change in the audit log before it is made, writes all of it or nothing, moves reviews and decisions
//! along with renamed pages, and updates the index.
//!
//! **Invariants**
//! - After a rename every link leads to the same page as before, and an undo restores every byte
//!   (`ops/tests/writing/properties.rs`, `writing/renaming/tests/properties.rs`).
//! - A change of several files is made completely or not at all (`FaultySource` breaks every step in
//!   `ops/tests/writing.rs`).
//! - If several callers edit the same version of a page, one succeeds and the others get an error
//!   (`tests/tests/writing.rs`).
//! - Only `add`, which completes front matter, `save_page` and changes of state files bypass plans.
//! - Only an edit by a person or a review makes a page fresh (`ops/tests/writing/freshness.rs`).
//! - An agent changes nothing where the manifest lets it read or see nothing, and only proposes where it may only
//!   propose (`ops/tests/rights.rs`).
//! - An agent cannot change the target of links to or on a read-only page (`ops/tests/writing/names.rs`).

use schemars::JsonSchema;
use serde::Serialize;

#[cfg(not(target_family = "wasm"))]
use crate::comments;
use crate::freshness::LastEdit;
#[cfg(not(target_family = "wasm"))]
use crate::manifest::Right;
use crate::message;
use crate::message::Message;
use crate::page::{LinkTypes, Value, decode, parse};
use crate::ports::{ContentHash, Source};
use crate::progress::Cancel;
#[cfg(not(target_family = "wasm"))]
use crate::proposals;
use crate::{Caller, Context};
use crate::{Error, Result, path, word};

pub mod audit;
pub(crate) mod diff;
pub(crate) mod edits;
pub(crate) mod links;
mod make;
pub(crate) mod names;
mod records;
#[cfg(not(target_family = "wasm"))]
pub mod renaming;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod rights;
mod saving;
pub(crate) mod titles;
#[cfg(not(target_family = "wasm"))]
pub mod typing;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod unlisted;

use audit::{Entry, OutcomeKind};
#[cfg(not(target_family = "wasm"))]
pub use diff::hunks;
#[cfg(not(target_family = "wasm"))]
pub(crate) use diff::hunks_within;
pub(crate) use diff::shorten;
use make::Making;
pub use names::MovedLink;
pub(crate) use records::{RecordChange, Standing};
pub(crate) use saving::save;

/// A version of the file of a page or attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Path relative to the pages folder.
    pub path: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Its content; `None` if only a file that is about to be moved or copied has it.
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

    /// The current file, if there is one; not only a page, but also an attachment. `pages_dir` is the pages folder,
    /// relative to the project.
    pub(crate) fn find(source: &dyn Source, pages_dir: &str, path: &str) -> Result<Option<Self>> {
        if path::is_page(path) {
            return source.stat(path)?.map(|_| Self::read(source, path)).transpose();
        }
        let Some(file) = path::join(pages_dir, path) else { return Ok(None) };
        let there = source.stat_source(&file)?;
        there.map(|_| Ok(Self::new(path, source.read_source(&file)?))).transpose()
    }

    fn bytes(&self) -> Result<&[u8]> {
        self.bytes.as_deref().ok_or_else(|| make::lost(&self.path))
    }

    /// Its text, if it is text.
    pub(crate) fn text(&self) -> Option<&str> {
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

    /// Moves a file whose content stays.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn moving(before: Version, after: Version) -> Self {
        Self::new(Some(before), Some(after))
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
    /// What else moves, after the changes.
    #[cfg(not(target_family = "wasm"))]
    pub unlisted: unlisted::Unlisted,
    /// The audit-log group that this plan undoes.
    pub undoes: Option<String>,
    /// The id for the audit-log group; `None` for a new one.
    pub group: Option<String>,
    /// The accepted proposal, and the agent that made it.
    pub proposal: Option<(String, Option<String>)>,
    /// Pages that the records are about, for the rights of agents.
    about: Vec<String>,
    /// Whether the text is the caller's own.
    by_hand: bool,
    /// Whether the changed pages are reviewed by it, so that their age does not matter.
    reviewing: bool,
    /// Whether links that lead to other pages may lead to these pages after the change.
    takes_links: bool,
    /// Whether what was made stays if the caller asks to stop.
    in_parts: bool,
}

/// Reads the content of a new file that the plan does not have, by its path.
pub(crate) type Contents<'a> = dyn Fn(&str) -> Result<Vec<u8>> + 'a;

impl Plan {
    pub(crate) fn new(operation: &'static str, changes: Vec<Change>) -> Self {
        Self {
            operation,
            changes,
            records: Vec::new(),
            #[cfg(not(target_family = "wasm"))]
            unlisted: unlisted::Unlisted::default(),
            undoes: None,
            group: None,
            proposal: None,
            about: Vec::new(),
            by_hand: false,
            reviewing: false,
            takes_links: false,
            in_parts: false,
        }
    }

    /// Marks the text as the caller's own.
    pub(crate) fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// Marks the changed pages as reviewed by this plan: their reviews say how fresh they are.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn reviewing(mut self) -> Self {
        self.reviewing = true;
        self
    }

    /// With `allowed`, links that lead to other pages may lead to these pages after the change.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn taking_links(mut self, allowed: bool) -> Self {
        self.takes_links = allowed;
        self
    }

    /// Whether links that lead to other pages may lead to these pages after the change.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn takes_links(&self) -> bool {
        self.takes_links
    }

    /// Lets the caller stop between two changes; those that were made stay, and can be undone.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn in_parts(mut self) -> Self {
        self.in_parts = true;
        self
    }

    /// Adds what else moves.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn moving(mut self, unlisted: unlisted::Unlisted) -> Self {
        self.unlisted = unlisted;
        self
    }

    fn is_empty(&self) -> bool {
        #[cfg(not(target_family = "wasm"))]
        if !self.unlisted.is_empty() {
            return false;
        }
        self.changes.is_empty() && self.records.is_empty()
    }

    /// Adds a change of reviews or decisions.
    pub(crate) fn recording(mut self, change: RecordChange) -> Self {
        self.records.push(change);
        self
    }

    /// Names pages that the records are about.
    pub(crate) fn about(mut self, pages: impl IntoIterator<Item = String>) -> Self {
        self.about.extend(pages);
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
    /// Id of the proposal, if the change was proposed instead.
    pub proposal: Option<String>,
    /// Why the index was not updated, if the files were written but the index was not.
    pub index_error: Option<Message>,
}

/// Makes the changes, or with `dry_run` only returns the diff. Changes of an agent that may only propose are stored as a
/// proposal.
///
/// # Errors
/// [`Error::ReadOnly`] for an agent; [`Error::Conflict`] if a file is not in the planned state; [`Error::Io`]. Nothing
/// is changed in these cases. [`Error::HalfDone`] if a step failed and the earlier steps could not be undone.
pub(crate) fn carry_out(context: &Context<'_>, plan: Plan, dry_run: bool) -> Result<Written> {
    carry_out_with(context, plan, dry_run, &|path| Err(make::lost(path)))
}

/// As [`carry_out`], for a plan with new files whose content it does not have.
///
/// # Errors
/// As [`carry_out`], and [`Error::Cancelled`] for a plan [in parts](Plan::in_parts).
pub(crate) fn carry_out_with(
    context: &Context<'_>,
    mut plan: Plan,
    dry_run: bool,
    contents: &Contents<'_>,
) -> Result<Written> {
    plan.changes.retain(|change| change.before != change.after);
    #[cfg(not(target_family = "wasm"))]
    let right = rights::permit(context, &plan)?;
    permit(context, &plan)?;
    names::permit(context, &plan)?;
    if dry_run || plan.is_empty() {
        return Ok(shown(context, &plan, None));
    }
    // Browsers only plan. The code for writing would make their module larger.
    if cfg!(target_family = "wasm") {
        let path = plan.changes.iter().find_map(|change| change.before.as_ref()).map(|file| &*file.path);
        return Err(Error::io(path.unwrap_or_default(), std::io::ErrorKind::ReadOnlyFilesystem.into()));
    }
    #[cfg(not(target_family = "wasm"))]
    if let Some(proposing) = context.proposing.filter(|proposing| {
        let is_due = !proposing.only_where_required || right == Right::Propose;
        context.caller == Caller::Agent && is_due
    }) {
        let proposal = proposals::propose(context, proposing, &plan)?;
        return Ok(shown(context, &plan, proposal));
    }
    let id = plan.group.clone().unwrap_or_else(|| context.new_short_id());
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
    let diff = diff_of(context, &plan, plan.undoes.is_some());
    let changed = plan.changes.iter().map(changed).collect();
    let held = context.source.lock()?;
    let making = Making::new(context, contents);
    for change in &plan.changes {
        making.still_as_planned(change)?;
    }
    let by_hand = plan.reviewing || (plan.by_hand && context.caller == Caller::Person);
    let edits = edits::note(context, &mut plan.changes, by_hand, plan.undoes.is_some())?;
    let result = audit::begin(context, &id, &plan).map(|()| making.make(&plan));
    let stays = |error: &Error| match error {
        Error::Cancelled => plan.in_parts,
        error => matches!(error, Error::HalfDone { .. }),
    };
    if !matches!(&result, Ok(done) if done.as_ref().err().is_none_or(stays)) {
        edits.take_back(context.source);
    }
    let result = result?;
    let outcome = match &result {
        Ok(()) => OutcomeKind::Done,
        Err(error) if stays(error) => OutcomeKind::HalfDone,
        Err(_) => OutcomeKind::Failed,
    };
    // The files are written or not, whatever happens here. Without an outcome, the entry counts as unfinished.
    let _ = audit::end(context, &id, outcome, result.as_ref().err());
    let half_done = |error| match error {
        Error::HalfDone { message, .. } => Error::HalfDone { message, entry: id.clone() },
        other => other,
    };
    result.map_err(half_done)?;
    #[cfg(not(target_family = "wasm"))]
    for change in &plan.changes {
        if let Some((before, after)) = change.before.as_ref().zip(change.after.as_ref())
            && let Some((old, new)) = before.bytes.as_ref().zip(after.bytes.as_ref())
            && path::is_page(&after.path)
            && old != new
        {
            let _ = comments::keep(context, &after.path, old, new);
        }
    }
    // The files are written, so an error of the index does not fail the change.
    let index_error = settle(context, &plan).err().map(|error| error.message());
    // Released only now, so that the next writer finds this change in the index.
    drop(held);
    Ok(Written { changed, diff, audit_id: Some(id), proposal: None, index_error })
}

/// The answer for a plan that is not carried out.
fn shown(context: &Context<'_>, plan: &Plan, proposal: Option<String>) -> Written {
    let with_records = plan.undoes.is_some() || proposal.is_some();
    let (diff, changed) = (diff_of(context, plan, with_records), plan.changes.iter().map(changed));
    let changed = changed.map(|file| ChangedFile { trash: None, ..file }).collect();
    Written { changed, diff, audit_id: None, proposal, index_error: None }
}

/// Unified diffs of the plan.
fn diff_of(context: &Context<'_>, plan: &Plan, with_records: bool) -> String {
    let records = plan.records.iter().filter(|_| with_records).map(RecordChange::diff);
    let mut diff: String = plan.changes.iter().map(diff::of).chain(records).collect();
    #[cfg(not(target_family = "wasm"))]
    diff.push_str(&plan.unlisted.diff());
    if context.caller == Caller::Agent {
        shorten(&mut diff);
    }
    diff
}

/// Updates the index from the written files, even if the caller requested cancellation in the meantime.
fn settle(context: &Context<'_>, plan: &Plan) -> Result<()> {
    let versions = plan.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
    let paths: Vec<String> =
        versions.map(|version| version.path.clone()).filter(|path| path::is_page(path)).collect();
    if paths.is_empty() {
        return Ok(());
    }
    context.with_cancel(&Cancel::default()).refresh_pages(&paths).map(drop)
}

/// Refuses changes by agents to read-only pages, and to files that the project does not list.
fn permit(context: &Context<'_>, plan: &Plan) -> Result<()> {
    if context.caller != Caller::Agent {
        return Ok(());
    }
    #[cfg(not(target_family = "wasm"))]
    if let Some((path, _)) = plan.unlisted.files.first() {
        return Err(Error::ReadOnly { path: path.clone() });
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
        None if context.caller == Caller::Agent => Err(Error::invalid(message!(
            "`expected_hash` is missing: read {path} first, and pass its `content_hash`",
            path = found.path
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

/// The plan that undoes a group of the audit log, given the current files.
///
/// # Errors
/// [`Error::Undo`] if a file has changed since then, so that the change cannot be undone; [`Error::Io`].
pub(crate) fn reversal(source: &dyn Source, pages_dir: &str, entries: &[Entry]) -> Result<Plan> {
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
                        left: word!("the recorded lines").into(),
                        found: word!("other lines").into(),
                    });
                }
            }
            continue;
        }
        #[cfg(not(target_family = "wasm"))]
        if unlisted::Unlisted::is_logged(entry) {
            plan.unlisted.undo(source, entry)?;
            continue;
        }
        let change = entry.change()?;
        let now = |version: &Option<Version>| -> Result<Option<Version>> {
            let Some(version) = version else { return Ok(None) };
            Version::find(source, pages_dir, &version.path)
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
                left: change
                    .after
                    .as_ref()
                    .map_or(word!("no page").into(), |version| version.hash.to_string()),
                found: found.map_or(word!("no page").into(), |version| version.hash.to_string()),
            });
        }
    }
    Ok(plan)
}
