//! Words that texts have, for mistyped ones.

use std::collections::BTreeMap;

use ubp_core::Result;

use super::{ProjectId, Snapshot};
use crate::tokens::{read, written};

impl Snapshot<'_> {
    /// The stems that begin with a character, each with the number of rows that have it, in projects that are visible as a
    /// whole.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn stems(&self, projects: &[ProjectId], initial: char) -> Result<Vec<(String, i64)>> {
        let first = written(&initial.to_string());
        let sql = "SELECT term, sum(rows)::bigint FROM ubp.terms
             WHERE project = ANY ($1) AND term >= $2 AND term < $3 GROUP BY term";
        let mut stems: BTreeMap<String, i64> = BTreeMap::new();
        for (_, row) in self.rows_on_all(projects, sql, &[&first, &format!("{first}{{")]).await? {
            let Some(stem) = read(row.get(0)) else { continue };
            *stems.entry(stem).or_default() += row.get::<_, i64>(1);
        }
        Ok(stems.into_iter().collect())
    }

    /// At most `most` visible sections with a stem: of each, the title of its page, its headings and its text.
    ///
    /// # Errors
    /// [`ubp_core::Error::SharedIndex`].
    pub async fn texts_with(
        &self,
        projects: &[ProjectId],
        stem: &str,
        most: usize,
    ) -> Result<Vec<Vec<String>>> {
        let sql = "SELECT title, heading_path, text FROM (
                 SELECT project, page, section FROM ubp.passages
                 WHERE project = ANY ($1) AND to_tsvector('simple', tokens) @@ plainto_tsquery('simple', $2) LIMIT $3
             ) AS found JOIN ubp.sections USING (project, page, section) JOIN ubp.pages USING (project, page)";
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.rows_on_all(projects, sql, &[&written(stem), &limit]).await?;
        let texts = |(_, row): &(usize, tokio_postgres::Row)| {
            let headings: Vec<String> = row.get(1);
            [row.get(0), row.get(2)].into_iter().chain(headings).collect()
        };
        Ok(rows.iter().take(most).map(texts).collect())
    }
}
