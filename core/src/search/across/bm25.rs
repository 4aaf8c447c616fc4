//! BM25 of rows of one index as if its rows were a part of all of several indexes: how rare a word is, and how long a row
//! is compared with others, is taken from all of them.

use rusqlite::Connection;

use crate::Result;
use crate::index::questions::{fulltext, lengths};
use crate::index::{Index, RowSet};
use crate::search::rarity::idf;
use crate::search::texts::{Own, Texts};
use crate::search::{Match, NEIGHBOURS};
use crate::text::Query;

/// FTS5's constants.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Looking up a row among those that have a phrase takes as long as reading this many of them.
const SEEK: usize = 50;

/// All texts, and their average number of words.
pub(super) struct All<'a> {
    pub texts: &'a dyn Texts,
    pub length: f64,
}

/// Replaces the scores of `found`, which are the best rows of an index for a query, or for the query without its
/// phrases, and orders them by it.
///
/// FTS5 scores a row, for each phrase `i` with weighted frequency `f`:
///
/// ```text
/// idf(i) * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average length))
/// ```
///
/// So from a score, the frequency is known, and with it the score for another rarity and average length.
pub(super) fn rescore(
    db: &Connection,
    index: &Index,
    query: &Query,
    is_relaxed: bool,
    found: &mut [Match],
    all: &All<'_>,
) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let own = Own { db, index };
    let rows = own.rows()? as f64;
    let average = lengths::of_all(db)? as f64 / rows.max(1.0);
    let mut of_rows = Vec::with_capacity(found.len());
    for one in &*found {
        of_rows.push((one.passage, lengths::of_row(db, one.passage)? as f64, 0.0));
    }
    of_rows.sort_unstable_by_key(|(row, ..)| *row);
    let within = RowSet::of(of_rows.iter().map(|(row, ..)| *row));
    let phrases = if is_relaxed { query.relaxed_phrases() } else { query.scored_phrases() };
    let phrases = phrases.into_iter().map(|phrase| (phrase, 1.0));
    let neighbours = query.neighbours().filter(|_| !is_relaxed).map(|pair| (pair.to_owned(), NEIGHBOURS));
    for (phrase, weight) in phrases.chain(neighbours) {
        let having = own.rows_with(&phrase)?;
        if having == 0 {
            continue;
        }
        let here = idf(having as f64, rows);
        let among_all = idf(all.texts.rows_with(&phrase)? as f64, all.texts.rows()? as f64);
        let mut add = |row: i64, score: f64| {
            if let Ok(at) = of_rows.binary_search_by_key(&row, |(row, ..)| *row) {
                let (_, length, sum) = &mut of_rows[at];
                let part = (score / here).clamp(0.0, (K1 + 1.0) * (1.0 - 1e-12));
                let norm = |average: f64| K1 * (1.0 - B + B * *length / average.max(f64::MIN_POSITIVE));
                let frequency = part * norm(average) / (K1 + 1.0 - part);
                *sum += weight * among_all * frequency * (K1 + 1.0) / (frequency + norm(all.length));
            }
        };
        match index.postings(db, &phrase)? {
            Some(list) => list.iter().for_each(|posting| add(posting.row, posting.bm25)),
            None if having / SEEK > found.len() => {
                for one in &*found {
                    if let Some(score) = fulltext::score(db, &phrase, one.passage)? {
                        add(one.passage, score);
                    }
                }
            }
            None => fulltext::each_match(db, &phrase, Some(&within), add)?,
        }
    }
    for one in found.iter_mut() {
        let at = of_rows.binary_search_by_key(&one.passage, |(row, ..)| *row);
        one.bm25 = at.map_or(0.0, |at| of_rows[at].2);
    }
    found.sort_by(|a, b| b.bm25.total_cmp(&a.bm25));
    Ok(())
}
