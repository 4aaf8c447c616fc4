//! The vectors of one model in memory, in one piece, ready to be compared with a query. Numbers are
//! rounded to 8 bits: a quarter of the memory, and of what a scan has to read. How far rounding can be
//! off is known for every vector, so that the scan keeps whatever may belong to the closest; those are
//! then compared by their exact vectors, which stay in the index.

use rusqlite::{Connection, OptionalExtension};

use super::rounding::{RoundedQuery, dot};
use super::shortlist::{Candidate, Shortlist};
use crate::Result;

/// Unit vectors of sections, row by row.
#[derive(Debug, Default)]
pub struct VectorMatrix {
    identity: String,
    /// Number of the model in the index.
    model: i64,
    dimensions: usize,
    /// By number of the section.
    sections: Vec<SectionRows>,
    rows: Vec<Row>,
    /// Numbers of all rows, two's complement, to be multiplied with the row's scale.
    data: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct SectionRows {
    section: i64,
    page: i64,
    first: usize,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    scale: f32,
    /// Length of what rounding took away.
    error: f32,
}

/// A section and how close it is to the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Close {
    /// Number of the section in the index.
    pub section: i64,
    /// Number of its page.
    pub page: i64,
    /// Cosine similarity, -1 to 1.
    pub similarity: f32,
}

/// The sections closest to a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closest {
    /// Best first, each section once.
    pub sections: Vec<Close>,
    /// Mean cosine similarity of all vectors that were compared, drawn towards 0 while they are few:
    /// how close a text is that has nothing to do with the query.
    pub background: f32,
}

/// Vectors that few others weigh up, when a mean is taken.
const FEW: f64 = 20.0;

impl VectorMatrix {
    pub(super) fn load(db: &Connection, identity: &str) -> Result<Self> {
        let mut matrix = Self { identity: identity.into(), ..Self::default() };
        let model: Option<(i64, usize)> = db
            .prepare_cached("SELECT model, dimensions FROM models WHERE identity = ?1")?
            .query_row([identity], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((model, dimensions)) = model else { return Ok(matrix) };
        (matrix.model, matrix.dimensions) = (model, dimensions);
        // Asked for at once: growing would copy everything several times, and need twice the memory.
        let count: usize = db.query_row("SELECT count(*) FROM section_vectors", [], |row| row.get(0))?;
        matrix.rows.reserve_exact(count);
        matrix.data.reserve_exact(count * dimensions);
        // A vector of another model stands there until the section is embedded again.
        let mut statement = db.prepare_cached(
            "SELECT section, page, scale, error, rounded FROM section_vectors
             WHERE model = ?1 AND scale IS NOT NULL ORDER BY section, ordinal",
        )?;
        let mut rows = statement.query([model])?;
        while let Some(row) = rows.next()? {
            let rounded = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
            if rounded.len() != dimensions {
                continue;
            }
            let section = row.get(0)?;
            if matrix.sections.last().is_none_or(|last| last.section != section) {
                let first = matrix.rows.len();
                matrix.sections.push(SectionRows { section, page: row.get(1)?, first });
            }
            matrix.rows.push(Row { scale: row.get(2)?, error: row.get(3)? });
            matrix.data.extend_from_slice(rounded);
        }
        Ok(matrix)
    }

    /// Identity of the model whose vectors these are.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Cosine similarity of one section by its closest vector, within about 0.002; `None` when it has
    /// none. [`VectorMatrix::similarities`] is exact.
    pub fn similarity(&self, section: i64, query: &[f32]) -> Option<f32> {
        let at = self.sections.binary_search_by_key(&section, |rows| rows.section).ok()?;
        let query = self.rounded(query)?;
        let rows = self.sections[at].first..self.end(at);
        rows.map(|row| self.estimate(row, &query)).max_by(f32::total_cmp)
    }

    /// Cosine similarities of these sections by their closest vectors, as they stand in `db`; those
    /// without any are left out.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn similarities(
        &self,
        db: &Connection,
        query: &[f32],
        sections: impl IntoIterator<Item = i64>,
    ) -> Result<Vec<(i64, f32)>> {
        let mut statement = db.prepare_cached(
            "SELECT data FROM section_vectors AS used JOIN vectors USING (vector)
             WHERE section = ?1 AND vectors.model = ?2",
        )?;
        let mut similarities = Vec::new();
        for section in sections {
            let mut rows = statement.query((section, self.model))?;
            let mut closest: Option<f32> = None;
            while let Some(row) = rows.next()? {
                let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                let similarity = exact(query, data);
                if data.len() == query.len() * 4 && similarity.is_finite() {
                    closest = Some(closest.map_or(similarity, |other| other.max(similarity)));
                }
            }
            similarities.extend(closest.map(|similarity| (section, similarity)));
        }
        Ok(similarities)
    }

