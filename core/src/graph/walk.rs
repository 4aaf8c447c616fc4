//! Breadth-first walks from a page.

use std::collections::{HashMap, VecDeque};

use super::LinkGraph;

/// The direction in which links are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// From a page to the pages that it links to.
    Out,
    /// From a page to the pages that link to it.
    In,
    /// Both directions.
    #[default]
    Both,
}

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    /// Maximum number of hops from the start.
    pub depth: usize,
    /// The direction of the links.
    pub direction: Direction,
    /// Follow only these link types; all if empty.
    pub types: &'a [String],
}

/// A page reached by a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached<'a> {
    /// The page.
    pub page: i64,
    /// Minimum number of hops from the start.
    pub depth: usize,
    /// The page one hop nearer to the start.
    pub via: i64,
    /// Type of the link between the two pages.
    pub link_type: &'a str,
    /// Whether the link goes from the nearer page to this one (`true`) or the other way.
    pub outgoing: bool,
}

impl LinkGraph {
    /// The pages within the limits, nearest first, then by path, without the start.
    pub fn walk(&self, start: i64, walk: Walk<'_>) -> Vec<Reached<'_>> {
        let Some(start) = self.node(start) else { return Vec::new() };
        let mut depths = HashMap::from([(start, 0_usize)]);
        let mut queue = VecDeque::from([start]);
        let mut reached = Vec::new();
        while let Some(node) = queue.pop_front() {
            let depth = depths[&node] + 1;
            if depth > walk.depth {
                break;
            }
            let out = self.outgoing.of_node(node).iter().map(|link| (link.node as usize, link.kind, true));
            let back = self.incoming.of_node(node).iter().map(|link| (link.node as usize, link.kind, false));
            let mut next: Vec<_> = out
                .filter(|_| walk.direction != Direction::In)
                .chain(back.filter(|_| walk.direction != Direction::Out))
                .filter(|(_, number, _)| self.admits(walk.types, *number))
                .collect();
            next.sort_unstable_by_key(|(node, number, outgoing)| (*node, !outgoing, *number));
            for (to, number, outgoing) in next {
                if depths.contains_key(&to) {
                    continue;
                }
                depths.insert(to, depth);
                queue.push_back(to);
                reached.push((
                    to,
                    Reached {
                        page: self.pages[to],
                        depth,
                        via: self.pages[node],
                        link_type: self.type_name(number),
                        outgoing,
                    },
                ));
            }
        }
        reached.sort_by_key(|(node, reached)| (reached.depth, *node));
        reached.into_iter().map(|(_, reached)| reached).collect()
    }

    /// Minimum number of hops from `start` to every page within `depth`, in both directions along links of `types`.
    pub fn distances(&self, start: i64, depth: usize, types: &[String]) -> HashMap<i64, usize> {
        let walk = Walk { depth, direction: Direction::Both, types };
        let mut distances: HashMap<i64, usize> =
            self.walk(start, walk).into_iter().map(|reached| (reached.page, reached.depth)).collect();
        distances.insert(start, 0);
        distances
    }
}
