//! An embedder that returns memory to the system after loading its model: weights are read, and packed twice for the
//! processor; only a third of that stays in use.

use std::ops::Range;
use std::sync::{Arc, Once};

use ubp_core::Result;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};

use crate::memory;

/// An embedder whose model is loaded with the first text.
pub(super) struct Trimmed {
    embedder: Arc<dyn Embedder>,
    loaded: Once,
}

impl Trimmed {
    pub(super) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, loaded: Once::new() }
    }
}

impl Embedder for Trimmed {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let vectors = self.embedder.embed(kind, texts);
        self.loaded.call_once(memory::give_back);
        vectors
    }

    fn known(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        self.embedder.known(texts)
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}
