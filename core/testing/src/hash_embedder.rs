//! An embedder without a model: texts with common words have similar vectors, deterministically and fast.

use std::ops::Range;

use ubp_core::Result;
use ubp_core::embed::Scripts;
use ubp_core::ports::{ContentHash, Embedder, ModelInfo, TextKind};

/// Hashes words into a small vector space, so that texts with common words are similar.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    model: ModelInfo,
}

impl Default for HashEmbedder {
    fn default() -> Self {
        Self::named("hash-words")
    }
}

impl HashEmbedder {
    /// An embedder with this name, which distinguishes it from others.
    pub fn named(name: &str) -> Self {
        Self {
            model: ModelInfo {
                name: name.into(),
                identity: format!("{name}@1"),
                dimensions: 64,
                window: 64,
                scripts: Scripts::all(),
            },
        }
    }

    /// An embedder with the dimensions and window of the bundled model.
    pub fn full_size() -> Self {
        let mut embedder = Self::named("hash-words-full-size");
        (embedder.model.dimensions, embedder.model.window) = (384, 256);
        embedder
    }

    /// An embedder only for texts in `scripts`.
    pub fn for_scripts(scripts: Scripts) -> Self {
        let mut embedder = Self::default();
        embedder.model.scripts = scripts;
        embedder
    }
}

impl Embedder for HashEmbedder {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    fn embed(&self, _kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        texts
            .iter()
            .map(|text| {
                let mut vector = vec![0.0_f32; self.model.dimensions];
                for range in self.token_ranges(text)?.into_iter().take(self.model.window) {
                    let word = text[range].to_lowercase();
                    let hash = ContentHash::of(word.as_bytes()).0;
                    let place = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high]));
                    vector[place(hash[0], hash[2]) % self.model.dimensions] += 1.0;
                    vector[place(hash[1], hash[3]) % self.model.dimensions] += 0.5;
                }
                ubp_core::embed::normalize(&mut vector);
                Ok(vector)
            })
            .collect()
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        let start = text.as_ptr() as usize;
        Ok(text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| {
                let offset = word.as_ptr() as usize - start;
                offset..offset + word.len()
            })
            .collect())
    }
}
