//! Vectors for benchmarks where computing real ones would take hours: mixtures of a few real ones with noise, so that
//! similarities are distributed as among real texts.

use std::ops::Range;
use std::path::Path;

use ubp_core::embed::{Scripts, normalize};
use ubp_core::index::Index;
use ubp_core::ports::{ContentHash, Embedder, ModelInfo, TextKind};
use ubp_core::{Error, Result};
use ubp_testing::HashEmbedder;

use crate::generator::Random;

/// Weight of the second vector relative to the first.
const SECOND: f32 = 0.6;
/// Length of the noise relative to the first vector.
const NOISE: f32 = 0.5;

/// Stands in for a model whose vectors an index has. Vectors depend on the text alone, but not on its meaning.
pub struct MixedEmbedder {
    model: ModelInfo,
    vectors: Vec<Vec<f32>>,
    words: HashEmbedder,
}

impl MixedEmbedder {
    /// An embedder that mixes the vectors in the index at `database`, with the identity of the model that computed
    /// them.
    ///
    /// # Errors
    /// If the index cannot be read or has too few vectors.
    pub fn of(database: &Path) -> Result<Self> {
        let (index, _) = Index::open(database)?;
        let (identity, dimensions, data) = index.read(|db| {
            let sql = "SELECT model, identity, dimensions FROM models
                       ORDER BY (SELECT count(*) FROM vectors WHERE vectors.model = models.model) DESC LIMIT 1";
            let (model, identity, dimensions) = db.query_row(sql, [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, usize>(2)?))
            })?;
            let mut statement = db.prepare("SELECT data FROM vectors WHERE model = ?1 ORDER BY hash")?;
            let rows = statement.query_map([model], |row| row.get::<_, Vec<u8>>(0))?;
            Ok((identity, dimensions, rows.collect::<std::result::Result<Vec<_>, _>>()?))
        })?;
        let numbers =
            |data: Vec<u8>| data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
        let vectors: Vec<Vec<f32>> = data.into_iter().map(numbers).collect();
        if vectors.len() < 2 {
            return Err(Error::Internal(format!("{} has fewer than 2 vectors", database.display())));
        }
        let name = identity.split('@').next().unwrap_or_default().to_owned();
        let model = ModelInfo { name, identity, dimensions, window: 256, scripts: Scripts::all() };
        Ok(Self { model, vectors, words: HashEmbedder::full_size() })
    }
}

impl Embedder for MixedEmbedder {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn embed(&self, _: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let embed = |text: &&str| {
            let hash = ContentHash::of(text.as_bytes()).0;
            let seed = hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let mut random = Random::new(seed);
            let first = &self.vectors[random.below(self.vectors.len())];
            let second = &self.vectors[random.below(self.vectors.len())];
            // Uniform numbers with this deviation give noise of length 1.
            let width = (12.0 / first.len() as f32).sqrt();
            let mix =
                |(x, y): (&f32, &f32)| x + SECOND * y + NOISE * width * (random.fraction() as f32 - 0.5);
            let mut mixed: Vec<f32> = first.iter().zip(second).map(mix).collect();
            normalize(&mut mixed);
            mixed
        };
        Ok(texts.iter().map(embed).collect())
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.words.token_ranges(text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixture::Fixture;
    use crate::generator::Vault;

    #[test]
    fn mixtures_have_the_identity_of_the_model_and_differ_by_text() {
        let fixture = Fixture::indexed(Vault::english(3)).unwrap();
        let real = HashEmbedder::full_size();
        let mixed = MixedEmbedder::of(&fixture.folder().join(".ubp/metadata.db")).unwrap();
        assert_eq!(mixed.model().identity, real.model().identity);
        let mixed: Arc<dyn Embedder> = Arc::new(mixed);
        let vectors = mixed.embed(TextKind::Passage, &["one", "two", "one"]).unwrap();
        assert_eq!(vectors[0], vectors[2]);
        assert_ne!(vectors[0], vectors[1]);
        let length: f32 = vectors[0].iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-4);
    }
}
