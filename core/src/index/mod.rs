//! The index: one SQLite database that holds pages, sections, links, full text and vectors, made
//! from the files and thrown away without loss. One writer at a time, readers never wait for it.

mod connection;
mod embedding;
mod matrix;
mod passages;
mod prepare;
mod refresh;
mod rounding;
mod row_set;
mod schema;
mod shortlist;
mod snapshot;
mod store;
mod turns;
mod vector_state;

pub use connection::{Index, SetAside, set_aside};
pub use embedding::{
    EmbedReport, embed_pending, forget_unused_vectors, pending, pending_pages, section_count,
};
pub use matrix::{Close, Closest, VectorMatrix};
pub(crate) use prepare::{parse_time, prepare};
pub use refresh::{RefreshOptions, RefreshReport, Renamed, refresh};
pub(crate) use row_set::RowSet;
pub use snapshot::{PageChanges, Snapshot};
pub(crate) use store::{derived_id, destination, link_kind, name_table};

#[cfg(test)]
pub(crate) mod tests;
