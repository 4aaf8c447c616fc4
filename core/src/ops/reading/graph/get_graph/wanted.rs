//! Pages in the graph that links name but that do not exist.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Depths, GraphEdge, Params, WantedNode};
use crate::graph::Wanted;
use crate::index::questions::links;
use crate::ops::bounds;
use crate::ops::page::PageFields;
use crate::{Context, Result};

/// The pages in the graph.
pub(super) struct Shown<'a> {
    pub pages: &'a HashMap<i64, PageFields>,
    pub depths: &'a Depths,
    /// Hops around the center page.
    pub depth: usize,
    pub limit: usize,
}

/// What is known of a wanted page.
#[derive(Default)]
struct Asked {
    /// Each spelling of its name, with the number of links that have it.
    names: Vec<(String, usize)>,
    /// The pages that link to it, with the types of their links.
    links: BTreeSet<(i64, String)>,
}

impl Asked {
    /// The spelling of most links; of several, the first.
    fn name(&self) -> String {
        let most = self.names.iter().rev().max_by_key(|(_, count)| count);
        most.map(|(name, _)| name.clone()).unwrap_or_default()
    }
}

/// Reads the wanted pages that pages in the graph link to, and adds these links to `edges`.
pub(super) fn nodes(
    context: &Context<'_>,
    params: &Params,
    shown: Shown<'_>,
    edges: &mut Vec<GraphEdge>,
) -> Result<Vec<WantedNode>> {
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    for (page, link_type, target) in context.index.read(links::broken)? {
        let wanted = Wanted::of(&target);
        if !wanted.is_page() || !(params.link_types.is_empty() || params.link_types.contains(&link_type)) {
            continue;
        }
        let name = wanted.name;
        let asked = asked.entry(wanted.key).or_default();
        match asked.names.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => asked.names.push((name.to_owned(), 1)),
        }
        asked.links.insert((page, link_type));
    }
    let mut nodes: Vec<(WantedNode, Asked)> = asked
        .into_iter()
        .filter_map(|(key, asked)| {
            let depth = depth_of(&asked, &shown)?;
            let (id, link_count) = (format!("wanted:{key}"), asked.links.len());
            let target = bounds::title(asked.name());
            Some((WantedNode { id, target, link_count, depth }, asked))
        })
        .collect();
    nodes.sort_by(|(a, _), (b, _)| {
        (a.depth, Reverse(a.link_count))
            .cmp(&(b.depth, Reverse(b.link_count)))
            .then_with(|| a.target.cmp(&b.target))
    });
    nodes.truncate(shown.limit);
    for (node, asked) in &nodes {
        edges.extend(asked.links.iter().filter_map(|(page, link_type)| {
            let source = shown.pages.get(page)?.doc_id.clone();
            Some(GraphEdge { source, target: node.id.clone(), link_type: link_type.clone() })
        }));
    }
    Ok(nodes.into_iter().map(|(node, _)| node).collect())
}

/// Hops to it, as [`WantedNode::depth`]; `None` if no page in the graph, or none that is near enough, links to it.
fn depth_of(asked: &Asked, shown: &Shown<'_>) -> Option<Option<usize>> {
    let near = asked.links.iter().filter_map(|(page, _)| shown.depths.get(page).copied());
    match near.min()? {
        None => Some(None),
        Some(hops) => (hops < shown.depth).then_some(Some(hops + 1)),
    }
}
