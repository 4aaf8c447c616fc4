//! Recording that pages were read and are true of their sources as they are now.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Context;
use super::page::{Found, IndexState, PageName, look_up};
use crate::freshness::{
    self, Assessment, Declared, DeclaredPage, REVIEW_LOCK, ReviewLock, Sources, StaleReason, StaleRef,
    Staleness,
};
use crate::ports::{ContentHash, Revision};
use crate::writing::{Plan, RecordChange, carry_out};
use crate::{Error, Result, path};

/// What it is for.
pub const SUMMARY: &str = "Record that pages were reviewed against their code; a stale page only when it is \
                           said to be still accurate.";

/// Commits that are searched for the content that was reviewed last.
const MOST_REVISIONS: usize = 50;

/// Pages up to which it is said what happened to their sources.
const MOST_WITH_HISTORY: usize = 20;

/// Lines of a file's difference that are given.
const MOST_LINES: usize = 200;

/// Which pages.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: Option<String>,
    /// Several pages, each by path, id, title or alias.
    #[serde(default)]
    pub pages: Vec<String>,
    /// Every page that names sources.
    #[serde(default)]
    pub all: bool,
    /// Also record pages whose sources changed since the last review: they were read again, and what
    /// they say is true.
    #[serde(default)]
    pub still_accurate: bool,
}

/// What was recorded, and what was not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages whose review is on record now, by path.
    pub reviewed: Vec<ReviewedPage>,
    /// Pages that were not recorded because their code changed, with what changed.
    pub refused: Vec<RefusedPage>,
    /// Paths of pages that name no sources, so there is nothing to record.
    pub without_sources: Vec<String>,
    /// Whether `.ubp/refs.lock` was written.
    pub written: bool,
    /// Names the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
    /// How true the index is.
    pub index: IndexState,
}

/// A page whose review is on record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Files that were recorded.
    pub source_count: usize,
    /// Whether the record differs from the one before.
    pub changed: bool,
    /// Entries that stand for no file, which no review settles: mend or delete them.
    pub missing: Vec<StaleRef>,
    /// What changed in the code since the last review.
    pub changes: Vec<SourceDifference>,
}

/// A page that has to be read first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RefusedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its freshness.
    pub staleness: Staleness,
    /// What changed in the code since the last review; commits and diffs only while the question is
    /// about 20 pages or fewer.
    pub changes: Vec<SourceDifference>,
    /// The command that records it all the same, once the page was read.
    pub settle_with: String,
}

/// What happened to a source since the last review.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceDifference {
    /// The source, and why it makes the page less than fresh.
    #[serde(flatten)]
    pub source: StaleRef,
    /// Commits that changed it since, newest first; where the review cannot be found in history, the
    /// last one.
    pub commits: Vec<SourceCommit>,
    /// Unified diff from what was reviewed to what is there, at most 200 lines; absent where history
    /// does not tell.
    pub diff: Option<String>,
}

impl SourceDifference {
    fn without_history(source: StaleRef) -> Self {
        Self { source, commits: Vec::new(), diff: None }
    }
}

/// A commit that changed a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceCommit {
    /// Full hexadecimal name.
    pub id: String,
    /// Committer time, RFC 3339.
    pub time: String,
    /// First line of its message.
    pub subject: String,
}

/// Records the reviews.
///
/// # Errors
/// [`Error::InvalidParams`], [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::Io`],
/// [`Error::Conflict`] when somebody else wrote the lock meanwhile, [`Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let mut names = params.pages;
    names.extend(params.page);
    if names.is_empty() && !params.all {
        return Err(Error::invalid("`pages` is missing: paths, ids, titles or aliases, or `all`"));
    }
    let (declared, without_sources) = chosen(context, &names, params.all)?;
    let numbers: Vec<i64> = declared.keys().copied().collect();
    let assessments = freshness::assess(context, Some(&numbers))?;
    let sources = Sources::expand(context, &declared)?;
    let mut lock = ReviewLock::load(context.source, |_| true)?;
    let listed: Option<Vec<String>> = match params.all {
        true => Some(context.source.list()?.pages.into_iter().map(|file| file.path).collect()),
        false => None,
    };
    let before = lock.to_text();
    forget_missing(&mut lock, listed.as_deref());
    // Nobody reads the differences of more, and each takes some processes.
    let with_history = declared.len() <= MOST_WITH_HISTORY;
    let (mut reviewed, mut refused) = (Vec::new(), Vec::new());
    for (number, page) in &declared {
        context.cancel.check()?;
        let mut assessment = assessments.get(number).cloned().unwrap_or_default();
        let changes = if with_history {
            freshness::name_renames(context, &mut assessment)?;
            differences(context, &lock, page, &assessment)?
        } else {
            assessment.stale_refs.iter().cloned().map(SourceDifference::without_history).collect()
        };
        if assessment.staleness > Staleness::Fresh && !params.still_accurate {
            refused.push(RefusedPage {
                filepath: page.path.clone(),
                staleness: assessment.staleness,
                changes,
                settle_with: super::check_staleness::settling(&page.path),
            });
            continue;
        }
        let mut hashes = BTreeMap::new();
        for file in page.sources.iter().flat_map(|source| sources.of(source)) {
            hashes.insert(file.clone(), ContentHash::of(&context.source.read_source(file)?));
        }
        let is_missing = |stale: &StaleRef| {
            stale.reason == StaleReason::Missing && page.sources.contains(&stale.file_path)
        };
        reviewed.push(ReviewedPage {
            filepath: page.path.clone(),
            source_count: hashes.len(),
            changed: lock.set(&page.path, hashes),
            missing: assessment.stale_refs.iter().filter(|stale| is_missing(stale)).cloned().collect(),
            changes,
        });
    }
    let audit_id = match lock.to_text() != before {
        true => save(context, &lock, &reviewed, listed.as_deref())?,
        false => None,
    };
    reviewed.sort_by(|a, b| a.filepath.cmp(&b.filepath));
    refused.sort_by(|a, b| a.filepath.cmp(&b.filepath));
    let written = audit_id.is_some();
    Ok(Output { reviewed, refused, without_sources, written, audit_id, index: context.index_state()? })
}

