//! The vectors of one model, in one block of memory, for comparison with queries. Numbers are rounded to 8 bits, which
//! takes a quarter of the memory and of the time to read it. The maximum rounding error of every vector is known, so
//! the scan keeps every vector that may be among the closest. Those are then compared exactly, with the vectors in the
//! index.

use std::sync::Arc;

use rusqlite::Connection;

use super::changes::{GENERATION, VECTOR_GENERATION, since};
use super::connection::counter;
use super::rounding::{RoundedQuery, dot};
use super::shortlist::{Candidate, Shortlist};
use super::statement::first;
use super::ties;
use super::vector_state::VectorState;
use crate::Result;
use crate::ports::{Cache, CachedBytes};

mod layers;
mod page_means;
mod records;
mod spread;

use layers::{Layers, Patch};
pub use page_means::PageMeans;
use records::Record;
use spread::Spread;
#[cfg(not(target_family = "wasm"))]
pub(crate) use spread::{SAMPLE, typical_deviation};

/// Unit vectors of sections, sorted by section.
#[derive(Default)]
pub struct VectorMatrix {
    identity: String,
    /// Row of the model in the index.
    model: i64,
    dimensions: usize,
    /// State of the index that they were read from, if the index has a token that identifies its states.
    state: Option<VectorState>,
    /// The generations of pages and of vectors that they are from.
    generations: (i64, i64),
    bytes: Arc<Bytes>,
    /// Vectors of pages that changed after these bytes were read.
    patch: Patch,
}

/// [`Records`] in this process's memory, or in a cache that processes share.
enum Bytes {
    Own(Vec<u8>),
    Cached(CachedBytes),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

/// Minimum size in bytes for sharing: less is not worth a file.
const WORTH_SHARING: usize = 1 << 20;

/// A section and how close it is to the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Close {
    /// Row of the section in the index.
    pub section: i64,
    /// Row of its page.
    pub page: i64,
    /// Cosine similarity, -1 to 1.
    pub similarity: f32,
}

/// The sections closest to a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Closest {
    /// Best first, without duplicates.
    pub sections: Vec<Close>,
    /// Mean cosine similarity of all vectors that were compared, shrunk towards 0 if they are few: the similarity of a
    /// text that has nothing to do with the query.
    pub background: f32,
    /// Standard deviation of these similarities, divided by that of similarities between the vectors themselves: about 0
    /// if the query is equally far from everything, about 1 if it is like the texts.
    pub contrast: f32,
    /// That standard deviation itself.
    pub deviation: f32,
    /// Number of vectors that were compared.
    pub compared: usize,
    /// How close each page is as a whole.
    pub pages: PageMeans,
}

/// Weight of 0 in that mean, as a number of vectors.
pub(crate) const FEW: f64 = 20.0;

/// What a scan of the rounded vectors finds: [`VectorMatrix::exactly`] makes it exact.
#[derive(Default)]
pub struct Near {
    /// The first record of every section that may be among the closest.
    candidates: Vec<usize>,
    /// What was learnt from all vectors.
    closest: Closest,
}

impl VectorMatrix {
    /// The vectors of the model called `identity`, from `cache` if it has them.
    pub(super) fn load(db: &Connection, identity: &str, cache: Option<&dyn Cache>) -> Result<Self> {
        let generations = generations(db)?;
        let mut matrix = Self { identity: identity.into(), generations, ..Self::default() };
        let Some((model, dimensions)) = model(db, identity)? else { return Ok(matrix) };
        (matrix.model, matrix.dimensions) = (model, dimensions);
        if let Some(cache) = cache {
            matrix.state = VectorState::of(db, identity)?;
            if matrix.find_in(cache) {
                return Ok(matrix);
            }
        }
        let records = records::read(db, model, dimensions, matrix.state.as_ref())?;
        matrix.bytes = Arc::new(Bytes::Own(records));
        Ok(matrix)
    }

    /// The vectors in the state that `db` sees, if only those of the pages that changed since have to be read for it.
    pub(super) fn after(&self, db: &Connection) -> Result<Option<Self>> {
        if model(db, &self.identity)? != Some((self.model, self.dimensions)) {
            return Ok(None);
        }
        let pages = since(db, GENERATION, self.generations.0)?;
        let vectors = since(db, VECTOR_GENERATION, self.generations.1)?;
        let Some((pages, vectors)) = pages.zip(vectors) else { return Ok(None) };
        let pages = pages.into_iter().chain(vectors).chain(self.patch.pages().iter().copied()).collect();
        let Some(patch) = Patch::read(db, self.model, self.dimensions, pages)? else { return Ok(None) };
        Ok(Some(Self {
            identity: self.identity.clone(),
            state: None,
            generations: generations(db)?,
            bytes: self.bytes.clone(),
            patch,
            ..*self
        }))
    }

