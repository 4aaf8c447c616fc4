//! The additional tables in the index of a published site: public texts, attachments, and staleness verdicts. A site
//! has neither the code that its pages describe nor its history, so it stores the verdicts from when it was built.

use rusqlite::Connection;

use super::{Columns, Read, all, any, json, one, rows, run};
use crate::Result;

const TABLES: &str = "
    CREATE TABLE files (
        path  TEXT PRIMARY KEY,     -- of a public page, relative to the pages folder
        bytes BLOB NOT NULL         -- its text, without links to unpublished pages
    );
    CREATE TABLE attachments (
        path  TEXT PRIMARY KEY,     -- relative to the project
        bytes INTEGER NOT NULL      -- size
    ) WITHOUT ROWID;
    CREATE TABLE site (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;";

const VERDICTS: &str = "
    CREATE TABLE verdicts (
        page       INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
        staleness  TEXT NOT NULL,       -- as in answers
        stale_refs TEXT NOT NULL,       -- JSON array, as in answers
        reviewed   INTEGER NOT NULL
    );";

rows! {
    /// The stored verdict on a page.
    Verdict {
        page: i64,
        /// As in answers.
        staleness: String,
        /// JSON array, as in answers.
        stale_refs: String,
        reviewed: bool,
    }
}

questions! {
    /// Names of all tables.
    tables() -> Vec<String> = all "SELECT name FROM sqlite_schema WHERE type = 'table'";
    /// Whether this table exists.
    has_table(name: &str) -> bool = any "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    /// The settings that the site was built with, in JSON.
    manifest() -> String = one "SELECT value FROM site WHERE key = 'manifest'";
    /// Path, modification time in nanoseconds, and text of every page.
    files() -> Vec<(String, i64, Vec<u8>)> = all
        "SELECT path, modified, bytes FROM files JOIN pages USING (path) JOIN page_files USING (page)";
    /// Paths and sizes of the attachments.
    attachments() -> Vec<(String, i64)> = all "SELECT path, bytes FROM attachments";
}

/// Turns an index into the index of a site.
pub(crate) fn create(db: &Connection) -> Result<()> {
    // When this machine indexed a page is private, and would differ in every build.
    Ok(db.execute_batch(&format!("DELETE FROM documents; {TABLES}{VERDICTS}"))?)
}

/// Lets an index that is not of a site store verdicts.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn create_verdicts(db: &Connection) -> Result<()> {
    Ok(db.execute_batch(VERDICTS)?)
}

/// Stores a value about the site as a whole.
pub(crate) fn put_fact(db: &Connection, key: &str, value: &str) -> Result<()> {
    run(db, "INSERT INTO site(key, value) VALUES (?1, ?2)", (key, value))
}

/// Stores the text of a page.
pub(crate) fn put_file(db: &Connection, path: &str, bytes: &[u8]) -> Result<()> {
    run(db, "INSERT INTO files(path, bytes) VALUES (?1, ?2)", (path, bytes))
}

/// Stores the size of an attachment.
pub(crate) fn put_attachment(db: &Connection, path: &str, size: i64) -> Result<()> {
    run(db, "INSERT INTO attachments(path, bytes) VALUES (?1, ?2)", (path, size))
}

/// Stores the verdict on a page.
pub(crate) fn put_verdict(db: &Connection, verdict: &Verdict) -> Result<()> {
    let Verdict { page, staleness, stale_refs, reviewed } = verdict;
    let sql = "INSERT INTO verdicts(page, staleness, stale_refs, reviewed) VALUES (?1, ?2, ?3, ?4)";
    run(db, sql, (page, staleness, stale_refs, reviewed))
}

/// The verdicts on `pages`, or on all pages if `None`.
pub(crate) fn verdicts(db: &Connection, pages: Option<&[i64]>) -> Result<Vec<Verdict>> {
    let sql = "SELECT page, staleness, stale_refs, reviewed FROM verdicts
         WHERE ?1 IS NULL OR page IN (SELECT value FROM json_each(?1))";
    all(db, sql, [pages.map(json)])
}
