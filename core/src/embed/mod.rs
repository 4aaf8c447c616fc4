//! The engine's side of embedding models: how text is cut for them, which scripts they support, and
//! what their files are. The port `Embedder` runs them.

mod chunk;
mod description;
mod files;
mod scripts;

pub use chunk::{chunks, passage, pieces};
pub use description::{DESCRIPTION_FILE, ModelDescription, Pooling, Prefixes};
pub use files::{Checksum, MODEL_FILE, MemoryFiles, ModelFiles, TOKENIZER_FILE, short_hash};
pub use scripts::Scripts;

/// Scales `vector` to unit length; a zero vector is left unchanged.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
