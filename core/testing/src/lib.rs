//! Shared test support: ports whose errors and results tests control, and one conformance suite per port, which every
//! implementation must pass.

pub mod conformance;
mod counting_embedder;
pub mod exports;
mod faulty;
mod hash_embedder;

pub use counting_embedder::CountingEmbedder;
pub use faulty::FaultySource;
pub use hash_embedder::HashEmbedder;
