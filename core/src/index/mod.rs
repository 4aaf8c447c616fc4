//! The index: one SQLite database of pages, sections, links, full text and vectors, built from the files and safe to
//! delete. There is one writer at a time, and readers never wait for it.
//!
//! **Invariants**
//! - Everything in it can be rebuilt from the files, so there are no migrations: a damaged file, or one with another
//!   schema version, is moved aside. The only exception is the chunk size of a single document (`documents.rs`).
//! - An updated index equals a rebuilt one (`tests.rs`: random edits, renames and deletions).
//! - An interrupted run loses at most one batch, and the next run has the same result as an uninterrupted one
//!   (`tests/faults.rs`).
//! - A page that cannot be read is reported and keeps its former content in the index (`tests/faults.rs`).
//! - An older state of a file never replaces a newer one (`tests/overtaken.rs`).
//! - Page files are never written. Text and links in answers match the files; answers report pending vectors.
//! - Vectors of two models never mix, because the model's identity is part of their key. Shared vectors are used only
//!   if they belong to this index (`matrix/tests/sharing.rs`).

mod changes;
mod connection;
#[cfg(not(target_family = "wasm"))]
mod copying;
mod dates;
mod differences;
mod documents;
mod embedding;
mod kept;
mod matrix;
mod page_names;
mod passages;
mod postings;
mod prepare;
#[cfg(not(target_family = "wasm"))]
pub mod published;
pub(crate) mod questions;
#[cfg(not(target_family = "wasm"))]
pub mod received;
mod refresh;
mod rounding;
mod row_counts;
mod row_set;
mod schema;
mod shortlist;
mod snapshot;
mod statement;
#[cfg(not(target_family = "wasm"))]
mod stems;
mod store;
pub(crate) mod ties;
mod turns;
mod vector_state;
#[cfg(not(target_family = "wasm"))]
mod vector_store;
mod view;

pub(crate) use changes::forget as forget_changes;
pub(crate) use connection::generation;
#[cfg(not(target_family = "wasm"))]
pub(crate) use connection::open_to_read;
pub use connection::{Index, SetAside, is_index, set_aside};
#[cfg(not(target_family = "wasm"))]
pub use copying::copy_at_rest;
pub(crate) use dates::date;
pub use documents::settle_chunk_size;
#[cfg(not(target_family = "wasm"))]
pub(crate) use documents::{DocumentState, document_states, forget_document, set_chunk_size};
pub use embedding::{
    EmbedReport, embed_page, embed_pending, forget_unused_vectors, known_vector, pending, pending_pages,
    section_count, vectorized_pages,
};
#[cfg(not(target_family = "wasm"))]
pub(crate) use embedding::{SectionText, section_text};
pub use matrix::{Close, Closest, Near, PageMeans, VectorMatrix};
#[cfg(not(target_family = "wasm"))]
pub(crate) use matrix::{FEW as BACKGROUND_OF_NOTHING, SAMPLE, typical_deviation};
pub use page_names::{Letters, Name, NamedPage, PageNames};
pub(crate) use postings::{Posting, Postings};
#[cfg(not(target_family = "wasm"))]
pub(crate) use prepare::source_refs;
pub(crate) use prepare::{parse_time, prepare};
pub use questions::{Filter, Unmatched, UnmatchedKind};
pub(crate) use refresh::pages_folder;
pub use refresh::{RefreshOptions, RefreshReport, Renamed, refresh};
pub(crate) use row_set::RowSet;
pub use snapshot::{PageChanges, Snapshot};
#[cfg(not(target_family = "wasm"))]
pub use stems::Stemmer;
pub(crate) use store::{derived_id, destination, name_table};

#[cfg(not(target_family = "wasm"))]
pub use vector_store::{STORE_VERSION, StoreSize, VectorStore};
pub use view::View;

#[cfg(test)]
pub(crate) mod tests;
