//! Queries about the project files that pages refer to.

use rusqlite::Connection;

#[cfg(not(target_family = "wasm"))]
use super::sections::SectionRow;
#[cfg(not(target_family = "wasm"))]
use super::{Columns, Read, first, one, rows};
use super::{all, json};
use crate::Result;
#[cfg(not(target_family = "wasm"))]
use crate::page::LinkKind;

/// The source that a link to a file names: the file, or a symbol of it if a name follows `#` that is not a line or a range of
/// lines, such as `L10-L20`. Browsers know no symbols.
#[cfg(not(target_family = "wasm"))]
macro_rules! named_by_link {
    () => {
        "CASE WHEN target GLOB '*#?*'
              AND (target NOT GLOB '*#[0-9]*' OR target GLOB '*#*[^0-9LC-]*')
              AND (target NOT GLOB '*#L[0-9]*' OR target GLOB '*#L*[^0-9LC-]*')
         THEN source || substr(target, instr(target, '#')) ELSE source END"
    };
}

#[cfg(target_family = "wasm")]
macro_rules! named_by_link {
    () => {
        "source"
    };
}

#[cfg(not(target_family = "wasm"))]
rows! {
    /// A broken link to what may be a file of the project.
    MissingFileLink {
        page: i64,
        /// Path of the page.
        path: String,
        kind: LinkKind,
        line: usize,
        /// As written.
        target: String,
    }
}

questions! {
    /// References to project files: page, source, and link type (`in_front_matter` for references in front matter).
    named(in_front_matter: &str) -> Vec<(i64, String, String)> = all
        "SELECT page, source, CASE line WHEN 0 THEN ?1 ELSE 'references' END FROM source_refs
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
    /// The sections of a page with a link to this source, or a block that shows it, in order.
    #[cfg(not(target_family = "wasm"))]
    linking_sections(page: i64, source: &str) -> Vec<SectionRow> = all
        concat!("SELECT section_id, heading_path, level, first_line, last_line, text
         FROM sections WHERE page = ?1 AND EXISTS (
             SELECT 1 FROM links WHERE page = ?1 AND state = 2 AND kind < 3
             AND line BETWEEN first_line AND last_line AND ", named_by_link!(), " = ?2
             UNION ALL SELECT 1 FROM source_refs AS shown WHERE shown.page = ?1 AND shown.source = ?2
             AND line > 0 AND line BETWEEN first_line AND last_line
         ) ORDER BY ordinal");
    /// The sources that a page names, each with the line of the link or of the block that shows it; line 0 in front matter.
    #[cfg(not(target_family = "wasm"))]
    named_by(page: i64) -> Vec<(usize, String)> = all
        concat!("SELECT CASE WHEN kind >= 3 THEN 0 ELSE line END AS line, ", named_by_link!(), " AS source
         FROM links WHERE page = ?1 AND state = 2
         UNION SELECT line, source FROM source_refs WHERE page = ?1 ORDER BY line, source");
    /// The section of a page with this line.
    #[cfg(not(target_family = "wasm"))]
    section_at(page: i64, line: usize) -> Option<SectionRow> = first
        "SELECT section_id, heading_path, level, first_line, last_line, text FROM sections
         WHERE page = ?1 AND ?2 BETWEEN first_line AND last_line";
    /// Broken links whose targets look like files of the project.
    #[cfg(not(target_family = "wasm"))]
    links_to_missing_files() -> Vec<MissingFileLink> = all
        "SELECT page, path, kind, line, target FROM links JOIN pages USING (page)
         WHERE state = 0 AND may_be_file = 1 AND kind < 3";
    /// Whether the front matter of a page names this source.
    #[cfg(not(target_family = "wasm"))]
    is_in_front_matter(page: i64, source: &str) -> bool = one
        concat!("SELECT EXISTS (
             SELECT 1 FROM source_refs WHERE page = ?1 AND source = ?2 AND line = 0
             UNION ALL SELECT 1 FROM links WHERE page = ?1 AND state = 2 AND kind >= 3 AND ",
            named_by_link!(), " = ?2)");
    /// References in front matter and in blocks of code: page and source; those of each page in reverse order.
    in_front_matter() -> Vec<(i64, String)> = all
        "SELECT page, source FROM source_refs ORDER BY page, source DESC";
}

/// Pages, among `pages` or all if `None`, that are stale by their own word at `now`: page, path, and since when. Times are
/// seconds since 1970.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn expired(db: &Connection, pages: Option<&[i64]>, now: i64) -> Result<Vec<(i64, String, i64)>> {
    let Some(pages) = pages else {
        let sql = "SELECT page, path, time FROM expiries JOIN pages USING (page) WHERE time <= ?1";
        return all(db, sql, [now]);
    };
    let sql = "SELECT page, path, time FROM expiries JOIN pages USING (page)
         WHERE time <= ?1 AND page IN (SELECT value FROM json_each(?2))";
    all(db, sql, (now, json(pages)))
}

/// Sources that `pages`, or all pages if `None`, name in front matter or links: page, path of the page, source.
pub(crate) fn declared(db: &Connection, pages: Option<&[i64]>) -> Result<Vec<(i64, String, String)>> {
    let Some(pages) = pages else {
        let sql = concat!(
            "SELECT page, path, named.source FROM (
                 SELECT page, source FROM source_refs UNION SELECT page, ",
            named_by_link!(),
            " FROM links WHERE state = 2
             ) AS named JOIN pages USING (page)"
        );
        return all(db, sql, []);
    };
    let sql = concat!(
        "SELECT page, path, named.source FROM (
             SELECT page, source FROM source_refs WHERE page IN (SELECT value FROM json_each(?1))
             UNION SELECT page, ",
        named_by_link!(),
        " FROM links
             WHERE state = 2 AND page IN (SELECT value FROM json_each(?1))
         ) AS named JOIN pages USING (page)"
    );
    all(db, sql, [json(pages)])
}
