//! What tests of every crate share: ports that tests can break or foresee, and one conformance suite
//! per port, which holds every version of it to the same behaviour.

pub mod conformance;
mod faulty;
mod hash_embedder;

pub use faulty::FaultySource;
pub use hash_embedder::HashEmbedder;
