//! The vectors of one model in memory, in one piece, ready to be compared with a query.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;

/// Unit vectors of sections, row by row.
#[derive(Debug, Default)]
pub struct VectorMatrix {
    identity: String,
    dimensions: usize,
    rows: Vec<(i64, i64)>,
    data: Vec<f32>,
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

impl VectorMatrix {
    pub(super) fn load(db: &Connection, identity: &str) -> Result<Self> {
        let mut matrix = Self { identity: identity.into(), ..Self::default() };
        let mut offsets: HashMap<i64, usize> = HashMap::new();
        let mut vectors = Vec::new();
        let mut statement = db.prepare(
            "SELECT vector, data FROM vectors WHERE model = (SELECT model FROM models WHERE identity = ?1)
             ORDER BY vector",
        )?;
        let mut rows = statement.query([identity])?;
        while let Some(row) = rows.next()? {
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            matrix.dimensions = data.len() / 4;
            offsets.insert(row.get(0)?, vectors.len());
            vectors.extend(data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        }
        let mut statement = db.prepare(
            "SELECT section, page, vector FROM section_vectors JOIN sections USING (section) ORDER BY section, section_vectors.ordinal",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // A vector of another model stands there until the section is embedded again.
            let Some(&offset) = offsets.get(&row.get(2)?) else { continue };
            matrix.rows.push((row.get(0)?, row.get(1)?));
            matrix.data.extend_from_slice(&vectors[offset..offset + matrix.dimensions]);
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

    /// Cosine similarity of one section, by its closest vector; `None` when it has none.
    pub fn similarity(&self, section: i64, query: &[f32]) -> Option<f32> {
        if query.len() != self.dimensions {
            return None;
        }
        let first = self.rows.partition_point(|(row, _)| *row < section);
        let vectors = self.data.chunks_exact(self.dimensions).skip(first);
        self.rows[first..]
            .iter()
            .take_while(|(row, _)| *row == section)
            .zip(vectors)
            .map(|(_, vector)| dot(query, vector))
            .max_by(f32::total_cmp)
    }

    /// The `limit` sections closest to `query`, best first, each once; pages that `keep` refuses
    /// are passed over.
    pub fn closest(&self, query: &[f32], limit: usize, keep: impl Fn(i64) -> bool) -> Vec<Close> {
        if query.len() != self.dimensions || limit == 0 {
            return Vec::new();
        }
        let mut close: Vec<Close> = Vec::with_capacity(self.rows.len());
        for (&(section, page), vector) in self.rows.iter().zip(self.data.chunks_exact(self.dimensions)) {
            if !keep(page) {
                continue;
            }
            let similarity = dot(query, vector);
            // Rows of one section follow each other.
            match close.last_mut() {
                Some(last) if last.section == section => last.similarity = last.similarity.max(similarity),
                _ => close.push(Close { section, page, similarity }),
            }
        }
        let order =
            |a: &Close, b: &Close| b.similarity.total_cmp(&a.similarity).then(a.section.cmp(&b.section));
        if close.len() > limit {
            close.select_nth_unstable_by(limit, order);
            close.truncate(limit);
        }
        close.sort_unstable_by(order);
        close
    }
}

/// Eight sums side by side, which compilers turn into vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (left, left_rest) = a.as_chunks::<8>();
    let (right, right_rest) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}
