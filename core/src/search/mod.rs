//! Ranking. Relevance combines how close a section's vector is to the query with how well its words
//! match. Then linked pages raise each other. A page scores by its best section.
//!
//! ```text
//! relevance       = w * vector + (1 - w) * fulltext        both scaled to 0..1
//! graph_proximity = max(relevance, what linked hits pass on)
//! score           = alpha * relevance + (1 - alpha) * graph_proximity
//! ```
//!
//! Pages without links keep the order of relevance exactly: there `score = relevance`.
//!
//! **Invariants**
//! - Scores are between 0 and 1 and ties are ordered by path, so equal inputs give equal answers.
//! - A neighbour never ranks above the page that raised it (`tests.rs`).
//! - A hit of vectors or words alone can still be first: candidates are the union of both.
//! - Skipping rows does not change the result: the best rows by words are those of scoring all
//!   (`best_rows/tests.rs`), the closest by rounded vectors are the closest by exact ones, unless more than 8 times as
//!   many as requested are nearly equal (`index/matrix/tests.rs`).

#[cfg(not(target_family = "wasm"))]
pub(crate) mod across;
mod best_rows;
mod blend;
mod floor;
mod fulltext;
mod names;
mod proximity;
mod rarity;
mod spelling;
mod texts;

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::index::Filter;
pub use blend::SectionScore;
pub use fulltext::{Match, NEIGHBOURS, count, matches, term_score};
use names::Named;
pub use proximity::Lift;
use rarity::Rarity;
pub use spelling::{Vocabulary, correct};
use texts::{Own, Texts};

use crate::graph::LinkGraph;
use crate::index::questions::pages;
use crate::index::{Close, Closest, Index, Near, VectorMatrix};
use crate::threads::both;
use crate::{Result, text};

/// Maximum number of candidate sections from vectors, and from words.
const CANDIDATES: usize = 200;

/// Maximum number of pages that are ranked; links can reach many more than anybody looks at.
const MOST: usize = 500;

/// If fewer sections than this contain a quoted phrase, others are considered too.
const ENOUGH: usize = 10;

/// What ranks pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Vectors and words.
    #[default]
    Hybrid,
    /// Vectors alone.
    Vector,
    /// Words alone.
    Fulltext,
}

/// A search.
pub struct Request<'a> {
    /// The query, parsed.
    pub query: &'a text::Query,
    /// The query's vector, if there is one.
    pub vector: Option<&'a [f32]>,
    /// The vectors to compare with it.
    pub matrix: &'a VectorMatrix,
    /// The links.
    pub graph: &'a LinkGraph,
    /// The index.
    pub index: &'a Index,
    /// What ranks pages.
    pub mode: SearchMode,
    /// Share of relevance in the score, 0 to 1; the rest is graph proximity.
    pub alpha: f64,
    /// Maximum number of hops over which relevance is passed on; 0 ignores links.
    pub depth: usize,
    /// Link types along which it is passed on; all if empty.
    pub link_types: &'a [String],
    /// Which pages may be found.
    pub filter: &'a Filter,
}

/// A page found by the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Number of the page in the index.
    pub page: i64,
    /// Score, 0 to 1.
    pub score: f64,
    /// Relevance before links are considered, 0 to 1.
    pub relevance: f64,
    /// Cosine similarity of the best section, 0 to 1.
    pub vector_similarity: f64,
    /// Word score of the best section relative to the best of all, 0 to 1.
    pub fulltext: f64,
    /// What relevance gains because the page's name is the query, or loses because another page's name is.
    pub name_part: f64,
    /// Relevance with what links pass on, 0 to 1.
    pub graph_proximity: f64,
    /// Hops from the best hit, `None` if not within the depth.
    pub hop_distance: Option<usize>,
    /// The linked hit that raised it, if one did.
    pub lift: Option<Lift>,
    /// Relevance of that hit; 0 if there is none.
    pub lent: f64,
    /// Its matching sections, best first; empty if only links led here.
    pub sections: Vec<SectionScore>,
}

/// The pages found, at most 500, best first, ties by path.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::InvalidParams`] from the filter.
pub fn rank(db: &Connection, request: &Request<'_>) -> Result<Vec<Hit>> {
    let allowed = request.filter.allowed(db)?;
    let keep = |page: i64| allowed.as_ref().is_none_or(|pages| pages.contains(&page));
    let (words, closest) = gather(db, request, allowed.as_ref(), ENOUGH)?;
    let texts = Own { db, index: request.index };
    let rarity = Rarity::of(request.query, &texts)?;
    let present = rarity.present(db, &words, request.index)?;
    let mut named = Named::default();
    if request.mode != SearchMode::Vector {
        named = Named::of(db, request.query, &words)?;
        if named.may_be_similar(request.query) {
            named.compare(db, request.query, &rarity, 1)?;
        }
    }
    let evidence = Evidence { words, present, closest, named };
    let mut hits = combine(request, &texts, &rarity, &evidence, keep)?;
    let paths = paths(db, &hits)?;
    hits.sort_by(|a, b| {
        rounded(b.score)
            .total_cmp(&rounded(a.score))
            .then_with(|| paths.get(&a.page).cmp(&paths.get(&b.page)))
    });
    add_distances(&mut hits, request);
    Ok(hits)
}

/// What words and vectors say about a query.
struct Evidence {
    /// Sections with its words.
    words: Vec<Match>,
    /// The passages of these that have each word.
    present: Vec<HashSet<i64>>,
    /// Sections close to it, and how close those with its words are.
    closest: Closest,
    /// Pages and sections that are called like it.
    named: Named,
}

