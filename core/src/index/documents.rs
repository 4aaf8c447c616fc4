//! What the index stores about a page that its file does not contain: when it was indexed, and the chunk size for its
//! vectors if the user set one.

use jiff::Timestamp;
use rusqlite::Connection;

use super::Index;
#[cfg(not(target_family = "wasm"))]
use super::changes::VECTOR_GENERATION;
use super::changes::{Changed, GENERATION, bump};
use super::connection::set_counter;
use super::statement::{all, first, run};
use crate::Result;
#[cfg(not(target_family = "wasm"))]
use crate::embed::pieces;

/// Key of the default chunk size, for pages without their own.
const KEY: &str = "chunk_size";

/// SQL for the chunk size of a page in characters, in a query over `pages` left-joined with `documents`.
pub(super) const CHUNK_SIZE: &str = "coalesce(documents.chunk_size,
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'chunk_size'))";

/// Sets the default chunk size, in characters, of pages without their own. Existing vectors stay in use until new ones
/// replace them.
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
        bump(db, GENERATION, Changed::Anything)
    })
}

/// Records that the page at `path` was indexed.
pub(super) fn note_indexed(db: &Connection, path: &str, now: Timestamp) -> Result<()> {
    let sql = "INSERT INTO documents(page, indexed_at) SELECT page, ?2 FROM pages WHERE path = ?1
         ON CONFLICT(page) DO UPDATE SET indexed_at = excluded.indexed_at";
    run(db, sql, (path, now.as_second()))
}

/// Path and chunk size of every page with its own.
pub(super) fn own_sizes(db: &Connection) -> Result<Vec<(String, usize)>> {
    let sql = "SELECT path, chunk_size FROM documents JOIN pages USING (page) WHERE chunk_size IS NOT NULL";
    all(db, sql, [])
}

/// Restores the chunk sizes of pages that were indexed again.
pub(super) fn restore_sizes(db: &Connection, sizes: &[(String, usize)]) -> Result<()> {
    let sql = "UPDATE documents SET chunk_size = ?2 WHERE page = (SELECT page FROM pages WHERE path = ?1)";
    sizes.iter().try_for_each(|(path, size)| run(db, sql, (path, size)))
}

/// Sets the chunk size of the page, in characters (`None` for the default), and records that it was added at `now`.
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
            bump(db, VECTOR_GENERATION, Changed::Pages(&[page].into()))?;
        }
        Ok(())
    })
}

/// Removes the page's vectors from the index, and makes the next refresh read its file again.
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
        db.execute("UPDATE pages SET size = -1, hash = zeroblob(32) WHERE page = ?1", [page])?;
        db.execute("UPDATE page_files SET modified = 0 WHERE page = ?1", [page])?;
        bump(db, VECTOR_GENERATION, Changed::Pages(&[page].into()))
    })
}

/// The state of a page in the index.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentState {
    pub page: i64,
    pub path: String,
    /// Number of chunks that its text is divided into.
    pub chunks: usize,
    /// When it was indexed, in seconds since 1970.
    pub indexed_at: i64,
    /// When its file was modified, in nanoseconds since 1970; 0 if unknown, so that the caller has to ask the file
    /// system.
    pub modified: i64,
    /// Maximum length of a chunk in characters.
    pub chunk_size: Option<usize>,
}

/// All pages, or only the one at `path`, sorted by path. `identity` is the model whose vectors are counted.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn document_states(
    db: &Connection,
    identity: Option<&str>,
    path: Option<&str>,
) -> Result<Vec<DocumentState>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT page, path, coalesce(indexed_at, 0), coalesce(modified, 0), {CHUNK_SIZE}
         FROM pages LEFT JOIN page_files USING (page) LEFT JOIN documents USING (page)
         WHERE ?1 IS NULL OR path = ?1 ORDER BY path"
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
    // Text without vectors is counted by estimate: the model may divide it further.
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
