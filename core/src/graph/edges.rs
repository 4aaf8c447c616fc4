//! Edges in two blocks of memory, in one direction: all neighbours of a node are adjacent.

use super::NodeEdge;

/// An edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    /// The node at the other end.
    pub node: u32,
    /// Number of the type.
    pub kind: u16,
}

/// The edges of all nodes in one direction.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Where the links of each node end.
    ends: Vec<u32>,
    links: Vec<Link>,
}

impl Edges {
    /// The edges, sorted by their first node, of `nodes` nodes. Duplicates become one.
    pub(super) fn of(nodes: usize, edges: &[NodeEdge]) -> Self {
        let mut all = Self { ends: Vec::with_capacity(nodes), links: Vec::with_capacity(edges.len()) };
        let mut rest = edges;
        for node in 0..nodes {
            let count = rest.iter().take_while(|(from, ..)| *from as usize == node).count();
            let (own, others) = rest.split_at(count);
            let mut before = None;
            for edge in own.iter().filter(|edge| before.replace(**edge) != Some(**edge)) {
                all.links.push(Link { node: edge.1, kind: edge.2 });
            }
            all.ends.push(u32::try_from(all.links.len()).unwrap_or(u32::MAX));
            rest = others;
        }
        all
    }

    /// The links of a node, sorted by node and type.
    pub(super) fn of_node(&self, node: usize) -> &[Link] {
        let start = node.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(node).copied());
        let links = range.and_then(|(start, end)| self.links.get(start as usize..end as usize));
        links.unwrap_or_default()
    }

    /// Number of edges.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }
}
