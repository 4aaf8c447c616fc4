//! Degrees, cycles, orphans and walks over small graphs.

use super::*;

/// 1 -> 2 -> 3 -> 1 in a ring of `depends_on`, 3 references 4, 5 stands alone.
fn graph() -> LinkGraph {
    let mut graph = LinkGraph::from_edges([
        (1, 2, "depends_on"),
        (2, 3, "depends_on"),
        (3, 1, "depends_on"),
        (3, 4, "references"),
    ]);
    graph.node(5);
    graph
}

fn walk(start: i64, depth: usize, direction: Direction, types: &[&str]) -> Vec<(i64, usize)> {
    let types: Vec<String> = types.iter().map(|&name| name.into()).collect();
    graph().walk(start, Walk { depth, direction, types: &types }).iter().map(|r| (r.page, r.depth)).collect()
}

#[test]
fn a_walk_is_bounded_by_depth_direction_and_type() {
    assert_eq!(walk(1, 1, Direction::Both, &[]), [(2, 1), (3, 1)]);
    assert_eq!(walk(1, 1, Direction::Out, &[]), [(2, 1)]);
    assert_eq!(walk(1, 1, Direction::In, &[]), [(3, 1)]);
    assert_eq!(walk(1, 2, Direction::Out, &[]), [(2, 1), (3, 2)]);
    assert_eq!(walk(1, 5, Direction::Out, &["depends_on"]), [(2, 1), (3, 2)]);
    assert_eq!(walk(1, 5, Direction::Out, &[]), [(2, 1), (3, 2), (4, 3)]);
    assert_eq!(walk(9, 5, Direction::Both, &[]), []);
}

#[test]
fn cycles_and_orphans_are_found() {
    assert_eq!(graph().cycles(&[]), [[1, 2, 3]]);
    assert!(graph().cycles(&["references".into()]).is_empty());
    assert_eq!(graph().orphans(), [5]);
}

#[test]
fn distances_ignore_direction() {
    let distances = graph().distances(4, 2, &[]);
    assert_eq!((distances.get(&3), distances.get(&1), distances.get(&2)), (Some(&1), Some(&2), Some(&2)));
}
