//! What every version of a port must do, whatever is behind it. Each suite takes what makes a fresh
//! port with something to look at, and panics at the first departure.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cache;
mod clock;
mod embedder;
mod history;
mod source;

pub use cache::cache;
pub use clock::clock;
pub use embedder::embedder;
pub use history::{Repository, history, without_history};
pub use source::{SourceFixture, source};
