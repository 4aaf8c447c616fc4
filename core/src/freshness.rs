//! Which pages may be out of date because the code they describe has changed. A page's sources are its `source_refs`
//! (files, folders, globs, symbols) and the files it links to. If a source changed after the page was reviewed, the page is
//! possibly stale, and stale once that change is older than the threshold. The lock records what was reviewed. For
//! sources that are not in the lock, a change after the last change of the page counts: by commit times, or by
//! modification times without version control.
//!
//! **Invariants**
//! - A page is never reported as fresh without evidence: in a shallow or partial clone it is `possibly_stale`, with the
//!   reason (`tests/tests/freshness.rs`, with real git repositories).
//! - `updated_at` in front matter is ignored.
//! - A write by UBP that is not a person's edit does not make a page fresh (`ops/tests/writing/freshness.rs`).

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::pages;
#[cfg(not(target_family = "wasm"))]
use crate::manifest::AuthorRights;
use crate::manifest::FreshnessBaseline;
#[cfg(not(target_family = "wasm"))]
use crate::ports::SymbolHashes;
use crate::ports::{ContentHash, SourceChange};
use crate::{Result, path};

mod anchors;
#[cfg(not(target_family = "wasm"))]
mod expiry;
mod judged;
mod lock;
#[cfg(not(target_family = "wasm"))]
mod lookups;
#[cfg(not(target_family = "wasm"))]
mod moves;
#[cfg(not(target_family = "wasm"))]
mod sections;
#[cfg(not(target_family = "wasm"))]
mod sites;
mod sources;
#[cfg(not(target_family = "wasm"))]
mod stamp;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod successor;
mod suspects;
#[cfg(not(target_family = "wasm"))]
mod symbols;
#[cfg(test)]
mod tests;
#[cfg(not(target_family = "wasm"))]
mod touched;

#[cfg(not(target_family = "wasm"))]
pub use anchors::Anchor;
pub use anchors::file_of;
pub(crate) use judged::put as put_verdict;
pub use lock::{Content, LastEdit, LockProblem, REVIEW_LOCK, ReviewLock, Reviewed, line_paths};
#[cfg(not(target_family = "wasm"))]
pub(crate) use lookups::{Looked, Lookups};
#[cfg(not(target_family = "wasm"))]
pub(crate) use moves::{Moves, NewPlace};
#[cfg(not(target_family = "wasm"))]
pub(crate) use sections::{Binding, binding, section_names};
pub(crate) use sources::count_among;
pub use sources::{Declared, DeclaredPage, Sources, combined, declared};
#[cfg(not(target_family = "wasm"))]
pub use stamp::Stamp;
pub use suspects::{Suspect, suspects};
#[cfg(not(target_family = "wasm"))]
pub(crate) use symbols::Targets;
#[cfg(not(target_family = "wasm"))]
pub use touched::{DescribingSection, Touch, TouchedSource};
#[cfg(not(target_family = "wasm"))]
pub(crate) use touched::{Ends, touched};

/// Whether a page is up to date with its sources.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// The page has no sources.
    #[default]
    Untracked,
    /// No source changed since the review, or since the page changed.
    Fresh,
    /// A source changed since then, less than the threshold ago, or history is too short to tell.
    PossiblyStale,
    /// A source changed since then, longer ago than the threshold, or is missing.
    Stale,
}

/// Why a source makes its page stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StaleReason {
    /// It changed since the review, or since the page changed.
    Changed,
    /// The symbol changed since the review, but not its contract.
    BodyChanged,
    /// The contract of the symbol changed since the review: its signature, a type, a default value.
    ContractChanged,
    /// It does not exist.
    Missing,
    /// The time of its last change is not in the shallow clone.
    UnknownShallowClone,
    /// It changed since the review, and the page was edited later without a review.
    PageEditedAfterSource,
    /// The page depends on, or implements, a page that is not fresh.
    Suspect,
    /// The page itself says that it is stale by now.
    Expired,
}

