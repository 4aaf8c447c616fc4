//! Standard measures of the quality of a ranking.

use schemars::JsonSchema;
use serde::Serialize;

/// Number of ranks that are measured.
pub(super) const DEPTH: usize = 100;

/// Means over queries, each 0 to 1, four decimals in answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Measures {
    /// Normalised discounted cumulative gain of the first ten pages (Järvelin and Kekäläinen 2002); the gain of a
    /// page is its grade, as in `ndcg_cut` of trec_eval.
    pub ndcg_at_10: f64,
    /// Reciprocal rank of the first relevant page, 0 after the tenth (Voorhees 1999).
    pub mrr_at_10: f64,
    /// Share of the relevant pages among the first five.
    pub recall_at_5: f64,
    /// Share of the relevant pages among the first ten.
    pub recall_at_10: f64,
    /// Share of the relevant pages among the first hundred.
    pub recall_at_100: f64,
    /// Share of queries whose first page is relevant.
    pub hit_at_1: f64,
    /// Share of queries with a relevant page among the first five.
    pub hit_at_5: f64,
    /// Share of queries with all relevant pages among the first ten: for questions that need several pages
    /// together.
    pub all_at_10: f64,
}

impl Measures {
    /// The measures of one ranking. `ranked` contains the grade of each page in order, 0 if not judged; `judged`
    /// contains all grades for the query, at least one of them above 0.
    pub(super) fn of(ranked: &[i64], judged: &[i64]) -> Self {
        let relevant = judged.iter().filter(|&&grade| grade > 0).count();
        let among = |first: usize| ranked.iter().take(first).filter(|&&grade| grade > 0).count();
        let recall = |first: usize| among(first) as f64 / relevant.max(1) as f64;
        let hit = |first: usize| f64::from(u8::from(among(first) > 0));
        let mut ideal = judged.to_vec();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let best = discounted_gain(&ideal);
        let first = ranked.iter().take(10).position(|&grade| grade > 0);
        Self {
            ndcg_at_10: if best > 0.0 { discounted_gain(ranked) / best } else { 0.0 },
            mrr_at_10: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
            recall_at_5: recall(5),
            recall_at_10: recall(10),
            recall_at_100: recall(100),
            hit_at_1: hit(1),
            hit_at_5: hit(5),
            all_at_10: f64::from(u8::from(relevant > 0 && among(10) == relevant)),
        }
    }

    /// The mean over queries; zeros if there are none.
    pub(super) fn mean(of: &[Self]) -> Self {
        let mean = |field: fn(&Self) -> f64| {
            crate::search::rounded(of.iter().map(field).sum::<f64>() / of.len().max(1) as f64)
        };
        Self {
            ndcg_at_10: mean(|m| m.ndcg_at_10),
            mrr_at_10: mean(|m| m.mrr_at_10),
            recall_at_5: mean(|m| m.recall_at_5),
            recall_at_10: mean(|m| m.recall_at_10),
            recall_at_100: mean(|m| m.recall_at_100),
            hit_at_1: mean(|m| m.hit_at_1),
            hit_at_5: mean(|m| m.hit_at_5),
            all_at_10: mean(|m| m.all_at_10),
        }
    }
}

/// Sum over the first ten ranks of the grade divided by log2(rank + 1).
fn discounted_gain(grades: &[i64]) -> f64 {
    let ranked = grades.iter().take(10).zip(2_u32..);
    ranked.map(|(&grade, divisor)| grade.max(0) as f64 / f64::from(divisor).log2()).sum()
}

/// Query times in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Latency {
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
}

impl Latency {
    /// Percentiles of these times in microseconds, by nearest rank; zeros if there are none.
    pub(super) fn of(mut micros: Vec<u64>) -> Self {
        micros.sort_unstable();
        let percentile = |percent: usize| {
            let place = (micros.len() * percent).div_ceil(100).saturating_sub(1);
            micros.get(place).map_or(0.0, |&micros| micros as f64 / 1_000.0)
        };
        Self { p50: percentile(50), p95: percentile(95) }
    }
}
