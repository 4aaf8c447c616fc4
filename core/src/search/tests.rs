//! What links lend, and what they must not.

use std::collections::HashMap;

use super::*;
use crate::graph::LinkGraph;

fn lifts(relevance: &[(i64, f64)], edges: &[(i64, i64)]) -> HashMap<i64, Lift> {
    let graph = LinkGraph::from_edges(edges.iter().map(|&(a, b)| (a, b, "references")));
    proximity::lifts(&relevance.iter().copied().collect(), &graph, 2, &[])
}

#[test]
fn a_neighbour_never_passes_the_hit_that_lifted_it() {
    let lifts = lifts(&[(1, 0.9), (2, 0.2)], &[(1, 2), (2, 3)]);
    assert_eq!(lifts[&2].from, 1);
    assert!(lifts[&2].passed < 0.9 && lifts[&2].passed > 0.2);
    assert!(lifts[&3].passed < lifts[&2].passed, "each hop passes on less");
}

#[test]
fn a_hub_passes_on_less_than_a_page_with_few_links() {
    let few = lifts(&[(1, 1.0)], &[(1, 2)]);
    let spokes: Vec<(i64, i64)> = (2..200).map(|spoke| (1, spoke)).collect();
    let many = lifts(&[(1, 1.0)], &spokes);
    assert!(many[&2].passed < few[&2].passed / 4.0);
}