/// A source that makes its page stale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleRef {
    /// Path relative to the project; for a symbol, followed by `#` and its name.
    pub file_path: String,
    /// When it last changed, RFC 3339; absent if unknown.
    pub last_modified: Option<String>,
    /// Why it makes the page stale.
    pub reason: StaleReason,
    /// New path of a missing file, if version control knows it; new name of a missing symbol, if only one is like it.
    pub renamed_to: Option<String>,
    /// Share of such files or symbols that are the missing one; absent if it is equal.
    pub confidence: Option<f64>,
}

/// The freshness of one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assessment {
    /// The verdict.
    pub staleness: Staleness,
    /// The sources that make it stale, sorted.
    pub stale_refs: Vec<StaleRef>,
    /// Whether every existing source was compared with a review rather than by times.
    pub reviewed: bool,
    /// The reviewed hashes of symbols that are gone, by anchor.
    #[cfg(not(target_family = "wasm"))]
    pub gone: BTreeMap<String, SymbolHashes>,
}

/// Assesses `pages`, or all pages if `None`. Pages without sources are absent, unless they are stale by their own word. The index of a published site returns
/// the verdicts from when it was built.
///
/// # Errors
/// [`crate::Error::Database`], and [`crate::Error::Io`] when version control or the lock fails.
pub fn assess(context: &Context<'_>, pages: Option<&[i64]>) -> Result<HashMap<i64, Assessment>> {
    if let Some(judged) = context.index.read(|db| judged::verdicts(db, pages))? {
        return Ok(judged);
    }
    #[cfg_attr(target_family = "wasm", allow(unused_mut))]
    let mut assessments = by_sources(context, pages)?;
    #[cfg(not(target_family = "wasm"))]
    expiry::add(context, pages, &mut assessments)?;
    Ok(assessments)
}

