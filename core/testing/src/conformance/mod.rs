//! What every implementation of a port must do. Each suite takes a function that creates the port, or a fixture for its
//! content, and panics at the first violation.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cache;
mod clock;
mod embedder;
mod history;
mod source;
mod symbols;

pub use cache::cache;
pub use clock::clock;
pub use embedder::embedder;
pub use history::{Repository, history, without_history};
pub use source::{SourceFixture, source};
pub use symbols::symbols;