    /// The `limit` sections closest to `query`, best first, each once; pages that `keep` refuses
    /// are passed over.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn closest(
        &self,
        db: &Connection,
        query: &[f32],
        limit: usize,
        keep: impl Fn(i64) -> bool,
    ) -> Result<Closest> {
        let (candidates, background) = self.candidates(query, limit, keep);
        let exact = self.similarities(db, query, candidates.iter().map(|at| self.sections[*at].section))?;
        // Both are in the same order, and `exact` lacks what is gone from the index meanwhile.
        let mut pages = candidates.iter().map(|at| self.sections[*at]);
        let mut close: Vec<Close> = exact
            .into_iter()
            .filter_map(|(section, similarity)| {
                let page = pages.find(|rows| rows.section == section)?.page;
                Some(Close { section, page, similarity })
            })
            .collect();
        close.sort_unstable_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.section.cmp(&b.section)));
        close.truncate(limit);
        Ok(Closest { sections: close, background })
    }

    /// Places in `sections` of all that may be among the `limit` closest, and the background.
    fn candidates(&self, query: &[f32], limit: usize, keep: impl Fn(i64) -> bool) -> (Vec<usize>, f32) {
        let Some(query) = self.rounded(query) else { return (Vec::new(), 0.0) };
        let (mut sum, mut compared) = (0.0_f64, 0_usize);
        let mut shortlist = Shortlist::new(limit);
        // Sections of a page mostly follow each other: each page is asked about once.
        let mut asked = None;
        let mut vectors = self.data.chunks_exact(self.dimensions).zip(&self.rows);
        for (at, rows) in self.sections.iter().enumerate() {
            let count = self.end(at) - rows.first;
            let kept = match asked {
                Some((page, kept)) if page == rows.page => kept,
                _ => keep(rows.page),
            };
            asked = Some((rows.page, kept));
            if !kept {
                vectors.by_ref().take(count).for_each(drop);
                continue;
            }
            let mut candidate = Candidate { at, least: f32::NEG_INFINITY, most: f32::NEG_INFINITY };
            for (vector, row) in vectors.by_ref().take(count) {
                let estimate = dot(query.numbers(), vector) as f32 * (query.scale() * row.scale);
                let error = query.error(row.error);
                sum += f64::from(estimate);
                compared += 1;
                candidate.least = candidate.least.max(estimate - error);
                candidate.most = candidate.most.max(estimate + error);
            }
            shortlist.offer(candidate);
        }
        (shortlist.finish(), (sum / (compared as f64 + FEW)) as f32)
    }

    /// The row after the last one of a section.
    fn end(&self, at: usize) -> usize {
        self.sections.get(at + 1).map_or(self.rows.len(), |next| next.first)
    }

    fn estimate(&self, row: usize, query: &RoundedQuery) -> f32 {
        let numbers = &self.data[row * self.dimensions..(row + 1) * self.dimensions];
        dot(query.numbers(), numbers) as f32 * (query.scale() * self.rows[row].scale)
    }

    /// The query as rows are compared with it, if that is possible at all.
    fn rounded(&self, query: &[f32]) -> Option<RoundedQuery> {
        if query.len() == self.dimensions { RoundedQuery::new(query) } else { None }
    }
}

/// Product with a vector as the index stores it. Eight sums side by side, which compilers turn into
/// vector instructions.
fn exact(query: &[f32], data: &[u8]) -> f32 {
    let (left, left_rest) = query.as_chunks::<8>();
    let (right, right_rest) = data.as_chunks::<32>();
    let number = |bytes: &[u8], lane: usize| {
        f32::from_le_bytes([bytes[lane * 4], bytes[lane * 4 + 1], bytes[lane * 4 + 2], bytes[lane * 4 + 3]])
    };
    let mut sums = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        for lane in 0..8 {
            sums[lane] += x[lane] * number(y, lane);
        }
    }
    let rest = left_rest.iter().zip(right_rest.as_chunks::<4>().0);
    sums.iter().sum::<f32>() + rest.map(|(x, y)| x * f32::from_le_bytes(*y)).sum::<f32>()
}

#[cfg(test)]
mod tests;
