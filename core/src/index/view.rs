//! How operations read the index. A query sees the same state from beginning to end, whatever others write in the
//! meantime; an operation that writes sees the current state at each read, including its own writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use rusqlite::Connection;

use super::changes::{GENERATION, since};
use super::connection::{Index, Reader, counter, generation};
use super::kept::Kept;
use super::{PageNames, VectorMatrix};
use crate::Result;
use crate::graph::LinkGraph;

/// The index as seen by one operation.
#[derive(Clone, Copy)]
pub struct View<'a> {
    index: &'a Index,
    state: Option<&'a Reader<'a>>,
}

impl<'a> View<'a> {
    /// A view that reads the current state each time.
    pub fn of(index: &'a Index) -> Self {
        Self { index, state: None }
    }

    /// The index itself, for writing.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// Runs `question` with a view of one unchanging state of the index.
    ///
    /// # Errors
    /// What `question` returns, and [`crate::Error::Database`].
    pub(crate) fn in_one_state<T>(&self, question: impl FnOnce(View<'_>) -> Result<T>) -> Result<T> {
        if self.state.is_some() {
            return question(*self);
        }
        let reader = self.index.reader()?;
        question(View { index: self.index, state: Some(&reader) })
    }

    /// The connection to the one state that this view sees.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] outside of [`View::in_one_state`].
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn connection(&self) -> Result<&'a Connection> {
        let state =
            self.state.ok_or_else(|| crate::Error::Internal("this view sees no single state".into()))?;
        state.connection()
    }

    /// Runs `work` on the index.
    ///
    /// # Errors
    /// What `work` returns, and [`crate::Error::Database`].
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        match self.state {
            Some(state) => work(state.connection()?),
            None => self.index.read(work),
        }
    }

    /// The names of all pages, cached until pages or links change.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn page_names(&self) -> Result<Arc<PageNames>> {
        self.followed(&self.index.names, PageNames::load, PageNames::after)
    }

    /// The link graph, cached until pages or links change.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn graph(&self) -> Result<Arc<LinkGraph>> {
        self.followed(&self.index.graph, LinkGraph::load, LinkGraph::after)
    }

    /// A cached value that follows the pages that changed, or is loaded again if they are not known.
    fn followed<T>(
        &self,
        kept: &Kept<T>,
        load: impl Fn(&Connection) -> Result<T>,
        after: impl Fn(&T, &Connection, &BTreeSet<i64>) -> Result<T>,
    ) -> Result<Arc<T>> {
        self.read(|db| {
            kept.at(counter(db, GENERATION)?, |before| {
                let Some((generation, before)) = before else { return load(db) };
                match since(db, GENERATION, generation)? {
                    Some(changed) => after(before, db, &changed),
                    None => load(db),
                }
            })
        })
    }

    /// The vectors of the model called `identity`, cached until they change.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn vectors(&self, identity: &str) -> Result<Arc<VectorMatrix>> {
        self.read(|db| self.index.vectors_of(db, identity))
    }

    /// Increases with every change of pages, links and vectors by any process.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn generation(&self) -> Result<i64> {
        self.read(generation)
    }
}
