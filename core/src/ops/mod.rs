//! Everything UBP can do, one file per operation: what it takes, what it gives, and how. The table
//! lists them once; every surface (terminal, MCP, HTTP, Node, browser) is a loop over it, so that
//! equal parameters on an equal index give equal answers everywhere.

mod budget;
mod context;
#[cfg(not(target_family = "wasm"))]
mod document;
mod edited;
#[cfg(not(target_family = "wasm"))]
mod memory;
mod page;
mod table;
mod way;

pub mod accept;
pub mod add;
pub mod addresses;
pub mod audit;
pub mod check_staleness;
pub mod complete;
pub mod create_page;
#[cfg(not(target_family = "wasm"))]
pub mod delete_document;
pub mod delete_page;
pub mod diff;
pub mod dismiss;
pub mod doctor;
#[cfg(not(target_family = "wasm"))]
pub mod document_memories;
pub mod evaluate;
pub mod favorites;
#[cfg(not(target_family = "wasm"))]
pub mod forget;
pub mod fulltext_search;
pub mod get_context;
pub mod get_graph;
pub mod get_impact;
pub mod get_page;
pub mod graph_traverse;
#[cfg(not(target_family = "wasm"))]
pub mod index_markdown;
#[cfg(not(target_family = "wasm"))]
pub mod index_refresh;
#[cfg(not(target_family = "wasm"))]
pub mod index_status;
#[cfg(not(target_family = "wasm"))]
pub mod list_documents;
#[cfg(not(target_family = "wasm"))]
pub mod list_memories;
pub mod list_pages;
#[cfg(not(target_family = "wasm"))]
pub mod query;
#[cfg(not(target_family = "wasm"))]
pub mod query_inspect;
pub mod read_page;
pub mod rebuild;
#[cfg(not(target_family = "wasm"))]
pub mod recall;
pub mod refs;
#[cfg(not(target_family = "wasm"))]
pub mod reindex_document;
#[cfg(not(target_family = "wasm"))]
pub mod reindex_memories;
#[cfg(not(target_family = "wasm"))]
pub mod remember;
pub mod rename_page;
pub mod render_page;
pub mod resolve_links;
pub mod review_page;
pub mod save_page;
pub mod search;
#[cfg(not(target_family = "wasm"))]
pub mod search_documents;
pub mod source_diff;
pub mod status;
pub mod suggest_links;
pub mod undo;
pub mod update_page;

pub(crate) use get_page::backlinks;

pub use context::{Caller, Context, Engine};
pub use edited::Edited;
#[cfg(not(target_family = "wasm"))]
pub use memory::{MemoryFields, RecalledMemory, SimilarMemory};
pub use page::{IndexState, LinkInfo, PageFields, PageSummary};
pub use table::{Effect, OPERATIONS, Operation, Surfaces, Tool, find};
pub use way::{Step, StepDirection};

#[cfg(test)]
mod tests;
