//! An index of many projects in PostgreSQL: what [`push()`] writes, and [`Shared`] answers from. Pages stay in their
//! repositories, and the database can be dropped and pushed again.
//!
//! **Invariants**
//! - A push is one transaction: readers see the project before or after it, whatever fails (`tests/faults.rs`).
//! - An older commit never replaces a newer one, unless somebody asks for it (`tests/pushing.rs`).
//! - A role reads what its rights allow, also with its own SQL (`tests/rights.rs`).
//! - Scores are those of one SQLite index over the same projects: PostgreSQL finds candidates, and they are scored here
//!   (`tests/parity.rs`).

mod address;
mod database;
mod encryption;
mod expression;
mod failure;
mod hub;
mod push;
mod reading;
mod tokens;

pub use address::{Address, Security};
pub use database::Database;
pub use hub::{Asked, OpenModel, ProjectState, SharedHub, Surroundings};
pub use push::{Commit, Push, Pushed, Relation, push, remove};
pub use reading::{Close, Closest, Match, Project, ProjectId, Shared, Snapshot, States, Statistics, Within};

use std::future::Future;

use ubp_core::{Error, Result};

/// Runs `work` on a runtime of its own, until it is complete.
///
/// # Errors
/// What `work` returns.
pub fn run<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|source| Error::Io { path: "PostgreSQL".into(), source })?.block_on(work)
}
