//! The link graph: pages and the links between them.

mod cycles;
mod dialect;
mod edges;
pub mod impact;
pub mod resolve;
mod walk;
mod wanted;

use std::collections::{BTreeSet, HashSet};

use rusqlite::Connection;

pub use cycles::DEPENDENCIES;
pub use dialect::PipedLinks;
use edges::Edges;
pub use walk::{Direction, Reached, Walk};
pub use wanted::Wanted;

use crate::Result;
use crate::index::questions::{links, pages};

/// Every page is a node, and every (source, target, type) one edge. Links of a page to itself are not edges.
///
/// Nodes are sorted by path and types by name, so that results that depend on the order are the same for every index of
/// the same pages. Page numbers would not do: they depend on the order of indexing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkGraph {
    /// Number of the page of each node.
    pages: Vec<i64>,
    /// Page numbers and their nodes, sorted by number.
    nodes: Vec<(i64, u32)>,
    outgoing: Edges,
    incoming: Edges,
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

/// An edge between nodes, while a graph is put together.
type NodeEdge = (u32, u32, u16);

impl LinkGraph {
    /// Reads the graph from the index.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn load(db: &Connection) -> Result<Self> {
        let mut types = Types::default();
        let pages = pages::numbers(db)?;
        let nodes = numbered(&pages);
        let mut edges = Vec::new();
        links::each_edge(db, |source, target, link_type| {
            edges.extend(edge(&nodes, source, target, types.number(link_type)));
        })?;
        Ok(Self::of(pages, nodes, edges, types))
    }

    /// The graph after changes of the pages in `changed`, including those that were added, moved or removed: the same as
    /// [`LinkGraph::load`] reads, but only what these pages link to is read.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(crate) fn after(&self, db: &Connection, changed: &BTreeSet<i64>) -> Result<Self> {
        let mut pages: Vec<i64> = self.pages.iter().filter(|page| !changed.contains(page)).copied().collect();
        let mut arrived = Vec::new();
        for &page in changed {
            if let Some((path, _)) = pages::path_and_title(db, page)? {
                arrived.push((place_of(db, &pages, &path)?, path, page));
            }
        }
        // From the end, so that earlier places stay right.
        arrived.sort_unstable();
        for &(place, _, page) in arrived.iter().rev() {
            pages.insert(place, page);
        }
        let nodes = numbered(&pages);
        let mut types = Types { names: self.types.clone() };
        let mut edges = Vec::with_capacity(self.edge_count());
        for (source, &page) in self.pages.iter().enumerate() {
            if !changed.contains(&page) {
                for link in self.outgoing.of_node(source) {
                    let target = self.pages[link.node as usize];
                    edges.extend(edge(&nodes, page, target, link.kind));
                }
            }
        }
        for &(.., page) in &arrived {
            for (target, link_type) in links::edges_from(db, page)? {
                edges.extend(edge(&nodes, page, target, types.number(&link_type)));
            }
        }
        Ok(Self::of(pages, nodes, edges, types))
    }

    /// The graphs of several projects as one: their pages in this order, numbered by `number` from the position of the
    /// project and the number of the page in it, with the edges `between` projects.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn joined(
        graphs: &[&Self],
        number: impl Fn(usize, i64) -> i64,
        between: &[(i64, i64, String)],
    ) -> Self {
        let mut types = Types::default();
        let numbers =
            |(at, graph): (usize, &&Self)| graph.pages.iter().map(move |page| (at, *page)).collect();
        let pages = graphs.iter().enumerate().flat_map::<Vec<_>, _>(numbers);
        let pages: Vec<i64> = pages.map(|(at, page)| number(at, page)).collect();
        let nodes = numbered(&pages);
        let mut edges: Vec<NodeEdge> = between
            .iter()
            .filter_map(|(source, target, link_type)| edge(&nodes, *source, *target, types.number(link_type)))
            .collect();
        let mut first = 0;
        for graph in graphs {
            let kinds: Vec<u16> = graph.types.iter().map(|name| types.number(name)).collect();
            for source in 0..graph.pages.len() {
                edges.extend(graph.outgoing.of_node(source).iter().map(|link| {
                    let kind = kinds.get(usize::from(link.kind)).copied().unwrap_or(u16::MAX);
                    (first + source as u32, first + link.node, kind)
                }));
            }
            first += graph.pages.len() as u32;
        }
        Self::of(pages, nodes, edges, types)
    }

    /// A graph of these edges, as if the pages' paths had the order of their numbers.
    pub fn from_edges<'a>(edges: impl IntoIterator<Item = (i64, i64, &'a str)>) -> Self {
        let edges: Vec<_> = edges.into_iter().collect();
        let pages = edges.iter().flat_map(|&(source, target, _)| [source, target]);
        Self::from_pages_and_edges(pages.collect(), edges)
    }

    fn from_pages_and_edges(pages: BTreeSet<i64>, edges: Vec<(i64, i64, &str)>) -> Self {
        let mut types = Types::default();
        let pages: Vec<i64> = pages.into_iter().collect();
        let nodes = numbered(&pages);
        let edges = edges
            .into_iter()
            .filter_map(|(source, target, link_type)| edge(&nodes, source, target, types.number(link_type)))
            .collect();
        Self::of(pages, nodes, edges, types)
    }

    fn of(pages: Vec<i64>, nodes: Vec<(i64, u32)>, mut edges: Vec<NodeEdge>, types: Types) -> Self {
        let types = types.sorted(&mut edges);
        edges.sort_unstable();
        let outgoing = Edges::of(pages.len(), &edges);
        edges.iter_mut().for_each(|(source, target, _)| std::mem::swap(source, target));
        edges.sort_unstable();
        let incoming = Edges::of(pages.len(), &edges);
        Self { pages, nodes, outgoing, incoming, types }
    }

    fn node(&self, page: i64) -> Option<usize> {
        node_of(&self.nodes, page).map(|node| node as usize)
    }

    fn type_name(&self, number: u16) -> &str {
        self.types.get(usize::from(number)).map_or("references", String::as_str)
    }

    /// Number of pages.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.outgoing.len()
    }

    /// Position of the page in the order of paths; unknown pages are last.
    pub fn place(&self, page: i64) -> usize {
        self.node(page).unwrap_or(usize::MAX)
    }

    /// Number of outgoing and incoming edges of a page.
    pub fn degrees(&self, page: i64) -> (usize, usize) {
        self.node(page)
            .map_or((0, 0), |node| (self.outgoing.of_node(node).len(), self.incoming.of_node(node).len()))
    }

    /// Every edge, sorted.
    pub fn edges(&self) -> Vec<Edge<'_>> {
        let mut edges: Vec<Edge<'_>> = (0..self.pages.len()).flat_map(|node| self.edges_from(node)).collect();
        edges.sort_unstable();
        edges
    }

    fn edges_from(&self, node: usize) -> impl Iterator<Item = Edge<'_>> {
        self.outgoing.of_node(node).iter().map(move |link| Edge {
            source: self.pages[node],
            target: self.pages[link.node as usize],
            link_type: self.type_name(link.kind),
        })
    }

    /// The edges whose ends are both among `pages`, sorted.
    pub fn edges_among(&self, pages: &HashSet<i64>) -> Vec<Edge<'_>> {
        let nodes = pages.iter().filter_map(|page| self.node(*page));
        let edges = nodes.flat_map(|node| self.edges_from(node));
        let mut edges: Vec<Edge<'_>> = edges.filter(|edge| pages.contains(&edge.target)).collect();
        edges.sort_unstable();
        edges
    }

    /// Pages without any link to or from another page, by path.
    pub fn orphans(&self) -> Vec<i64> {
        (0..self.pages.len())
            .filter(|&node| self.outgoing.of_node(node).is_empty() && self.incoming.of_node(node).is_empty())
            .map(|node| self.pages[node])
            .collect()
    }

    fn admits(&self, types: &[String], number: u16) -> bool {
        types.is_empty() || types.iter().any(|name| name == self.type_name(number))
    }
}

