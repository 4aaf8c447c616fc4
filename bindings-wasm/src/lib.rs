//! The engine for browsers, as two modules: the base module opens a vault and runs operations, the semantic module
//! computes vectors for it. Both run in one worker.
//!
//! **Invariants**, each tested in `tests/wasm`, in Node and in Chromium
//! - A browser gets the same answers as the command.
//! - Opened data is never written to: `folder.rs` refuses writes, and SQLite opens an index from bytes as read-only.
//! - Input from JavaScript is checked before it is stored: vectors, ranges, files and parameters.
//! - After a trap, a module refuses every call (`failure.rs`).
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
#[cfg(feature = "base")]
mod reader;
