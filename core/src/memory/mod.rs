//! Memories: what agents were asked to remember. Each is a page that people can read, correct, link and
//! compare. Everything that operations know about a memory comes from its page, except how often it was used,
//! because reading a page must not change it.
//!
//! **Invariants**
//! - A memory is recalled exactly as it was written (`tests.rs`).
//! - If several clients remember the same topic at once, one creates the page, and no update and no count is lost:
//!   `remember` looks up and writes under the write lock (`tests/tests/memory.rs`).
//! - Recalling changes no page, waits for no writer and works on a read-only disk (`ops/tests/remembering.rs`).
//! - A reindex that is interrupted at any point loses no memory (`tests/tests/process/killed_reindex.rs`).

mod body;
mod catalog;
mod contradiction;
mod counts;
mod current;
mod disputes;
mod document;
mod duplicates;
mod fields;
mod given;
mod merge;
mod page;
mod sameness;
mod secrets;
mod similar;
mod together;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use catalog::Skipped;
pub(crate) use catalog::{Catalog, Entry};
pub use contradiction::Difference;
pub(crate) use contradiction::{Contradiction, Statements};
pub(crate) use counts::{Count, Counts, accessed, referenced};
pub(crate) use current::{Currency, bare_name, ends_at, link_to};
pub(crate) use disputes::{Claims, Dispute, dispute, disputes};
pub use document::is_own;
pub(crate) use document::text as document;
pub(crate) use duplicates::{DUPLICATE, Duplicates, Joined, Loaded};
pub(crate) use fields::Fields;
pub(crate) use given::Given;
pub(crate) use merge::merged;
pub(crate) use page::{Memory, edited, new_page, read};
pub(crate) use sameness::Sameness;
pub(crate) use secrets::{Place, look_for};
pub(crate) use similar::{CLOSE, Meaning, is_known_by, meaning, vectors};
use together::{Compared, groups};
pub(crate) use together::{Group, SAME};

/// The folder of memories, relative to the pages folder.
pub const FOLDER: &str = "memory";

/// Maximum number of memories in one answer.
pub const MOST: usize = 100;

/// What a memory is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryType {
    /// Technology in general.
    Tech,
    /// How this project uses technology.
    ProjectTech,
    /// The subject area of the project.
    Domain,
}

impl MemoryType {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Tech, Self::ProjectTech, Self::Domain];

    /// Its name in front matter, paths and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tech => "tech",
            Self::ProjectTech => "project-tech",
            Self::Domain => "domain",
        }
    }

    /// The type with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name.trim())
    }
}
