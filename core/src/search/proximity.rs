//! What linked hits pass on to each other. The strongest hits lend part of their relevance to the
//! pages around them: less with every hop, less through pages that link everywhere, and never so
//! much that a neighbour passes the hit that lifted it.

use std::collections::HashMap;

use crate::graph::{Direction, LinkGraph, Walk};

/// Hits that pass relevance on.
const LENDERS: usize = 20;
/// Share of the lender's relevance that arrives after the first hop. Less leaves more second pages of
/// hotpotqa's questions out of the top ten; no less would make links as good as words.
const DECAY: f64 = 0.95;
/// Share of that which arrives after every further hop, where hotpotqa has nothing more to find.
const FURTHER: f64 = 0.6;
/// Links at which a page starts to count as a hub.
const HUB: f64 = 12.0;

/// Less than this is not worth passing on: through a hub it would reach everything.
const LEAST: f64 = 0.02;

/// Where a page's graph proximity comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    /// The hit that passes relevance on.
    pub from: i64,
    /// Hops between the two.
    pub hops: usize,
    /// What arrives, 0 to 1, below the lender's relevance.
    pub passed: f64,
    /// Type of the last link on the way.
    pub link_type: String,
}

/// How much a link's type says about what belongs together.
fn weight(link_type: &str) -> f64 {
    match link_type {
        "depends_on" | "implements" | "extends" => 1.0,
        "conflicts_with" => 0.8,
        _ => 0.95,
    }
}

/// The strongest lift of every page that the best hits reach within `depth` hops.
pub(super) fn lifts(
    relevance: &HashMap<i64, f64>,
    graph: &LinkGraph,
    depth: usize,
    types: &[String],
) -> HashMap<i64, Lift> {
    let mut lenders: Vec<(i64, f64)> = relevance.iter().map(|(&page, &score)| (page, score)).collect();
    lenders.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| graph.place(a.0).cmp(&graph.place(b.0))));
    lenders.truncate(LENDERS);
    let mut lifts: HashMap<i64, Lift> = HashMap::new();
    for (from, lent) in lenders {
        // What has arrived at each page on the way, as a share of what was lent.
        let mut arrived = HashMap::from([(from, 1.0)]);
        let walk = Walk { depth, direction: Direction::Both, types };
        for step in graph.walk(from, walk) {
            // Neither what a hub links to nor the hub itself has much to do with a page beside it.
            let links = |page| {
                let (out, back) = graph.degrees(page);
                out + back
            };
            let hub = (HUB / links(step.via).max(links(step.page)) as f64).min(1.0);
            let decay = if step.via == from { DECAY } else { FURTHER };
            let share = arrived.get(&step.via).copied().unwrap_or(0.0) * decay * hub * weight(step.link_type);
            arrived.insert(step.page, share);
            let passed = lent * share;
            if passed >= LEAST && lifts.get(&step.page).is_none_or(|lift| lift.passed < passed) {
                let link_type = step.link_type.to_owned();
                lifts.insert(step.page, Lift { from, hops: step.depth, passed, link_type });
            }
        }
    }
    lifts
}
