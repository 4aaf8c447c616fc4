//! Cycles of links.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};

use petgraph::graph::{DiGraph, NodeIndex};

use super::LinkGraph;

/// Link types that express a dependency, so that a cycle is a problem.
pub const DEPENDENCIES: [&str; 3] = ["depends_on", "implements", "extends"];

/// Maximum number of pages of a group from which to search for a cycle. In larger groups, a short cycle is as good an
/// example as the shortest.
const TRIED: usize = 64;

impl LinkGraph {
    /// Groups of pages that link to each other in cycles along links of `types` (all if empty), largest first, the
    /// pages of each sorted by path.
    pub fn cycles(&self, types: &[String]) -> Vec<Vec<i64>> {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.page_count(), self.edge_count());
        for _ in &self.pages {
            graph.add_node(());
        }
        for node in 0..self.page_count() {
            for link in self.outgoing.of_node(node).iter().filter(|link| self.admits(types, link.kind)) {
                graph.add_edge(NodeIndex::new(node), NodeIndex::new(link.node as usize), ());
            }
        }
        let mut groups: Vec<Vec<NodeIndex>> = petgraph::algo::tarjan_scc(&graph)
            .into_iter()
            .filter(|group| group.len() > 1)
            .map(|mut group| {
                group.sort_unstable();
                group
            })
            .collect();
        groups.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        groups
            .into_iter()
            .map(|group| group.into_iter().map(|node| self.pages[node.index()]).collect())
            .collect()
    }

    /// A cycle through a group of [`LinkGraph::cycles`], without repeating the first page at the end: the shortest, or,
    /// in a large group, the shortest from one of the first pages.
    pub fn way_round(&self, group: &[i64], types: &[String]) -> Vec<i64> {
        let members: HashSet<usize> = group.iter().filter_map(|page| self.node(*page)).collect();
        let mut best: Vec<i64> = Vec::new();
        for page in group.iter().take(TRIED) {
            let Some(start) = self.node(*page) else { continue };
            let found = self.way_back(start, &members, types);
            if !found.is_empty() && (best.is_empty() || found.len() < best.len()) {
                best = found;
            }
            // Links of a page to itself are not edges, so two pages are the shortest cycle.
            if best.len() == 2 {
                break;
            }
        }
        best
    }

    /// A shortest cycle through `start` within `members`; empty if there is none.
    fn way_back(&self, start: usize, members: &HashSet<usize>, types: &[String]) -> Vec<i64> {
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            let mut next: Vec<usize> = self
                .outgoing
                .of_node(node)
                .iter()
                .filter(|link| self.admits(types, link.kind))
                .map(|link| link.node as usize)
                .filter(|target| members.contains(target))
                .collect();
            next.sort_unstable();
            for target in next {
                if target == start {
                    let mut way = vec![self.pages[node]];
                    let mut at = node;
                    while let Some(&before) = came_from.get(&at) {
                        way.push(self.pages[before]);
                        at = before;
                    }
                    way.reverse();
                    return way;
                }
                if let Entry::Vacant(unseen) = came_from.entry(target) {
                    unseen.insert(node);
                    queue.push_back(target);
                }
            }
        }
        Vec::new()
    }
}