    /// Takes the vectors from `cache` if it has them.
    fn find_in(&mut self, cache: &dyn Cache) -> bool {
        let Some(state) = &self.state else { return false };
        let found =
            cache.get(state.name()).filter(|bytes| records::are((**bytes).as_ref(), self.dimensions, state));
        let is_found = found.is_some();
        if let Some(found) = found {
            self.bytes = Arc::new(Bytes::Cached(found));
        }
        is_found
    }

    /// Whether these vectors are in this process's own memory, and could be shared.
    pub(super) fn can_be_shared(&self) -> bool {
        self.state.is_some() && matches!(&*self.bytes, Bytes::Own(bytes) if bytes.len() >= WORTH_SHARING)
    }

    /// The same vectors in `cache`, stored there first if necessary; `None` if the cache does not accept them now.
    pub(super) fn shared_in(&self, cache: &dyn Cache) -> Option<Self> {
        let (Bytes::Own(own), Some(state)) = (&*self.bytes, &self.state) else { return None };
        let mut shared = Self {
            identity: self.identity.clone(),
            state: Some(state.clone()),
            bytes: Arc::default(),
            patch: Patch::default(),
            ..*self
        };
        if shared.find_in(cache) {
            return Some(shared);
        }
        let bytes = cache.put(state.name(), &mut |out| out.write_all(own))?;
        // Another process may have stored its bytes first, or another program a file of that name.
        if (*bytes).as_ref() != own.as_slice() {
            return None;
        }
        Some(Self { bytes: Arc::new(Bytes::Cached(bytes)), ..shared })
    }

    /// Whether the records, and what a scan finds in them, are those of vectors that are loaded from `db`.
    #[cfg(test)]
    pub(super) fn is_as_loaded(&self, db: &Connection) -> Result<bool> {
        let loaded = Self::load(db, &self.identity, None)?;
        let content = |matrix: &Self| -> Vec<(i64, i64, u32, u32, Vec<u8>)> {
            let records = matrix.records().iter().map(|(place, record)| {
                assert_eq!(matrix.records().get(place).map(|record| record.section), Some(record.section));
                let (scale, error) = (record.scale.to_bits(), record.error.to_bits());
                (record.section, record.page, scale, error, record.numbers.to_vec())
            });
            records.collect()
        };
        let query: Vec<f32> = (0..self.dimensions).map(|number| (number as f32).cos()).collect();
        let found = |matrix: &Self| matrix.closest(db, &query, 5, |page| page % 3 > 0);
        let sections = content(&loaded).into_iter().map(|(section, ..)| section);
        let alike = sections
            .chain([-1])
            .all(|section| self.similarity(section, &query) == loaded.similarity(section, &query));
        Ok(content(self) == content(&loaded) && found(self)? == found(&loaded)? && alike)
    }

