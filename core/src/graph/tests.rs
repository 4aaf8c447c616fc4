//! Degrees, cycles, orphans and walks in small graphs.

use super::*;

/// A cycle 1 -> 2 -> 3 -> 1 of `depends_on`; 3 references 4; 5 has no links.
fn graph() -> LinkGraph {
    let edges = vec![(1, 2, "depends_on"), (2, 3, "depends_on"), (3, 1, "depends_on"), (3, 4, "references")];
    LinkGraph::from_pages_and_edges((1..=5).collect(), edges)
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
fn results_are_sorted_by_path_not_by_page_number() {
    let walked = |numbers: [i64; 4]| {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE pages (page INTEGER, path TEXT);
             CREATE TABLE links (page INTEGER, target_page INTEGER, link_type TEXT);",
        )
        .unwrap();
        let [a, b, c, d] = numbers;
        for (page, path) in [(a, "a.md"), (b, "b.md"), (c, "c.md"), (d, "d.md")] {
            db.execute("INSERT INTO pages VALUES (?1, ?2)", (page, path)).unwrap();
        }
        for (from, to, link_type) in [
            (a, c, "references"),
            (b, a, "references"),
            (b, a, "extends"),
            (c, d, "extends"),
            (b, d, "extends"),
        ] {
            db.execute("INSERT INTO links VALUES (?1, ?2, ?3)", (from, to, link_type)).unwrap();
        }
        let graph = LinkGraph::load(&db).unwrap();
        let name = |page| ["a", "b", "c", "d"][numbers.iter().position(|&number| number == page).unwrap()];
        let told = |reached: Reached<'_>| {
            format!("{} {} {}", name(reached.via), reached.link_type, name(reached.page))
        };
        let walk = Walk { depth: 2, direction: Direction::Both, types: &[] };
        graph.walk(a, walk).into_iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(walked([1, 2, 3, 4]), ["a extends b", "a references c", "b extends d"]);
    assert_eq!(walked([7, 5, 3, 1]), walked([1, 2, 3, 4]));
}

#[test]
fn distances_ignore_direction() {
    let distances = graph().distances(4, 2, &[]);
    assert_eq!((distances.get(&3), distances.get(&1), distances.get(&2)), (Some(&1), Some(&2), Some(&2)));
}

#[test]
fn the_shortest_cycle_of_a_group_is_returned() {
    let types = ["depends_on".to_owned()];
    assert_eq!(graph().way_round(&[1, 2, 3], &types), [1, 2, 3]);
    // A cycle of 200 pages with one shortcut.
    let ring = (0..200).map(|n| (n, (n + 1) % 200, "depends_on"));
    let graph = LinkGraph::from_edges(ring.chain([(7, 5, "depends_on"), (6, 5, "references")]));
    let groups = graph.cycles(&types);
    assert_eq!((groups.len(), groups[0].len()), (1, 200));
    assert_eq!(graph.way_round(&groups[0], &types), [5, 6, 7]);
    assert_eq!(graph.way_round(&groups[0], &[]), [5, 6]);
    assert!(graph.way_round(&[1], &types).is_empty());
}
