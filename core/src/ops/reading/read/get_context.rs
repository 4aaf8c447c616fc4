//! A page together with the pages around it, within a size.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::{Direction, Walk};
use crate::index::questions::{links, sections};
use crate::ops::budget::{self, Omitted};
use crate::ops::page::{self, IndexState, PageFields, PageName};
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted, title_spans, to_the_second};
use crate::{Error, Result};

/// What surfaces know of it.
pub const FACTS: Facts =
    Facts::reading("Read a page together with what it links to and what links to it, within a size.")
        .tool(Tool::Core)
        .quoting_pages()
        .command("context");

/// Characters of a related page's summary.
const SUMMARY_LENGTH: usize = 500;

/// Which page, and how far around it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page in the middle: path, id, title or alias.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    pub page_id: Option<String>,
    /// Hops around the page, 1 to 3.
    #[schemars(range(min = 1, max = 3))]
    pub depth: Option<usize>,
    /// Follow links of these types only.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Most characters in the answer.
    #[schemars(range(min = 1000))]
    pub max_size: Option<usize>,
    /// Most tokens in the answer, 4 bytes each.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The page and its surroundings.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page in the middle.
    pub center: CenterPage,
    /// The pages around it, nearest first.
    pub related: Vec<RelatedPage>,
    /// Characters of this answer as JSON, with a line break at its end.
    pub total_size: usize,
    /// Related pages that were left out for size.
    pub truncated_count: usize,
    /// What was left out for size.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// The page in the middle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CenterPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Its text, front matter left out.
    pub content: String,
}

/// A page around it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Type of the link that leads here.
    pub link_type: String,
    /// `outlink` or `backlink`, seen from the page one hop nearer.
    pub direction: &'static str,
    /// Hops from the middle.
    pub depth: usize,
    /// Text around that link.
    pub link_context: String,
    /// Its first 500 characters.
    pub summary: String,
}

/// Collects the context.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[])?;
    let depth = budget::ranged("depth", params.depth, context.manifest.search.depth, 1, 3)?;
    let max_size = budget::ranged("max_size", params.max_size, 50_000, 1_000, usize::MAX)?;
    let name = PageName::of(&params.page, &params.filepath, &None, &params.page_id);
    let center = context.index.read(|db| name.require(db))?;
    let graph = context.index.graph()?;
    let walk = Walk { depth, direction: Direction::Both, types: &params.link_types };
    let reached = graph.walk(center, walk);
    let mut pages: Vec<i64> = reached.iter().map(|reached| reached.page).collect();
    pages.push(center);
    let fields = context.page_fields(&pages)?;
    let of =
        |page: i64| fields.get(&page).cloned().ok_or_else(|| Error::Internal(format!("page {page} is gone")));
    let state = context.index_state()?;
    let mut output = context.index.read(|db| {
        let related = reached
            .iter()
            .map(|reached| {
                let (from, to) =
                    if reached.outgoing { (reached.via, reached.page) } else { (reached.page, reached.via) };
                Ok(RelatedPage {
                    page: of(reached.page)?,
                    link_type: reached.link_type.to_owned(),
                    direction: if reached.outgoing { "outlink" } else { "backlink" },
                    depth: reached.depth,
                    link_context: links::context(db, from, to, reached.link_type)?,
                    summary: page::summary(db, reached.page, SUMMARY_LENGTH)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Output {
            center: CenterPage { page: of(center)?, content: sections::texts(db, center)?.concat() },
            related,
            total_size: 0,
            truncated_count: 0,
            omitted: Omitted::default(),
            index: state,
        })
    })?;
    // Wide enough for any total, so that stating the size does not change it.
    output.total_size = max_size;
    while size(&output)? > max_size {
        let excess = size(&output)? - max_size;
        if !shrink(&mut output, excess) {
            return Err(Error::invalid(format!(
                "max_size is {max_size}; the least here is {}",
                size(&output)?
            )));
        }
    }
    budget::fit(&mut output, params.max_tokens, |output, excess| shrink(output, excess * 4))?;
    // The number is part of what it counts; its own length settles at once.
    for _ in 0..2 {
        output.total_size = size(&output)?;
    }
    Ok(output)
}

fn size(output: &Output) -> Result<usize> {
    let json = serde_json::to_string(output).map_err(|error| Error::Internal(error.to_string()))?;
    // The line break that ends the answer on a stream is part of what is read.
    Ok(json.chars().count() + 1)
}

/// Leaves out related pages from the far end, then cuts the page in the middle.
fn shrink(output: &mut Output, excess_characters: usize) -> bool {
    if output.related.pop().is_some() {
        output.truncated_count += 1;
        output.omitted.pages += 1;
        return true;
    }
    output.omitted.text_cut = true;
    budget::cut(&mut output.center.content, excess_characters.div_ceil(4))
}

/// Tells the page, then what is around it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let PageFields { filepath, title, doc_type, updated_at, staleness, .. } = &output.center.page;
    page.heading(&title_spans(filepath, title, *staleness));
    page.aside(&[Span::Faint(&format!("{doc_type} · updated {}", to_the_second(updated_at)))]);
    page.gap();
    page.text(&output.center.content);
    for related in &output.related {
        let arrow = if related.direction == "outlink" { "-> " } else { "<- " };
        let link = format!(" ({}, {})", related.link_type, counted(related.depth, "hop", "hops"));
        let PageFields { filepath, title, staleness, .. } = &related.page;
        page.gap();
        page.heading(&[
            Span::Text(arrow),
            Span::Strong(title),
            Span::Text("  "),
            Span::Path(filepath),
            Span::Faint(&link),
            Span::Trust(*staleness),
        ]);
        if !related.summary.is_empty() {
            page.quote(&related.summary, &[]);
        }
    }
    // One size or the other left these out; `omitted` counts the same pages.
    if output.truncated_count > 0 {
        let pages = counted(output.truncated_count, "related page", "related pages");
        page.note(&[Span::Text(&format!("{pages} left out; a larger max_size or max_tokens makes room"))]);
    }
    Omitted { pages: 0, ..output.omitted }.show(page);
    output.index.show(page);
}
