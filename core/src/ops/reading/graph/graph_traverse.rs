//! The pages within some hops of a page, each with the way that leads there.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::{Reached, Walk};
use crate::ops::budget::{self, Excess, MORE_ROOM, Omitted};
use crate::ops::get_graph::GraphDirection;
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::way::{self, Hops, Step};
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted, title_spans};
use crate::{Error, Result};

/// What surfaces know of it.
pub const FACTS: Facts = Facts::reading(
    "List the pages some hops from a page, by link type and direction, with the way to each: what it stands on.",
)
.tool(Tool::Always)
.quoting_pages()
.required_of_agents(&["page"])
.command("traverse");

/// Where to start and what to follow.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page to start from: path, id, title or alias.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub page_id: Option<String>,
    /// Hops to go.
    #[schemars(range(min = 1, max = 5), extend("default" = 2))]
    pub depth: Option<usize>,
    /// Which way links are followed.
    #[schemars(extend("default" = "both"))]
    pub direction: Option<GraphDirection>,
    /// Follow only links of these types.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Most pages, nearest first.
    #[schemars(range(min = 1), extend("default" = 200))]
    pub limit: Option<usize>,
    /// Most tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// What is within reach.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page it starts from.
    pub start: PageFields,
    /// The pages in reach, nearest first; a page on the way to another comes before it.
    pub pages: Vec<TraversedPage>,
    /// Pages in reach before `limit`.
    pub total_pages: usize,
    /// What was left out to fit `max_tokens`.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// A page in reach.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TraversedPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Fewest hops from the start.
    pub depth: usize,
    /// A shortest way from the start to here.
    pub path: Vec<Step>,
}

/// Follows the links.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[])?;
    let depth = budget::ranged("depth", params.depth, 2, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 200, 1, usize::MAX)?;
    let name = PageName::of(&params.page, &params.filepath, &None, &params.page_id);
    let start = context.index.read(|db| name.require(db))?;
    let graph = context.index.graph()?;
    let direction = params.direction.unwrap_or_default().into();
    let reached = graph.walk(start, Walk { depth, direction, types: &params.link_types });
    let total_pages = reached.len();
    let hops: Hops<'_> = reached.iter().map(|reached| (reached.page, reached.clone())).collect();
    let reached: Vec<Reached<'_>> = reached.into_iter().take(limit).collect();
    let mut numbers: Vec<i64> = reached.iter().map(|reached| reached.page).collect();
    numbers.push(start);
    let fields = context.page_fields(&numbers)?;
    let of =
        |page: i64| fields.get(&page).cloned().ok_or_else(|| Error::Internal(format!("page {page} is gone")));
    let pages = context.index.read(|db| {
        reached
            .iter()
            .map(|reached| {
                let path = way::steps(db, &hops, reached.page)?;
                Ok(TraversedPage { page: of(reached.page)?, depth: reached.depth, path })
            })
            .collect::<Result<Vec<_>>>()
    })?;
    let mut output = Output {
        start: of(start)?,
        pages,
        total_pages,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// Leaves out the last pages.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let dropped = excess.shorten(&mut output.pages);
    output.omitted.pages += dropped;
    dropped > 0
}

/// Tells the pages as a tree: each below the one that leads to it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let start = &output.start;
    page.heading(&title_spans(&start.filepath, &start.title, start.staleness));
    let mut beyond: HashMap<&str, Vec<&TraversedPage>> = HashMap::new();
    for found in &output.pages {
        if let Some(step) = found.path.last() {
            beyond.entry(&step.from).or_default().push(found);
        }
    }
    // Pages still to tell, the next one last.
    let of = |path: &str| beyond.get(path).into_iter().flatten().rev().copied();
    let mut ahead: Vec<&TraversedPage> = of(&start.filepath).collect();
    while let Some(found) = ahead.pop() {
        if let Some(step) = found.path.last() {
            let mut line = step.spans().to_vec();
            line.push(Span::Trust(found.page.staleness));
            page.branch(found.depth, &line);
        }
        ahead.extend(of(&found.page.filepath));
    }
    let total = counted(output.total_pages, "page", "pages");
    page.note(&[Span::Text(&format!("{} of {total} in reach", output.pages.len()))]);
    output.omitted.show(["page", "pages"], MORE_ROOM, page);
    output.index.show(page);
}

#[cfg(test)]
mod tests;
