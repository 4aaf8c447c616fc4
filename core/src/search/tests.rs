//! What links pass on, and the limits.

use std::collections::HashMap;

use serde_json::json;

use super::*;
use crate::graph::LinkGraph;
use crate::index::tests::Project;
use crate::index::{Close, Closest, PageMeans};

fn lifts(relevance: &[(i64, f64)], edges: &[(i64, i64)]) -> HashMap<i64, Lift> {
    let graph = LinkGraph::from_edges(edges.iter().map(|&(a, b)| (a, b, "references")));
    proximity::lifts(&relevance.iter().copied().collect(), &graph, 2, &[])
}

#[test]
fn a_neighbour_never_ranks_above_the_hit_that_raised_it() {
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

#[test]
fn a_hub_is_not_raised_by_every_page_that_links_to_it() {
    let mut edges: Vec<(i64, i64)> = (2..200).map(|page| (page, 1)).collect();
    edges.push((2, 3));
    let lifts = lifts(&[(2, 1.0)], &edges);
    assert!(lifts[&1].passed < lifts[&3].passed / 4.0, "{lifts:?}");
}

fn found(section: i64, similarity: f32) -> Close {
    Close { section, page: section, similarity }
}

fn matched(section: i64, bm25: f64) -> Match {
    Match { section, page: section, passage: section, bm25 }
}

/// Pages and their relevance, best first.
fn blended(words: &[Match], sections: Vec<Close>, background: f32) -> Vec<(i64, f64)> {
    let best = words.iter().map(|one| one.bm25).fold(0.0, f64::max);
    let scores: Vec<f64> = words.iter().map(|one| one.bm25 / best).collect();
    let closest = Closest { sections, background, ..Closest::default() };
    let pages = blend::blend(words, &scores, &closest, &Named::default(), 0.0, SearchMode::Hybrid);
    let mut order: Vec<(i64, f64)> = pages.values().map(|hit| (hit.page, rounded(hit.relevance))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order
}

#[test]
fn words_decide_if_no_vector_is_close_to_the_query() {
    let order = blended(&[matched(1, 9.0)], vec![found(1, 0.1), found(2, 0.3)], 0.05);
    assert_eq!(order[0].0, 1, "{order:?}");
    let order = blended(&[matched(1, 9.0)], vec![found(1, 0.1), found(2, 0.8)], 0.05);
    assert_eq!(order[0].0, 2, "{order:?}");
}

#[test]
fn the_background_similarity_of_a_model_does_not_change_the_ranking() {
    let words = [matched(1, 9.0), matched(3, 4.0)];
    let wide: Vec<Close> = (1..4).map(|n| found(n, 0.1 + 0.2 * n as f32)).collect();
    let narrow: Vec<Close> = (1..4).map(|n| found(n, 0.8 + 0.2 * (0.1 + 0.2 * n as f32))).collect();
    assert_eq!(blended(&words, wide, 0.0), blended(&words, narrow, 0.8));
}

/// Relevance of pages 1 and 2, each of which has sections with these similarities.
fn relevance_of_two(one: &[f32], two: &[f32]) -> (f64, f64) {
    let (mut pages, mut sections) = (PageMeans::default(), Vec::new());
    for (page, similarities) in [(1, one), (2, two)] {
        for &similarity in similarities {
            let section = sections.len() as i64 + 1;
            pages.add(page, similarity);
            sections.push(Close { section, page, similarity });
        }
    }
    let closest = Closest { sections, pages, ..Closest::default() };
    let pages = blend::blend(&[], &[], &closest, &Named::default(), 0.0, SearchMode::Hybrid);
    (pages[&1].relevance, pages[&2].relevance)
}

#[test]
fn a_section_of_a_page_about_the_same_wins_over_one_that_is_close_alone() {
    let (about, alone) = relevance_of_two(&[0.6, 0.5, 0.55], &[0.61, 0.1, 0.2]);
    assert!(about > alone, "{about} {alone}");
    let (about, closer) = relevance_of_two(&[0.6, 0.5, 0.55], &[0.9, 0.1, 0.2]);
    assert!(about < closer, "{about} {closer}");
}

#[test]
fn a_page_does_not_gain_from_the_number_of_its_sections() {
    let (long, short) = relevance_of_two(&[0.4; 20], &[0.41]);
    assert!(long < short, "{long} {short}");
}

#[test]
fn a_section_without_a_vector_neither_loses_nor_gains() {
    let order = blended(&[matched(1, 9.0), matched(2, 9.0)], vec![found(2, 0.6), found(3, 0.2)], 0.0);
    assert_eq!((order[0].1, order[1].1), (order[1].1, order[0].1), "{order:?}");
    let order = blended(&[matched(1, 5.0), matched(2, 9.0)], vec![found(2, 0.6)], 0.0);
    assert_eq!(order[0].0, 2, "{order:?}");
}

#[test]
fn vectors_count_little_for_queries_of_identifiers() {
    let ranked = |identifiers: f64| {
        let closest =
            Closest { sections: vec![found(1, 0.2), found(2, 0.9)], background: 0.1, ..Closest::default() };
        let pages = blend::blend(
            &[matched(1, 9.0)],
            &[1.0],
            &closest,
            &Named::default(),
            identifiers,
            SearchMode::Hybrid,
        );
        pages[&1].relevance > pages[&2].relevance
    };
    assert!(ranked(1.0));
    assert!(!ranked(0.0));
}

#[test]
fn a_page_can_have_the_words_in_several_sections() {
    let project = Project::with_pages([
        (
            "one.md",
            "# One\n\n## First\n\nThe harbour has a lantern.\n\n## Second\n\nA walrus sells copper.\n",
        ),
        ("two.md", "# Two\n\n## First\n\nThe harbour has a lantern and a walrus, and gulls.\n"),
        ("three.md", "# Three\n\nNothing of this.\n"),
    ]);
    let query = json!({ "query": "harbour lantern walrus copper", "mode": "fulltext" });
    let answer = project.context().call("search", query).unwrap();
    assert_eq!(answer["results"][0]["filepath"], "one.md", "{answer}");
}
