//! Queries about links.

use rusqlite::Connection;

#[cfg(not(target_family = "wasm"))]
use super::first;
use super::{Columns, Read, all, each, json, one, rows};
use crate::Result;
use crate::page::LinkKind;

/// The destination of a link.
#[derive(Debug)]
pub(crate) enum LeadsTo {
    Page {
        page: i64,
        path: String,
        title: String,
    },
    /// A project file, by its path in the project.
    Source(String),
    Attachment,
    Nothing,
}

/// Columns: state, source, and the page's number, path and title.
impl Read<'_> for LeadsTo {
    fn read(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let (state, source, page) = columns.read::<(i64, Option<String>, Option<i64>)>()?;
        let (path, title) = columns.read::<(Option<String>, Option<String>)>()?;
        Ok(match (state, source, page, path, title) {
            (1, _, Some(page), Some(path), Some(title)) => Self::Page { page, path, title },
            (2, Some(source), ..) => Self::Source(source),
            (3, ..) => Self::Attachment,
            _ => Self::Nothing,
        })
    }
}

rows! {
    /// A link, with the page or file at the other end.
    LinkRow {
        doc_id: Option<String>,
        path: Option<String>,
        source: Option<String>,
        /// Title of the page at the other end; for a link that leads to no page, the target as written.
        title: String,
        link_type: String,
        context: String,
        line: usize,
    }
    /// A link in the text of a page.
    LinkTarget {
        kind: LinkKind,
        target: String,
        anchor: Option<String>,
        leads_to: LeadsTo,
    }
    /// A link of a page, with the type of the page that it leads to. Browsers have no templates, for which it is.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    LinkOfPage {
        line: usize,
        link_type: String,
        target: String,
        target_type: Option<String>,
    }
    /// A link that leads to no page and may name one of another project.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    LinkToProject {
        link: i64,
        page: i64,
        link_type: String,
        target: String,
    }
    /// A link as it is written on its page.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    WrittenLink {
        doc_id: String,
        path: String,
        title: String,
        link_type: String,
        context: String,
        line: usize,
        target: String,
    }
    /// A link with an anchor.
    AnchoredLink {
        path: String,
        line: usize,
        target: String,
        anchor: String,
        target_page: i64,
        target_path: String,
    }
}

