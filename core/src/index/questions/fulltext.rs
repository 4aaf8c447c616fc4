//! Full-text queries. A row is a section, or a passage of a long section.

use rusqlite::Connection;

use super::{all, any, each, first, one, run};
use crate::Result;
use crate::index::RowSet;

/// BM25 with column weights: title (with aliases), headings, text.
const BM25: &str = "bm25(fulltext, 4.0, 2.0, 1.0)";

/// The condition that a row is in the set bound to `mark`; always true without a set.
fn is_in(within: Option<&RowSet>, mark: &str) -> String {
    match within {
        Some(_) => format!("{}({mark}, fulltext.rowid)", RowSet::CONTAINS),
        None => format!("{mark} IS NULL"),
    }
}

questions! {
    /// Number of rows.
    count() -> usize = one "SELECT count(*) FROM fulltext_docsize";
    /// Number of rows that match `expression`.
    count_matches(expression: &str) -> usize = one "SELECT count(*) FROM fulltext WHERE fulltext MATCH ?1";
    // Together in one question, min and max would read the whole table.
    /// The row in the middle of all rows.
    middle() -> Option<i64> = one
        "SELECT ((SELECT min(id) FROM fulltext_docsize) + (SELECT max(id) FROM fulltext_docsize)) / 2";
    /// Whether a row matches `expression`.
    has(expression: &str) -> bool = any "SELECT 1 FROM fulltext WHERE fulltext MATCH ?1 LIMIT 1";
    /// Some rows that have a stem.
    rows_with(stem: &str, most: usize) -> Vec<i64> = all
        "SELECT DISTINCT doc FROM vocabulary_in_rows
         WHERE term = ?1 AND EXISTS (SELECT 1 FROM fulltext_docsize WHERE id = doc) LIMIT ?2";
    /// Number of sections, of `within` if given, that match `expression`; counts at most `most`.
    count_sections(expression: &str, most: usize, within: Option<&RowSet>) -> usize = one &format!(
        "SELECT count(*) FROM (
             SELECT DISTINCT coalesce(passages.section, fulltext.rowid)
             FROM fulltext LEFT JOIN passages ON passage = fulltext.rowid
             WHERE fulltext MATCH ?1 AND {} LIMIT ?2
         )", is_in(within, "?3"));
    /// BM25 of one row for `expression`, if it matches.
    score(expression: &str, row: i64) -> Option<f64> = first &format!(
        "SELECT -{BM25} FROM fulltext WHERE fulltext MATCH ?1 AND rowid = ?2");
    // A single scan over the range of the passages; `+` keeps FTS5 from a search per passage.
    /// BM25 of the passages of a long section that match `expression`, by row.
    scores_within(expression: &str, section: i64) -> Vec<(i64, f64)> = all &format!(
        "SELECT rowid, -{BM25} FROM fulltext
         WHERE fulltext MATCH ?1
           AND rowid >= (SELECT min(passage) FROM passages WHERE section = ?2)
           AND rowid <= (SELECT max(passage) FROM passages WHERE section = ?2)
           AND +rowid IN (SELECT passage FROM passages WHERE section = ?2)");
    /// Rows of `within` that match `expression`.
    matching(expression: &str, within: &RowSet) -> Vec<i64> = all &format!(
        "SELECT rowid FROM fulltext WHERE fulltext MATCH ?1 AND {}(?2, fulltext.rowid)", RowSet::CONTAINS);
    /// The section, and its page, that a row belongs to.
    place(row: i64) -> (i64, i64) = one
        "SELECT section, page FROM sections
         WHERE section = coalesce((SELECT section FROM passages WHERE passage = ?1), ?1)";
    /// Numbers of the pages with headings or text that match `expression`.
    pages(expression: &str) -> Vec<i64> = all
        "SELECT DISTINCT page FROM fulltext LEFT JOIN passages ON passage = fulltext.rowid
         JOIN sections ON sections.section = coalesce(passages.section, fulltext.rowid)
         WHERE fulltext MATCH '{headings body} : ' || ?1 ORDER BY page";
}

visits! {
    /// Every stem from `first` to before `end`, and the number of rows that have it, deleted ones included.
    each_term(first: &str, end: &str) -> String, i64 =
        "SELECT term, doc FROM vocabulary WHERE term >= ?1 AND term < ?2";
    // Not ordered by FTS5's rank, which would sort the positions of all words.
    /// Row and BM25 of every row, of `within` if given, that matches `expression`.
    each_match(expression: &str, within: Option<&RowSet>) -> i64, f64 = &format!(
        "SELECT rowid, -{BM25} FROM fulltext WHERE fulltext MATCH ?1 AND {}", is_in(within, "?2"));
    /// The same for the rows from `first` to `last`.
    each_match_from(expression: &str, within: Option<&RowSet>, first: i64, last: i64) -> i64, f64 = &format!(
        "SELECT rowid, -{BM25} FROM fulltext
         WHERE fulltext MATCH ?1 AND rowid BETWEEN ?3 AND ?4 AND {}", is_in(within, "?2"));
}

/// Those of `rows` that match `expression`, looked up one by one.
pub(crate) fn matching_each(
    db: &Connection,
    expression: &str,
    rows: impl IntoIterator<Item = i64>,
) -> Result<Vec<i64>> {
    let mut matching = Vec::new();
    for row in rows {
        if any(db, "SELECT 1 FROM fulltext WHERE fulltext MATCH ?1 AND rowid = ?2", (expression, row))? {
            matching.push(row);
        }
    }
    Ok(matching)
}

/// Merges each full-text table into one segment, so that the same texts give the same bytes.
pub(crate) fn optimize(db: &Connection) -> Result<()> {
    run(db, "INSERT INTO name_words(name_words) VALUES ('optimize')", [])?;
    run(db, "INSERT INTO fulltext(fulltext) VALUES ('optimize')", [])
}
