//! Which part of a section an answer shows: all of a short one, the passage that matches best of a long one.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::Result;
use crate::search::SectionScore;

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
/// what is closest to `vector`, a query's vector by the model `identity`. `None` for a section that is
/// one passage.
pub(super) fn best(
    db: &Connection,
    scored: &SectionScore,
    vector: Option<&[f32]>,
    identity: &str,
) -> Result<Option<Passage>> {
    if of_row(db, scored.section)?.is_none() {
        return Ok(None);
    }
    let by_words = scored.passage.filter(|_| vector.is_none() || scored.fulltext >= WEAK_WORDS);
    let row = match (by_words, vector) {
        (Some(row), _) => Some(row),
        (None, Some(vector)) => closest(db, scored.section, vector, identity)?,
        (None, None) => None,
    };
    of_row(db, row.or(scored.passage).unwrap_or(scored.section))
}

/// The passage around what is closest to the query.
fn closest(db: &Connection, section: i64, query: &[f32], identity: &str) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached(
        "SELECT middle, data FROM section_vectors JOIN vectors USING (vector)
         WHERE section = ?1 AND model = (SELECT model FROM models WHERE identity = ?2)",
    )?;
    let mut rows = statement.query((section, identity))?;
    let mut best: Option<(f32, usize)> = None;
    while let Some(row) = rows.next()? {
        let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let values = data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let similarity: f32 = values.zip(query).map(|(a, b)| a * b).sum();
        if best.is_none_or(|(most, _)| similarity > most) {
            best = Some((similarity, row.get(0)?));
        }
    }
    let Some((_, middle)) = best else { return Ok(None) };
    Ok(db
        .prepare_cached(
            "SELECT passage FROM passages WHERE section = ?1 AND first_byte <= ?2 ORDER BY first_byte DESC LIMIT 1",
        )?
        .query_row((section, middle), |row| row.get(0))
        .optional()?)
}
