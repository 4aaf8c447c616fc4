//! Who is affected when a page or a source file changes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Context;
use super::budget::{self, Omitted};
use super::page::{IndexState, PageFields};
use super::way::{self, Hops, Step, StepDirection};
use crate::graph::impact;
use crate::{Error, Result};

mod changed;

use changed::Subject;

/// What it is for.
pub const SUMMARY: &str =
    "List the pages that a change of a page or source file affects, how likely, and by which way.";

/// What changes, and how far to look.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that changes: path, id, title or alias. Where no page is called so, a source file.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    pub page_id: Option<String>,
    /// The source file that changes, relative to the project (instead of `page`). It may be gone.
    pub file: Option<String>,
    /// Hops that the change may take, 1 to 5; 3 when absent.
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<usize>,
    /// Let the change pass links of these types only. The step from a source file is always taken.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Return only pages of these types; the change passes pages of other types all the same.
    #[serde(default)]
    pub doc_types: Vec<String>,
    /// Most pages to return, highest score first; 100 when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Most tokens in the answer, 4 bytes each.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// What a change affects.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page that changes; absent when a file does.
    pub changed_page: Option<PageFields>,
    /// The source file that changes, relative to the project; absent when a page does.
    pub changed_file: Option<String>,
    /// The pages affected, highest score first.
    pub affected: Vec<AffectedPage>,
    /// Pages affected before `limit`.
    pub total_affected: usize,
    /// How many there are of each kind, before `limit`.
    pub counts: Counts,
    /// What was left out to fit `max_tokens`.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// A page that a change affects.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffectedPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// How likely it is affected, above 0 and at most 1: the strength of the weakest link on the way,
    /// halved by every hop but the first.
    pub score: f64,
    /// Fewest hops that the change takes to get here.
    pub distance: usize,
    /// The strongest of the ways with that many hops, from what changes to here.
    pub path: Vec<Step>,
}

/// How many affected pages there are of each kind.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// By type of the page.
    pub by_doc_type: BTreeMap<String, usize>,
    /// By type of the last link on the way.
    pub by_link_type: BTreeMap<String, usize>,
    /// By distance.
    pub by_distance: BTreeMap<usize, usize>,
}

/// A page in reach, before its fields are read.
struct Candidate {
    page: i64,
    filepath: String,
    doc_type: String,
    link_type: String,
    distance: usize,
    score: f64,
}

/// Finds who is affected.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::OutsideProject`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let depth = budget::ranged("depth", params.depth, 3, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 100, 1, usize::MAX)?;
    let subject = changed::find(context, &params)?;
    let graph = context.index.graph()?;
    // The pages that name a changed file are its first hop; the graph knows of pages only.
    let (starts, ahead) = match &subject {
        Subject::Page(page) => (vec![(*page, 1.0)], 0),
        Subject::File { naming, .. } => {
            (naming.iter().map(|(&page, link_type)| (page, impact::strength(link_type))).collect(), 1)
        }
    };
    let affected = graph.impact(&starts, depth - ahead, &params.link_types);
    let mut candidates = context.index.read(|db| {
        let own = starts.iter().filter(|_| ahead == 1).filter_map(|&(page, strength)| {
            let Subject::File { naming, .. } = &subject else { return None };
            Some((page, naming.get(&page)?.as_str(), 1, strength))
        });
        let others = affected.iter().map(|found| {
            (found.reached.page, found.reached.link_type, found.reached.depth + ahead, found.strength)
        });
        own.chain(others)
            .map(|(page, link_type, distance, strength)| {
                candidate(db, page, link_type, distance, impact::score(strength, distance))
            })
            .collect::<Result<Vec<_>>>()
    })?;
    candidates.retain(|found| params.doc_types.is_empty() || params.doc_types.contains(&found.doc_type));
    candidates.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.distance, &a.filepath).cmp(&(b.distance, &b.filepath)))
    });
    let counts = Counts::of(&candidates);
    let total_affected = candidates.len();
    candidates.truncate(limit);

    let mut numbers: Vec<i64> = candidates.iter().map(|found| found.page).collect();
    numbers.extend(subject.page());
    let fields = context.page_fields(&numbers)?;
    let hops: Hops<'_> = affected.iter().map(|found| (found.reached.page, found.reached.clone())).collect();
    let affected = context
        .index
        .read(|db| candidates.iter().map(|found| shown(db, found, &subject, &hops, &fields)).collect())?;
    let mut output = Output {
        changed_page: subject.page().and_then(|page| fields.get(&page).cloned()),
        changed_file: subject.file().map(str::to_owned),
        affected,
        total_affected,
        counts,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(&mut output, params.max_tokens, shrink)?;
    Ok(output)
}

fn candidate(db: &Connection, page: i64, link_type: &str, distance: usize, score: f64) -> Result<Candidate> {
    let (filepath, doc_type) = db
        .prepare_cached("SELECT path, doc_type FROM pages WHERE page = ?1")?
        .query_row([page], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Candidate { page, filepath, doc_type, link_type: link_type.to_owned(), distance, score })
}

fn shown(
    db: &Connection,
    found: &Candidate,
    subject: &Subject,
    hops: &Hops<'_>,
    fields: &HashMap<i64, PageFields>,
) -> Result<AffectedPage> {
    let page = fields.get(&found.page).cloned();
    let page = page.ok_or_else(|| Error::Internal(format!("page {} is gone", found.page)))?;
    let mut path = way::steps(db, hops, found.page)?;
    if let Subject::File { file, naming } = subject {
        let mut first = found.page;
        while let Some(hop) = hops.get(&first) {
            first = hop.via;
        }
        let to = path.first().map_or_else(|| found.filepath.clone(), |step| step.from.clone());
        let link_type = naming.get(&first).cloned().unwrap_or_default();
        path.insert(0, Step { from: file.clone(), to, link_type, direction: StepDirection::Incoming });
    }
    Ok(AffectedPage { page, score: found.score, distance: found.distance, path })
}

impl Counts {
    fn of(candidates: &[Candidate]) -> Self {
        let mut counts = Self::default();
        for found in candidates {
            *counts.by_doc_type.entry(found.doc_type.clone()).or_insert(0) += 1;
            *counts.by_link_type.entry(found.link_type.clone()).or_insert(0) += 1;
            *counts.by_distance.entry(found.distance).or_insert(0) += 1;
        }
        counts
    }
}

/// `counts`, most frequent first.
pub fn most_frequent(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut sorted: Vec<(&str, usize)> = counts.iter().map(|(name, &count)| (name.as_str(), count)).collect();
    sorted.sort_by_key(|&(_, count)| Reverse(count));
    sorted
}

/// Leaves out the last pages.
fn shrink(output: &mut Output, excess: usize) -> bool {
    // A page with its way rarely takes more than this many tokens.
    let keep = output.affected.len().saturating_sub((excess / 1_000).max(1));
    let dropped = output.affected.len() - keep;
    output.affected.truncate(keep);
    output.omitted.pages += dropped;
    dropped > 0
}

#[cfg(test)]
mod tests;
