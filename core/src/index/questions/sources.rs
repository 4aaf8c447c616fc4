//! Queries about the project files that pages refer to.

use rusqlite::Connection;

#[cfg(not(target_family = "wasm"))]
use super::one;
use super::{all, json};
use crate::Result;

questions! {
    /// References to project files: page, source, and link type (`in_front_matter` for references in front matter).
    named(in_front_matter: &str) -> Vec<(i64, String, String)> = all
        "SELECT page, source, ?1 FROM source_refs
         UNION SELECT page, source, link_type FROM links WHERE state = 2 AND source IS NOT NULL";
    /// Pages with references to this file, or to a file whose path ends with `/` and this, or to symbols in it.
    pages_naming(file: &str) -> Vec<i64> = all
        "SELECT page FROM source_refs WHERE source = ?1 OR substr(source, -1 - length(?1)) = '/' || ?1
             OR instr('/' || source, '/' || ?1 || '#')
         UNION SELECT page FROM links
         WHERE state = 2 AND (source = ?1 OR substr(source, -1 - length(?1)) = '/' || ?1)";
    /// Pages with references to a folder that contains this file.
    pages_naming_folder_of(file: &str) -> Vec<i64> = all
        "SELECT page FROM source_refs
         WHERE substr(?1, 1, 1 + length(rtrim(source, '/'))) = rtrim(source, '/') || '/'";
    /// The links of a page to this file, outside of front matter: target as written, and the headings of the section.
    #[cfg(not(target_family = "wasm"))]
    linked_in(page: i64, file: &str) -> Vec<(String, String)> = all
        "SELECT target, heading_path FROM links JOIN sections USING (page)
         WHERE page = ?1 AND source = ?2 AND state = 2 AND kind <> 3 AND line BETWEEN first_line AND last_line
         ORDER BY line, link";
    /// Whether the front matter of a page names this source.
    #[cfg(not(target_family = "wasm"))]
    is_in_front_matter(page: i64, source: &str) -> bool = one
        "SELECT EXISTS (SELECT 1 FROM source_refs WHERE page = ?1 AND source = ?2)";
    /// References in front matter: page and source; the references of each page in reverse order.
    in_front_matter() -> Vec<(i64, String)> = all
        "SELECT page, source FROM source_refs ORDER BY page, source DESC";
}

/// A page, its path, a source of it, and the target of a link to the source as written.
type DeclaredSource = (i64, String, String, Option<String>);

/// Project files that `pages`, or all pages if `None`, refer to in front matter or links.
pub(crate) fn declared(db: &Connection, pages: Option<&[i64]>) -> Result<Vec<DeclaredSource>> {
    let Some(pages) = pages else {
        let sql = "SELECT page, path, named.source, target FROM (
                 SELECT page, source, NULL AS target FROM source_refs
                 UNION SELECT page, source, target FROM links WHERE state = 2
             ) AS named JOIN pages USING (page)";
        return all(db, sql, []);
    };
    let sql = "SELECT page, path, named.source, target FROM (
             SELECT page, source, NULL AS target FROM source_refs WHERE page IN (SELECT value FROM json_each(?1))
             UNION SELECT page, source, target FROM links
             WHERE state = 2 AND page IN (SELECT value FROM json_each(?1))
         ) AS named JOIN pages USING (page)";
    all(db, sql, [json(pages)])
}
