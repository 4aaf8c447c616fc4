//! Text to vectors. Engines differ in speed, never in meaning: vectors of one model identity can be
//! compared whichever engine computed them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::embed::Scripts;

/// Whether a text asks or answers: some models want a different prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// What a user searches for.
    Query,
    /// What is found.
    Passage,
}

/// What identifies a model and shapes its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// The name people use, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Changes whenever the same text could get another vector: name plus a hash of the weights.
    pub identity: String,
    /// Length of every vector.
    pub dimensions: usize,
    /// Most tokens of one text, special tokens included; what lies beyond is not seen.
    pub window: usize,
    /// The scripts the model understands.
    pub scripts: Scripts,
}

/// A sentence encoder.
pub trait Embedder: Send + Sync {
    /// The model behind this embedder.
    fn model(&self) -> &ModelInfo;

    /// One unit-length vector per text, in order. Texts longer than the window are cut at its end.
    ///
    /// # Errors
    /// [`crate::Error::Model`] when the model cannot be loaded or run.
    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>>;

    /// Byte range of every token of `text`, in order, without special tokens and without a limit.
    ///
    /// # Errors
    /// [`crate::Error::Model`] when the tokenizer cannot be loaded.
    fn token_ranges(&self, text: &str) -> Result<Vec<std::ops::Range<usize>>>;
}
