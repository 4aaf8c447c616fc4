//! The pages within some hops of a page, each with the path to it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::{Reached, Walk};
use crate::message;
use crate::ops::budget::{self, Excess, Omitted, more_room};
use crate::ops::get_graph::GraphDirection;
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::territory::{OneProject, Territory};
use crate::ops::way::{self, Hops, Step};
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted, title_spans};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the pages some hops from a page, by link type and direction, with paths.")
        .tool(Tool::Always)
        .quoting_pages()
        .required_of_agents(&["page"])
        .command("traverse");

/// Where to start and what to follow.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page to start from.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub page_id: Option<String>,
    /// Maximum hops.
    #[schemars(range(min = 1, max = 5), extend("default" = 2))]
    pub depth: Option<usize>,
    /// Direction of the links to follow.
    #[schemars(extend("default" = "both"))]
    pub direction: Option<GraphDirection>,
    /// Follow only links of these types.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Maximum number of pages, nearest first.
    #[schemars(range(min = 1), extend("default" = 200))]
    pub limit: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The reachable pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The start page.
    pub start: PageFields,
    /// The reachable pages, nearest first; a page on the path to another comes before it.
    pub pages: Vec<TraversedPage>,
    /// Reachable pages before `limit`.
    pub total_pages: usize,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A reachable page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TraversedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// Hops from the start, by the shortest path.
    pub depth: usize,
    /// A shortest path from the start.
    pub path: Vec<Step>,
}

/// Follows the links.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    run_in(context, &OneProject::of(context)?, params)
}

/// Follows the links within `territory` from a page of the project.
pub(crate) fn run_in(context: &Context<'_>, territory: &dyn Territory, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[])?;
    let depth = budget::ranged("depth", params.depth, 2, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 200, 1, usize::MAX)?;
    let name = PageName::of(&params.page, &params.filepath, &None, &params.page_id);
    let start = territory.number(context.index.read(|db| name.require(db))?);
    let direction = params.direction.unwrap_or_default().into();
    let reached = territory.graph().walk(start, Walk { depth, direction, types: &params.link_types });
    let total_pages = reached.len();
    let hops: Hops<'_> = reached.iter().map(|reached| (reached.page, reached.clone())).collect();
    let reached: Vec<Reached<'_>> = reached.into_iter().take(limit).collect();
    let mut numbers: Vec<i64> = reached.iter().map(|reached| reached.page).collect();
    numbers.push(start);
    let fields = territory.fields(&numbers)?;
    let of =
        |page: i64| fields.get(&page).cloned().ok_or_else(|| Error::Internal(format!("page {page} is gone")));
    let pages = reached
        .iter()
        .map(|reached| {
            let path = way::steps(|page| territory.path(page), &hops, reached.page)?;
            Ok(TraversedPage { page: of(reached.page)?, depth: reached.depth, path })
        })
        .collect::<Result<Vec<_>>>()?;
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

/// Removes the last pages.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let dropped = excess.shorten(&mut output.pages);
    output.omitted.pages += dropped;
    dropped > 0
}

/// Shows the pages as a tree, each below the page that leads to it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let start = &output.start;
    page.heading(&title_spans(&start.filepath, &start.title, start.staleness));
    let mut beyond: HashMap<&str, Vec<&TraversedPage>> = HashMap::new();
    for found in &output.pages {
        if let Some(step) = found.path.last() {
            beyond.entry(&step.from).or_default().push(found);
        }
    }
    // Pages still to show, the next one last.
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
    page.note(&[Span::said(&message!("{pages} of {total} reached", pages = output.pages.len(), total))]);
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
    output.index.show(page);
}

#[cfg(test)]
mod tests;
