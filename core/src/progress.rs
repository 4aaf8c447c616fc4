//! Progress and cancellation of long operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result};

/// A phase of a long operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Reading and parsing pages.
    Pages,
    /// Resolving links.
    Links,
    /// Computing vectors.
    Vectors,
    /// Running the queries of an evaluation.
    Queries,
    /// Looking for missing links.
    Suggestions,
    /// Writing the pages of a site.
    Site,
    /// Comparing memories with each other.
    Comparisons,
    /// Writing imported files.
    Files,
    /// Replaying the history.
    History,
}

/// Receives the progress of long operations.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps of `stage` are finished.
    fn advance(&self, stage: Stage, done: usize, total: usize);
}

/// Ignores progress.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _stage: Stage, _done: usize, _total: usize) {}
}

/// A request to stop, shared between those who may ask for it and those who do the work.
#[derive(Debug, Default, Clone)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop as soon as it safely can.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether both share the same request.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Checks whether to go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once [`Cancel::request`] was called.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Error::Cancelled) } else { Ok(()) }
    }
}
