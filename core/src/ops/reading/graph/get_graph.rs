//! The links between pages, around one page or of the whole project.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::freshness::Staleness;
use crate::graph::{Direction, LinkGraph, Walk};
use crate::index::questions::pages;
use crate::message;
use crate::ops::budget::{self, Excess, Omitted};
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::territory::{OneProject, Territory};
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted};
use crate::{Error, Result};

mod wanted;

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Show which pages link to which, around a page or everywhere.")
    .tool(Tool::Core)
    .quoting_pages()
    .command("graph");

/// Selects the part of the graph.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The center: path, id, title or alias (default: all pages).
    pub page: Option<String>,
    /// The same as `page`.
    pub center: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub center_page_id: Option<String>,
    /// Hops around the page.
    #[schemars(range(min = 1, max = 5), extend("default" = 2))]
    pub depth: Option<usize>,
    /// Direction of the links to follow.
    #[schemars(extend("default" = "both"))]
    pub direction: Option<GraphDirection>,
    /// Follow only links of these types.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Add pages that links name but that do not exist.
    #[serde(default)]
    #[schemars(extend("x-for-programs" = true))]
    pub wanted: bool,
    /// Maximum number of pages, nearest or most linked first.
    #[schemars(range(min = 1), extend("default" = 1_000))]
    pub limit: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// Direction of the links to follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphDirection {
    /// To linked pages.
    Outgoing,
    /// To linking pages.
    Incoming,
    /// Both.
    #[default]
    Both,
}

impl From<GraphDirection> for Direction {
    fn from(direction: GraphDirection) -> Self {
        match direction {
            GraphDirection::Outgoing => Self::Out,
            GraphDirection::Incoming => Self::In,
            GraphDirection::Both => Self::Both,
        }
    }
}

/// A part of the graph.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages, nearest first, then the most linked.
    pub nodes: Vec<GraphNode>,
    /// Links between them, one per source, target and type.
    pub edges: Vec<GraphEdge>,
    /// With `wanted`: pages that links name but that do not exist, the most linked first.
    #[schemars(extend("x-for-programs" = true))]
    pub wanted: Vec<WantedNode>,
    /// Reachable pages before `limit`.
    pub total_nodes: usize,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A page in the graph.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GraphNode {
    /// Its id; edges name pages by it.
    pub id: String,
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// Freshness against the code it describes.
    pub staleness: Staleness,
    /// Links to and from other pages.
    pub link_count: usize,
    /// Hops from the center page; absent without one.
    pub depth: Option<usize>,
}

/// A page in the graph that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WantedNode {
    /// Names it in edges.
    pub id: String,
    /// Its name, as the links write it.
    pub target: String,
    /// Links to it, one per page and type.
    pub link_count: usize,
    /// Hops from the center page; absent without one.
    pub depth: Option<usize>,
}

/// A link in the graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// Id of the page that links.
    pub source: String,
    /// Id of the page linked to.
    pub target: String,
    /// The link's type.
    #[serde(rename = "type")]
    pub link_type: String,
}

/// The type of most links.
const PLAIN: &str = "references";

/// Reads the graph.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    run_in(context, &OneProject::of(context)?, params)
}

