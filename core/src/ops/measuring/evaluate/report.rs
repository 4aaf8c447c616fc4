//! What an evaluation answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::measures::{Latency, Measures};
use crate::ops::page::IndexState;
use crate::search::SearchMode;

/// What was measured.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Queries that were measured.
    pub query_count: usize,
    /// Queries left out, because no page that is there was judged relevant to them.
    pub skipped_query_count: usize,
    /// Pages that were searched.
    pub page_count: usize,
    /// Links between them.
    pub link_count: usize,
    /// Links of the set from or to documents that it does not have.
    pub unresolved_link_count: usize,
    /// Judgements about pages that are not there; they do not count.
    pub unresolved_judgements: Unresolved,
    /// Judgements about queries that the set does not have; they do not count.
    pub unknown_query_judgement_count: usize,
    /// What others are compared with: the search as the project has it, or the one that was asked for.
    pub baseline: Setting,
    /// What each mode reaches, by its name.
    pub modes: BTreeMap<String, Run>,
    /// What hybrid search reaches with each alpha and depth, when a comparison was asked for.
    pub settings: Vec<Run>,
    /// How the baseline and each other run differ on the same queries.
    pub comparisons: Vec<Comparison>,
    /// The queries on which the baseline does worst, worst first.
    pub weakest: Vec<QueryScore>,
    /// How true the index is.
    pub index: IndexState,
}

/// Judgements about pages that are not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unresolved {
    /// How many.
    pub count: usize,
    /// The first few.
    pub examples: Vec<UnresolvedJudgement>,
}

/// A judgement about no page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnresolvedJudgement {
    /// Id of the query.
    pub query: String,
    /// The page as the judgement names it.
    pub page: String,
    /// Paths of the pages that it could be; none when there is no such page.
    pub candidates: Vec<String>,
}

/// A way to rank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// Which evidence ranks.
    pub mode: SearchMode,
    /// Weight of relevance against links; `null` where links have no say.
    pub alpha: Option<f64>,
    /// Hops over which links lend relevance; `null` where links have no say.
    pub depth: Option<usize>,
}

/// What a way to rank reaches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Run {
    /// The way to rank.
    #[serde(flatten)]
    pub setting: Setting,
    /// Means over the queries.
    #[serde(flatten)]
    pub measures: Measures,
    /// Time for embedding the query and ranking.
    pub latency_ms: Latency,
    /// Queries that were answered by words in place of vectors.
    pub fallbacks: usize,
}

/// How a way to rank differs from the baseline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Comparison {
    /// The way to rank.
    #[serde(flatten)]
    pub setting: Setting,
    /// Its mean `ndcg_at_10` less that of the baseline.
    pub difference: f64,
    /// 95 % confidence interval of the difference: paired bootstrap over queries.
    pub interval: [f64; 2],
    /// Probability of a difference at least this large, either way, were the two equally good: paired
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

/// A query on which two ways to rank differ.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueryDifference {
    /// Its id.
    pub id: String,
    /// What it asks.
    pub text: String,
    /// Its `ndcg_at_10` in the baseline.
    pub baseline: f64,
    /// Its `ndcg_at_10` in the other run.
    pub score: f64,
}

/// How a query fares.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueryScore {
    /// Its id.
    pub id: String,
    /// What it asks.
    pub text: String,
    /// Its `ndcg_at_10`.
    pub score: f64,
}
