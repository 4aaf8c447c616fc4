//! The engine of Unified Blueprint: a folder of Markdown pages becomes a link graph, a full-text
//! index and a semantic index, and answers questions about all three. Hosts (terminal, Node,
//! browser) pass in their ports and call its operations; the engine accesses nothing else outside itself.

#[cfg(not(target_family = "wasm"))]
mod claims;
#[cfg(not(target_family = "wasm"))]
mod comments;
mod confidence;
mod context;
#[cfg(not(target_family = "wasm"))]
pub mod drafts;
#[cfg(not(target_family = "wasm"))]
pub mod editor;
pub mod embed;
mod error;
#[cfg(not(target_family = "wasm"))]
mod excerpt;
pub mod export;
pub mod freshness;
pub mod globs;
pub mod graph;
pub mod hint;
#[cfg(not(target_family = "wasm"))]
pub mod hub;
#[cfg(not(target_family = "wasm"))]
pub mod import;
pub mod index;
pub mod manifest;
#[cfg(not(target_family = "wasm"))]
pub mod memory;
pub mod message;
#[cfg(not(target_family = "wasm"))]
mod okf;
pub mod ops;
pub mod page;
pub mod path;
pub mod ports;
pub mod progress;
#[cfg(not(target_family = "wasm"))]
pub mod proposals;
#[cfg(not(target_family = "wasm"))]
pub mod query;
mod renames;
pub mod render;
pub mod search;
#[cfg(not(target_family = "wasm"))]
pub mod sessions;
pub mod show;
mod source_text;
pub mod suggest;
#[cfg(not(target_family = "wasm"))]
pub mod templates;
pub mod text;
mod threads;
pub mod writing;

pub use context::{Caller, Context, Engine};
pub use error::{Error, Result};

// Unit tests share test doubles with other crates, which have to be compiled against the types of this build.
#[cfg(test)]
extern crate self as ubp_core;
#[cfg(test)]
#[path = "../testing/src/lib.rs"]
pub mod testing;
