//! A query prepared for ranking, shared by everything that ranks.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::SearchType;
use crate::Context;
use crate::graph::LinkGraph;
use crate::index::{Index, VectorMatrix};
use crate::ports::TextKind;
use crate::search::{Filter, Request, SearchMode, Vocabulary, correct};
use crate::{Error, Result, text};

/// What ranking needs to know about the query and the project.
pub(crate) struct Prepared<'i> {
    /// The query, parsed.
    pub query: text::Query,
    /// The text of the query, if mistyped words in it were corrected.
    pub corrected: Option<String>,
    /// The links.
    pub graph: Arc<LinkGraph>,
    index: &'i Index,
    vector: Option<Vec<f32>>,
    matrix: Arc<VectorMatrix>,
    /// Why the query cannot be ranked by meaning; set once that was tried.
    pub fallback: Option<Fallback>,
}

/// Why a query cannot be ranked by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The project's model is not on this machine.
    ModelMissing,
    /// The model does not support the script of the query.
    UnknownScript,
    /// No page has vectors yet.
    VectorsPending,
    /// The server that runs the model cannot be reached.
    ModelUnreachable,
}

impl<'i> Prepared<'i> {
    /// Prepares a query for ranking by words.
    pub fn by_words(context: &Context<'i>, text: &str) -> Result<Self> {
        let query = text::Query::parse(text);
        let corrected = context.index.read(|db| correct(&[db as &dyn Vocabulary], &query))?;
        Self::corrected(context, query, corrected)
    }

    /// Prepares a query for ranking by words, as corrected.
    pub fn corrected(context: &Context<'i>, query: text::Query, corrected: Option<String>) -> Result<Self> {
        let query = corrected.as_deref().map_or(query, text::Query::parse);
        let graph = context.index.graph()?;
        let index = context.index.index();
        Ok(Self { query, corrected, graph, index, vector: None, matrix: Arc::default(), fallback: None })
    }

    /// Prepares it for ranking by meaning too. Unchanged if vectors cannot be compared: without a model, without
    /// vectors, or in a script that the model does not support.
    pub fn with_meaning(self, context: &Context<'_>) -> Result<Self> {
        self.with_meaning_from(context, &mut Vec::new())
    }

    /// The same with the vectors of the query that are known, by the identity of the model; adds a new one.
    pub fn with_meaning_from(
        self,
        context: &Context<'_>,
        known: &mut Vec<(String, Vec<f32>)>,
    ) -> Result<Self> {
        let Some(embedder) = context.embedder else { return Ok(self.without(Fallback::ModelMissing)) };
        if !embedder.model().scripts.cover(self.query.text()) {
            return Ok(self.without(Fallback::UnknownScript));
        }
        let matrix = context.index.vectors(&embedder.model().identity)?;
        if matrix.is_empty() {
            return Ok(self.without(Fallback::VectorsPending));
        }
        let identity = &embedder.model().identity;
        if let Some((_, vector)) = known.iter().find(|(model, _)| model == identity) {
            return Ok(Self { vector: Some(vector.clone()), matrix, ..self });
        }
        match embedder.embed(TextKind::Query, &[self.query.text()]) {
            Ok(mut vectors) => {
                let vector = vectors.pop();
                known.extend(vector.clone().map(|vector| (identity.clone(), vector)));
                Ok(Self { vector, matrix, ..self })
            }
            Err(Error::ModelUnavailable { .. }) => Ok(self.without(Fallback::ModelUnreachable)),
            Err(error) => Err(error),
        }
    }

    /// The same as ranked by another database: by meaning too unless there is a reason against it.
    #[cfg(not(target_family = "wasm"))]
    pub fn ranked_elsewhere(self, fallback: Option<Fallback>) -> Self {
        let vector = if fallback.is_none() { Some(Vec::new()) } else { None };
        Self { vector, fallback, ..self }
    }

    fn without(self, why: Fallback) -> Self {
        Self { fallback: Some(why), ..self }
    }

    /// What results are ranked by if `mode` is requested.
    pub fn search_type(&self, mode: SearchMode) -> SearchType {
        match (mode, &self.vector) {
            (SearchMode::Fulltext, _) => SearchType::Fulltext,
            (_, None) => SearchType::FulltextFallback,
            (SearchMode::Hybrid, _) => SearchType::Hybrid,
            (SearchMode::Vector, _) => SearchType::Vector,
        }
    }

    /// What to rank, and how.
    pub fn request<'a>(
        &'a self,
        mode: SearchMode,
        alpha: f64,
        depth: usize,
        link_types: &'a [String],
        filter: &'a Filter,
    ) -> Request<'a> {
        let search_type = self.search_type(mode);
        let by_words = matches!(search_type, SearchType::Fulltext | SearchType::FulltextFallback);
        Request {
            query: &self.query,
            vector: self.vector.as_deref().filter(|_| !by_words),
            matrix: &self.matrix,
            graph: &self.graph,
            index: self.index,
            mode: if by_words { SearchMode::Fulltext } else { mode },
            alpha,
            // Only words were requested, so links do not count.
            depth: if search_type == SearchType::Fulltext { 0 } else { depth },
            link_types,
            filter,
        }
    }
}
