//! Embedding models behind the engine's `Embedder` port: tokenizer, inference engines, and the model in the binary.
//! Each build selects its engines by features; without any, the crate is empty.
#![cfg(any(feature = "rten", feature = "tract"))]

#[cfg(feature = "rten")]
mod arithmetic;
#[cfg(feature = "bundled-model")]
mod bundled;
mod encoder;
mod engine;
#[cfg(feature = "rten")]
mod floats;
#[cfg(feature = "bundled-model")]
mod multilingual;
#[cfg(feature = "bundled-model")]
mod packed;
mod parallel;
mod query_cache;
#[cfg(feature = "rten")]
mod rten;
mod session;
mod tokenizer;
#[cfg(feature = "tract")]
mod tract;
mod unigram;
// Only floats are written to a model.
#[cfg_attr(not(feature = "rten"), allow(dead_code))]
mod wire;

#[cfg(test)]
mod engine_tests;

#[cfg(feature = "rten")]
pub use arithmetic::Arithmetic;
#[cfg(feature = "bundled-model")]
pub use bundled::BundledFiles;
#[cfg(feature = "bundled-model")]
pub use engine::bundled;
pub use engine::{Engine, gpu, open};
#[cfg(feature = "bundled-model")]
pub use multilingual::MultilingualFiles;
pub use query_cache::QueryCache;
