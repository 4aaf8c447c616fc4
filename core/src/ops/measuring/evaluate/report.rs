//! The output of an evaluation.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::measures::{Latency, Measures};
use super::names::NameKind;
use crate::ops::page::IndexState;
use crate::search::SearchMode;

/// The measurements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Measured queries.
    pub query_count: usize,
    /// Queries skipped because no existing page was judged relevant to them.
    pub skipped_query_count: usize,
    /// Searched pages.
    pub page_count: usize,
    /// Links between them.
    pub link_count: usize,
    /// Links of the set from or to missing documents.
    pub unresolved_link_count: usize,
    /// Judgements of missing pages; they do not count.
    pub unresolved_judgements: Unresolved,
    /// Judgements whose query is not in the set; they do not count.
    pub unknown_query_judgement_count: usize,
    /// The setting that others are compared with: the project's search settings, or the requested one.
    pub baseline: Setting,
    /// Measures of each mode, by its name.
    pub modes: BTreeMap<String, Run>,
    /// Measures of hybrid search with each alpha and depth, if a comparison was requested.
    pub settings: Vec<Run>,
    /// Differences between the baseline and each other run on the same queries.
    pub comparisons: Vec<Comparison>,
    /// Measures of the baseline for each kind of name, if names were asked for.
    pub names: Vec<NameScore>,
    /// The queries with the lowest scores in the baseline, lowest first.
    pub weakest: Vec<QueryScore>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Judgements of missing pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unresolved {
    /// Number of judgements.
    pub count: usize,
    /// The first few.
    pub examples: Vec<UnresolvedJudgement>,
}

/// A judgement of a missing page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnresolvedJudgement {
    /// Id of the query.
    pub query: String,
    /// The page as written in the judgement.
    pub page: String,
    /// Paths of the pages that it could mean; empty if there are none.
    pub candidates: Vec<String>,
}

/// How well names of one kind are found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NameScore {
    /// The kind of name.
    pub kind: NameKind,
    /// Number of queries.
    pub query_count: usize,
    /// Means over these queries.
    #[serde(flatten)]
    pub measures: Measures,
}

/// A setting of the search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// What to rank by.
    pub mode: SearchMode,
    /// Weight of relevance against links; `null` if links do not count.
    pub alpha: Option<f64>,
    /// Hops over which linked pages raise each other's relevance; `null` if links do not count.
    pub depth: Option<usize>,
}

/// The measures of one setting.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Run {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Means over the queries.
    #[serde(flatten)]
    pub measures: Measures,
    /// Time to embed the query and rank.
    pub latency_ms: Latency,
    /// Queries answered by words instead of vectors.
    pub fallbacks: usize,
    /// Queries that found nothing.
    pub unanswered: usize,
}

/// The difference between a setting and the baseline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Comparison {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Its mean `ndcg_at_10` minus that of the baseline.
    pub difference: f64,
    /// 95 % confidence interval of the difference: paired bootstrap over queries.
    pub interval: [f64; 2],
    /// Probability of a difference at least this large in either direction if both were equally good: paired
    /// randomisation test. Seven decimals.
    pub p_value: f64,
    /// Queries with a higher score than in the baseline.
    pub wins: usize,
    /// Queries with a lower score.
    pub losses: usize,
    /// Queries with the same score.
    pub ties: usize,
    /// The largest wins, largest first.
    pub largest_wins: Vec<QueryDifference>,
    /// The largest losses, largest first.
    pub largest_losses: Vec<QueryDifference>,
}

/// A query on which two settings differ.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueryDifference {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its `ndcg_at_10` in the baseline.
    pub baseline: f64,
    /// Its `ndcg_at_10` in the other run.
    pub score: f64,
}

/// The score of a query.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueryScore {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its `ndcg_at_10`.
    pub score: f64,
}
