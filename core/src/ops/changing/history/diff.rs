//! What a change did to the graph: two states of the project are read in full, by the same way as any
//! index, and compared. Nothing is checked out and nothing is written.
//!
//! **Invariants**
//! - A commit is read as the disk would have been: with its own ignore rules, settings and link order
//!   (`ports/revision/tests.rs`, `tests/tests/diff.rs`).
//! - No name from a page or from git is an option to git, or Markdown in a comment (hostile tests of both).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::freshness::{StaleRef, Staleness};
use crate::index::Index;
use crate::ops::Facts;
use crate::ops::budget;
use crate::ops::page::IndexState;
use crate::ops::way::Step;
use crate::ports::Blobs;

mod compare;
mod impact;
mod range;
mod renames;
mod revision;
mod show;
mod snapshot;
mod staleness;

use compare::Comparison;
use range::Range;
use revision::Revision;
use snapshot::Snapshot;

pub use show::show;

/// What surfaces know of it.
pub const FACTS: Facts = Facts::reading(
    "Say what a change did to the graph: pages, links, broken links, cycles, stale pages, and whom it affects.",
).command("diff");

/// What to compare.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `A..B`: two revisions. `A...B`: B, and the last commit that it has in common with A. `A`: a
    /// revision, and the working folder. HEAD and the working folder when absent.
    pub range: Option<String>,
    /// Hops over which impact is followed, 1 to 5; 3 when absent.
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<usize>,
    /// Most affected pages to return, highest score first; 100 when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
}

impl Params {
    /// Whether the working folder is one of the two sides, so that its index must be true to the files.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for a range that is none.
    pub fn concerns_working_folder(&self) -> Result<bool> {
        Ok(Range::parse(self.range.as_deref())?.to.is_none())
    }
}

/// What changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The older side.
    pub from: ComparedSide,
    /// The newer side.
    pub to: ComparedSide,
    /// What happened to pages.
    pub pages: PageChanges,
    /// What happened to links between pages, and from pages to files.
    pub links: LinkChanges,
    /// Links that lead nowhere now and did not before, by page and line.
    pub broken_links: Vec<BrokenLink>,
    /// Links that led nowhere before and do not now, by page.
    pub mended_links: Vec<MendedLink>,
    /// Dependency cycles.
    pub cycles: CycleChanges,
    /// Freshness.
    pub staleness: StalenessChanges,
    /// Pages without any link to or from another page.
    pub orphans: OrphanChanges,
    /// Files that differ and that pages name as their sources, relative to the project.
    pub changed_sources: Vec<String>,
    /// Pages that did not change but stand on a page or file that did, highest score first.
    pub impact: Vec<AffectedPage>,
    /// How many pages are affected, before `limit`.
    pub total_affected: usize,
    /// What limits this comparison, in words.
    pub notes: Vec<String>,
    /// How true the index is, where the working folder is the newer side.
    pub index: Option<IndexState>,
}

/// One of the two states that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedSide {
    /// The revision as it was given; absent for the working folder.
    pub revision: Option<String>,
    /// Full name of its commit; absent for the working folder.
    pub commit: Option<String>,
}

/// What happened to pages, each list by path.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PageChanges {
    /// Pages that are new.
    pub added: Vec<ChangedPage>,
    /// Pages that are gone.
    pub removed: Vec<ChangedPage>,
    /// Pages that moved, whether or not they changed otherwise.
    pub renamed: Vec<ChangedPage>,
    /// Pages whose text or front matter is another.
    pub changed: Vec<ChangedPage>,
}

/// A page that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedPage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// The path that it had, for a page that moved.
    pub previous_filepath: Option<String>,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// Fields of its front matter that differ, sorted; empty for pages that are new or gone.
    pub fields: Vec<String>,
    /// Sections that differ, in their order on the page, those that are gone last; empty for pages
    /// that are new or gone.
    pub sections: Vec<ChangedSection>,
}

/// A section that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedSection {
    /// Its id on the page.
    pub section_id: String,
    /// Its heading and those above it, outermost first; empty for text before the first heading.
    pub heading_path: Vec<String>,
    /// What happened to it.
    pub change: SectionChange,
}

/// What happened to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionChange {
    /// It is new.
    Added,
    /// Its text is another.
    Changed,
    /// It is gone.
    Removed,
}

/// What happened to links.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct LinkChanges {
    /// Links that are new, by page.
    pub added: Vec<ChangedLink>,
    /// Links that are gone, by page. Those of pages that are gone are among them.
    pub removed: Vec<ChangedLink>,
    /// How many are new, by type.
    pub added_by_type: BTreeMap<String, usize>,
    /// How many are gone, by type.
    pub removed_by_type: BTreeMap<String, usize>,
}

