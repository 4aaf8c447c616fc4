//! An embedder that counts.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use ubp_core::Result;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};

use super::HashEmbedder;

/// A [`HashEmbedder`] that counts the texts that it embeds.
#[derive(Default)]
pub struct CountingEmbedder {
    inner: HashEmbedder,
    texts: AtomicUsize,
}

impl CountingEmbedder {
    /// Number of texts that were embedded.
    pub fn texts(&self) -> usize {
        self.texts.load(Ordering::Relaxed)
    }
}

impl Embedder for CountingEmbedder {
    fn model(&self) -> &ModelInfo {
        self.inner.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        self.inner.embed(kind, texts)
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.inner.token_ranges(text)
    }
}