questions! {
    /// Links that lead to no page, with a colon in the target.
    #[cfg(not(target_family = "wasm"))]
    naming_projects() -> Vec<LinkToProject> = all
        "SELECT link, page, link_type, target FROM links
         WHERE state = 0 AND instr(target, ':') > 1 ORDER BY page, line, link";
    /// A link, with the page that it is on.
    #[cfg(not(target_family = "wasm"))]
    written(link: i64) -> Option<WrittenLink> = first
        "SELECT doc_id, path, title, link_type, context, line, target
         FROM links JOIN pages USING (page) WHERE link = ?1";
    /// Links of a page, with the types of the pages they lead to.
    #[cfg(not(target_family = "wasm"))]
    typed(page: i64) -> Vec<LinkOfPage> = all
        "SELECT line, link_type, target, other.doc_type
         FROM links LEFT JOIN pages AS other ON other.page = target_page
         WHERE links.page = ?1 ORDER BY line, link";
    /// Links of a page in order of appearance, except those to attachments and to itself.
    from_page(page: i64) -> Vec<LinkRow> = all
        "SELECT other.doc_id, other.path, source, coalesce(other.title, target), link_type, context, line
         FROM links LEFT JOIN pages AS other ON other.page = target_page
         WHERE links.page = ?1 AND state <> 3 AND target_page IS NOT links.page ORDER BY line, link";
    /// Links from other pages to a page, sorted by the paths of those pages.
    to_page(page: i64) -> Vec<LinkRow> = all
        "SELECT other.doc_id, other.path, source, other.title, link_type, context, line
         FROM links JOIN pages AS other ON other.page = links.page
         WHERE target_page = ?1 AND links.page <> ?1 ORDER BY other.path, line, link";
    /// Destinations of the links in a page's text.
    targets(page: i64) -> Vec<LinkTarget> = all
        "SELECT DISTINCT kind, target, anchor, state, source, target_page, path, title FROM links
         LEFT JOIN pages ON pages.page = target_page WHERE links.page = ?1 AND kind < 3";
    /// Texts of the links from other pages to a page, the most frequent first.
    texts_to(page: i64) -> Vec<String> = all
        "SELECT text FROM links WHERE target_page = ?1 AND page <> ?1 AND text IS NOT NULL
         GROUP BY text ORDER BY count(*) DESC, text";
    /// The text around the first link of this type from one page to another.
    context(from: i64, to: i64, link_type: &str) -> String = one
        "SELECT context FROM links WHERE page = ?1 AND target_page = ?2 AND link_type = ?3
         ORDER BY line LIMIT 1";
    /// Texts of wikilinks and embeds with a text, and whether the link is intact.
    labels() -> Vec<(String, bool)> = all
        "SELECT text, state <> 0 FROM links WHERE kind IN (0, 1) AND text IS NOT NULL";
    /// The edges of the graph from a page: target and type.
    edges_from(page: i64) -> Vec<(i64, String)> = all
        "SELECT DISTINCT target_page, link_type FROM links
         WHERE page = ?1 AND target_page IS NOT NULL AND target_page <> page";
    /// Number of broken links.
    unresolved_count() -> usize = one "SELECT count(*) FROM links WHERE state = 0";
    /// Broken links: path, line and target as written.
    unresolved() -> Vec<(String, usize, String)> = all
        "SELECT path, line, target FROM links JOIN pages USING (page) WHERE state = 0 ORDER BY path, line, link";
    /// Broken links, by path: the page's number, the type and the target as written.
    broken() -> Vec<(i64, String, String)> = all
        "SELECT page, link_type, target FROM links JOIN pages USING (page) WHERE state = 0 ORDER BY path, link";
    /// Entries of `sources` in front matter that lead nowhere, or to attachments: path, line and target as written.
    #[cfg(not(target_family = "wasm"))]
    entries_without_destination() -> Vec<(String, usize, String)> = all
        "SELECT path, line, target FROM links JOIN pages USING (page)
         WHERE kind = 4 AND state = 3 ORDER BY path, line, link";
    /// Ambiguous links: path, line, target as written, and path of the page they are resolved to.
    ambiguous() -> Vec<(String, usize, String, String)> = all
        "SELECT pages.path, line, target, other.path FROM links
         JOIN pages USING (page) JOIN pages AS other ON other.page = target_page
         WHERE ambiguous ORDER BY pages.path, line, link";
    /// Links with an anchor.
    anchored() -> Vec<AnchoredLink> = all
        "SELECT pages.path, line, target, anchor, target_page, other.path FROM links
         JOIN pages USING (page) JOIN pages AS other ON other.page = target_page
         WHERE anchor IS NOT NULL ORDER BY pages.path, line, link";
}

visits! {
    /// Every link, by path and line: path, line, type, target as written, and destination.
    each_link() -> String, usize, String, String, LeadsTo =
        "SELECT own.path, line, link_type, target, state, source, target_page, other.path, other.title
         FROM links JOIN pages AS own USING (page) LEFT JOIN pages AS other ON other.page = target_page
         ORDER BY own.path, line, link";
    /// Every edge of the graph: page, target and type.
    each_edge() -> i64, i64, &str =
        "SELECT DISTINCT page, target_page, link_type FROM links
         WHERE target_page IS NOT NULL AND target_page <> page";
    /// Every link in order of appearance: page, kind, target as written, and the page that it leads to.
    #[cfg(not(target_family = "wasm"))]
    each_written() -> i64, LinkKind, String, Option<i64> =
        "SELECT page, kind, target, target_page FROM links ORDER BY page, link";
    /// Every link from one page to another: page, target page, text and target as written.
    each_between() -> i64, i64, Option<&str>, &str =
        "SELECT page, target_page, text, target FROM links
         WHERE target_page IS NOT NULL AND target_page <> page ORDER BY link";
}

/// Targets, as written, of broken links on the pages at `paths` that may name a page.
pub(crate) fn wanted_by(db: &Connection, paths: &[String]) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT target FROM links JOIN pages USING (page)
         WHERE state = 0 AND kind IN (0, 1, 3) AND path IN (SELECT value FROM json_each(?1))";
    all(db, sql, [json(paths)])
}

/// The pages, by path, with links whose destination may change when pages with these folded names are added or removed.
pub(crate) fn concerned(db: &Connection, keys: &[String]) -> Result<Vec<i64>> {
    let sql = "SELECT page FROM pages WHERE page IN (
             SELECT page FROM link_keys JOIN links USING (link) WHERE key IN (SELECT value FROM json_each(?1)))
         ORDER BY path";
    all(db, sql, [json(keys)])
}
