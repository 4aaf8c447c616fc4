//! Every operation of UBP. An operation is one file: its parameters, its output, its facts, how it runs, and how
//! its answer is shown. A table lists all operations. Every surface (terminal, MCP, HTTP, Node, browser) is a loop
//! over the table, so equal parameters on an equal index give equal answers everywhere.
//!
//! **Invariants**
//! - No surface computes a field of its own (`tests/tests/parity.rs` sends every surface the same calls).
//! - Unknown parameters are refused, and an output always has all of its fields (`tests/tests/architecture.rs`).
//! - `max_tokens` limits the whole serialised answer, or its text if text is shown (`tests/budget.rs`).
//! - The contract in `npm/ubp/generated` matches the table (`tests/tests/contract.rs`).

mod parts {
    pub(crate) mod bounds;
    pub(crate) mod budget;
    pub(crate) mod code;
    #[cfg(not(target_family = "wasm"))]
    pub(crate) mod document;
    pub(crate) mod edited;
    #[cfg(not(target_family = "wasm"))]
    pub(crate) mod memory;
    pub(crate) mod moment;
    pub(crate) mod page;
    #[cfg(not(target_family = "wasm"))]
    pub(crate) mod places;
    #[cfg(not(target_family = "wasm"))]
    pub(crate) mod proposal;
    pub(crate) mod provenance;
    pub(crate) mod territory;
    #[cfg(not(target_family = "wasm"))]
    pub(crate) mod touched;
    pub(crate) mod unmatched;
    pub(crate) mod way;
    pub(crate) mod written;
}

mod facts;
mod table;

/// Operations that read pages.
mod reading {
    pub mod find {
        pub mod complete;
        pub mod fulltext_search;
        pub mod search;
    }
    pub mod read {
        pub mod get_context;
        pub mod get_page;
        pub mod list_pages;
        #[cfg(not(target_family = "wasm"))]
        pub mod list_templates;
        #[cfg(not(target_family = "wasm"))]
        pub mod preview_answer;
        pub mod render_page;
        pub mod render_part;
    }
    pub mod graph {
        pub mod get_graph;
        pub mod get_impact;
        pub mod graph_traverse;
        #[cfg(not(target_family = "wasm"))]
        pub mod link_code;
        pub mod suggest_links;
        #[cfg(not(target_family = "wasm"))]
        pub mod suggest_types;
    }
    pub mod freshness {
        pub mod check_staleness;
        pub mod refs;
        pub mod status;
    }
    pub mod check {
        pub mod doctor;
    }
}

/// Operations that change pages, decisions and the index.
mod changing {
    pub mod pages {
        #[cfg(not(target_family = "wasm"))]
        pub mod create_page;
        pub mod delete_page;
        #[cfg(not(target_family = "wasm"))]
        pub mod move_files;
        #[cfg(not(target_family = "wasm"))]
        pub mod rename;
        pub mod rename_page;
        #[cfg(not(target_family = "wasm"))]
        pub mod replace;
        pub mod update_page;
    }
    pub mod links {
        pub mod accept;
        #[cfg(not(target_family = "wasm"))]
        pub(crate) mod bind;
        pub mod dismiss;
    }
    pub mod reviews {
        #[cfg(not(target_family = "wasm"))]
        pub mod review_page;
        #[cfg(not(target_family = "wasm"))]
        mod verified;
    }
    pub mod index {
        pub mod add;
        pub mod rebuild;
    }
    pub mod history {
        pub mod audit;
        pub mod diff;
        #[cfg(not(target_family = "wasm"))]
        pub mod page_history;
        #[cfg(not(target_family = "wasm"))]
        pub mod page_version;
        pub mod undo;
    }
}

/// Changes that agents proposed.
#[cfg(not(target_family = "wasm"))]
mod proposing {
    pub mod accept_proposal;
    pub mod get_proposal;
    pub mod list_proposals;
    pub mod queue;
    pub mod reject_proposal;
    pub mod reopen_proposal;
    pub mod withdraw_proposal;
}

