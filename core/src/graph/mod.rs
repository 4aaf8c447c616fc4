//! The link graph: pages and the links between them.

mod cycles;
mod dialect;
pub mod impact;
pub mod resolve;
mod walk;
mod wanted;

use std::collections::{BTreeSet, HashMap, HashSet};

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rusqlite::Connection;

pub use cycles::DEPENDENCIES;
pub use dialect::PipedLinks;
pub use walk::{Direction, Reached, Walk};
pub use wanted::Wanted;

use crate::Result;
use crate::index::questions::{links, pages};

/// Every page is a node, and every (source, target, type) one edge. Links of a page to itself are not edges.
///
/// Nodes are sorted by path and types by name, so that results that depend on the order are the same for every index of
/// the same pages. Page numbers would not do: they depend on the order of indexing.
#[derive(Debug, Default)]
pub struct LinkGraph {
    graph: DiGraph<i64, u16>,
    nodes: HashMap<i64, NodeIndex>,
    /// Number of outgoing and incoming edges of each node; ranking needs them at every step of a walk.
    degrees: Vec<(usize, usize)>,
    types: Vec<String>,
}

/// One edge, with the page numbers of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge<'a> {
    /// The page that links.
    pub source: i64,
    /// The page linked to.
    pub target: i64,
    /// The link's type.
    pub link_type: &'a str,
}

impl LinkGraph {
    /// Reads the graph from the index.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn load(db: &Connection) -> Result<Self> {
        let mut graph = Self::default();
        for page in pages::numbers(db)? {
            graph.node(page);
        }
        links::each_edge(db, |source, target, link_type| graph.link(source, target, link_type))?;
        Ok(graph)
    }

    /// A graph of these edges, as if the pages' paths had the order of their numbers.
    pub fn from_edges<'a>(edges: impl IntoIterator<Item = (i64, i64, &'a str)>) -> Self {
        let mut edges: Vec<_> = edges.into_iter().collect();
        edges.sort_unstable_by_key(|&(source, target, link_type)| (link_type, source, target));
        let mut graph = Self::default();
        let pages: BTreeSet<i64> = edges.iter().flat_map(|&(source, target, _)| [source, target]).collect();
        for page in pages {
            graph.node(page);
        }
        for (source, target, link_type) in edges {
            graph.link(source, target, link_type);
        }
        graph
    }

    fn node(&mut self, page: i64) -> NodeIndex {
        *self.nodes.entry(page).or_insert_with(|| {
            self.degrees.push((0, 0));
            self.graph.add_node(page)
        })
    }

    fn link(&mut self, source: i64, target: i64, link_type: &str) {
        let number = self.types.iter().position(|known| known == link_type).unwrap_or_else(|| {
            self.types.push(link_type.to_owned());
            self.types.len() - 1
        });
        let (source, target) = (self.node(source), self.node(target));
        self.degrees[source.index()].0 += 1;
        self.degrees[target.index()].1 += 1;
        // No project has that many types; the rest would share the last number.
        self.graph.add_edge(source, target, u16::try_from(number).unwrap_or(u16::MAX));
    }

    fn type_name(&self, number: u16) -> &str {
        self.types.get(usize::from(number)).map_or("references", String::as_str)
    }

    /// Number of pages.
    pub fn page_count(&self) -> usize {
        self.graph.node_count()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// Position of the page in the order of paths; unknown pages are last.
    pub fn place(&self, page: i64) -> usize {
        self.nodes.get(&page).map_or(usize::MAX, |node| node.index())
    }

    /// Number of outgoing and incoming edges of a page.
    pub fn degrees(&self, page: i64) -> (usize, usize) {
        self.nodes.get(&page).map_or((0, 0), |node| self.degrees[node.index()])
    }

    /// Every edge, sorted.
    pub fn edges(&self) -> Vec<Edge<'_>> {
        let mut edges: Vec<Edge<'_>> = self
            .graph
            .edge_indices()
            .filter_map(|edge| {
                let (source, target) = self.graph.edge_endpoints(edge)?;
                let link_type = self.type_name(*self.graph.edge_weight(edge)?);
                Some(Edge { source: self.graph[source], target: self.graph[target], link_type })
            })
            .collect();
        edges.sort_unstable();
        edges
    }

    /// The edges whose ends are both among `pages`, sorted.
    pub fn edges_among(&self, pages: &HashSet<i64>) -> Vec<Edge<'_>> {
        let nodes = pages.iter().filter_map(|page| self.nodes.get(page));
        let mut edges: Vec<Edge<'_>> = nodes
            .flat_map(|&node| self.graph.edges(node))
            .map(|edge| Edge {
                source: self.graph[edge.source()],
                target: self.graph[edge.target()],
                link_type: self.type_name(*edge.weight()),
            })
            .filter(|edge| pages.contains(&edge.target))
            .collect();
        edges.sort_unstable();
        edges
    }

    /// Pages without any link to or from another page, by path.
    pub fn orphans(&self) -> Vec<i64> {
        self.graph
            .node_indices()
            .filter(|&node| self.graph.neighbors_undirected(node).next().is_none())
            .map(|node| self.graph[node])
            .collect()
    }

    fn admits(&self, types: &[String], number: u16) -> bool {
        types.is_empty() || types.iter().any(|name| name == self.type_name(number))
    }
}

#[cfg(test)]
mod tests;
