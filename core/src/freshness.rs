//! Which pages may have been overtaken by the code they describe. A page's sources are its
//! `source_refs` (files, folders, globs) and the files it links to. A source that changed after the
//! page was reviewed makes the page possibly stale, and stale once that change is older than the
//! threshold. What was reviewed is in the lock; where it says nothing, a source that changed after
//! the page did counts: by last commits, and without version control by modification times.
//!
//! **Invariants**
//! - What cannot be known is never called fresh: a shallow or partial clone gives `possibly_stale` and the reason
//!   (`tests/tests/freshness.rs`, with real git repositories).
//! - `updated_at` in front matter decides nothing.
//! - A write by UBP that is not a person's edit makes no page fresh (`ops/tests/writing/freshness.rs`).

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::pages;
use crate::manifest::FreshnessBaseline;
use crate::ports::{ContentHash, SourceChange};
use crate::{Result, path};

mod judged;
mod lock;
mod sources;
mod suspects;
#[cfg(test)]
mod tests;

pub(crate) use judged::put as put_verdict;
pub use lock::{LastEdit, LockProblem, REVIEW_LOCK, ReviewLock, Reviewed};
pub use sources::{Declared, DeclaredPage, Sources, declared};
pub use suspects::{Suspect, suspects};

/// How far a page can be trusted.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// It names no sources.
    #[default]
    Untracked,
    /// Everything it describes is as it was reviewed, or older than the page.
    Fresh,
    /// A source changed since, not long ago, or history is too short to tell.
    PossiblyStale,
    /// A source changed since, longer ago than the threshold, or is gone.
    Stale,
}

/// Why a source makes a page less than fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StaleReason {
    /// It changed since the page was reviewed, or after the page did.
    Changed,
    /// It is not there.
    Missing,
    /// A shallow clone does not say when it changed.
    UnknownShallowClone,
    /// It changed since the review, and the page was edited after that without being reviewed.
    PageEditedAfterSource,
    /// Not the page's own sources: it depends on, or implements, a page that is not fresh.
    Suspect,
}

/// A source that makes its page less than fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StaleRef {
    /// Path relative to the project.
    pub file_path: String,
    /// When it last changed, RFC 3339; absent where nobody can tell.
    pub last_modified: Option<String>,
    /// What is wrong with it.
    pub reason: StaleReason,
    /// Where version control knows it was moved to; only for a file that is not there.
    pub renamed_to: Option<String>,
}

/// What is known of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assessment {
    /// The verdict.
    pub staleness: Staleness,
    /// The sources behind it, sorted.
    pub stale_refs: Vec<StaleRef>,
    /// Whether every source that is there was judged by a review and not by times.
    pub reviewed: bool,
}

/// Assesses `pages`, or every page that names sources when `None`. Pages that name none are absent. An index that
/// was published answers with the verdicts of that day.
///
/// # Errors
/// [`crate::Error::Database`], and [`crate::Error::Io`] when version control or the lock fails.
pub fn assess(context: &Context<'_>, pages: Option<&[i64]>) -> Result<HashMap<i64, Assessment>> {
    if let Some(judged) = context.index.read(|db| judged::verdicts(db, pages))? {
        return Ok(judged);
    }
    let declared = context.index.read(|db| declared(db, pages))?;
    if declared.is_empty() {
        return Ok(HashMap::new());
    }
    let lock = load_lock(context, &declared)?;
    let expanded = Sources::expand(context, &declared)?;
    let page_file = |page_path: &str| path::join(context.pages_dir(), page_path).unwrap_or_default();
    let mut wanted: BTreeSet<String> = expanded.files().map(Into::into).collect();
    wanted.extend(declared.values().map(|page| page_file(&page.path)));
    let mut judge = Judge::new(context, &lock, wanted);
    let mut assessments = HashMap::new();
    for (number, page) in &declared {
        let file = page_file(&page.path);
        let described_in = DescribedIn { page: &page.path, file: &file };
        let mut assessment =
            Assessment { staleness: Staleness::Fresh, reviewed: true, stale_refs: Vec::new() };
        for source in &page.sources {
            let files = expanded.of(source);
            let reviewed = lock.page(&page.path).map(|reviewed| expanded.part(source, reviewed));
            match reviewed.filter(|reviewed| !reviewed.is_empty()) {
                Some(reviewed) => judge.by_review(files, &reviewed, described_in, &mut assessment)?,
                None => judge.by_times(source, files, described_in, &mut assessment)?,
            }
        }
        assessment.stale_refs.sort_by(|a, b| a.file_path.cmp(&b.file_path));
        assessment.stale_refs.dedup();
        assessments.insert(*number, assessment);
    }
    Ok(assessments)
}

