//! The index: one SQLite database that holds pages, sections, links, full text and vectors, made
//! from the files and thrown away without loss. One writer at a time, readers never wait for it.

mod connection;
mod embedding;
mod matrix;
mod prepare;
mod refresh;
mod rounding;
mod schema;
mod section_set;
mod shortlist;
mod store;

pub use connection::{Index, SetAside, set_aside};
pub use embedding::{EmbedReport, embed_pending, forget_unused_vectors, pending};
pub use matrix::{Close, Closest, VectorMatrix};
pub use refresh::{RefreshOptions, RefreshReport, Renamed, refresh};
pub(crate) use section_set::SectionSet;

#[cfg(test)]
pub(crate) mod tests;
