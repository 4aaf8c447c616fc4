//! The links between pages, around one page or all of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::{Direction, LinkGraph, Walk};
use crate::index::questions::pages;
use crate::ops::budget::{self, Omitted};
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted};
use crate::{Error, Result};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::reading("Show which pages link to which, around one page or over the whole project.")
        .tool(Tool::Core)
        .command("graph");

/// Which part of the graph.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page in the middle: path, id, title or alias. All pages when absent.
    pub page: Option<String>,
    /// The same as `page`.
    pub center: Option<String>,
    /// Its id, instead of `page`.
    pub center_page_id: Option<String>,
    /// Hops around the page, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub depth: Option<usize>,
    /// Which way links are followed; both when absent.
    pub direction: Option<GraphDirection>,
    /// Follow links of these types only.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Most pages to return, nearest (or most linked) first; 1000 when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Most tokens in the answer, 4 bytes each.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// Which way links are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GraphDirection {
    /// To what a page links to.
    Outgoing,
    /// To what links to a page.
    Incoming,
    /// Either way.
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
    /// Pages, by path.
    pub nodes: Vec<GraphNode>,
    /// Links between them, one per source, target and type.
    pub edges: Vec<GraphEdge>,
    /// Pages in reach before `limit`.
    pub total_nodes: usize,
    /// What was left out to fit `max_tokens`.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// A page in the graph.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GraphNode {
    /// Its id, the same as `doc_id`; edges name pages by it.
    pub id: String,
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Links to and from other pages.
    pub link_count: usize,
    /// Hops from the page in the middle; absent without one.
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

/// Reads the graph.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[])?;
    let depth = budget::ranged("depth", params.depth, 2, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 1_000, 1, usize::MAX)?;
    let page = if params.page.is_some() { &params.page } else { &params.center };
    let name = PageName::of(page, &None, &None, &params.center_page_id);
    if params.page.is_some() && params.center.is_some() {
        return Err(Error::invalid("name the page once: `page`, or `center`"));
    }
    let center = context.index.read(|db| name.find(db))?;
    let graph = context.index.graph()?;
    let (depths, total_nodes) = match center {
        Some(center) => around(&graph, center, depth, &params, limit),
        None => most_linked(context, &graph, limit)?,
    };
    let numbers: Vec<i64> = depths.keys().copied().collect();
    let fields = context.page_fields(&numbers)?;
    let mut nodes: Vec<GraphNode> = numbers
        .iter()
        .filter_map(|page| {
            let fields = fields.get(page)?.clone();
            let (out, back) = graph.degrees(*page);
            Some(GraphNode {
                id: fields.doc_id.clone(),
                page: fields,
                link_count: out + back,
                depth: depths[page],
            })
        })
        .collect();
    nodes.sort_by(|a, b| (a.depth, &a.page.filepath).cmp(&(b.depth, &b.page.filepath)));
    let mut edges: Vec<GraphEdge> = graph
        .edges_among(&fields.keys().copied().collect())
        .into_iter()
        .filter(|edge| {
            params.link_types.is_empty() || params.link_types.iter().any(|name| name == edge.link_type)
        })
        .filter_map(|edge| {
            Some(GraphEdge {
                source: fields.get(&edge.source)?.doc_id.clone(),
                target: fields.get(&edge.target)?.doc_id.clone(),
                link_type: edge.link_type.to_owned(),
            })
        })
        .collect();
    edges.sort_unstable();
    let mut output =
        Output { nodes, edges, total_nodes, omitted: Omitted::default(), index: context.index_state()? };
    budget::fit(&mut output, params.max_tokens, shrink)?;
    Ok(output)
}

type Depths = BTreeMap<i64, Option<usize>>;

fn around(graph: &LinkGraph, center: i64, depth: usize, params: &Params, limit: usize) -> (Depths, usize) {
    let direction = params.direction.unwrap_or_default().into();
    let reached = graph.walk(center, Walk { depth, direction, types: &params.link_types });
    let total = reached.len() + 1;
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
            std::cmp::Reverse(out + back)
        });
        pages.truncate(limit);
    }
    Ok((pages.into_iter().map(|page| (page, None)).collect(), total))
}

/// Leaves out the farthest page and its links.
fn shrink(output: &mut Output, excess: usize) -> bool {
    let drop = (excess / 200).clamp(1, output.nodes.len().max(1));
    let keep = output.nodes.len().saturating_sub(drop);
    let dropped = output.nodes.split_off(keep);
    output.omitted.pages += dropped.len();
    let kept: HashSet<&str> = output.nodes.iter().map(|node| node.id.as_str()).collect();
    output.edges.retain(|edge| kept.contains(edge.source.as_str()) && kept.contains(edge.target.as_str()));
    !dropped.is_empty()
}

/// Tells every page with the links that go out from it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let paths: HashMap<&str, &str> =
        output.nodes.iter().map(|node| (node.id.as_str(), node.page.filepath.as_str())).collect();
    let mut outgoing: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for edge in &output.edges {
        if let Some(target) = paths.get(edge.target.as_str()) {
            outgoing.entry(&edge.source).or_default().push((target, &edge.link_type));
        }
    }
    for node in &output.nodes {
        let hops = node.depth.map(|depth| format!(" · {}", counted(depth, "hop", "hops")));
        let links = counted(node.link_count, "link", "links");
        page.line(&[
            Span::Path(&node.page.filepath),
            Span::Faint(&format!("  {links}{}", hops.unwrap_or_default())),
            Span::Trust(node.page.staleness),
        ]);
        for (target, link_type) in outgoing.get(node.id.as_str()).into_iter().flatten() {
            let kind = format!(" ({link_type})");
            page.item(&[Span::Text("-> "), Span::Path(target), Span::Faint(&kind)]);
        }
    }
    page.note(&[Span::Text(&format!(
        "{} of {}, {}",
        output.nodes.len(),
        counted(output.total_nodes, "page", "pages"),
        counted(output.edges.len(), "link", "links")
    ))]);
    output.omitted.show(page);
    output.index.show(page);
}
