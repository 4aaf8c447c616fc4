//! Memories: what somebody told an agent to keep, each a page that people can read, correct, link and
//! compare. What an operation knows of a memory comes from its page; only how often it was needed does not,
//! since a page must not change because it was read.
//!
//! **Invariants**
//! - What is remembered comes back to the letter (`tests.rs`).
//! - Of many who remember one topic, one makes the page, and no update and no count is lost: `remember` looks and
//!   writes under the write lock (`tests/tests/memory.rs`).
//! - Recalling changes no page, waits for no writer and fails on no disk (`ops/tests/remembering.rs`).
//! - A reindex that is stopped anywhere loses no memory (`tests/tests/process/killed_reindex.rs`).

mod body;
mod catalog;
mod counts;
mod document;
mod fields;
mod given;
mod merge;
mod page;
mod secrets;
mod similar;
mod together;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use catalog::Skipped;
pub(crate) use catalog::{Catalog, Entry};
pub(crate) use counts::{Count, Counts, accessed, referenced};
pub use document::is_own;
pub(crate) use document::text as document;
pub(crate) use fields::Fields;
pub(crate) use given::Given;
pub(crate) use merge::merged;
pub(crate) use page::{Memory, edited, new_page, read};
pub(crate) use secrets::{Place, look_for};
pub(crate) use similar::{meaning, vectors};
pub(crate) use together::{Compared, Group, groups};

/// The folder of memories, relative to the pages folder.
pub const FOLDER: &str = "memory";

/// Most memories in one answer.
pub const MOST: usize = 100;

/// What a memory is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryType {
    /// Technology, whatever the project.
    Tech,
    /// How this project uses technology.
    ProjectTech,
    /// The field that the project is about.
    Domain,
}

impl MemoryType {
    /// All of them, in the order in which people read them.
    pub const ALL: [Self; 3] = [Self::Tech, Self::ProjectTech, Self::Domain];

    /// Its name in front matter, paths and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tech => "tech",
            Self::ProjectTech => "project-tech",
            Self::Domain => "domain",
        }
    }

    /// The type of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name.trim())
    }
}