/// Assesses pages with sources.
fn by_sources(context: &Context<'_>, pages: Option<&[i64]>) -> Result<HashMap<i64, Assessment>> {
    // To a reader from whom all code is hidden, every source would be missing.
    #[cfg(not(target_family = "wasm"))]
    if context.rights.is_some_and(AuthorRights::hides_code) {
        return Ok(HashMap::new());
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
    let mut judge = Judge::new(context, &lock, wanted, &expanded);
    #[cfg(not(target_family = "wasm"))]
    judge.read_changed(&declared, &expanded)?;
    let mut assessments = HashMap::new();
    for (number, page) in &declared {
        let file = page_file(&page.path);
        let described_in = DescribedIn { page: &page.path, file: &file };
        let mut assessment =
            Assessment { staleness: Staleness::Fresh, reviewed: true, ..Assessment::default() };
        for source in &page.sources {
            let files = expanded.of(source);
            let reviewed = lock.page(&page.path).map(|reviewed| expanded.part(source, reviewed));
            let reviewed = reviewed.filter(|reviewed| !reviewed.is_empty());
            #[cfg(not(target_family = "wasm"))]
            if let Some(anchor) = expanded.anchor(source) {
                let reviewed = reviewed.and_then(|reviewed| reviewed.into_values().next());
                judge.by_symbol(source, anchor, reviewed, described_in, &mut assessment)?;
                continue;
            }
            match reviewed {
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

/// The last edit of these pages, by path, if it decides their freshness. Pages with uncommitted edits and pages whose
/// sources are all reviewed are absent.
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
    let files = judged.iter().map(|(_, file)| file.clone()).collect();
    let judge = Judge::new(context, &lock, files, &expanded);
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

/// Looks up where missing files and symbols were moved to, up to a limit for all pages. Returns how many were left out.
///
/// # Errors
/// [`crate::Error::Io`] when version control fails.
#[cfg(not(target_family = "wasm"))]
pub fn name_renames<'a>(
    context: &Context<'_>,
    assessments: impl IntoIterator<Item = &'a mut Assessment>,
) -> Result<usize> {
    let mut lookups = Lookups::new(context);
    let is_missing = |stale: &StaleRef| stale.reason == StaleReason::Missing;
    let mut assessments: Vec<&mut Assessment> = assessments.into_iter().collect();
    // Which sources are left out must not depend on the order of indexing.
    assessments.sort_by_cached_key(|assessment| {
        let missing = assessment.stale_refs.iter().filter(|stale| is_missing(stale));
        missing.map(|stale| stale.file_path.clone()).collect::<Vec<_>>()
    });
    for assessment in assessments {
        for stale in assessment.stale_refs.iter_mut().filter(|stale| is_missing(stale)) {
            let reviewed = assessment.gone.get(&stale.file_path);
            if let Looked::Found(place) = lookups.look(&stale.file_path, reviewed)? {
                stale.renamed_to = Some(place.anchor.clone());
                stale.confidence = place.confidence;
            }
        }
    }
    Ok(lookups.left_out())
}

/// The same in browsers, which have no version control.
///
/// # Errors
/// None.
#[cfg(target_family = "wasm")]
pub fn name_renames<'a>(
    _context: &Context<'_>,
    _assessments: impl IntoIterator<Item = &'a mut Assessment>,
) -> Result<usize> {
    Ok(0)
}

struct Judge<'a> {
    context: &'a Context<'a>,
    lock: &'a ReviewLock,
    /// Files to look up in version control, in a single call.
    wanted: Vec<String>,
    /// The result of that call, which starts several processes. Pages that match their review do not need it.
    changes: OnceCell<BTreeMap<String, SourceChange>>,
    now: Timestamp,
    threshold: SignedDuration,
    hashes: HashMap<String, Option<ContentHash>>,
    #[cfg(not(target_family = "wasm"))]
    targets: Targets<'a>,
}

/// The page that describes a source.
#[derive(Clone, Copy)]
struct DescribedIn<'a> {
    /// Its path relative to the pages folder.
    page: &'a str,
    /// Its path relative to the project.
    file: &'a str,
}

impl<'a> Judge<'a> {
    fn new(
        context: &'a Context<'a>,
        lock: &'a ReviewLock,
        wanted: BTreeSet<String>,
        #[cfg_attr(target_family = "wasm", allow(unused_variables))] sources: &'a Sources,
    ) -> Self {
        let days = i64::from(context.manifest.staleness.threshold_days);
        Self {
            context,
            lock,
            wanted: wanted.into_iter().collect(),
            changes: OnceCell::new(),
            now: context.clock.now(),
            threshold: SignedDuration::from_hours(24 * days),
            hashes: HashMap::new(),
            #[cfg(not(target_family = "wasm"))]
            targets: Targets::of_all(sources),
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
        // A commit from a clock that was ahead must not keep a page fresh, or a source new, for ever.
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

    /// The verdict on a page whose source changed at `time`.
    fn verdict(&self, time: Option<Timestamp>) -> Staleness {
        match time {
            Some(time) if self.now.duration_since(time) > self.threshold => Staleness::Stale,
            _ => Staleness::PossiblyStale,
        }
    }

    /// Compares each file with the review; new files count as changed, deleted ones as missing.
    fn by_review(
        &mut self,
        files: &[String],
        reviewed: &BTreeMap<&str, &[Content]>,
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        for (gone, contents) in reviewed.iter().filter(|(path, _)| !files.iter().any(|file| file == *path)) {
            assessment.miss(gone, contents);
        }
        for file in files {
            let hash = self.hash(file);
            let known = reviewed.get(file.as_str());
            if known.is_some_and(|known| known.iter().any(|content| Some(content.file) == hash)) {
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

    /// Reads the files in which a symbol may have changed.
    #[cfg(not(target_family = "wasm"))]
    fn read_changed(&mut self, declared: &Declared, sources: &'a Sources) -> Result<()> {
        let mut files = BTreeSet::new();
        for page in declared.values() {
            for (source, anchor) in
                page.sources.iter().filter_map(|named| Some((named, sources.anchor(named)?)))
            {
                let hash = self.hash(anchor.file);
                let reviewed = self.lock.page(&page.path).map(|reviewed| sources.part(source, reviewed));
                let mut contents = reviewed.iter().flat_map(BTreeMap::values).copied().flatten();
                if !contents.any(|content| Some(content.file) == hash) {
                    files.insert(anchor.file);
                }
            }
        }
        self.targets.read(self.context, &files)
    }

    /// Compares the symbol with the review, or without one the time of its file with the time of the page.
    #[cfg(not(target_family = "wasm"))]
    fn by_symbol(
        &mut self,
        source: &str,
        anchor: Anchor<'a>,
        reviewed: Option<&[Content]>,
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        let hash = self.hash(anchor.file);
        let contents = reviewed.unwrap_or_default();
        // An equal file is not parsed.
        if contents.iter().any(|content| Some(content.file) == hash) {
            return Ok(());
        }
        let reason = match self.targets.target(self.context, anchor) {
            None => StaleReason::Changed,
            Some(target) => match symbols::difference(target, contents) {
                Some(StaleReason::Missing) => {
                    assessment.miss(source, contents);
                    return Ok(());
                }
                Some(reason) => reason,
                None => return Ok(()),
            },
        };
        if reviewed.is_none() {
            return self.by_time(source, anchor.file, described_in, assessment);
        }
        let time = self.source_time(anchor.file)?;
        assessment.add(source, time, reason, self.verdict(time));
        Ok(())
    }

    /// Compares the time of each file with the time of the page.
    fn by_times(
        &mut self,
        source: &str,
        files: &[String],
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        if files.is_empty() {
            assessment.miss(source, &[]);
        }
        for file in files {
            self.by_time(file, file, described_in, assessment)?;
        }
        Ok(())
    }

    /// Compares the time of the file with the time of the page. `source` is what the page names.
    fn by_time(
        &self,
        source: &str,
        file: &str,
        described_in: DescribedIn<'_>,
        assessment: &mut Assessment,
    ) -> Result<()> {
        assessment.reviewed = false;
        let time = self.source_time(file)?;
        match (time, self.page_time(described_in)?) {
            (Some(changed), Some(page)) if changed <= page => {}
            (Some(_), Some(_)) => assessment.add(source, time, StaleReason::Changed, self.verdict(time)),
            _ => {
                let reason = StaleReason::UnknownShallowClone;
                assessment.add(source, time, reason, Staleness::PossiblyStale);
            }
        }
        Ok(())
    }

    /// Hash of a file's content; `None` if it cannot be read.
    fn hash(&mut self, file: &str) -> Option<ContentHash> {
        if let Some(known) = self.hashes.get(file) {
            return *known;
        }
        let hash = self.context.source.read_source(file).ok().map(|bytes| ContentHash::of_source(&bytes));
        self.hashes.insert(file.into(), hash);
        hash
    }
}

impl Assessment {
    /// Adds a source that does not exist.
    fn miss(
        &mut self,
        source: &str,
        #[cfg_attr(target_family = "wasm", allow(unused))] reviewed: &[Content],
    ) {
        #[cfg(not(target_family = "wasm"))]
        if let Some(hashes) = reviewed.iter().find_map(|content| content.symbol.clone()) {
            self.gone.insert(source.into(), hashes);
        }
        self.add(source, None, StaleReason::Missing, Staleness::Stale);
    }

    fn add(&mut self, file: &str, time: Option<Timestamp>, reason: StaleReason, verdict: Staleness) {
        self.staleness = self.staleness.max(verdict);
        self.stale_refs.push(StaleRef {
            file_path: file.into(),
            last_modified: time.as_ref().map(Timestamp::to_string),
            reason,
            renamed_to: None,
            confidence: None,
        });
    }
}
