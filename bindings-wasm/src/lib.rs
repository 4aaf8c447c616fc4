//! The engine inside browsers, as two modules. The base module opens a vault and runs the operation
//! table; the semantic module turns text into vectors for it. Both are used from one worker.
#![cfg(target_family = "wasm")]

mod failure;

#[cfg(feature = "base")]
mod clock;
#[cfg(feature = "base")]
mod embedder;
#[cfg(feature = "semantic")]
mod encoder;
#[cfg(feature = "base")]
mod folder;
#[cfg(feature = "base")]
mod pages;
#[cfg(feature = "base")]
mod project;
