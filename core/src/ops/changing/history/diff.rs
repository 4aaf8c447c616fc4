//! What a change did to the graph. Both states of the project are indexed in full, in the usual way, and compared.
//! Nothing is checked out or written.
//!
//! **Invariants**
//! - A commit is indexed as its checkout would be: with its own ignore rules, settings and link order
//!   (`ports/revision/tests.rs`, `tests/tests/diff.rs`).
//! - A name from a page or from git is never an option of git, or Markdown in a comment (hostile tests of both).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
#[cfg(not(target_family = "wasm"))]
use crate::freshness::Ends;
use crate::freshness::{StaleRef, Staleness};
use crate::index::Index;
#[cfg(not(target_family = "wasm"))]
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::budget;
#[cfg(not(target_family = "wasm"))]
use crate::ops::doctor;
use crate::ops::page::IndexState;
#[cfg(not(target_family = "wasm"))]
use crate::ops::touched::TouchedPage;
use crate::ops::way::Step;
use crate::ports::{Blobs, RevisionSource};

mod compare;
#[cfg(not(target_family = "wasm"))]
mod consequences;
mod impact;
pub(crate) mod range;
mod renames;
pub(crate) mod revision;
mod show;
mod snapshot;
mod staleness;

use compare::Comparison;
#[cfg(not(target_family = "wasm"))]
use consequences::Consequences;
use range::Range;
use revision::Revision;
use snapshot::Snapshot;

pub use show::show;

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Compare two revisions of the graph: pages, links, broken links, cycles, stale pages and affected pages.",
)
.command("diff");

/// The revisions to compare.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `A..B`: two revisions. `A...B`: B, and its last common commit with A. `A`: a revision, and the working
    /// folder (default: HEAD and the working folder).
    pub range: Option<String>,
    /// Hops over which impact is followed, 1 to 5 (default: 3).
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<usize>,
    /// Maximum number of affected pages, highest score first (default: 100).
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
}

impl Params {
    /// Whether one of the two sides is the working folder, so its index must be up to date.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for an invalid range.
    pub fn concerns_working_folder(&self) -> Result<bool> {
        Ok(Range::parse(self.range.as_deref())?.to.is_none())
    }
}

/// The differences.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The older side.
    pub from: ComparedSide,
    /// The newer side.
    pub to: ComparedSide,
    /// Changed pages.
    pub pages: PageChanges,
    /// Changed links, between pages and from pages to files.
    pub links: LinkChanges,
    /// Links that broke, by page and line.
    pub broken_links: Vec<BrokenLink>,
    /// Broken links that were fixed, by page.
    pub mended_links: Vec<MendedLink>,
    /// What pages say and is not true any more because of this change, except for links; by page and line.
    #[cfg(not(target_family = "wasm"))]
    pub broken_claims: Vec<BrokenClaim>,
    /// Changed dependency cycles.
    pub cycles: CycleChanges,
    /// Changed freshness.
    pub staleness: StalenessChanges,
    /// Pages without any link to or from another page.
    pub orphans: OrphanChanges,
    /// Pages that describe what differs in the code, those to read again first.
    #[cfg(not(target_family = "wasm"))]
    pub touched: Vec<TouchedPage>,
    /// Symbols that pages name and whose comments or layout alone changed.
    #[cfg(not(target_family = "wasm"))]
    pub silent: Vec<String>,
    /// Changed files that pages name as sources, relative to the project.
    pub changed_sources: Vec<String>,
    /// Pages that did not change but depend on a page or file that did, highest score first.
    pub impact: Vec<AffectedPage>,
    /// Number of affected pages, before `limit`.
    pub total_affected: usize,
    /// Limitations of this comparison, in words.
    pub notes: Vec<Message>,
    /// Whether the index is up to date, if the newer side is the working folder.
    pub index: Option<IndexState>,
}

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedSide {
    /// The revision as given; absent for the working folder.
    pub revision: Option<String>,
    /// Full hash of its commit; absent for the working folder.
    pub commit: Option<String>,
}

/// Changed pages, each list sorted by path.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PageChanges {
    /// New pages.
    pub added: Vec<ChangedPage>,
    /// Removed pages.
    pub removed: Vec<ChangedPage>,
    /// Moved pages, whether or not their content changed.
    pub renamed: Vec<ChangedPage>,
    /// Pages whose text or front matter changed.
    pub changed: Vec<ChangedPage>,
}

