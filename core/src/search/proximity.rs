//! What linked hits pass on to each other. The strongest hits lend part of their relevance to the
//! pages around them: less with every hop, less through hubs, and never so much that a neighbour ranks
//! above the hit that raised it.

use std::collections::HashMap;

use crate::graph::{Direction, LinkGraph, Walk};

/// Hits that pass relevance on.
const LENDERS: usize = 20;
/// Share of the lender's relevance that arrives after the first hop. A lower value loses more second pages of
/// hotpotqa's questions from the top ten; 1 would rank links as high as words.
const DECAY: f64 = 0.95;
/// Share of the remainder that arrives after every further hop; hotpotqa shows no gain from more hops.
const FURTHER: f64 = 0.6;
/// Number of links from which a page counts as a hub.
const HUB: f64 = 12.0;

/// Smaller amounts are not passed on: through a hub they would reach every page.
const LEAST: f64 = 0.02;

/// Where a page's graph proximity comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Lift {
    /// The hit that passes relevance on.
    pub from: i64,
    /// Hops between the two.
    pub hops: usize,
    /// Relevance that arrives, 0 to 1, less than the lender's.
    pub passed: f64,
    /// Type of the last link on the path.
    pub link_type: String,
}

/// How much a link's type says about whether two pages belong together.
fn weight(link_type: &str) -> f64 {
    match link_type {
        "depends_on" | "implements" | "extends" => 1.0,
        "conflicts_with" => 0.8,
        _ => 0.95,
    }
}

/// The strongest lift for every page within `depth` hops of the best hits.
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
        // The share of the lent relevance that has arrived at each page on the path.
        let mut arrived = HashMap::from([(from, 1.0)]);
        let walk = Walk { depth, direction: Direction::Both, types };
        for step in graph.walk(from, walk) {
            // A page says little about a hub that it links to, or about the other pages that the hub links to.
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