/// The last edit of these pages, by path, if it decides their freshness. Pages with uncommitted edits are absent, and
/// pages whose sources are all reviewed.
///
/// # Errors
/// As [`assess`].
pub(crate) fn last_edits(context: &Context<'_>, paths: &[&str]) -> Result<HashMap<String, LastEdit>> {
    let declared = context.index.read(|db| {
        let mut numbers = Vec::new();
        for path in paths {
            numbers.extend(pages::at(db, path)?);
        }
        if numbers.is_empty() { Ok(Declared::new()) } else { declared(db, Some(&numbers)) }
    })?;
    let mut edits = HashMap::new();
    if declared.is_empty() {
        return Ok(edits);
    }
    let lock = load_lock(context, &declared)?;
    let expanded = Sources::expand(context, &declared)?;
    let by_times = |page: &&DeclaredPage| {
        let reviewed = lock.page(&page.path);
        let covered =
            |source: &String| reviewed.is_some_and(|known| !expanded.part(source, known).is_empty());
        !page.sources.iter().all(covered)
    };
    let judged: Vec<(&str, String)> = declared
        .values()
        .filter(by_times)
        .map(|page| (page.path.as_str(), path::join(context.pages_dir(), &page.path).unwrap_or_default()))
        .collect();
    let judge = Judge::new(context, &lock, judged.iter().map(|(_, file)| file.clone()).collect());
    for (page, file) in &judged {
        if let Some(edit) = judge.last_edit(DescribedIn { page, file })? {
            edits.insert((*page).to_owned(), edit);
        }
    }
    Ok(edits)
}

/// The lock of these pages, without reviews if the manifest says `"freshness": "edit"`.
fn load_lock(context: &Context<'_>, declared: &Declared) -> Result<ReviewLock> {
    let paths: BTreeSet<&str> = declared.values().map(|page| page.path.as_str()).collect();
    let lock = ReviewLock::load(context.source, |page| paths.contains(page))?;
    Ok(match context.manifest.freshness {
        FreshnessBaseline::Edit => lock.without_reviews(),
        FreshnessBaseline::Review => lock,
    })
}

/// Asks version control where files that are not there went, for the first few of them.
///
/// # Errors
/// [`crate::Error::Io`] when version control fails.
pub fn name_renames(context: &Context<'_>, assessment: &mut Assessment) -> Result<()> {
    /// Each takes a walk through history.
    const MOST: usize = 5;
    let missing = assessment.stale_refs.iter_mut().filter(|stale| stale.reason == StaleReason::Missing);
    for stale in missing.take(MOST) {
        let renamed = context.history.renamed_to(&stale.file_path)?;
        stale.renamed_to = match renamed {
            Some(path) if context.source.stat_source(&path)?.is_some() => Some(path),
            _ => None,
        };
    }
    Ok(())
}

struct Judge<'a> {
    context: &'a Context<'a>,
    lock: &'a ReviewLock,
    /// Files that version control will be asked about, all at once.
    wanted: Vec<String>,
    /// What it answered. Pages that are as they were reviewed need none of it, and asking takes some
    /// processes.
    changes: OnceCell<BTreeMap<String, SourceChange>>,
    now: Timestamp,
    threshold: SignedDuration,
    hashes: HashMap<String, Option<ContentHash>>,
}

/// The page that a source is described in.
#[derive(Clone, Copy)]
struct DescribedIn<'a> {
    /// Its path below the pages folder.
    page: &'a str,
    /// Its path in the project.
    file: &'a str,
}

impl<'a> Judge<'a> {
    fn new(context: &'a Context<'a>, lock: &'a ReviewLock, wanted: BTreeSet<String>) -> Self {
        let days = i64::from(context.manifest.staleness.threshold_days);
        Self {
            context,
            lock,
            wanted: wanted.into_iter().collect(),
            changes: OnceCell::new(),
            now: context.clock.now(),
            threshold: SignedDuration::from_hours(24 * days),
            hashes: HashMap::new(),
        }
    }

    fn change(&self, file: &str) -> Result<Option<&SourceChange>> {
        let changes = match self.changes.get() {
            Some(changes) => changes,
            None => {
                let changes = self.context.history.last_changes(&self.wanted)?;
                self.changes.get_or_init(|| changes)
            }
        };
        Ok(changes.get(file))
    }

