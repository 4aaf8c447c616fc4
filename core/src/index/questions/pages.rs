//! Queries about pages.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{Columns, Read, all, any, each, first, one, rows};
use crate::Result;

rows! {
    /// A page without its text and front matter.
    PageRow {
        page: i64,
        doc_id: String,
        path: String,
        title: String,
        doc_type: String,
        created_at: String,
        updated_at: String,
    }
    /// What the index knows of a page's file.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    PageFacts {
        page: i64,
        path: String,
        created_at: String,
        updated_at: String,
        /// In bytes.
        size: i64,
        /// JSON object.
        front_matter: String,
    }
    /// A page's metadata, without its text.
    PageContent {
        page: i64,
        path: String,
        own_id: Option<String>,
        title: String,
        doc_type: String,
        /// JSON object.
        front_matter: String,
        hash: [u8; 32],
    }
}

questions! {
    /// Whether there are pages.
    exist() -> bool = any "SELECT 1 FROM pages";
    /// Number of pages.
    count() -> usize = one "SELECT count(*) FROM pages";
    /// The page with this number.
    row(page: i64) -> PageRow = one
        "SELECT page, doc_id, path, title, doc_type, created_at, updated_at FROM pages WHERE page = ?1";
    /// Every page.
    rows() -> Vec<PageRow> = all
        "SELECT page, doc_id, path, title, doc_type, created_at, updated_at FROM pages";
    /// The path of a page.
    path(page: i64) -> String = one "SELECT path FROM pages WHERE page = ?1";
    /// The path and title of a page, if it still exists.
    path_and_title(page: i64) -> Option<(String, String)> = first "SELECT path, title FROM pages WHERE page = ?1";
    /// The number of the page at `path`.
    at(path: &str) -> Option<i64> = first "SELECT page FROM pages WHERE path = ?1";
    /// The title of the page at `path`.
    #[cfg(not(target_family = "wasm"))]
    title_at(path: &str) -> Option<String> = first "SELECT title FROM pages WHERE path = ?1";
    /// Numbers of the pages with this id.
    with_id(id: &str) -> Vec<i64> = all "SELECT page FROM pages WHERE doc_id = ?1 ORDER BY path";
    /// The id of every page, by its number.
    ids() -> HashMap<i64, String> = all "SELECT page, doc_id FROM pages";
    /// Every number, by path.
    numbers() -> Vec<i64> = all "SELECT page FROM pages ORDER BY path";
    /// Every number and path, by path.
    paths() -> Vec<(i64, String)> = all "SELECT page, path FROM pages ORDER BY path";
    /// Numbers and paths of pages whose path has at least `least` characters.
    with_long_paths(least: usize) -> Vec<(i64, String)> = all
        "SELECT page, path FROM pages WHERE length(path) >= ?1";
    /// The front matter of a page, a JSON object.
    front_matter(page: i64) -> String = one "SELECT front_matter FROM pages WHERE page = ?1";
    /// The SHA-256 of a page's file.
    hash(page: i64) -> [u8; 32] = one "SELECT hash FROM pages WHERE page = ?1";
    /// The path of a page and the SHA-256 of its file, if it still exists.
    path_and_hash(page: i64) -> Option<(String, [u8; 32])> = first "SELECT path, hash FROM pages WHERE page = ?1";
    /// Number, path, last change and front matter of every page, by path.
    #[cfg(not(target_family = "wasm"))]
    fields() -> Vec<(i64, String, String, String)> = all
        "SELECT page, path, updated_at, front_matter FROM pages ORDER BY path";
    /// What the index knows of every page's file, by path.
    #[cfg(not(target_family = "wasm"))]
    files() -> Vec<PageFacts> = all
        "SELECT page, path, created_at, updated_at, size, front_matter FROM pages ORDER BY path";
    /// The metadata of every page.
    contents() -> Vec<PageContent> = all
        "SELECT page, path, own_id, title, doc_type, front_matter, hash FROM pages";
    /// Paths of the pages with diagnostics, and the diagnostics in JSON.
    diagnostics() -> Vec<(String, String)> = all
        "SELECT path, diagnostics FROM pages WHERE diagnostics <> '[]' ORDER BY path";
    /// Pages whose id belongs to another page: path, id, and path of the owner.
    contested_ids() -> Vec<(String, String, String)> = all
        "SELECT path, own_id, (SELECT min(path) FROM pages AS p WHERE p.own_id = pages.own_id) FROM pages
         WHERE own_id IS NOT NULL AND doc_id <> own_id ORDER BY path";
    /// Page types with the number of pages and the path of the first. Memories with the built-in types of memories are
    /// not counted, because those types are not the project's own.
    types() -> Vec<(String, usize, String)> = all
        "SELECT doc_type, count(*), min(path) FROM pages
         WHERE NOT (path >= 'memory/' AND path < 'memory0' AND doc_type IN ('tech', 'project-tech', 'domain'))
         GROUP BY doc_type ORDER BY doc_type";
    /// Numbers and paths of the pages of a type, sorted by path.
    #[cfg(not(target_family = "wasm"))]
    of_type(doc_type: &str) -> Vec<(i64, String)> = all
        "SELECT page, path FROM pages WHERE doc_type = ?1 ORDER BY path";
}

visits! {
    /// Number, path and title of every page, by path.
    each_title() -> i64, &str, &str = "SELECT page, path, title FROM pages ORDER BY path";
    /// Number, path and SHA-256 of the file of every page.
    each_hash() -> i64, &str, [u8; 32] = "SELECT page, path, hash FROM pages";
    /// Number and path of every page, by path.
    each_path() -> i64, &str = "SELECT page, path FROM pages ORDER BY path";
    /// Number and time of the last change of every page, by path.
    each_change() -> i64, &str = "SELECT page, updated_at FROM pages ORDER BY path";
    /// Number and time of the creation of every page, by path.
    each_creation() -> i64, &str = "SELECT page, created_at FROM pages ORDER BY path";
    /// Every page in a top-level folder, by path, with front matter and diagnostics in JSON.
    #[cfg(not(target_family = "wasm"))]
    each_in(folder: &str) -> PageRow, &str, &str =
        "SELECT page, doc_id, path, title, doc_type, created_at, updated_at, front_matter, diagnostics
         FROM pages WHERE path >= ?1 || '/' AND path < ?1 || '0' ORDER BY path";
}
