//! Questions about the files of the project that pages name.

use rusqlite::Connection;

use super::{all, json};
use crate::Result;

questions! {
    /// What pages name: page, source, and the type of the link, `in_front_matter` where it is none.
    named(in_front_matter: &str) -> Vec<(i64, String, String)> = all
        "SELECT page, source, ?1 FROM source_refs
         UNION SELECT page, source, link_type FROM links WHERE state = 2 AND source IS NOT NULL";
    /// What front matter names: page and source, of each page the last first.
    in_front_matter() -> Vec<(i64, String)> = all
        "SELECT page, source FROM source_refs ORDER BY page, source DESC";
}

/// What `pages`, or all when `None`, name in front matter or link to: number and path of the page, and source.
pub(crate) fn declared(db: &Connection, pages: Option<&[i64]>) -> Result<Vec<(i64, String, String)>> {
    let sql = "SELECT page, path, named.source FROM (
             SELECT page, source FROM source_refs
             UNION SELECT page, source FROM links WHERE state = 2
         ) AS named JOIN pages USING (page)
         WHERE ?1 IS NULL OR page IN (SELECT value FROM json_each(?1))";
    all(db, sql, [pages.map(json)])
}
