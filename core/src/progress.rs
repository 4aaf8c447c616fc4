//! Long work says how far it is, and stops when asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Error, Result};

/// A part of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Reading and parsing pages.
    Pages,
    /// Finding out where links lead.
    Links,
    /// Computing vectors.
    Vectors,
    /// Asking the queries of an evaluation.
    Queries,
    /// Looking for links that are missing.
    Suggestions,
    /// Writing the pages of a site.
    Site,
    /// Comparing memories with each other.
    Comparisons,
}

/// Hears how far long work is.
pub trait Progress: Send + Sync {
    /// `done` of `total` steps of `stage` are finished.
    fn advance(&self, stage: Stage, done: usize, total: usize);
}

/// Nobody listens.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _stage: Stage, _done: usize, _total: usize) {}
}

/// A request to stop, shared between whoever may ask and whoever works.
#[derive(Debug, Default, Clone)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at the next good moment.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether both are the same request.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Goes on, or ends the work.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once [`Cancel::request`] was called.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Error::Cancelled) } else { Ok(()) }
    }
}
