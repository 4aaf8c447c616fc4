//! Queries about names of pages: file names, titles, aliases, tags and anchors. Keys are folded.

use rusqlite::Connection;

use super::{all, any, each, one};
use crate::Result;

questions! {
    /// Pages with this file name, title or alias.
    pages_called(key: &str) -> Vec<i64> = all "SELECT DISTINCT page FROM names WHERE key = ?1";
    // Names weigh more than folders, in which many pages are.
    /// The pages whose names and folders match `expression` best.
    pages_like(expression: &str, most: usize) -> Vec<i64> = all
        "SELECT page FROM name_words JOIN pages ON page = name_words.rowid
         WHERE name_words MATCH ?1 ORDER BY bm25(name_words, 4.0, 1.0), path LIMIT ?2";
    /// Whether the name or folder of a page matches `expression`.
    has(expression: &str) -> bool = any "SELECT 1 FROM name_words WHERE name_words MATCH ?1 LIMIT 1";
    /// The title, aliases and path of a page.
    of_page(page: i64) -> (String, Vec<String>, String) = one
        "SELECT title, (SELECT json_group_array(alias) FROM aliases WHERE aliases.page = pages.page), path
         FROM pages WHERE page = ?1";
    /// Whether a page has this file name, title or alias.
    is_known(key: &str) -> bool = any "SELECT 1 FROM names WHERE key = ?1";
    /// Pages with this title.
    pages_titled(title: &str, key: &str) -> Vec<i64> = all
        "SELECT page FROM names JOIN pages USING (page) WHERE key = ?2 AND kind = 1 AND title = ?1";
    /// Pages with this alias.
    pages_with_alias(alias: &str, key: &str) -> Vec<i64> = all
        "SELECT page FROM names JOIN aliases USING (page) WHERE key = ?2 AND kind = 2 AND alias = ?1";
    /// Numbers and paths of the pages with this file name, by path.
    files(key: &str) -> Vec<(i64, String)> = all
        "SELECT page, path FROM names JOIN pages USING (page) WHERE key = ?1 AND kind = 0 ORDER BY path";
    /// Pages with this name, or at `path`, with or without its extension.
    bearers(key: &str, path: &str) -> Vec<i64> = all
        "SELECT page FROM names WHERE key = ?1
         UNION SELECT page FROM pages WHERE path IN (?2, ?2 || '.md', ?2 || '.markdown')";
    /// Titles that several pages have: key, and path and title of each page.
    shared_titles() -> Vec<(String, String, String)> = all
        "SELECT key, path, title FROM names JOIN pages USING (page) WHERE kind = 1 AND key IN
             (SELECT key FROM names WHERE kind = 1 GROUP BY key HAVING count(*) > 1)
         ORDER BY key, path";
    /// The aliases of a page, sorted.
    aliases(page: i64) -> Vec<String> = all "SELECT alias FROM aliases WHERE page = ?1 ORDER BY alias";
    /// The tags of a page, sorted.
    tags(page: i64) -> Vec<String> = all "SELECT tag FROM tags WHERE page = ?1 ORDER BY tag";
    /// The anchors of a page.
    anchors(page: i64) -> Vec<String> = all "SELECT key FROM anchors WHERE page = ?1";
    /// Whether a page has this anchor.
    has_anchor(page: i64, key: &str) -> bool = any "SELECT 1 FROM anchors WHERE page = ?1 AND key = ?2";
}

visits! {
    /// Every name, with the path of its page.
    each_name() -> &str, &str = "SELECT key, path FROM names JOIN pages USING (page)";
    /// Every name, folded, and its page, sorted.
    each_key() -> &str, i64 = "SELECT key, page FROM names ORDER BY key, kind, page";
    /// Every alias, by page, sorted.
    each_alias() -> i64, &str = "SELECT page, alias FROM aliases ORDER BY page, alias";
    /// Every tag, by page, sorted.
    each_tag() -> i64, String = "SELECT page, tag FROM tags ORDER BY page, tag";
}
