//! The difference between two settings, query by query.

use super::runs::Measured;
use super::significance::{EQUAL, Significance};
use super::{Comparison, Query, QueryDifference, QueryScore, Setting};
use crate::Result;
use crate::progress::Cancel;
use crate::search::rounded;

/// Compares `run` with `baseline` on the same `queries`; lists at most `examples` of each kind.
pub(super) fn compare(
    setting: Setting,
    queries: &[&Query],
    baseline: &Measured,
    run: &Measured,
    examples: usize,
    cancel: &Cancel,
) -> Result<Comparison> {
    let mut by_query: Vec<(f64, QueryDifference)> = Vec::with_capacity(queries.len());
    for ((query, before), after) in queries.iter().zip(&baseline.queries).zip(&run.queries) {
        let difference = QueryDifference {
            id: query.id.clone(),
            text: query.text.clone(),
            baseline: rounded(before.ndcg_at_10),
            score: rounded(after.ndcg_at_10),
        };
        by_query.push((after.ndcg_at_10 - before.ndcg_at_10, difference));
    }
    let differences: Vec<f64> = by_query.iter().map(|(difference, _)| *difference).collect();
    let found = Significance::of(&differences, cancel)?;
    let wins = differences.iter().filter(|&&difference| difference >= EQUAL).count();
    let losses = differences.iter().filter(|&&difference| difference <= -EQUAL).count();
    // Sorting is stable: equal differences stay in the order of the queries.
    by_query.sort_by(|a, b| b.0.total_cmp(&a.0));
    let largest_wins = by_query.iter().take(wins.min(examples)).map(|(_, query)| query.clone()).collect();
    by_query.sort_by(|a, b| a.0.total_cmp(&b.0));
    let largest_losses = by_query.iter().take(losses.min(examples)).map(|(_, query)| query.clone()).collect();
    // Rounding can leave a negative zero.
    let shown = |value: f64| rounded(value) + 0.0;
    Ok(Comparison {
        setting,
        difference: shown(found.mean),
        interval: found.interval.map(shown),
        // Four decimals would round small probabilities to 0.
        p_value: (found.p_value * 1e7).round() / 1e7,
        wins,
        losses,
        ties: differences.len() - wins - losses,
        largest_wins,
        largest_losses,
    })
}

/// The queries with the lowest scores below 1, lowest first.
pub(super) fn weakest(queries: &[&Query], run: &Measured, examples: usize) -> Vec<QueryScore> {
    let mut scores: Vec<(f64, &Query)> =
        run.queries.iter().map(|measures| measures.ndcg_at_10).zip(queries.iter().copied()).collect();
    scores.retain(|(score, _)| *score < 1.0 - EQUAL);
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    scores
        .into_iter()
        .take(examples)
        .map(|(score, query)| QueryScore {
            id: query.id.clone(),
            text: query.text.clone(),
            score: rounded(score),
        })
        .collect()
}