/// A page that changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangedPage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// Its previous path, if it moved.
    pub previous_filepath: Option<String>,
    /// Share of its lines that it has in common with the page at that path, if this is why it counts as moved; absent if
    /// the id in the front matter or all bytes are equal.
    pub similarity: Option<f64>,
    /// Share of pages with this similarity that were moved, 0 to 1; absent without a similarity.
    pub confidence: Option<f64>,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// Front-matter fields that changed, sorted; empty for new and removed pages.
    pub fields: Vec<String>,
    /// Sections that changed, in page order, removed ones last; empty for new and removed pages.
    pub sections: Vec<ChangedSection>,
}

/// A section that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedSection {
    /// Its id on the page.
    pub section_id: String,
    /// Its heading below its parent headings, outermost first; empty for text before the first heading.
    pub heading_path: Vec<String>,
    /// How it changed.
    pub change: SectionChange,
}

/// How a section changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionChange {
    /// It is new.
    Added,
    /// Its text changed.
    Changed,
    /// It was removed.
    Removed,
}

/// Changed links.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct LinkChanges {
    /// New links, by page.
    pub added: Vec<ChangedLink>,
    /// Removed links, by page, including those of removed pages.
    pub removed: Vec<ChangedLink>,
    /// Number of new links, by type.
    pub added_by_type: BTreeMap<String, usize>,
    /// Number of removed links, by type.
    pub removed_by_type: BTreeMap<String, usize>,
}

/// A new or removed link. A link that occurs several times on a page counts once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ChangedLink {
    /// The linking page.
    pub from: String,
    /// The link's type.
    pub link_type: String,
    /// The linked page; absent for a link to a file.
    pub to: Option<String>,
    /// The linked file, relative to the project; absent for a link to a page.
    pub source_path: Option<String>,
}

/// A link that broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenLink {
    /// The linking page.
    pub filepath: String,
    /// The first line with this link, from 1.
    pub line: usize,
    /// The target as written.
    pub target: String,
    /// Why it is broken.
    pub reason: BrokenReason,
    /// The page or file that it led to before, or leads to without the heading or block.
    pub led_to: Option<String>,
    /// The page's new path, if it moved; `renamed` says how certain that is.
    pub moved_to: Option<String>,
}

/// Why a link is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrokenReason {
    /// The link is new.
    NewLink,
    /// Its target was removed.
    TargetRemoved,
    /// Its target moved.
    TargetMoved,
    /// Its target exists, but no longer has this name.
    NameChanged,
    /// Its page exists, but does not have this heading or block.
    HeadingMissing,
}

/// What a page says and is not true any more because of this change. The commit is absent if what it removed is not committed,
/// or if that cannot be told.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenClaim {
    /// The page.
    pub filepath: String,
    /// The line, from 1.
    pub line: usize,
    /// What it claims, as in the findings of [`doctor`]: `claimed_path`, `claimed_symbol`, `claimed_command`,
    /// `claimed_flag`, `claimed_variable` or `claimed_name`.
    pub code: String,
    /// The claim, the commit of this change that took the thing away, and where it went.
    #[serde(flatten)]
    pub claim: doctor::BrokenClaim,
}

/// A link that was fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MendedLink {
    /// The linking page.
    pub filepath: String,
    /// The target as it was written.
    pub target: String,
    /// The page or file that it leads to now; absent if the link was changed or removed.
    pub leads_to: Option<String>,
}

/// New and removed dependency cycles.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct CycleChanges {
    /// Cycles that are new or grew.
    pub added: Vec<Cycle>,
    /// Cycles that disappeared or shrank.
    pub removed: Vec<Cycle>,
}

/// Pages that depend on each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cycle {
    /// Number of pages in it.
    pub page_count: usize,
    /// A short cycle of these pages; the first page is not repeated at the end.
    pub way: Vec<String>,
}

/// Changed freshness, each list sorted by path.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct StalenessChanges {
    /// Pages that became stale: their code changed, and they were not reviewed.
    pub stale: Vec<StalePage>,
    /// Pages that were stale and are fresh now.
    pub fresh: Vec<String>,
}