/// A link that came or went. However often a page writes it, it is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ChangedLink {
    /// The page that links.
    pub from: String,
    /// The link's type.
    pub link_type: String,
    /// The page that it leads to; absent for a link to a file.
    pub to: Option<String>,
    /// The file that it leads to, relative to the project; absent for a link to a page.
    pub source_path: Option<String>,
}

/// A link that broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenLink {
    /// The page that links.
    pub filepath: String,
    /// The first line of it that does, from 1.
    pub line: usize,
    /// The target as written.
    pub target: String,
    /// Why it leads nowhere.
    pub reason: BrokenReason,
    /// The page or file that it led to before.
    pub led_to: Option<String>,
    /// Where that page is now, if it moved.
    pub moved_to: Option<String>,
}

/// Why a link leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrokenReason {
    /// It was written by this change.
    NewLink,
    /// What it led to is gone.
    TargetRemoved,
    /// What it led to moved.
    TargetMoved,
    /// What it led to is there, but does not go by this name any more.
    NameChanged,
}

/// A link that was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MendedLink {
    /// The page that links.
    pub filepath: String,
    /// The target as it was written.
    pub target: String,
    /// The page or file that it leads to now; absent where the link was rewritten or taken away.
    pub leads_to: Option<String>,
}

/// Dependency cycles that came or went.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct CycleChanges {
    /// Cycles that are new, or that more pages have become part of.
    pub added: Vec<Cycle>,
    /// Cycles that are gone, or that fewer pages are part of.
    pub removed: Vec<Cycle>,
}

/// Pages that depend on each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cycle {
    /// How many pages are part of it.
    pub page_count: usize,
    /// A short way round, the first page not repeated at the end.
    pub way: Vec<String>,
}

/// Freshness that changed, each list by path.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct StalenessChanges {
    /// Pages that code overtook: it changed, and they were not reviewed.
    pub stale: Vec<StalePage>,
    /// Pages that code had overtaken, and that are fresh now.
    pub fresh: Vec<String>,
}

/// A page that code overtook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StalePage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// Its freshness now.
    pub staleness: Staleness,
    /// The sources behind it.
    pub stale_refs: Vec<StaleRef>,
}

/// Orphans that came or went, each list sorted.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct OrphanChanges {
    /// Pages that are orphans now, new ones included.
    pub added: Vec<String>,
    /// Pages that were orphans, and now are linked or gone.
    pub removed: Vec<String>,
}

/// A page that a change affects.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffectedPage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// How likely it is affected, above 0 and at most 1.
    pub score: f64,
    /// Hops from what changed.
    pub distance: usize,
    /// The surest way, from what changed to here.
    pub path: Vec<Step>,
}

/// Compares two states.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a range or revision that is none; [`crate::Error::Io`] when
/// version control fails; [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let depth = budget::ranged("depth", params.depth, 3, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 100, 1, usize::MAX)?;
    let range = Range::parse(params.range.as_deref())?;
    let (from, to) = range.resolve(context.history)?;
    let mut notes = Vec::new();
    let blobs = Blobs::default();
    let old_commit = from.commit.clone().unwrap_or_default();
    let old = Revision::open(context, &blobs, &old_commit, &mut notes)?;
    // One index serves both sides of two revisions: what they share is read and resolved once.
    let index = Index::in_memory()?;
    old.fill(context, &index)?;
    let before = Snapshot::take(&old.context(context, &index))?;
    let (comparison, state) = match &to.commit {
        None => {
            let changed = context.history.changed_since(&old_commit)?;
            let after = Snapshot::take(context)?;
            let comparison = Comparison::of(context, &before, &after, &changed, depth, limit)?;
            (comparison, Some(context.index_state()?))
        }
        Some(commit) => {
            let new = Revision::open(context, &blobs, commit, &mut notes)?;
            new.fill(context, &index)?;
            let side = new.context(context, &index);
            let after = Snapshot::take(&side)?;
            let changed = differing(&old, &new);
            (Comparison::of(&side, &before, &after, &changed, depth, limit)?, None)
        }
    };
    let Comparison {
        pages,
        links,
        broken_links,
        mended_links,
        cycles,
        staleness,
        orphans,
        changed_sources,
        impact,
        total_affected,
    } = comparison;
    Ok(Output {
        from,
        to,
        pages,
        links,
        broken_links,
        mended_links,
        cycles,
        staleness,
        orphans,
        changed_sources,
        impact,
        total_affected,
        notes,
        index: state,
    })
}

/// Files of the project that are not the same at both commits.
fn differing(old: &Revision<'_>, new: &Revision<'_>) -> BTreeSet<String> {
    let (then, now) = (old.source.files(), new.source.files());
    let id = |file: Option<&crate::ports::CommittedFile>| file.map(|file| file.id.clone());
    let all = then.keys().chain(now.keys());
    all.filter(|path| id(then.get(*path)) != id(now.get(*path))).cloned().collect()
}

#[cfg(test)]
mod tests;