/// The sections with the words of the query, and those close to its vector. If fewer than `enough` contain its phrases,
/// others follow.
fn gather(
    db: &Connection,
    request: &Request<'_>,
    allowed: Option<&HashSet<i64>>,
    enough: usize,
) -> Result<(Vec<Match>, Closest)> {
    let keep = |page: i64| allowed.is_none_or(|pages| pages.contains(&page));
    let find = || match request.mode {
        SearchMode::Vector => Ok(Vec::new()),
        // In a search by words alone, every result contains the phrases.
        SearchMode::Fulltext => matches(db, request.query, CANDIDATES, 1, allowed, request.index),
        SearchMode::Hybrid => matches(db, request.query, CANDIDATES, enough, allowed, request.index),
    };
    let vector = request.vector.filter(|_| request.mode != SearchMode::Fulltext);
    let (near, words) = match vector {
        Some(vector) => both(|| request.matrix.near(vector, CANDIDATES, keep), find),
        None => (Near::default(), find()),
    };
    let words = words?;
    let closest = match vector {
        Some(vector) => compare(db, request.matrix, vector, near, &words)?,
        None => Closest::default(),
    };
    Ok((words, closest))
}

/// Whether no section has the quoted phrases: whoever quotes a phrase does not want pages that are merely about the same.
fn is_unanswered(request: &Request<'_>, words: &[Match]) -> bool {
    request.mode != SearchMode::Vector && words.is_empty() && !request.query.phrases().is_empty()
}

/// The pages that the evidence is for, at most 500, best first, ties in the order of the graph.
///
/// # Errors
/// [`crate::Error::Database`].
fn combine(
    request: &Request<'_>,
    texts: &dyn Texts,
    rarity: &Rarity,
    Evidence { words, present, closest, named }: &Evidence,
    keep: impl Fn(i64) -> bool,
) -> Result<Vec<Hit>> {
    if is_unanswered(request, words) {
        return Ok(Vec::new());
    }
    let scores = rarity.scores(words, present);
    let is_by_meaning = request.mode == SearchMode::Hybrid && !closest.sections.is_empty();
    let has_phrase = !request.query.phrases().is_empty();
    if is_by_meaning
        && !has_phrase
        && !named.has_the_query()
        && !floor::is_reached(request.query, texts, closest, scores.best_alone)?
    {
        return Ok(Vec::new());
    }
    let mut pages =
        blend::blend(words, &scores.each, closest, named, request.query.identifier_share(), request.mode);
    pages.retain(|page, _| keep(*page));
    let relevance: HashMap<i64, f64> = pages.iter().map(|(page, hit)| (*page, hit.relevance)).collect();
    let lifts = proximity::lifts(&relevance, request.graph, request.depth, request.link_types);
    let mut hits: Vec<Hit> = pages.into_values().collect();
    let reached = lifts.keys().filter(|page| !relevance.contains_key(page) && keep(**page));
    hits.extend(reached.map(|&page| Hit::by_links_alone(page)));
    for hit in &mut hits {
        if let Some(lift) = lifts.get(&hit.page).filter(|lift| lift.passed > hit.relevance) {
            hit.graph_proximity = lift.passed;
            hit.lent = relevance.get(&lift.from).copied().unwrap_or(0.0);
            hit.lift = Some(lift.clone());
        }
        hit.score = request.alpha * hit.relevance + (1.0 - request.alpha) * hit.graph_proximity;
    }
    hits.retain(|hit| hit.score > 0.0);
    let place = |hit: &Hit| request.graph.place(hit.page);
    hits.sort_by(|a, b| rounded(b.score).total_cmp(&rounded(a.score)).then_with(|| place(a).cmp(&place(b))));
    hits.truncate(MOST);
    Ok(hits)
}

/// Notes how far each hit is from the best one.
fn add_distances(hits: &mut [Hit], request: &Request<'_>) {
    if let Some(best) = hits.first().map(|hit| hit.page) {
        let distances = request.graph.distances(best, request.depth.max(1), request.link_types);
        hits.iter_mut().for_each(|hit| hit.hop_distance = distances.get(&hit.page).copied());
    }
}

/// The sections closest to the query, and the similarity of those that its words found.
fn compare(
    db: &Connection,
    matrix: &VectorMatrix,
    vector: &[f32],
    near: Near,
    words: &[Match],
) -> Result<Closest> {
    let mut closest = matrix.exactly(db, vector, CANDIDATES, near)?;
    let known: HashSet<i64> = closest.sections.iter().map(|found| found.section).collect();
    let pages: HashMap<i64, i64> = words.iter().map(|found| (found.section, found.page)).collect();
    let others = words.iter().map(|found| found.section).filter(|section| !known.contains(section));
    let others = matrix.similarities(db, vector, others)?;
    closest.sections.extend(others.into_iter().filter_map(|(section, similarity)| {
        Some(Close { section, page: *pages.get(&section)?, similarity })
    }));
    Ok(closest)
}

impl Hit {
    fn by_links_alone(page: i64) -> Self {
        Self {
            page,
            score: 0.0,
            relevance: 0.0,
            vector_similarity: 0.0,
            fulltext: 0.0,
            name_part: 0.0,
            graph_proximity: 0.0,
            hop_distance: None,
            lift: None,
            lent: 0.0,
            sections: Vec::new(),
        }
    }
}

/// A score rounded to four decimals, for answers.
pub fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

fn paths(db: &Connection, hits: &[Hit]) -> Result<HashMap<i64, String>> {
    hits.iter().map(|hit| Ok((hit.page, pages::path(db, hit.page)?))).collect()
}

#[cfg(test)]
mod tests;