/// The pages' numbers with the positions, sorted by number.
fn numbered(pages: &[i64]) -> Vec<(i64, u32)> {
    let mut nodes: Vec<(i64, u32)> = pages.iter().copied().zip(0..).collect();
    nodes.sort_unstable();
    nodes
}

fn node_of(nodes: &[(i64, u32)], page: i64) -> Option<u32> {
    let at = nodes.binary_search_by_key(&page, |(page, _)| *page).ok()?;
    nodes.get(at).map(|(_, node)| *node)
}

/// `None` if a page does not exist.
fn edge(nodes: &[(i64, u32)], source: i64, target: i64, kind: u16) -> Option<NodeEdge> {
    Some((node_of(nodes, source)?, node_of(nodes, target)?, kind))
}

/// The place of a path among those of `pages`, which are sorted by path.
fn place_of(db: &Connection, pages: &[i64], path: &str) -> Result<usize> {
    let (mut first, mut end) = (0, pages.len());
    while first < end {
        let middle = first.midpoint(end);
        if pages::path(db, pages[middle])?.as_str() < path {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    Ok(first)
}

/// The types of edges, in the order in which they were found.
#[derive(Default)]
struct Types {
    names: Vec<String>,
}

impl Types {
    fn number(&mut self, name: &str) -> u16 {
        let number = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        // No project has that many types; the rest would share the last number.
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    /// Numbers the types of `edges` by name, without those that no edge has.
    fn sorted(self, edges: &mut [NodeEdge]) -> Vec<String> {
        let mut is_used = vec![false; self.names.len()];
        for (.., kind) in &*edges {
            if let Some(is_used) = is_used.get_mut(usize::from(*kind)) {
                *is_used = true;
            }
        }
        let mut order: Vec<usize> = (0..self.names.len()).filter(|&number| is_used[number]).collect();
        order.sort_unstable_by_key(|&number| &self.names[number]);
        let mut renumbered = vec![u16::MAX; self.names.len()];
        for (new, &old) in order.iter().enumerate() {
            renumbered[old] = u16::try_from(new).unwrap_or(u16::MAX);
        }
        for (.., kind) in edges {
            *kind = renumbered.get(usize::from(*kind)).copied().unwrap_or(u16::MAX);
        }
        order.into_iter().map(|number| self.names[number].clone()).collect()
    }
}

#[cfg(test)]
mod tests;
