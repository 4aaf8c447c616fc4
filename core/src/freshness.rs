//! Which pages may have been overtaken by the code they describe. A page's sources are its
//! `source_refs` (files, folders, globs) and the files it links to. A source that changed after the
//! page did makes the page possibly stale, and stale once that change is older than the threshold.
//! Times are those of the last commits; without version control, modification times.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::Context;
use crate::ports::SourceChange;
use crate::{Result, path};

/// How far a page can be trusted.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// It names no sources.
    #[default]
    Untracked,
    /// It is at least as new as everything it describes.
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
    /// It changed after the page did.
    Changed,
    /// It is not there.
    Missing,
    /// A shallow clone does not say when it changed.
    UnknownShallowClone,
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
}

/// What is known of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assessment {
    /// The verdict.
    pub staleness: Staleness,
    /// The sources behind it, sorted.
    pub stale_refs: Vec<StaleRef>,
}

/// Assesses `pages`, or every page that names sources when `None`. Pages that name none are absent.
///
/// # Errors
/// [`crate::Error::Database`], and [`crate::Error::Io`] when version control fails.
pub fn assess(context: &Context<'_>, pages: Option<&[i64]>) -> Result<HashMap<i64, Assessment>> {
    let declared = context.index.read(|db| declared_sources(db, pages))?;
    if declared.is_empty() {
        return Ok(HashMap::new());
    }
    let expanded = expand(context, &declared)?;
    let page_file = |page_path: &str| path::join(context.pages_dir(), page_path).unwrap_or_default();
    let mut wanted: BTreeSet<String> = expanded.values().flatten().cloned().collect();
    wanted.extend(declared.values().map(|(page_path, _)| page_file(page_path)));
    let changes = context.history.last_changes(&wanted.into_iter().collect::<Vec<_>>())?;
    let now = context.clock.now();
    let days = i64::from(context.manifest.staleness.threshold_days);
    let threshold = SignedDuration::from_hours(24 * days);

    let mut assessments = HashMap::new();
    for (page, (page_path, sources)) in &declared {
        let page_change = changes.get(&page_file(page_path));
        let page_time = match page_change {
            Some(SourceChange::Committed(commit)) => Some(commit.time),
            Some(SourceChange::Uncommitted) => Some(now),
            Some(SourceChange::BeyondHistory) => None,
            None => context.source.stat(page_path)?.map(|stat| stat.modified),
        };
        let mut assessment = Assessment { staleness: Staleness::Fresh, stale_refs: Vec::new() };
        for declared in sources {
            let files = expanded.get(declared).map(Vec::as_slice).unwrap_or_default();
            if files.is_empty() {
                assessment.staleness = Staleness::Stale;
                assessment.stale_refs.push(StaleRef {
                    file_path: declared.clone(),
                    last_modified: None,
                    reason: StaleReason::Missing,
                });
            }
            for file in files {
                let modified =
                    || Ok::<_, crate::Error>(context.source.stat_source(file)?.map(|stat| stat.modified));
                let source_time = match changes.get(file) {
                    Some(SourceChange::Committed(commit)) => Some(commit.time),
                    Some(SourceChange::BeyondHistory) => None,
                    Some(SourceChange::Uncommitted) | None => modified()?,
                };
                let (reason, verdict) = match (source_time, page_time) {
                    (Some(source), Some(page)) if source <= page => continue,
                    (Some(source), Some(_)) if now.duration_since(source) <= threshold => {
                        (StaleReason::Changed, Staleness::PossiblyStale)
                    }
                    (Some(_), Some(_)) => (StaleReason::Changed, Staleness::Stale),
                    _ => (StaleReason::UnknownShallowClone, Staleness::PossiblyStale),
                };
                assessment.staleness = assessment.staleness.max(verdict);
                assessment.stale_refs.push(StaleRef {
                    file_path: file.clone(),
                    last_modified: source_time.as_ref().map(Timestamp::to_string),
                    reason,
                });
            }
        }
        assessment.stale_refs.sort_by(|a, b| a.file_path.cmp(&b.file_path));
        assessment.stale_refs.dedup();
        assessments.insert(*page, assessment);
    }
    Ok(assessments)
}

type Declared = BTreeMap<i64, (String, BTreeSet<String>)>;

/// Page number to its path and the sources it names.
fn declared_sources(db: &Connection, pages: Option<&[i64]>) -> Result<Declared> {
    let mut statement = db.prepare_cached(
        "SELECT page, path, named.source FROM (
             SELECT page, source FROM source_refs
             UNION SELECT page, source FROM links WHERE state = 2
         ) AS named JOIN pages USING (page)
         WHERE ?1 IS NULL OR page IN (SELECT value FROM json_each(?1))",
    )?;
    let only = pages.map(|pages| serde_json::to_string(pages).unwrap_or_else(|_| "[]".into()));
    let mut rows = statement.query([only])?;
    let mut declared = Declared::new();
    while let Some(row) = rows.next()? {
        let entry = declared.entry(row.get(0)?).or_default();
        entry.0 = row.get(1)?;
        entry.1.insert(row.get(2)?);
    }
    Ok(declared)
}

/// What every named source stands for: itself, the files of a folder, or those that match a glob.
fn expand(context: &Context<'_>, declared: &Declared) -> Result<HashMap<String, Vec<String>>> {
    let mut expanded = HashMap::new();
    for source in declared.values().flat_map(|(_, sources)| sources) {
        if expanded.contains_key(source) {
            continue;
        }
        let files = if context.source.stat_source(source)?.is_some() {
            vec![source.clone()]
        } else if source.contains(['*', '?', '[', '{']) {
            context.source.match_sources(std::slice::from_ref(source)).unwrap_or_default()
        } else {
            // Brackets keep a folder's own special characters from being read as a glob.
            let escaped = globset::escape(source.trim_end_matches('/'));
            context.source.match_sources(&[format!("{escaped}/**")])?
        };
        expanded.insert(source.clone(), files);
    }
    Ok(expanded)
}