/// Comments on pages.
#[cfg(not(target_family = "wasm"))]
mod commenting {
    pub mod add_comment;
    pub mod delete_comment;
    pub mod list_comments;
    pub mod resolve_comment;
}

/// What agents saw.
#[cfg(not(target_family = "wasm"))]
mod recording {
    pub mod delete_sessions;
    pub mod get_answer;
    pub mod get_session;
    pub mod list_sessions;
}

/// Operations for editors.
mod editing {
    #[cfg(not(target_family = "wasm"))]
    pub mod add_attachment;
    pub mod addresses;
    pub mod favorites;
    pub mod list_files;
    #[cfg(not(target_family = "wasm"))]
    pub mod list_symbols;
    pub mod read_page;
    pub mod read_source;
    pub mod resolve_links;
    pub mod save_page;
    #[cfg(not(target_family = "wasm"))]
    pub mod source_diff;
}

/// How good search is, and what it does not find.
#[cfg(not(target_family = "wasm"))]
mod measuring {
    pub mod evaluate;
    pub mod evaluate_staleness;
    pub mod evaluate_suggestions;
    pub mod gaps;
}

/// Sets of tools that a server offers on request.
#[cfg(not(target_family = "wasm"))]
mod sets {
    pub mod memory {
        pub mod document_memories;
        pub mod forget;
        pub mod list_memories;
        pub mod recall;
        pub mod reindex_memories;
        pub mod remember;
        pub mod review_memories;
    }
    pub mod documents {
        pub mod delete_document;
        pub mod index_markdown;
        pub mod list_documents;
        pub mod reindex_document;
        pub mod search_documents;
    }
    pub mod sql {
        pub mod index_refresh;
        pub mod index_status;
        pub mod query;
        pub mod query_inspect;
    }
}

#[cfg(not(target_family = "wasm"))]
pub use changing::reviews::*;
pub use changing::{history::*, index::*, links::*, pages::*};
#[cfg(not(target_family = "wasm"))]
pub use commenting::*;
pub use editing::*;
#[cfg(not(target_family = "wasm"))]
pub use measuring::*;
#[cfg(not(target_family = "wasm"))]
pub use proposing::*;
pub use reading::{check::*, find::*, freshness::*, graph::*, read::*};
#[cfg(not(target_family = "wasm"))]
pub use recording::*;
#[cfg(not(target_family = "wasm"))]
pub use sets::{documents::*, memory::*, sql::*};

pub(crate) use get_page::backlinks;
pub(crate) use parts::*;

pub use edited::Edited;
pub use facts::{Effect, Facts, Tool};
#[cfg(not(target_family = "wasm"))]
pub use parts::memory::{MemoryFields, RecalledMemory, SimilarMemory};
pub use parts::page::{IndexState, LinkInfo, PageFields, PageSummary};
#[cfg(not(target_family = "wasm"))]
pub use parts::proposal::{ProposalFields, ProposedPage};
#[cfg(not(target_family = "wasm"))]
pub use parts::touched::TouchedPage;
pub use parts::way::{Step, StepDirection};
pub use table::{Operation, find, named};
pub use written::WriteReport;

table::operations! {
    search complete fulltext_search
    get_page get_context list_pages render_page render_part
    get_graph graph_traverse get_impact suggest_links
    status check_staleness refs doctor
    accept resolve_links;
    beyond browsers:
    list_templates create_page update_page rename_page move_files rename delete_page replace
    dismiss review_page suggest_types link_code queue
    list_proposals get_proposal accept_proposal reject_proposal reopen_proposal withdraw_proposal
    list_comments add_comment resolve_comment delete_comment
    preview_answer list_sessions get_session get_answer delete_sessions
    diff audit undo page_history page_version add rebuild
    read_page save_page add_attachment addresses favorites source_diff
    list_files list_symbols read_source
    evaluate evaluate_suggestions evaluate_staleness gaps
    query query_inspect index_status index_refresh
    remember recall list_memories review_memories forget document_memories reindex_memories
    search_documents index_markdown list_documents delete_document reindex_document
}

#[cfg(test)]
mod tests;
