//! The rows of the full text. A short section is one row, under its own number; a long one is divided into several, so
//! that text deep in it ranks as well as text on a short page.

use rusqlite::Connection;

use super::prepare::{Prepared, PreparedSection};
use super::statement::{one, run};
use crate::Result;

/// A row number greater than those of all sections and passages: FTS5 is fastest when rows are written in ascending
/// order.
pub(super) fn unused_row(db: &Connection) -> Result<i64> {
    let sql = "SELECT 1 + max(coalesce((SELECT max(section) FROM sections), 0),
                              coalesce((SELECT max(passage) FROM passages), 0))";
    one(db, sql, [])
}

/// Adds a section, which is in `sections` already, to the full text.
pub(super) fn put(db: &Connection, section: i64, page: &Prepared, prepared: &PreparedSection) -> Result<()> {
    for (ordinal, passage) in prepared.passages.iter().enumerate() {
        let row = if ordinal == 0 { section } else { unused_row(db)? };
        if prepared.passages.len() > 1 {
            let sql = "INSERT INTO passages(passage, section, first_byte, last_byte, first_line, last_line)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let (range, lines) = (&passage.range, passage.lines);
            run(db, sql, (row, section, range.start, range.end, lines.0, lines.1))?;
        }
        let sql = "INSERT INTO fulltext(rowid, title, headings, body) VALUES (?1, ?2, ?3, ?4)";
        run(db, sql, (row, &page.title_terms, &prepared.heading_terms, &passage.terms))?;
    }
    Ok(())
}

/// Removes a section from the full text.
pub(super) fn remove(db: &Connection, section: i64) -> Result<()> {
    let sql = "DELETE FROM fulltext
         WHERE rowid IN (SELECT ?1 UNION ALL SELECT passage FROM passages WHERE section = ?1)";
    run(db, sql, [section])?;
    run(db, "DELETE FROM passages WHERE section = ?1", [section])
}

/// Removes a page, which is about to be deleted, from the full text.
pub(super) fn remove_page(db: &Connection, page: i64) -> Result<()> {
    let sql = "DELETE FROM fulltext WHERE rowid IN (
             SELECT section FROM sections WHERE page = ?1
             UNION ALL SELECT passage FROM passages JOIN sections USING (section) WHERE page = ?1
         )";
    run(db, sql, [page])?;
    run(db, "DELETE FROM name_words WHERE rowid = ?1", [page])
}