/// Reads the part of `territory` around a page of the project, or without one the graph of the project.
pub(crate) fn run_in(context: &Context<'_>, territory: &dyn Territory, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[])?;
    let depth = budget::ranged("depth", params.depth, 2, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 1_000, 1, usize::MAX)?;
    let page = if params.page.is_some() { &params.page } else { &params.center };
    let name = PageName::of(page, &None, &None, &params.center_page_id);
    if params.page.is_some() && params.center.is_some() {
        return Err(Error::invalid(message!("pass `page` or `center`, not both")));
    }
    let center = context.index.read(|db| name.find(db))?;
    let graph = territory.graph();
    let (depths, total_nodes) = match center {
        Some(center) => around(graph, territory.number(center), depth, &params, limit),
        None => most_linked(context, graph, limit)?,
    };
    let numbers: Vec<i64> = depths.keys().copied().collect();
    let fields = territory.fields(&numbers)?;
    let mut nodes: Vec<GraphNode> = numbers
        .iter()
        .filter_map(|page| {
            let PageFields { doc_id, filepath, title, doc_type, staleness, .. } = fields.get(page)?.clone();
            let (out, back) = graph.degrees(*page);
            let (link_count, depth) = (out + back, depths[page]);
            let id = territory.id(*page, doc_id);
            Some(GraphNode { id, filepath, title, doc_type, staleness, link_count, depth })
        })
        .collect();
    nodes.sort_by(|a, b| {
        let order = |of: &GraphNode| (of.depth, Reverse(of.link_count));
        order(a).cmp(&order(b)).then_with(|| a.filepath.cmp(&b.filepath))
    });
    let mut edges: Vec<GraphEdge> = graph
        .edges_among(&fields.keys().copied().collect())
        .into_iter()
        .filter(|edge| {
            params.link_types.is_empty() || params.link_types.iter().any(|name| name == edge.link_type)
        })
        .filter_map(|edge| {
            let id = |page| Some(territory.id(page, fields.get(&page)?.doc_id.clone()));
            Some(GraphEdge {
                source: id(edge.source)?,
                target: id(edge.target)?,
                link_type: edge.link_type.to_owned(),
            })
        })
        .collect();
    let wanted = match params.wanted
        && !matches!((center, params.direction), (Some(_), Some(GraphDirection::Incoming)))
    {
        true => wanted::nodes(
            context,
            &params,
            wanted::Shown { pages: &fields, depths: &depths, depth, limit },
            &mut edges,
        )?,
        false => Vec::new(),
    };
    edges.sort_unstable();
    let omitted = Omitted::default();
    let mut output = Output { nodes, edges, wanted, total_nodes, omitted, index: context.index_state()? };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

type Depths = BTreeMap<i64, Option<usize>>;

fn around(graph: &LinkGraph, center: i64, depth: usize, params: &Params, limit: usize) -> (Depths, usize) {
    let direction = params.direction.unwrap_or_default().into();
    let reached = graph.walk(center, Walk { depth, direction, types: &params.link_types });
    let total = reached.len() + 1;
    let mut reached = reached;
    reached.sort_by_key(|reached| {
        let (out, back) = graph.degrees(reached.page);
        (reached.depth, Reverse(out + back))
    });
    let mut depths = Depths::from([(center, Some(0))]);
    depths.extend(reached.into_iter().take(limit - 1).map(|reached| (reached.page, Some(reached.depth))));
    (depths, total)
}

fn most_linked(context: &Context<'_>, graph: &LinkGraph, limit: usize) -> Result<(Depths, usize)> {
    let mut pages: Vec<i64> = context.index.read(pages::numbers)?;
    let total = pages.len();
    if total > limit {
        pages.sort_by_key(|&page| {
            let (out, back) = graph.degrees(page);
            Reverse(out + back)
        });
        pages.truncate(limit);
    }
    Ok((pages.into_iter().map(|page| (page, None)).collect(), total))
}

/// Removes the least linked wanted pages, then the farthest and least linked pages, with their links.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let dropped = match output.wanted.is_empty() {
        true => excess.shorten(&mut output.nodes),
        false => excess.shorten(&mut output.wanted),
    };
    output.omitted.pages += dropped;
    let pages = output.nodes.iter().map(|node| node.id.as_str());
    let kept: HashSet<&str> = pages.chain(output.wanted.iter().map(|node| node.id.as_str())).collect();
    output.edges.retain(|edge| kept.contains(edge.source.as_str()) && kept.contains(edge.target.as_str()));
    dropped > 0
}

/// Shows each page with its outgoing links, one page per line.
pub fn show(output: &Output, page: &mut dyn Page) {
    let paths = output.nodes.iter().map(|node| (node.id.as_str(), Span::Path(&node.filepath)));
    let wanted = output.wanted.iter().map(|node| (node.id.as_str(), Span::Alarm(&node.target)));
    let names: HashMap<&str, Span<'_>> = paths.chain(wanted).collect();
    let mut outgoing: HashMap<&str, Vec<(Span<'_>, &str)>> = HashMap::new();
    for edge in &output.edges {
        if let Some(target) = names.get(edge.target.as_str()) {
            outgoing.entry(&edge.source).or_default().push((*target, &edge.link_type));
        }
    }
    let missing = message!(" (does not exist)");
    let mut depth = None;
    for node in &output.nodes {
        if node.depth != depth && node.depth.is_some_and(|hops| hops > 0) {
            page.heading(&[Span::strong(&counted(node.depth.unwrap_or(0), "hop", "hops"))]);
        }
        depth = node.depth;
        let mut line = vec![Span::Path(&node.filepath), Span::Trust(node.staleness)];
        for (at, (target, link_type)) in outgoing.get(node.id.as_str()).into_iter().flatten().enumerate() {
            line.push(Span::Text(if at == 0 { " -> " } else { ", " }));
            line.push(*target);
            if matches!(target, Span::Alarm(_)) {
                line.push(Span::faint(&missing));
            }
            if *link_type != PLAIN {
                line.extend([Span::Faint(" ("), Span::Faint(link_type), Span::Faint(")")]);
            }
        }
        page.line(&line);
    }
    let shown = output.nodes.len();
    let pages = counted(output.total_nodes, "page", "pages");
    let links = counted(output.edges.len(), "link", "links");
    let told = match (shown < output.total_nodes, output.nodes.first()) {
        (true, Some(GraphNode { depth: None, .. })) => {
            message!("{shown} of {pages}, the most linked first, {links}", shown, pages, links)
        }
        (true, _) => message!("{shown} of {pages}, {links}", shown, pages, links),
        (false, _) => message!("{pages}, {links}", pages, links),
    };
    let told = match output.wanted.len() {
        0 => told,
        count => {
            message!("{told}, {wanted}", told, wanted = counted(count, "wanted page", "wanted pages"))
        }
    };
    page.note(&[Span::said(&match output.edges.iter().any(|edge| edge.link_type == PLAIN) {
        true => message!("{told}; links without a type are {plain}", told, plain = PLAIN),
        false => told,
    })]);
    let rest = message!("a larger max_tokens or a center page shows more");
    output.omitted.show(|count| counted(count, "page", "pages"), rest, page);
    output.index.show(page);
}

#[cfg(test)]
mod tests;
