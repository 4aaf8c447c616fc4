//! Reading pages, sections and links.

use ubp_core::Result;

use super::{Project, Snapshot, parts};
use crate::failure::OrFailure as _;

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its number.
    pub page: i64,
    /// Its path in the pages folder.
    pub path: String,
    /// Its id.
    pub doc_id: String,
    /// Its title.
    pub title: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its type.
    pub doc_type: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its front matter, a JSON object.
    pub front_matter: serde_json::Value,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// What was known about its freshness when it was pushed.
    pub freshness: Option<serde_json::Value>,
}

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its id on the page.
    pub id: String,
    /// 0 before the first heading.
    pub level: i16,
    /// First and last line of the file, from 1.
    pub lines: (i32, i32),
    /// Headings from the top level down to its own.
    pub heading_path: Vec<String>,
    /// Its source text.
    pub text: String,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Path of the page with the link.
    pub path: String,
    /// Line of the file, from 1.
    pub line: i32,
    /// Its type.
    pub link_type: String,
    /// Where it leads, as written.
    pub target: String,
    /// The text around it.
    pub context: String,
    /// 0 unresolved, 1 page, 2 source, 3 attachment.
    pub state: i16,
    /// Path of the page it leads to.
    pub target_path: Option<String>,
    /// File of the project it leads to.
    pub source: Option<String>,
}

const PAGE: &str =
    "page, path, doc_id, title, aliases, doc_type, tags, front_matter, created_at, updated_at, freshness";
const LINK: &str = "path, line, link_type, target, context, state, target_path, source";

fn page(row: &tokio_postgres::Row) -> Page {
    Page {
        page: row.get(0),
        path: row.get(1),
        doc_id: row.get(2),
        title: row.get(3),
        aliases: row.get(4),
        doc_type: row.get(5),
        tags: row.get(6),
        front_matter: row.get(7),
        created_at: row.get(8),
        updated_at: row.get(9),
        freshness: row.get(10),
    }
}

fn section(row: &tokio_postgres::Row) -> Section {
    Section {
        id: row.get(0),
        level: row.get(1),
        lines: (row.get(2), row.get(3)),
        heading_path: row.get(4),
        text: row.get(5),
    }
}

fn link(row: &tokio_postgres::Row) -> Link {
    Link {
        path: row.get(0),
        line: row.get(1),
        link_type: row.get(2),
        target: row.get(3),
        context: row.get(4),
        state: row.get(5),
        target_path: row.get(6),
        source: row.get(7),
    }
}

impl Snapshot<'_> {
    /// The visible pages of a project, by path.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn pages(&self, project: &Project) -> Result<Vec<Page>> {
        let sql = format!("SELECT {PAGE} FROM ubp.pages WHERE project = $1 ORDER BY path");
        Ok(self.whole.query(&sql, &[&project.number]).await.or_failure()?.iter().map(page).collect())
    }

    /// The page at a path, if it is visible.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn page_at(&self, project: &Project, path: &str) -> Result<Option<Page>> {
        let sql = format!("SELECT {PAGE} FROM ubp.pages WHERE project = $1 AND path = $2");
        Ok(self.whole.query_opt(&sql, &[&project.number, &path]).await.or_failure()?.as_ref().map(page))
    }

    /// The sections of a page, in order.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn sections(&self, project: &Project, page: i64) -> Result<Vec<Section>> {
        let sql = "SELECT section_id, level, first_line, last_line, heading_path, text FROM ubp.sections
             WHERE project = $1 AND page = $2 ORDER BY section";
        let rows = self.whole.query(sql, &[&project.number, &page]).await.or_failure()?;
        Ok(rows.iter().map(section).collect())
    }

    /// The section with this number in the project, if it is visible.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn section(&self, project: i32, number: i64) -> Result<Option<Section>> {
        let (page, part) = parts(number);
        let sql = "SELECT section_id, level, first_line, last_line, heading_path, text FROM ubp.sections
             WHERE project = $1 AND page = $2 AND section = $3";
        let row = self.whole.query_opt(sql, &[&project, &page, &part]).await.or_failure()?;
        Ok(row.as_ref().map(section))
    }

    /// All links of a project between visible pages, to files, and to nothing.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn links(&self, project: &Project) -> Result<Vec<Link>> {
        let sql = format!("SELECT {LINK} FROM ubp.links WHERE project = $1 ORDER BY path, link");
        Ok(self.whole.query(&sql, &[&project.number]).await.or_failure()?.iter().map(link).collect())
    }

    /// The visible pages that describe a file of the project, with the line that says so.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn describing(&self, project: &Project, file: &str) -> Result<Vec<(String, i32)>> {
        let sql = "SELECT path, line FROM ubp.sources WHERE project = $1 AND source = $2 ORDER BY path, line";
        let rows = self.whole.query(sql, &[&project.number, &file]).await.or_failure()?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}