    /// Identity of the model.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.records().iter().count()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.records().iter().next().is_none()
    }

    fn records(&self) -> Layers<'_> {
        let bytes = match &*self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Cached(bytes) => (**bytes).as_ref(),
        };
        Layers::new(bytes, &self.patch, self.dimensions)
    }

    /// Cosine similarity of a section's closest vector, within about 0.002; `None` if it has no vector.
    /// [`VectorMatrix::similarities`] is exact.
    pub fn similarity(&self, section: i64, query: &[f32]) -> Option<f32> {
        let query = self.rounded(query)?;
        self.records().of(section).map(|record| estimate(&query, &record)).max_by(f32::total_cmp)
    }

    /// Exact cosine similarity of the closest vector of each section, read from `db`. Sections without vectors are
    /// omitted.
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

    /// Exact cosine similarities of all vectors of a section, read from `db`, each with the position in the section's
    /// text, in bytes, of the middle of the embedded part.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn parts(&self, db: &Connection, query: &[f32], section: i64) -> Result<Vec<(usize, f32)>> {
        let mut statement = db.prepare_cached(
            "SELECT middle, data FROM section_vectors AS used JOIN vectors USING (vector)
             WHERE section = ?1 AND vectors.model = ?2 ORDER BY ordinal",
        )?;
        let mut rows = statement.query((section, self.model))?;
        let mut parts = Vec::new();
        while let Some(row) = rows.next()? {
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let similarity = exact(query, data);
            if data.len() == query.len() * 4 && similarity.is_finite() {
                parts.push((row.get(0)?, similarity));
            }
        }
        Ok(parts)
    }

    /// The `limit` sections closest to `query`, best first, without duplicates. Pages for which `keep` returns false
    /// are skipped.
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
        self.exactly(db, query, limit, self.near(query, limit, keep))
    }

    /// The `limit` closest of the sections that [`VectorMatrix::near`] found for the same query and limit.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn exactly(
        &self,
        db: &Connection,
        query: &[f32],
        limit: usize,
        Near { candidates, mut closest }: Near,
    ) -> Result<Closest> {
        let records = self.records();
        let found = || candidates.iter().filter_map(|at| records.get(*at));
        let exact = self.similarities(db, query, found().map(|record| record.section))?;
        // Both have the same order; `exact` lacks sections that were deleted in the meantime.
        let mut pages = found();
        let mut close: Vec<Close> = exact
            .into_iter()
            .filter_map(|(section, similarity)| {
                let page = pages.find(|record| record.section == section)?.page;
                Some(Close { section, page, similarity })
            })
            .collect();
        close.sort_unstable_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.section.cmp(&b.section)));
        ties::settle(db, &mut close, |one| (f64::from(one.similarity), one.section))?;
        close.truncate(limit);
        closest.sections = close;
        Ok(closest)
    }

    /// The sections that may be among the `limit` closest, without the index: other threads can use its connection
    /// meanwhile. Pages for which `keep` returns false are skipped.
    pub fn near(&self, query: &[f32], limit: usize, keep: impl Fn(i64) -> bool) -> Near {
        let Some(query) = self.rounded(query) else { return Default::default() };
        let mut spread = Spread::default();
        let mut pages = PageMeans::default();
        let mut shortlist = Shortlist::new(limit);
        // Sections of a page are mostly adjacent, so `keep` is called once per page.
        let mut asked = None;
        let mut current: Option<(i64, Candidate)> = None;
        for (place, record) in self.records().iter() {
            let kept = match asked {
                Some((page, kept)) if page == record.page => kept,
                _ => keep(record.page),
            };
            asked = Some((record.page, kept));
            if !kept {
                continue;
            }
            let estimate = estimate(&query, &record);
            let error = query.error(record.error);
            let at = spread.count();
            spread.add(place, f64::from(estimate));
            pages.add(record.page, estimate);
            let (least, most) = (estimate - error, estimate + error);
            match &mut current {
                Some((section, candidate)) if *section == record.section => {
                    candidate.least = candidate.least.max(least);
                    candidate.most = candidate.most.max(most);
                }
                _ => {
                    let next = Some((record.section, Candidate { at, least, most }));
                    if let Some((_, complete)) = std::mem::replace(&mut current, next) {
                        shortlist.offer(complete);
                    }
                }
            }
        }
        if let Some((_, last)) = current {
            shortlist.offer(last);
        }
        let background = spread.sum() / (spread.count() as f64 + FEW);
        let closest = Closest {
            sections: Vec::new(),
            background: background as f32,
            contrast: spread.relative_to(self.records()) as f32,
            deviation: spread.deviation() as f32,
            compared: spread.count(),
            pages,
        };
        let candidates = shortlist.finish().into_iter().filter_map(|at| spread.position(at));
        Near { candidates: candidates.collect(), closest }
    }

    /// At most `limit` of the vectors of pages for which `keep` returns true, evenly spaced.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn sample(&self, limit: usize, keep: impl Fn(i64) -> bool) -> Vec<Vec<f32>> {
        let kept: Vec<usize> =
            self.records().iter().filter(|(_, record)| keep(record.page)).map(|(at, _)| at).collect();
        let records = spread::every(&kept, limit).filter_map(|at| self.records().get(*at));
        records.map(|record| record.numbers()).collect()
    }

    /// The rounded query; `None` if it cannot be compared.
    fn rounded(&self, query: &[f32]) -> Option<RoundedQuery> {
        if query.len() == self.dimensions { RoundedQuery::new(query) } else { None }
    }
}

/// Number and dimensions of the model called `identity`.
fn model(db: &Connection, identity: &str) -> Result<Option<(i64, usize)>> {
    first(db, "SELECT model, dimensions FROM models WHERE identity = ?1", [identity])
}

fn generations(db: &Connection) -> Result<(i64, i64)> {
    Ok((counter(db, GENERATION)?, counter(db, VECTOR_GENERATION)?))
}

/// Similarity, within the error that `RoundedQuery::error` gives for the record.
fn estimate(query: &RoundedQuery, record: &Record<'_>) -> f32 {
    dot(query.numbers(), record.numbers) as f32 * (query.scale() * record.scale)
}

/// Dot product with a vector as stored in the index. Eight parallel sums, which compilers turn into vector
/// instructions.
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
