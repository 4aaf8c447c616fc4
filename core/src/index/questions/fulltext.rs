//! Questions to the full text. Its rows are sections, and the passages of those that are long.

use rusqlite::Connection;

use super::{all, each, first, one, run};
use crate::Result;
use crate::index::RowSet;

/// FTS5's weights of title (with aliases), headings and text.
const BM25: &str = "bm25(fulltext, 4.0, 2.0, 1.0)";

/// The condition that a row is in the set which is bound to `mark`, where there is one.
fn is_in(within: Option<&RowSet>, mark: &str) -> String {
    match within {
        Some(_) => format!("{}({mark}, fulltext.rowid)", RowSet::CONTAINS),
        None => format!("{mark} IS NULL"),
    }
}

questions! {
    /// How many rows there are.
    count() -> usize = one "SELECT count(*) FROM fulltext_docsize";
    /// How many rows match `expression`.
    count_matches(expression: &str) -> usize = one "SELECT count(*) FROM fulltext WHERE fulltext MATCH ?1";
    /// How many sections of `within`, or of all, match `expression`, counted up to `most`.
    count_sections(expression: &str, most: usize, within: Option<&RowSet>) -> usize = one &format!(
        "SELECT count(*) FROM (
             SELECT DISTINCT coalesce(passages.section, fulltext.rowid)
             FROM fulltext LEFT JOIN passages ON passage = fulltext.rowid
             WHERE fulltext MATCH ?1 AND {} LIMIT ?2
         )", is_in(within, "?3"));
    /// BM25 of one row for `expression`, where it matches.
    score(expression: &str, row: i64) -> Option<f64> = first &format!(
        "SELECT -{BM25} FROM fulltext WHERE fulltext MATCH ?1 AND rowid = ?2");
    // One walk over the range in which the passages lie; `+` keeps FTS5 from one search for each.
    /// BM25 of the passages of one long section that match `expression`, by row.
    scores_within(expression: &str, section: i64) -> Vec<(i64, f64)> = all &format!(
        "SELECT rowid, -{BM25} FROM fulltext
         WHERE fulltext MATCH ?1
           AND rowid >= (SELECT min(passage) FROM passages WHERE section = ?2)
           AND rowid <= (SELECT max(passage) FROM passages WHERE section = ?2)
           AND +rowid IN (SELECT passage FROM passages WHERE section = ?2)");
    /// The section that a row is, or is a passage of, and its page.
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
    // Not in FTS5's own order of rank: it would carry all places of all words through a sort.
    /// Row and BM25 of every row of `within`, or of all, that matches `expression`.
    each_match(expression: &str, within: Option<&RowSet>) -> i64, f64 = &format!(
        "SELECT rowid, -{BM25} FROM fulltext WHERE fulltext MATCH ?1 AND {}", is_in(within, "?2"));
}

/// Makes it one piece, so that the same texts give the same bytes.
pub(crate) fn optimize(db: &Connection) -> Result<()> {
    run(db, "INSERT INTO fulltext(fulltext) VALUES ('optimize')", [])
}
