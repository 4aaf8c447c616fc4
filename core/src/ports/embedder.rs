//! Converting text to vectors. Engines differ only in speed: vectors with the same model identity are comparable,
//! whichever engine computed them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::embed::Scripts;

/// The role of a text: some models need a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// A search query.
    Query,
    /// A text that can be found.
    Passage,
}

/// Identity and limits of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// The model's name, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// The name and a hash of the weights: changes whenever vectors may differ.
    pub identity: String,
    /// Length of every vector.
    pub dimensions: usize,
    /// Maximum number of tokens per text, including special tokens; the rest is ignored.
    pub window: usize,
    /// The scripts the model understands.
    pub scripts: Scripts,
}

/// A sentence encoder.
pub trait Embedder: Send + Sync {
    /// The model behind this embedder.
    fn model(&self) -> &ModelInfo;

    /// Returns one unit vector per text, in order. Texts are truncated at the end of the window.
    ///
    /// # Errors
    /// [`crate::Error::Model`] if the model cannot be loaded or run.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// Vectors of these passages that were computed before, perhaps for another project, in order; `None` for each that has
    /// to be computed. It does not load the model.
    ///
    /// # Errors
    /// Never because vectors that were kept cannot be read: they are computed again.
    fn known(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        Ok(vec![None; texts.len()])
    }

    /// Called when no more passages are due: releases memory that only many of them need.
    fn release(&self) {}

    /// Called when nobody has asked for a while: releases what can be loaded again.
    fn rest(&self) {}

    /// Byte range of every token of `text`, in order, without special tokens and not limited to the window.
    ///
    /// # Errors
    /// [`crate::Error::Model`] if the tokenizer cannot be loaded.
    fn token_ranges(&self, text: &str) -> Result<Vec<std::ops::Range<usize>>>;
}
