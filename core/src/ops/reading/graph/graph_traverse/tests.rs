//! Following links, with the path to each page.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::index::tests::Project;

fn told(params: Params) -> Vec<String> {
    let project = Project::with_pages([
        ("a.md", "[[b|depends_on]] [[c]]"),
        ("b.md", "[[d|implements]]"),
        ("c.md", "text"),
        ("d.md", "[[a]]"),
    ]);
    let output = run(&project.context(), params).unwrap();
    assert!(output.pages.len() <= output.total_pages);
    let way = |page: &TraversedPage| -> String {
        page.path.iter().map(|step| format!(" {:?} {} {}", step.direction, step.link_type, step.to)).collect()
    };
    output.pages.iter().map(|page| format!("{} {}:{}", page.depth, page.page.filepath, way(page))).collect()
}

fn from_a() -> Params {
    Params { page: Some("a".into()), ..Params::default() }
}

#[test]
fn each_reachable_page_has_its_path() {
    assert_eq!(
        told(Params { direction: Some(GraphDirection::Outgoing), ..from_a() }),
        [
            "1 b.md: Outgoing depends_on b.md",
            "1 c.md: Outgoing references c.md",
            "2 d.md: Outgoing depends_on b.md Outgoing implements d.md",
        ]
    );
    assert_eq!(
        told(Params { direction: Some(GraphDirection::Incoming), ..from_a() }),
        ["1 d.md: Incoming references d.md", "2 b.md: Incoming references d.md Incoming implements b.md"]
    );
}

#[test]
fn types_depth_and_limit_filter_the_result() {
    let by_type = Params { link_types: vec!["depends_on".into()], ..from_a() };
    assert_eq!(told(by_type), ["1 b.md: Outgoing depends_on b.md"]);
    let near = Params { depth: Some(1), limit: Some(1), ..from_a() };
    assert_eq!(told(near), ["1 b.md: Outgoing depends_on b.md"]);
}
