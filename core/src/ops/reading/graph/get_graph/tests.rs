//! Wanted pages in the graph.
#![allow(clippy::unwrap_used)]

use super::{GraphDirection, Output, Params, run};
use crate::index::tests::Project;

fn project() -> Project {
    Project::with_pages([
        ("a.md", "[[b]] [[Plan]] [[plan.md#Later]] ![[flow.png]]"),
        ("b.md", "[[c]] [[Plan|depends_on]]"),
        ("c.md", "[[Far]]"),
        ("d.md", "[[Lone]] [[Lone]]"),
    ])
}

fn graph(params: Params) -> Output {
    run(&project().context(), Params { wanted: true, ..params }).unwrap()
}

fn around(page: &str, depth: usize) -> Params {
    Params { page: Some(page.into()), depth: Some(depth), ..Params::default() }
}

fn wanted(output: &Output) -> Vec<(&str, usize, Option<usize>)> {
    output.wanted.iter().map(|node| (node.target.as_str(), node.link_count, node.depth)).collect()
}

/// Each link to a wanted page: the path of the page that links, the type and the name.
fn links(output: &Output) -> Vec<(&str, &str, &str)> {
    let named = |edge: &super::GraphEdge| {
        let target = output.wanted.iter().find(|node| node.id == edge.target)?.target.as_str();
        Some((edge.source.clone(), edge.link_type.clone(), target))
    };
    let mut links: Vec<(&str, &str, &str)> = Vec::new();
    for edge in &output.edges {
        let Some((_, _, target)) = named(edge) else { continue };
        let source = output.nodes.iter().find(|node| node.id == edge.source).unwrap();
        links.push((&source.filepath, &edge.link_type, target));
    }
    links.sort_unstable();
    links
}

#[test]
fn wanted_pages_are_only_there_if_asked_for() {
    let output = run(&project().context(), Params::default()).unwrap();
    assert!(output.wanted.is_empty());
    assert_eq!((output.nodes.len(), output.edges.len()), (4, 2));
}

#[test]
fn wanted_pages_have_the_links_of_all_pages_and_missing_files_are_none() {
    let output = graph(Params::default());
    assert_eq!(wanted(&output), [("Plan", 2, None), ("Far", 1, None), ("Lone", 1, None)]);
    assert_eq!(
        links(&output),
        [
            ("a.md", "references", "Plan"),
            ("b.md", "depends_on", "Plan"),
            ("c.md", "references", "Far"),
            ("d.md", "references", "Lone"),
        ]
    );
}

#[test]
fn a_wanted_page_has_the_spelling_of_most_links() {
    let project = Project::with_pages([
        ("a.md", "[[road map]] [[launch]]"),
        ("b.md", "[[Road map]] [[Road map#Later]] [[Launch]]"),
    ]);
    let output = run(&project.context(), Params { wanted: true, ..Params::default() }).unwrap();
    assert_eq!(wanted(&output), [("Road map", 2, None), ("launch", 2, None)]);
}

#[test]
fn around_a_page_wanted_pages_are_within_the_depth() {
    assert_eq!(wanted(&graph(around("a.md", 1))), [("Plan", 2, Some(1))]);
    assert_eq!(wanted(&graph(around("b.md", 2))), [("Plan", 2, Some(1)), ("Far", 1, Some(2))]);
    let incoming = Params { direction: Some(GraphDirection::Incoming), ..around("b.md", 2) };
    assert_eq!(wanted(&graph(incoming)), []);
}

#[test]
fn wanted_pages_follow_the_types_and_the_limit() {
    let typed = graph(Params { link_types: vec!["depends_on".into()], ..Params::default() });
    assert_eq!(links(&typed), [("b.md", "depends_on", "Plan")]);
    let few = graph(Params { limit: Some(1), ..Params::default() });
    assert_eq!((few.nodes.len(), few.wanted.len()), (1, 1));
    assert!(few.edges.iter().all(|edge| few.nodes.iter().any(|node| node.id == edge.source)));
}

#[test]
fn in_a_small_answer_wanted_pages_are_left_out_first() {
    let text: String = (0..200).map(|number| format!("[[missing {number}]] ")).collect();
    let project = Project::with_pages([("a.md", text.as_str()), ("b.md", "[[a]]")]);
    let params = Params { wanted: true, max_tokens: Some(1_000), ..Params::default() };
    let output = run(&project.context(), params).unwrap();
    assert_eq!(output.nodes.len(), 2);
    assert_eq!(output.omitted.pages, 200 - output.wanted.len());
    assert_eq!(output.edges.len(), 1 + output.wanted.len());
    assert!((1..200).contains(&output.wanted.len()), "{}", output.wanted.len());
}
