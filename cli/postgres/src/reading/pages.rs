//! Reading pages, sections and links as a push has written them.

use std::collections::{BTreeMap, HashMap};

use futures_util::future::try_join_all;
use serde_json::Value;
use tokio_postgres::Row;
use ubp_core::index::published::{PublishedLink, PublishedPage, PublishedSection};
use ubp_core::{Error, Result};

use super::servers::by_server;
use super::{Project, ProjectId, Snapshot, number, parts};

/// A hash of where the links of each visible page lead, by the number of the page.
pub type States = BTreeMap<i64, Vec<u8>>;

/// Headings of sections, by the project and the number of the section in it.
pub type Headings = HashMap<(ProjectId, i64), String>;

fn size(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

impl Snapshot<'_> {
    /// The visible pages, each with a hash of where its links lead.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn states(&self, project: &Project) -> Result<States> {
        let sql = "SELECT page, links FROM ubp.pages WHERE project = $1";
        let rows = self.rows_of(project.id.server, sql, &[&project.id.number]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// These pages, without their sections and links.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn published(&self, project: &Project, pages: &[i64]) -> Result<Vec<(i64, PublishedPage)>> {
        let sql = "SELECT page, source, line FROM ubp.sources WHERE project = $1 AND page = ANY ($2)
             ORDER BY source, line";
        let mut sources: HashMap<i64, Vec<(String, usize)>> = HashMap::new();
        for row in self.rows_of(project.id.server, sql, &[&project.id.number, &pages]).await? {
            sources.entry(row.get(0)).or_default().push((row.get(1), size(row.get(2))));
        }
        let sql = "SELECT page, path, doc_id, title, aliases, doc_type, tags, front_matter, created_at, updated_at, hash
             FROM ubp.pages WHERE project = $1 AND page = ANY ($2) ORDER BY page";
        let rows = self.rows_of(project.id.server, sql, &[&project.id.number, &pages]).await?;
        let page = |row: &Row| {
            let (number, hash): (i64, Vec<u8>) = (row.get(0), row.get(10));
            let page = PublishedPage {
                path: row.get(1),
                doc_id: row.get(2),
                title: row.get(3),
                aliases: row.get(4),
                doc_type: row.get(5),
                tags: row.get(6),
                front_matter: row.get::<_, Value>(7).to_string(),
                created_at: row.get(8),
                updated_at: row.get(9),
                hash: hash.try_into().unwrap_or_default(),
                title_terms: String::new(),
                sections: Vec::new(),
                links: Vec::new(),
                sources: sources.remove(&number).unwrap_or_default(),
            };
            (number, page)
        };
        Ok(rows.iter().map(page).collect())
    }

    /// The links of these pages, in order.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn links_of(
        &self,
        project: &Project,
        pages: &[i64],
    ) -> Result<HashMap<i64, Vec<PublishedLink>>> {
        let sql = "SELECT page, line, kind, link_type, target, text, context, state, target_path, source, anchor, ambiguous
             FROM ubp.links WHERE project = $1 AND page = ANY ($2) ORDER BY page, link";
        let mut links: HashMap<i64, Vec<PublishedLink>> = HashMap::new();
        for row in self.rows_of(project.id.server, sql, &[&project.id.number, &pages]).await? {
            links.entry(row.get(0)).or_default().push(PublishedLink {
                line: size(row.get(1)),
                kind: row.get::<_, i16>(2).into(),
                link_type: row.get(3),
                target: row.get(4),
                text: row.get(5),
                context: row.get(6),
                state: row.get::<_, i16>(7).into(),
                target_path: row.get(8),
                source: row.get(9),
                anchor: row.get(10),
                ambiguous: row.get(11),
            });
        }
        Ok(links)
    }

    /// What was known about the freshness of pages when they were pushed.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn verdicts(&self, project: &Project) -> Result<Vec<(i64, Value)>> {
        let sql = "SELECT page, freshness FROM ubp.pages WHERE project = $1 AND freshness IS NOT NULL";
        let rows = self.rows_of(project.id.server, sql, &[&project.id.number]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// The sections of these pages, in order.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn sections_of(
        &self,
        project: &Project,
        pages: &[i64],
    ) -> Result<HashMap<i64, Vec<PublishedSection>>> {
        let sql =
            "SELECT page, section_id, level, first_line, last_line, heading_path, text FROM ubp.sections
             WHERE project = $1 AND page = ANY ($2) ORDER BY page, section";
        let mut sections: HashMap<i64, Vec<PublishedSection>> = HashMap::new();
        for row in self.rows_of(project.id.server, sql, &[&project.id.number, &pages]).await? {
            sections.entry(row.get(0)).or_default().push(PublishedSection {
                id: row.get(1),
                level: u8::try_from(row.get::<_, i16>(2)).unwrap_or(0),
                lines: (size(row.get(3)), size(row.get(4))),
                heading_path: row.get(5),
                text: row.get(6),
                heading_terms: String::new(),
                passages: Vec::new(),
                vectors: Vec::new(),
            });
        }
        Ok(sections)
    }

    /// The headings of sections, by project and number; empty before the first heading.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn headings(&self, sections: &[(ProjectId, i64)]) -> Result<Headings> {
        let sql = "SELECT project, page, section, coalesce(heading_path[array_upper(heading_path, 1)], '')
             FROM unnest($1::integer[], $2::bigint[], $3::integer[]) AS wanted(project, page, section)
             JOIN ubp.sections USING (project, page, section)";
        let asked =
            by_server(sections, |(project, _)| *project).into_iter().map(async |(server, sections)| {
                let (mut projects, mut pages, mut ordinals) = (Vec::new(), Vec::new(), Vec::new());
                for (project, section) in sections {
                    let (page, ordinal) = parts(*section);
                    projects.push(project.number);
                    pages.push(page);
                    ordinals.push(ordinal);
                }
                let rows = self.rows_of(server, sql, &[&projects, &pages, &ordinals]).await?;
                let heading = |row: &Row| {
                    let project = ProjectId { server, number: row.get(0) };
                    ((project, number(row.get(1), row.get(2))), row.get(3))
                };
                Ok::<_, Error>(rows.iter().map(heading).collect::<Vec<_>>())
            });
        Ok(try_join_all(asked).await?.into_iter().flatten().collect())
    }
}
