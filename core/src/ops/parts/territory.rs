//! The pages that links lead through: those of one project, or of several as one.

use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::LinkGraph;
use crate::ops::page::{self, PageFields};
use crate::{Context, Result};

/// Pages and the links between them, as operations on the graph need them.
pub(crate) trait Territory {
    /// The number here of a page of the project that is asked.
    fn number(&self, own: i64) -> i64;
    /// The links.
    fn graph(&self) -> &LinkGraph;
    /// The metadata of these pages.
    fn fields(&self, pages: &[i64]) -> Result<HashMap<i64, PageFields>>;
    /// The path of a page.
    fn path(&self, page: i64) -> Result<String>;
    /// What names a page in edges, from its id.
    fn id(&self, page: i64, id: String) -> String;
}

/// The pages of one project.
pub(crate) struct OneProject<'a> {
    context: &'a Context<'a>,
    graph: Arc<LinkGraph>,
}

impl<'a> OneProject<'a> {
    pub(crate) fn of(context: &'a Context<'a>) -> Result<Self> {
        Ok(Self { context, graph: context.index.graph()? })
    }
}

impl Territory for OneProject<'_> {
    fn number(&self, own: i64) -> i64 {
        own
    }

    fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    fn fields(&self, pages: &[i64]) -> Result<HashMap<i64, PageFields>> {
        self.context.page_fields(pages)
    }

    fn path(&self, page: i64) -> Result<String> {
        self.context.index.read(|db| page::path_of(db, page))
    }

    fn id(&self, _page: i64, id: String) -> String {
        id
    }
}
