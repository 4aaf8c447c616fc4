//! Verdicts that were given before: a published index comes without the code that pages describe, and without
//! history, so how far a page could be trusted then is kept in it.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{Assessment, Staleness};
use crate::Result;

/// The table of verdicts, which only published indexes have.
pub(crate) const TABLE: &str = "
    CREATE TABLE verdicts (
        page       INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
        staleness  TEXT NOT NULL,       -- as in answers
        stale_refs TEXT NOT NULL,       -- JSON array, as in answers
        reviewed   INTEGER NOT NULL
    );";

/// Writes the verdict on a page.
pub(crate) fn put(db: &Connection, page: i64, assessment: &Assessment) -> Result<()> {
    let json = |value: serde_json::Result<serde_json::Value>| value.unwrap_or_default();
    let staleness = json(serde_json::to_value(assessment.staleness));
    let stale_refs = json(serde_json::to_value(&assessment.stale_refs));
    db.prepare_cached("INSERT INTO verdicts(page, staleness, stale_refs, reviewed) VALUES (?1, ?2, ?3, ?4)")?
        .execute((
            page,
            staleness.as_str().unwrap_or_default(),
            stale_refs.to_string(),
            assessment.reviewed,
        ))?;
    Ok(())
}

/// The verdicts on `pages`, or on every page that has one when `None`; `None` for an index that has to be judged by
/// the files.
pub(super) fn verdicts(db: &Connection, pages: Option<&[i64]>) -> Result<Option<HashMap<i64, Assessment>>> {
    if !db.prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'verdicts'")?.exists([])? {
        return Ok(None);
    }
    let mut statement = db.prepare_cached(
        "SELECT page, staleness, stale_refs, reviewed FROM verdicts
         WHERE ?1 IS NULL OR page IN (SELECT value FROM json_each(?1))",
    )?;
    let only = pages.map(|pages| serde_json::to_string(pages).unwrap_or_else(|_| "[]".into()));
    let mut rows = statement.query([only])?;
    let mut found = HashMap::new();
    while let Some(row) = rows.next()? {
        let staleness: String = row.get(1)?;
        let staleness: Staleness = serde_json::from_value(staleness.into()).unwrap_or_default();
        let stale_refs = serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default();
        found.insert(row.get(0)?, Assessment { staleness, stale_refs, reviewed: row.get(3)? });
    }
    Ok(Some(found))
}
