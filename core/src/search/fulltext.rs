//! Full-text ranking: BM25 over titles, headings and text.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::best_rows::{BestRows, Scored};
use crate::index::questions::fulltext;
use crate::index::{Index, RowSet, ties};
use crate::{Result, text};

/// Weight of BM25 for words that are adjacent in both the query and the text, in addition to that of each
/// word. From 0.1 to 0.2, nDCG@10 rises on cranfield, cisi and hotpotqa and is unchanged elsewhere; higher
/// values lower it on scifact.
pub const NEIGHBOURS: f64 = 0.15;

/// A section whose words match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Number of the section in the index.
    pub section: i64,
    /// Number of its page.
    pub page: i64,
    /// Row of its best passage in the full text; the section's own number if it is not split.
    pub passage: i64,
    /// BM25 of that passage, positive; larger is better, and comparable only within one query.
    pub bm25: f64,
}

/// The `limit` best matching sections on `allowed` pages (all if `None`), best first. Quoted
/// phrases are required: if no section contains them, there are no matches, and if fewer than `enough` sections do,
/// sections with only some of the words follow.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn matches(
    db: &Connection,
    query: &text::Query,
    limit: usize,
    enough: usize,
    allowed: Option<&HashSet<i64>>,
    index: &Index,
) -> Result<Vec<Match>> {
    let Some(strict) = Wanted::of(query) else { return Ok(Vec::new()) };
    let within = allowed.map(|pages| RowSet::of_pages(db, pages)).transpose()?;
    let mut found = find(db, &strict, limit, within.as_ref(), index)?;
    let neighbours: Vec<&str> = query.neighbours().collect();
    if !neighbours.is_empty() {
        add_neighbours(db, &mut found, neighbours.join(" OR "), index)?;
    }
    if (1..enough).contains(&found.len()) && !query.phrases().is_empty() {
        add_others(&mut found, without_phrases(db, query, limit, within.as_ref(), index)?, limit);
    }
    Ok(found)
}

/// The `limit` best sections with some of the words of a query or its phrases.
///
/// # Errors
/// [`crate::Error::Database`].
pub(super) fn without_phrases(
    db: &Connection,
    query: &text::Query,
    limit: usize,
    within: Option<&RowSet>,
    index: &Index,
) -> Result<Vec<Match>> {
    let Some(relaxed) = query.relaxed_expression() else { return Ok(Vec::new()) };
    find(db, &Wanted::Expression(relaxed), limit, within, index)
}

/// Adds sections that lack the phrases. They rank below every section that has them.
pub(super) fn add_others(found: &mut Vec<Match>, others: Vec<Match>, limit: usize) {
    let known: HashSet<i64> = found.iter().map(|m| m.section).collect();
    let least = found.last().map_or(f64::INFINITY, |m| m.bm25);
    found.extend(
        others
            .into_iter()
            .filter(|other| !known.contains(&other.section))
            .map(|other| Match { bm25: other.bm25.min(least), ..other }),
    );
    found.truncate(limit);
}

/// BM25 of one row of the full text for a single expression, 0 if it does not match. The scores of the parts
/// of an expression add up to that of the whole.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn term_score(db: &Connection, row: i64, expression: &str) -> Result<f64> {
    Ok(fulltext::score(db, expression, row)?.unwrap_or(0.0).max(0.0))
}

/// Upper bound of the number of sections that [`matches()`] finds, counted up to `most`.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn count(
    db: &Connection,
    query: &text::Query,
    most: usize,
    enough: usize,
    allowed: Option<&HashSet<i64>>,
) -> Result<usize> {
    let Some(strict) = query.match_expression() else { return Ok(0) };
    let within = allowed.map(|pages| RowSet::of_pages(db, pages)).transpose()?;
    let counted = |expression: &str| fulltext::count_sections(db, expression, most, within.as_ref());
    let found = counted(&strict)?;
    match query.relaxed_expression() {
        Some(relaxed) if (1..enough).contains(&found) && !query.phrases().is_empty() => {
            Ok(counted(&relaxed)?.max(found))
        }
        _ => Ok(found),
    }
}

/// Raises the sections among `found` in which words that are adjacent in the query are adjacent too.
fn add_neighbours(db: &Connection, found: &mut [Match], neighbours: String, index: &Index) -> Result<()> {
    let within = RowSet::of(found.iter().map(|one| one.passage));
    let together = find(db, &Wanted::Expression(neighbours), found.len(), Some(&within), index)?;
    let together: HashMap<i64, f64> = together.into_iter().map(|one| (one.passage, one.bm25)).collect();
    for one in found.iter_mut() {
        one.bm25 += NEIGHBOURS * together.get(&one.passage).copied().unwrap_or(0.0);
    }
    found.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then(a.section.cmp(&b.section)));
    ties::settle(db, found, |one| (one.bm25, one.section))
}

/// What a section must contain.
enum Wanted {
    Any(Vec<text::Alternative>),
    Expression(String),
}

impl Wanted {
    fn of(query: &text::Query) -> Option<Self> {
        let expression = query.match_expression()?;
        Some(query.alternatives().map_or(Self::Expression(expression), Self::Any))
    }
}

/// The `limit` best rows for `expression`, one for each section.
fn find(
    db: &Connection,
    expression: &Wanted,
    limit: usize,
    within: Option<&RowSet>,
    index: &Index,
) -> Result<Vec<Match>> {
    let mut best = BestRows::new(db, limit, within, index);
    match expression {
        Wanted::Any(alternatives) => best.weigh_any(alternatives)?,
        Wanted::Expression(expression) => best.weigh(expression, None)?,
    }
    let mut found = best
        .into_sorted()
        .into_iter()
        .map(|Scored { row, bm25 }| {
            let (section, page) = fulltext::place(db, row)?;
            Ok(Match { section, page, passage: row, bm25 })
        })
        .collect::<Result<Vec<_>>>()?;
    ties::settle(db, &mut found, |one| (one.bm25, one.section))?;
    found.truncate(limit);
    // Only the best passage of a section counts.
    let mut seen = HashSet::new();
    found.retain(|found| seen.insert(found.section));
    Ok(found)
}
