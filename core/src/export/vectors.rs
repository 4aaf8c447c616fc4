//! Reuses vectors of the project's index for the index of a site. Only vectors of published texts are
//! copied.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Result;
use crate::index::Index;
use crate::index::questions::vectors;
use crate::ports::{ContentHash, Embedder, ModelInfo, TextKind};

/// An embedder that looks up vectors in an index before it asks the model.
pub(super) struct Known<'a> {
    pub index: &'a Index,
    pub embedder: &'a dyn Embedder,
    /// Number of texts without a vector in the index.
    pub computed: AtomicUsize,
}

impl Known<'_> {
    fn known(&self, text: &str) -> Result<Option<Vec<f32>>> {
        let hash = ContentHash::of(text.as_bytes());
        let identity = &self.embedder.model().identity;
        let data = self.index.read(|db| vectors::known(db, identity, hash.0))?;
        let vector: Option<Vec<f32>> =
            data.map(|data| data.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect());
        Ok(vector.filter(|vector| vector.len() == self.embedder.model().dimensions))
    }
}

impl Embedder for Known<'_> {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if kind == TextKind::Query {
            return self.embedder.embed(kind, texts);
        }
        let mut vectors = texts.iter().map(|text| self.known(text)).collect::<Result<Vec<_>>>()?;
        let unknown: Vec<&str> =
            texts.iter().zip(&vectors).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        self.computed.fetch_add(unknown.len(), Ordering::Relaxed);
        let mut computed =
            if unknown.is_empty() { Vec::new() } else { self.embedder.embed(kind, &unknown)? };
        computed.reverse();
        for vector in vectors.iter_mut().filter(|vector| vector.is_none()) {
            *vector = computed.pop();
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}