/// A page that became stale.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StalePage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// Its freshness now.
    pub staleness: Staleness,
    /// The sources that changed.
    pub stale_refs: Vec<StaleRef>,
}

/// New and former orphans, each list sorted.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct OrphanChanges {
    /// Pages that became orphans, including new pages.
    pub added: Vec<String>,
    /// Former orphans that are linked or removed now.
    pub removed: Vec<String>,
}

/// An affected page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffectedPage {
    /// Its path, relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// Likelihood of being affected, above 0 and at most 1.
    pub score: f64,
    /// Hops from the change.
    pub distance: usize,
    /// The strongest path from the change to this page.
    pub path: Vec<Step>,
}

/// Compares two states.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an invalid range or unknown revision; [`crate::Error::Io`] when version
/// control fails; [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let depth = budget::ranged("depth", params.depth, 3, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 100, 1, usize::MAX)?;
    let range = Range::parse(params.range.as_deref())?;
    let (from, to) = range.resolve(context.history)?;
    let mut notes = Vec::new();
    let blobs = Blobs::default();
    let old_commit = from.commit.clone().unwrap_or_default();
    let old = Revision::open(context, &blobs, &old_commit, &mut notes)?;
    // Both revisions use one index, so content that they share is parsed and resolved once.
    let index = Index::in_memory()?;
    old.fill(context, &index)?;
    let before = Snapshot::take(&old.context(context, &index))?;
    #[cfg(not(target_family = "wasm"))]
    let consequences: Consequences;
    let (comparison, state) = match &to.commit {
        None => {
            let changed = context.history.changed_since(&old_commit)?;
            let after = Snapshot::take(context)?;
            let comparison = Comparison::of(context, &before, &after, &changed, depth, limit)?;
            #[cfg(not(target_family = "wasm"))]
            {
                let ends = Ends { old: &old.source, new: None, changed: &changed };
                let commits = (old_commit.as_str(), None);
                consequences = Consequences::of(context, context, &ends, commits, &comparison.pages)?;
            }
            (comparison, Some(context.index_state()?))
        }
        Some(commit) => {
            let new = Revision::open(context, &blobs, commit, &mut notes)?;
            new.fill(context, &index)?;
            let side = new.context(context, &index);
            let after = Snapshot::take(&side)?;
            let changed = differing(&old.source, &new.source);
            let comparison = Comparison::of(&side, &before, &after, &changed, depth, limit)?;
            #[cfg(not(target_family = "wasm"))]
            {
                let ends = Ends { old: &old.source, new: Some(&new.source), changed: &changed };
                let commits = (old_commit.as_str(), Some(commit.as_str()));
                consequences = Consequences::of(&side, context, &ends, commits, &comparison.pages)?;
            }
            (comparison, None)
        }
    };
    #[cfg(not(target_family = "wasm"))]
    let Consequences { touched, silent, broken_claims } = consequences;
    #[cfg(not(target_family = "wasm"))]
    let broken_claims = broken_claims.unwrap_or_else(|| {
        notes.push(message!(
            "claims of pages were not checked: too much differs between {revision} and the working folder",
            revision = to.name()
        ));
        Vec::new()
    });
    #[cfg(not(target_family = "wasm"))]
    let comparison = comparison.without_untouched(&touched);
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
        #[cfg(not(target_family = "wasm"))]
        broken_claims,
        cycles,
        staleness,
        orphans,
        #[cfg(not(target_family = "wasm"))]
        touched,
        #[cfg(not(target_family = "wasm"))]
        silent,
        changed_sources,
        impact,
        total_affected,
        notes,
        index: state,
    })
}

/// Files of the project that differ between the two commits.
pub(crate) fn differing(old: &RevisionSource<'_>, new: &RevisionSource<'_>) -> BTreeSet<String> {
    let (then, now) = (old.files(), new.files());
    let id = |file: Option<&crate::ports::CommittedFile>| file.map(|file| file.id.clone());
    let all = then.keys().chain(now.keys());
    all.filter(|path| id(then.get(*path)) != id(now.get(*path))).cloned().collect()
}

#[cfg(test)]
mod tests;
