//! Everything between a text and its vector: models, tokenizers, engines.

#[cfg(feature = "bundled-model")]
mod bundled;
mod chunk;
mod description;
#[cfg(any(feature = "rten", feature = "tract"))]
mod encoder;
#[cfg(any(feature = "rten", feature = "tract"))]
mod engine;
mod files;
#[cfg(any(feature = "rten", feature = "tract"))]
mod parallel;
mod query_cache;
#[cfg(feature = "rten")]
mod rten;
mod scripts;
#[cfg(any(feature = "rten", feature = "tract"))]
mod session;
#[cfg(any(feature = "rten", feature = "tract"))]
mod tokenizer;
#[cfg(feature = "tract")]
mod tract;
#[cfg(any(feature = "rten", feature = "tract"))]
mod wire;

#[cfg(all(test, any(feature = "rten", feature = "tract")))]
mod engine_tests;

#[cfg(feature = "bundled-model")]
pub use bundled::BundledFiles;
pub use chunk::{chunks, passage, pieces};
pub use description::{DESCRIPTION_FILE, ModelDescription, Pooling, Prefixes};
#[cfg(all(feature = "bundled-model", any(feature = "rten", feature = "tract")))]
pub use engine::bundled;
#[cfg(any(feature = "rten", feature = "tract"))]
pub use engine::{Engine, gpu, open};
pub use files::{Checksum, MODEL_FILE, MemoryFiles, ModelFiles, TOKENIZER_FILE, short_hash};
pub use query_cache::QueryCache;
pub use scripts::Scripts;

/// Scales `vector` to unit length; a zero vector stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
