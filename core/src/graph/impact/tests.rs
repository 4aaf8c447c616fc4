//! Impact compared with all possible paths in small graphs.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::graph::{Edge, LinkGraph};

const TYPES: [&str; 6] = ["depends_on", "implements", "extends", "conflicts_with", "references", "own"];

fn reached(graph: &LinkGraph, start: i64, depth: usize, types: &[&str]) -> Vec<(i64, usize, f64)> {
    let types: Vec<String> = types.iter().map(|&name| name.into()).collect();
    let affected = graph.impact(&[(start, 1.0)], depth, &types);
    affected.iter().map(|a| (a.reached.page, a.reached.depth, score(a.strength, a.reached.depth))).collect()
}

#[test]
fn a_change_affects_pages_that_link_to_the_changed_page() {
    let graph = LinkGraph::from_edges([
        (2, 1, "depends_on"),
        (3, 2, "implements"),
        (4, 3, "references"),
        (1, 9, "depends_on"),
    ]);
    assert_eq!(reached(&graph, 1, 3, &[]), [(2, 1, 1.0), (3, 2, 0.45), (4, 3, 0.125)]);
    assert_eq!(reached(&graph, 1, 1, &[]), [(2, 1, 1.0)]);
    assert_eq!(reached(&graph, 1, 5, &["depends_on"]), [(2, 1, 1.0)]);
    assert_eq!(reached(&graph, 77, 5, &[]), []);
}

#[test]
fn a_conflict_affects_both_pages() {
    let graph = LinkGraph::from_edges([(1, 2, "conflicts_with"), (3, 2, "depends_on")]);
    assert_eq!(reached(&graph, 1, 2, &[]), [(2, 1, 0.7), (3, 2, 0.35)]);
    assert_eq!(reached(&graph, 2, 1, &[]), [(1, 1, 0.7), (3, 1, 1.0)]);
}

#[test]
fn the_strongest_of_several_shortest_paths_counts() {
    let graph = LinkGraph::from_edges([
        (2, 1, "references"),
        (2, 1, "depends_on"),
        (3, 1, "references"),
        (4, 3, "depends_on"),
        (4, 2, "depends_on"),
    ]);
    let affected = graph.impact(&[(1, 1.0)], 2, &[]);
    let last = affected.last().unwrap();
    assert_eq!((last.reached.page, last.reached.via, last.strength), (4, 2, 1.0));
    assert_eq!(affected[0].reached.link_type, "depends_on");
}

fn edges() -> impl Strategy<Value = Vec<(i64, i64, &'static str)>> {
    let edge = (1..8_i64, 1..8_i64, prop::sample::select(&TYPES[..]));
    prop::collection::vec(edge.prop_filter("links to the same page are not edges", |(a, b, _)| a != b), 0..24)
}

/// The best score of every page over all paths of at most `left` further steps.
fn every_way(
    edges: &[Edge<'_>],
    way: &mut Vec<i64>,
    weakest: f64,
    left: usize,
    best: &mut BTreeMap<i64, f64>,
) {
    let at = *way.last().unwrap();
    if left == 0 {
        return;
    }
    for edge in edges {
        let next = if edge.target == at {
            edge.source
        } else if edge.source == at && edge.link_type == MUTUAL {
            edge.target
        } else {
            continue;
        };
        if way.contains(&next) {
            continue;
        }
        let weakest = weakest.min(strength(edge.link_type));
        let found = score(weakest, way.len());
        let known = best.entry(next).or_insert(found);
        *known = known.max(found);
        way.push(next);
        every_way(edges, way, weakest, left - 1, best);
        way.pop();
    }
}

proptest! {
    #[test]
    fn the_score_is_the_best_of_all_paths(edges in edges(), depth in 1..5_usize) {
        let graph = LinkGraph::from_edges(edges);
        let mut best = BTreeMap::new();
        every_way(&graph.edges(), &mut vec![1], 1.0, depth, &mut best);
        let found: BTreeMap<i64, f64> =
            reached(&graph, 1, depth, &[]).into_iter().map(|(page, _, score)| (page, score)).collect();
        prop_assert_eq!(found, best);
    }

    #[test]
    fn greater_depth_only_adds_pages(edges in edges(), depth in 1..5_usize) {
        let graph = LinkGraph::from_edges(edges);
        let near = graph.impact(&[(1, 1.0)], depth, &[]);
        let far = graph.impact(&[(1, 1.0)], depth + 1, &[]);
        prop_assert_eq!(&near[..], &far[..near.len()]);
    }

    #[test]
    fn the_last_step_is_an_edge_from_a_page_one_hop_nearer(edges in edges(), depth in 1..6_usize) {
        let graph = LinkGraph::from_edges(edges);
        let affected = graph.impact(&[(1, 1.0)], depth, &[]);
        let depths: BTreeMap<i64, usize> = affected.iter().map(|a| (a.reached.page, a.reached.depth)).collect();
        for Affected { reached, .. } in &affected {
            let nearer = if reached.via == 1 { 0 } else { depths[&reached.via] };
            prop_assert_eq!(nearer + 1, reached.depth);
            let (source, target) =
                if reached.outgoing { (reached.via, reached.page) } else { (reached.page, reached.via) };
            let edge = Edge { source, target, link_type: reached.link_type };
            prop_assert!(graph.edges().contains(&edge), "{:?}", reached);
            prop_assert!(!reached.outgoing || reached.link_type == MUTUAL);
        }
    }
}