/// Writes what was reviewed over what is on record now: somebody else may have written meanwhile. Gives the
/// name of the change in the audit log.
fn save(
    context: &Context<'_>,
    lock: &ReviewLock,
    reviewed: &[ReviewedPage],
    listed: Option<&[String]>,
) -> Result<Option<String>> {
    let _held = context.source.lock()?;
    let bytes = context.source.read_state(REVIEW_LOCK)?;
    let mut now =
        bytes.as_deref().map_or_else(ReviewLock::default, |bytes| ReviewLock::parse(bytes, |_| true));
    for page in reviewed {
        now.copy(lock, &page.filepath);
    }
    forget_missing(&mut now, listed);
    let change = RecordChange::replace(REVIEW_LOCK, bytes.as_deref(), now.to_text().into_bytes());
    Ok(carry_out(context, Plan::new("review_page", Vec::new()).recording(change), false)?.audit_id)
}

/// Takes out pages that are not among all that there are.
fn forget_missing(lock: &mut ReviewLock, listed: Option<&[String]>) {
    if let Some(listed) = listed {
        lock.retain(|page| listed.binary_search_by(|path| path.as_str().cmp(page)).is_ok());
    }
}

/// The pages that are named, and the paths of those among them that name no sources.
fn chosen(context: &Context<'_>, names: &[String], all: bool) -> Result<(Declared, Vec<String>)> {
    context.index.read(|db| {
        if all && names.is_empty() {
            return Ok((freshness::declared(db, None)?, Vec::new()));
        }
        let mut numbers = Vec::new();
        for name in names {
            // People name files from where they stand, which is the project more often than not.
            let below = path::join("", name).and_then(|name| {
                name.strip_prefix(&format!("{}/", context.pages_dir())).map(ToOwned::to_owned)
            });
            let found = match look_up(db, name)? {
                Found::Nothing => below.map(|below| look_up(db, &below)).transpose()?,
                other => Some(other),
            };
            numbers.push(match found {
                Some(Found::Page(page)) => page,
                _ => PageName { page: Some(name), ..PageName::default() }.require(db)?,
            });
        }
        let declared =
            if all { freshness::declared(db, None)? } else { freshness::declared(db, Some(&numbers))? };
        numbers.retain(|page| !declared.contains_key(page));
        numbers.sort_unstable();
        numbers.dedup();
        let without = numbers.iter().map(|&page| super::page::path_of(db, page)).collect::<Result<_>>()?;
        Ok((declared, without))
    })
}

fn differences(
    context: &Context<'_>,
    lock: &ReviewLock,
    page: &DeclaredPage,
    assessment: &Assessment,
) -> Result<Vec<SourceDifference>> {
    let mut differences = Vec::new();
    for stale in &assessment.stale_refs {
        let file = &stale.file_path;
        let revisions = context.history.revisions(file, MOST_REVISIONS)?;
        let hashes = lock.page(&page.path).and_then(|reviewed| reviewed.get(file));
        let base = match hashes {
            Some(hashes) => position(&revisions, |revision| {
                let bytes = context.history.read_at(&revision.commit.id, file)?;
                Ok(bytes.is_some_and(|bytes| hashes.contains(&ContentHash::of(&bytes))))
            })?,
            None => by_page(context, page, &revisions)?,
        };
        let since = base.unwrap_or(1).min(revisions.len());
        let commits = revisions.iter().take(since).map(commit).collect();
        let diff = match base.and_then(|at| revisions.get(at)) {
            Some(base) => context.history.diff_since(&base.commit.id, file)?,
            None => None,
        };
        let diff = diff.filter(|diff| !diff.is_empty()).map(|diff| first_lines(&diff));
        differences.push(SourceDifference { source: stale.clone(), commits, diff });
    }
    Ok(differences)
}

/// The newest revision of a source that is no newer than the page.
fn by_page(context: &Context<'_>, page: &DeclaredPage, revisions: &[Revision]) -> Result<Option<usize>> {
    let file = path::join(context.pages_dir(), &page.path).unwrap_or_default();
    let last = context.history.revisions(&file, 1)?;
    let Some(last) = last.first() else { return Ok(None) };
    Ok(revisions.iter().position(|revision| revision.commit.time <= last.commit.time))
}

fn position(
    revisions: &[Revision],
    mut is_it: impl FnMut(&Revision) -> Result<bool>,
) -> Result<Option<usize>> {
    for (at, revision) in revisions.iter().enumerate() {
        if is_it(revision)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn commit(revision: &Revision) -> SourceCommit {
    SourceCommit {
        id: revision.commit.id.clone(),
        time: revision.commit.time.to_string(),
        subject: revision.subject.clone(),
    }
}

fn first_lines(diff: &str) -> String {
    let mut lines: Vec<&str> = diff.lines().collect();
    let left_out = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let mut text = lines.join("\n");
    text.push('\n');
    if left_out > 0 {
        text.push_str(&format!("… and {left_out} more lines\n"));
    }
    text
}
