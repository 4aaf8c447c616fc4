//! The engine inside browsers, as two modules. The base module opens a vault and runs the operation
//! table; the semantic module turns text into vectors for it. Both are used from one worker.
//!
//! **Invariants**, each tried in `tests/wasm`, in Node and in Chromium
//! - A browser answers what the command answers.
//! - Nothing that was opened is written to: `folder.rs` refuses, and SQLite opens an index from bytes as read-only.
//! - What JavaScript hands over is checked before it is kept: vectors, ranges, files and parameters.
//! - A module that trapped answers nothing more: a call that finds the note of one that never ended is refused
//!   (`failure.rs`).
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
