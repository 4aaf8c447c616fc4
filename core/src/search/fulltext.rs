//! The side of the words: BM25 over titles, headings and text.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use crate::{Result, text};

/// Weights of title (with aliases), headings and text in BM25.
const BM25: &str = "bm25(4.0, 2.0, 1.0)";

/// Share of BM25 of words that follow each other in query and text alike, on top of what each word
/// counts. From 0.1 to 0.2, nDCG@10 rises on cranfield, cisi and hotpotqa and is unchanged elsewhere; more
/// costs scifact.
const NEIGHBOURS: f64 = 0.15;
/// Sections whose neighbouring words are looked at, for each that is asked for.
const NEIGHBOURS_EACH: usize = 5;

/// A section whose words match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Number of the section in the index.
    pub section: i64,
    /// Number of its page.
    pub page: i64,
    /// BM25, positive; larger is better, and comparable only within one query.
    pub bm25: f64,
}

/// The `limit` best matching sections on `allowed` pages (all when `None`), best first. Quoted
/// phrases are required; where that leaves fewer than `enough` sections, others follow that at
/// least hold some of the words.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn matches(
    db: &Connection,
    query: &text::Query,
    limit: usize,
    enough: usize,
    allowed: Option<&HashSet<i64>>,
) -> Result<Vec<Match>> {
    let Some(strict) = query.match_expression() else { return Ok(Vec::new()) };
    let pages = allowed.map(|pages| serde_json::to_string(pages).unwrap_or_else(|_| "[]".into()));
    let mut found = find(db, &strict, limit, pages.as_deref())?;
    if let Some(neighbours) = query.neighbours_expression() {
        let side_by_side = find(db, &neighbours, limit * NEIGHBOURS_EACH, pages.as_deref())?;
        let bonus: HashMap<i64, f64> = side_by_side.iter().map(|m| (m.section, m.bm25)).collect();
        for one in &mut found {
            one.bm25 += NEIGHBOURS * bonus.get(&one.section).copied().unwrap_or(0.0);
        }
        found.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then(a.section.cmp(&b.section)));
    }
    if found.len() < enough
        && !query.phrases().is_empty()
        && let Some(relaxed) = query.relaxed_expression()
    {
        let known: HashSet<i64> = found.iter().map(|m| m.section).collect();
        let least = found.last().map_or(f64::INFINITY, |m| m.bm25);
        let others = find(db, &relaxed, limit, pages.as_deref())?;
        // Whatever its words, a section without the phrase comes after those that have it.
        found.extend(
            others
                .into_iter()
                .filter(|other| !known.contains(&other.section))
                .map(|other| Match { bm25: other.bm25.min(least), ..other }),
        );
        found.truncate(limit);
    }
    Ok(found)
}

fn find(db: &Connection, expression: &str, limit: usize, pages: Option<&str>) -> Result<Vec<Match>> {
    let narrowed = match pages {
        Some(_) => {
            "AND rowid IN (SELECT section FROM sections WHERE page IN (SELECT value FROM json_each(?3)))"
        }
        None => "AND ?3 IS NULL",
    };
    let sql = format!(
        "SELECT found.rowid, page, score FROM (
             SELECT rowid, -rank AS score FROM fulltext
             WHERE fulltext MATCH ?1 AND rank MATCH '{BM25}' {narrowed}
             ORDER BY rank LIMIT ?2
         ) AS found JOIN sections ON section = found.rowid
         ORDER BY score DESC, section"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map((expression, limit, pages), |row| {
        Ok(Match { section: row.get(0)?, page: row.get(1)?, bm25: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
