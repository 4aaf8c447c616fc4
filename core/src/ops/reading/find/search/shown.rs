//! Which part of a section an answer shows: all of a short one, the passage that matches best of a long one.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::Result;
use crate::search::{Request, SectionScore, scores_within};

/// Up to this share of the best match, words say less about the place than the vector does.
const WEAK_WORDS: f64 = 0.5;

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ops) struct Passage {
    /// Bytes of the section's text.
    pub bytes: Range<usize>,
    /// First and last line, counted from the section's first, which is 0.
    pub lines: (usize, usize),
}

const COLUMNS: &str = "SELECT first_byte, last_byte, first_line, last_line FROM passages";

fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
    Ok(Passage { bytes: row.get(0)?..row.get(1)?, lines: (row.get(2)?, row.get(3)?) })
}

/// The passage with this row in the full text; `None` when it is a whole section.
pub(in crate::ops) fn of_row(db: &Connection, row: i64) -> Result<Option<Passage>> {
    Ok(db.prepare_cached(&format!("{COLUMNS} WHERE passage = ?1"))?.query_row([row], passage).optional()?)
}

/// The passage of a long section that answers best: where its words match or, where they hardly do,
/// what words and meaning find together. `None` for a section that is one passage.
pub(super) fn best(db: &Connection, scored: &SectionScore, request: &Request<'_>) -> Result<Option<Passage>> {
    if of_row(db, scored.section)?.is_none() {
        return Ok(None);
    }
    let by_words = scored.passage.filter(|_| request.vector.is_none() || scored.fulltext >= WEAK_WORDS);
    let row = match (by_words, request.vector) {
        (Some(row), _) => Some(row),
        (None, Some(vector)) => both(db, scored.section, vector, request)?,
        (None, None) => None,
    };
    of_row(db, row.unwrap_or(scored.section))
}

/// The passage with the most of words and meaning, each relative to the best passage of the section.
/// Cosines of neighbours hardly differ, so words decide where there are any.
fn both(db: &Connection, section: i64, vector: &[f32], request: &Request<'_>) -> Result<Option<i64>> {
    let rows: Vec<(i64, usize)> = db
        .prepare_cached("SELECT passage, first_byte FROM passages WHERE section = ?1 ORDER BY first_byte")?
        .query_map([section], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let words: HashMap<i64, f64> = match request.query.relaxed_expression() {
        Some(expression) => scores_within(db, section, &expression)?,
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

/// What was embedded of a section: its middle, and its cosine with the query.
fn similarities(db: &Connection, section: i64, query: &[f32], identity: &str) -> Result<Vec<(usize, f64)>> {
    let mut statement = db.prepare_cached(
        "SELECT middle, data FROM section_vectors JOIN vectors USING (vector)
         WHERE section = ?1 AND vectors.model = (SELECT model FROM models WHERE identity = ?2)",
    )?;
    let mut rows = statement.query((section, identity))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let values = data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let similarity: f32 = values.zip(query).map(|(a, b)| a * b).sum();
        found.push((row.get(0)?, f64::from(similarity)));
    }
    Ok(found)
}
