//! The rows of the full text. A section is one row, under its own number; a long one is several, so
//! that what stands deep in it is found as well as what stands on a short page.

use rusqlite::{Connection, params};

use super::prepare::{Prepared, PreparedSection};
use crate::Result;

/// A number that neither a section nor a passage has, behind all others: rows that follow each other
/// are what the full text writes fastest.
pub(super) fn unused_row(db: &Connection) -> Result<i64> {
    let last: i64 = db
        .prepare_cached(
            "SELECT max(coalesce((SELECT max(section) FROM sections), 0), coalesce((SELECT max(passage) FROM passages), 0))",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(last + 1)
}

/// Indexes the text of a section that has its row in `sections`, but none in the full text.
pub(super) fn put(db: &Connection, section: i64, page: &Prepared, prepared: &PreparedSection) -> Result<()> {
    for (ordinal, passage) in prepared.passages.iter().enumerate() {
        let row = if ordinal == 0 { section } else { unused_row(db)? };
        if prepared.passages.len() > 1 {
            db.prepare_cached(
                "INSERT INTO passages(passage, section, first_byte, last_byte, first_line, last_line)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                row,
                section,
                passage.range.start,
                passage.range.end,
                passage.lines.0,
                passage.lines.1
            ])?;
        }
        db.prepare_cached("INSERT INTO fulltext(rowid, title, headings, body) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![row, page.title_terms, prepared.heading_terms, passage.terms])?;
    }
    Ok(())
}

/// Takes a section out of the full text.
pub(super) fn remove(db: &Connection, section: i64) -> Result<()> {
    db.prepare_cached(
        "DELETE FROM fulltext
         WHERE rowid IN (SELECT ?1 UNION ALL SELECT passage FROM passages WHERE section = ?1)",
    )?
    .execute([section])?;
    db.prepare_cached("DELETE FROM passages WHERE section = ?1")?.execute([section])?;
    Ok(())
}

/// Takes a page that is about to go out of the full text.
pub(super) fn remove_page(db: &Connection, page: i64) -> Result<()> {
    db.prepare_cached(
        "DELETE FROM fulltext WHERE rowid IN (
             SELECT section FROM sections WHERE page = ?1
             UNION ALL SELECT passage FROM passages JOIN sections USING (section) WHERE page = ?1
         )",
    )?
    .execute([page])?;
    Ok(())
}
