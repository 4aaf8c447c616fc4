//! Which part of a section an answer shows: all of a short section, the best passage of a long one.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;
use crate::index::questions::sections::{self, Passage};
use crate::index::questions::{fulltext, vectors};
use crate::search::{Request, SectionScore};

/// Below this share of the best match, words locate the passage less well than the vector does.
const WEAK_WORDS: f64 = 0.5;

/// The best passage of a long section: where its words match or, if they hardly do, where words and meaning
/// together match best. `None` for a section that is one passage.
pub(super) fn best(db: &Connection, scored: &SectionScore, request: &Request<'_>) -> Result<Option<Passage>> {
    if sections::passage(db, scored.section)?.is_none() {
        return Ok(None);
    }
    let by_words = scored.passage.filter(|_| request.vector.is_none() || scored.fulltext >= WEAK_WORDS);
    let row = match (by_words, request.vector) {
        (Some(row), _) => Some(row),
        (None, Some(vector)) => both(db, scored.section, vector, request)?,
        (None, None) => None,
    };
    sections::passage(db, row.unwrap_or(scored.section))
}

/// The passage that matches best by words and meaning, each relative to the best passage of the section. Cosines of
/// adjacent passages hardly differ, so words decide if there are any.
fn both(db: &Connection, section: i64, vector: &[f32], request: &Request<'_>) -> Result<Option<i64>> {
    let rows = sections::passages(db, section)?;
    let words: HashMap<i64, f64> = match request.query.relaxed_expression() {
        Some(expression) => fulltext::scores_within(db, &expression, section)?.into_iter().collect(),
        None => HashMap::new(),
    };
    let mut meaning: HashMap<i64, f64> = HashMap::new();
    for (middle, similarity) in similarities(db, section, vector, request.matrix.identity())? {
        let at = rows.partition_point(|(_, first)| *first <= middle);
        if let Some((row, _)) = at.checked_sub(1).and_then(|at| rows.get(at)) {
            let most = meaning.entry(*row).or_insert(0.0);
            *most = most.max(similarity);
        }
    }
    let most = |side: &HashMap<i64, f64>| side.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let (most_words, most_meaning) = (most(&words), most(&meaning));
    let of = |side: &HashMap<i64, f64>, row| side.get(&row).copied().unwrap_or(0.0);
    let score = |row| of(&words, row) / most_words + of(&meaning, row) / most_meaning;
    let mut best: Option<(i64, f64)> = None;
    for (row, _) in rows {
        if best.is_none_or(|(_, most)| score(row) > most) {
            best = Some((row, score(row)));
        }
    }
    Ok(best.map(|(row, _)| row))
}

/// The embedded pieces of a section: the middle of each, and its cosine similarity with the query.
fn similarities(db: &Connection, section: i64, query: &[f32], identity: &str) -> Result<Vec<(usize, f64)>> {
    let mut found = Vec::new();
    vectors::each_of_section(db, section, identity, |middle, data| {
        let values = data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let similarity: f32 = values.zip(query).map(|(a, b)| a * b).sum();
        found.push((middle, f64::from(similarity)));
    })?;
    Ok(found)
}
