//! What the index knows of a page beyond what its file says: when it was taken in, and into how long pieces its
//! text is cut for vectors, where somebody asked for that.

use jiff::Timestamp;
use rusqlite::Connection;

use super::Index;
#[cfg(not(target_family = "wasm"))]
use super::connection::VECTOR_GENERATION;
use super::connection::{GENERATION, bump, set_counter};
use super::statement::{all, first, run};
use crate::Result;
#[cfg(not(target_family = "wasm"))]
use crate::embed::pieces;

/// Where the index keeps the most characters of a piece on pages that have no number of their own.
const KEY: &str = "chunk_size";

/// Most characters of a piece of a page's text, in a query over `pages` and, joined from the left, `documents`.
pub(super) const CHUNK_SIZE: &str = "coalesce(documents.chunk_size,
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'chunk_size'))";

/// Lets every page without a number of its own be cut into pieces of at most `size` characters. Vectors of before
/// serve until there are others.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn settle_chunk_size(index: &Index, size: Option<usize>) -> Result<()> {
    let known: Option<usize> = index.read(|db| {
        let value: Option<String> = first(db, "SELECT value FROM meta WHERE key = ?1", [KEY])?;
        Ok(value.and_then(|value| value.parse().ok()))
    })?;
    if known == size {
        return Ok(());
    }
    index.write(|db| {
        match size {
            Some(size) => set_counter(db, KEY, i64::try_from(size).unwrap_or(i64::MAX))?,
            None => run(db, "DELETE FROM meta WHERE key = ?1", [KEY])?,
        }
        let sql = "UPDATE sections SET vector_model = NULL
             WHERE page NOT IN (SELECT page FROM documents WHERE chunk_size IS NOT NULL)";
        run(db, sql, [])?;
        bump(db, GENERATION)
    })
}

/// Notes that the text of the page at `path` was taken in.
pub(super) fn note_indexed(db: &Connection, path: &str, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO documents(page, indexed_at) SELECT page, ?2 FROM pages WHERE path = ?1
         ON CONFLICT(page) DO UPDATE SET indexed_at = excluded.indexed_at";
    run(db, sql, (path, now.as_second()))
}

/// Pages with a number of their own, by path.
pub(super) fn own_sizes(db: &Connection) -> Result<Vec<(String, usize)>> {
    let sql = "SELECT path, chunk_size FROM documents JOIN pages USING (page) WHERE chunk_size IS NOT NULL";
    all(db, sql, [])
}

/// Gives pages that were taken in anew their numbers back.
pub(super) fn restore_sizes(db: &Connection, sizes: &[(String, usize)]) -> Result<()> {
    let sql = "UPDATE documents SET chunk_size = ?2 WHERE page = (SELECT page FROM pages WHERE path = ?1)";
    sizes.iter().try_for_each(|(path, size)| run(db, sql, (path, size)))
}

/// Lets the page be cut into pieces of at most `size` characters from now on, or as the others are; somebody asked at
/// `now` for it to be taken in.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn set_chunk_size(index: &Index, page: i64, size: Option<usize>, now: Timestamp) -> Result<()> {
    index.write(|db| {
        db.execute("UPDATE documents SET indexed_at = ?2 WHERE page = ?1", (page, now.as_second()))?;
        let changed = db.execute(
            "UPDATE documents SET chunk_size = ?2 WHERE page = ?1 AND chunk_size IS NOT ?2",
            (page, size),
        )?;
        if changed > 0 {
            db.execute("UPDATE sections SET vector_model = NULL WHERE page = ?1", [page])?;
            bump(db, VECTOR_GENERATION)?;
        }
        Ok(())
    })
}

/// Takes the page's vectors out of the index, and lets the next refresh read its file as if it were new.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn forget_document(index: &Index, page: i64) -> Result<()> {
    index.write(|db| {
        db.execute(
            "DELETE FROM vectors
             WHERE vector IN (SELECT vector FROM section_vectors JOIN sections USING (section) WHERE sections.page = ?1)
               AND vector NOT IN (SELECT vector FROM section_vectors WHERE page <> ?1)",
            [page],
        )?;
        db.execute(
            "DELETE FROM section_vectors WHERE section IN (SELECT section FROM sections WHERE page = ?1)",
            [page],
        )?;
        db.execute("UPDATE sections SET vector_model = NULL WHERE page = ?1", [page])?;
        db.execute("UPDATE pages SET size = -1, modified = 0, hash = zeroblob(32) WHERE page = ?1", [page])?;
        bump(db, VECTOR_GENERATION)
    })
}

/// How a page stands in the index.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentState {
    pub page: i64,
    pub path: String,
    /// Pieces that its text is cut into.
    pub chunks: usize,
    /// When it was taken in, in seconds since 1970.
    pub indexed_at: i64,
    /// When its file was written, in nanoseconds since 1970; 0 where that is to be asked of the file.
    pub modified: i64,
    /// Most characters of a piece.
    pub chunk_size: Option<usize>,
}

/// All pages, or the one at `path`, by path; `identity` is that of the model whose vectors count.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn document_states(
    db: &Connection,
    identity: Option<&str>,
    path: Option<&str>,
) -> Result<Vec<DocumentState>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT page, path, coalesce(indexed_at, 0), modified, {CHUNK_SIZE}
         FROM pages LEFT JOIN documents USING (page) WHERE ?1 IS NULL OR path = ?1 ORDER BY path"
    ))?;
    let mut states: Vec<DocumentState> = statement
        .query_map([path], |row| {
            Ok(DocumentState {
                page: row.get(0)?,
                path: row.get(1)?,
                chunks: 0,
                indexed_at: row.get(2)?,
                modified: row.get(3)?,
                chunk_size: row.get(4)?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    // Text that the model does not know, or has not seen yet, is cut as its vectors will be, as far as that goes.
    let mut sections = db.prepare_cached(
        "SELECT (SELECT count(*) FROM section_vectors
                 WHERE section_vectors.section = sections.section
                   AND section_vectors.model = (SELECT model FROM models WHERE identity = ?2)), text
         FROM sections WHERE page = ?1",
    )?;
    for state in &mut states {
        let mut rows = sections.query((state.page, identity))?;
        while let Some(row) = rows.next()? {
            let vectors: usize = row.get(0)?;
            state.chunks += match vectors {
                0 => pieces(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?, state.chunk_size).len(),
                vectors => vectors,
            };
        }
    }
    Ok(states)
}