    /// The last edit of the page; `None` if it has uncommitted edits.
    fn last_edit(&self, DescribedIn { page, file }: DescribedIn<'_>) -> Result<Option<LastEdit>> {
        if self.lock.knows_edits(page)
            && let Ok(bytes) = self.context.source.read(page)
            && let Some(edit) = self.lock.last_edit(page, ContentHash::of(&bytes))
        {
            return Ok(Some(edit));
        }
        Ok(match self.change(file)? {
            Some(SourceChange::Committed(commit)) => Some(LastEdit::At(commit.time)),
            Some(SourceChange::Uncommitted) => None,
            Some(SourceChange::BeyondHistory) => Some(LastEdit::Unknown),
            None => {
                let stat = self.context.source.stat(page)?;
                Some(stat.map_or(LastEdit::Unknown, |stat| LastEdit::At(stat.modified)))
            }
        })
    }

    fn page_time(&self, described_in: DescribedIn<'_>) -> Result<Option<Timestamp>> {
        let time = match self.last_edit(described_in)? {
            Some(edit) => edit.time(),
            None => Some(self.now),
        };
        // A clock that was ahead must not keep a page fresh, or a source young, for ever.
        Ok(time.map(|time| time.min(self.now)))
    }

    fn source_time(&self, file: &str) -> Result<Option<Timestamp>> {
        let time = match self.change(file)? {
            Some(SourceChange::Committed(commit)) => Some(commit.time),
            Some(SourceChange::BeyondHistory) => None,
            Some(SourceChange::Uncommitted) | None => {
                self.context.source.stat_source(file)?.map(|stat| stat.modified)
            }
        };
        Ok(time.map(|time| time.min(self.now)))
    }

    /// What a change at `time` makes of a page.
    fn verdict(&self, time: Option<Timestamp>) -> Staleness {
        match time {
            Some(time) if self.now.duration_since(time) > self.threshold => Staleness::Stale,
            _ => Staleness::PossiblyStale,
        }
    }

    /// Each file must be as it was reviewed; what came since counts as changed, what went as missing.
    fn by_review(
        &mut self,
        files: &[String],
        reviewed: &BTreeMap<&str, &[ContentHash]>,
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        for gone in reviewed.keys().filter(|path| !files.iter().any(|file| file == *path)) {
            assessment.add(gone, None, StaleReason::Missing, Staleness::Stale);
        }
        for file in files {
            let hash = self.hash(file);
            let known = reviewed.get(file.as_str());
            if known.is_some_and(|known| hash.is_some_and(|hash| known.contains(&hash))) {
                continue;
            }
            let time = self.source_time(file)?;
            let reason = match (time, self.page_time(described_in)?) {
                (Some(source), Some(page)) if page > source => StaleReason::PageEditedAfterSource,
                _ => StaleReason::Changed,
            };
            assessment.add(file, time, reason, self.verdict(time));
        }
        Ok(())
    }

    /// No file may be newer than the page.
    fn by_times(
        &mut self,
        source: &str,
        files: &[String],
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        if files.is_empty() {
            assessment.add(source, None, StaleReason::Missing, Staleness::Stale);
        }
        for file in files {
            assessment.reviewed = false;
            let source_time = self.source_time(file)?;
            match (source_time, self.page_time(described_in)?) {
                (Some(source), Some(page)) if source <= page => {}
                (Some(_), Some(_)) => {
                    assessment.add(file, source_time, StaleReason::Changed, self.verdict(source_time));
                }
                _ => {
                    let reason = StaleReason::UnknownShallowClone;
                    assessment.add(file, source_time, reason, Staleness::PossiblyStale);
                }
            }
        }
        Ok(())
    }

    /// Hash of a file's content; `None` for one that cannot be read.
    fn hash(&mut self, file: &str) -> Option<ContentHash> {
        if let Some(known) = self.hashes.get(file) {
            return *known;
        }
        let hash = self.context.source.read_source(file).ok().map(|bytes| ContentHash::of(&bytes));
        self.hashes.insert(file.into(), hash);
        hash
    }
}

impl Assessment {
    fn add(&mut self, file: &str, time: Option<Timestamp>, reason: StaleReason, verdict: Staleness) {
        self.staleness = self.staleness.max(verdict);
        self.stale_refs.push(StaleRef {
            file_path: file.into(),
            last_modified: time.as_ref().map(Timestamp::to_string),
            reason,
            renamed_to: None,
        });
    }
}
