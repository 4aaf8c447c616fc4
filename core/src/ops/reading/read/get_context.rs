//! A page together with the pages around it, within a size limit.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
#[cfg(not(target_family = "wasm"))]
use crate::excerpt::Excerpts;
use crate::graph::impact::strength;
use crate::graph::{Direction, Reached, Walk};
use crate::hint::Next;
use crate::index::questions::{links, sections};
use crate::message;
use crate::ops::budget::{self, Omitted};
use crate::ops::code::{self, CodePart};
use crate::ops::page::{self, IndexState, PageFields, PageName};
use crate::ops::{Facts, Tool, unmatched};
#[cfg(not(target_family = "wasm"))]
use crate::sessions::Limit;
use crate::show::{Page, Span, counted, title_spans, to_the_second};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Read a page with summaries of linked pages, to grasp a subject in one call.")
        .tool(Tool::Core)
        .quoting_pages()
        .command("context");

/// Characters of a related page's summary.
const SUMMARY_LENGTH: usize = 500;

/// Characters of a summary if space is short.
const SHORT_SUMMARY: usize = 160;

/// The page, and how many hops around it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub page_id: Option<String>,
    /// Hops around the page.
    #[schemars(range(min = 1, max = 3), extend("default" = 2))]
    pub depth: Option<usize>,
    /// Follow only links of these types.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Also code it shows or names.
    #[serde(default)]
    pub code: bool,
    /// Maximum characters of the answer as JSON.
    #[schemars(range(min = 1000), extend("default" = 50_000, "x-for-programs" = true))]
    pub max_size: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The page and the pages around it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The center page.
    pub center: CenterPage,
    /// The related pages, nearest first; at equal distance, the strongest link first.
    pub related: Vec<RelatedPage>,
    /// Characters of this answer as JSON, with the line break at its end.
    pub total_size: usize,
    /// Excerpts of code omitted for size.
    #[schemars(extend("x-for-programs" = true))]
    pub omitted_code: usize,
    /// Related pages omitted for size.
    pub truncated_count: usize,
    /// Parts omitted for size.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// The center page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CenterPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// Its text without front matter.
    pub content: String,
    /// With `code`: what its `ubp-source` blocks show, then the signatures of symbols that it names.
    #[schemars(extend("x-for-programs" = true))]
    pub code: Vec<CodePart>,
}

/// A related page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// Type of the link to it.
    pub link_type: String,
    /// `outlink` or `backlink`, seen from the page one hop nearer to the center.
    pub direction: &'static str,
    /// Hops from the center.
    pub depth: usize,
    /// Text around that link.
    pub link_context: String,
    /// The first 500 characters of its text; fewer if space is short.
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
    let mut reached = graph.walk(center, walk);
    // At equal distance, the most important pages stay longest: by the strength of the link, then by their number
    // of links.
    reached.sort_by(|a, b| {
        let degree = |of: &Reached<'_>| {
            let (out, back) = graph.degrees(of.page);
            Reverse(out + back)
        };
        let strength = strength(b.link_type).total_cmp(&strength(a.link_type));
        a.depth.cmp(&b.depth).then(strength).then_with(|| degree(a).cmp(&degree(b)))
    });
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
            center: CenterPage {
                page: of(center)?,
                content: sections::texts(db, center)?.concat(),
                code: Vec::new(),
            },
            related,
            total_size: 0,
            omitted_code: 0,
            truncated_count: 0,
            omitted: Omitted::default(),
            index: state,
        })
    })?;
    #[cfg(not(target_family = "wasm"))]
    if params.code {
        let excerpts = Excerpts::new(context);
        let mut found = code::PageCode::default();
        found.add_blocks(&excerpts, [([0, 0], output.center.content.as_str())])?;
        found.add_signatures(context, &excerpts, center, None)?;
        (output.center.code, output.omitted_code) = (found.parts, found.left_out);
    }
    // Wide enough for any total, so writing the size does not change it.
    output.total_size = max_size;
    #[cfg(not(target_family = "wasm"))]
    let mut witness = context.witness;
    loop {
        let needed = size(&output)?;
        if needed <= max_size {
            break;
        }
        #[cfg(not(target_family = "wasm"))]
        if let Some(witness) = witness.take() {
            witness.note(&output, Limit::MaxSize);
        }
        if !shrink(&mut output, needed - max_size, max_size) {
            return Err(Error::invalid(message!(
                "max_size is {max_size}; it must be at least {needed} for this page",
                max_size,
                needed
            )));
        }
    }
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        shrink(output, excess.tokens() * 4, excess.most() * 4)
    })?;
    // The number is part of the size that it states; two rounds are enough.
    for _ in 0..2 {
        output.total_size = size(&output)?;
    }
    Ok(output)
}

/// Characters of the answer as JSON, with the line break at its end.
fn size(output: &Output) -> Result<usize> {
    let json = serde_json::to_string(output).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(json.chars().count() + 1)
}

/// Removes code, cuts the center page to its share, shortens summaries, and removes the farthest related pages; finally cuts the
/// center page further. Sizes are in characters.
fn shrink(output: &mut Output, excess: usize, most: usize) -> bool {
    if code::leave_out(&mut output.center.code, &mut output.omitted_code, excess.div_ceil(4), true) {
        return true;
    }
    let own = output.center.content.chars().count();
    // A page that fills the answer leaves a third to its neighbours.
    let share = if output.related.is_empty() { 0 } else { most / 3 * 2 };
    if share > 0 && own > share {
        output.omitted.text_cut = true;
        return budget::cut(&mut output.center.content, excess.min(own - share).div_ceil(4));
    }
    let mut shortened = false;
    for related in &mut output.related {
        if related.summary.chars().count() > SHORT_SUMMARY {
            related.summary = related.summary.chars().take(SHORT_SUMMARY - 1).chain(['…']).collect();
            shortened = true;
        }
    }
    if shortened {
        output.omitted.text_cut = true;
        return true;
    }
    if !output.related.is_empty() {
        // Several at once: a page may have thousands of neighbours, and each round measures the whole answer.
        let count = output.related.len();
        let dropped = (count * excess / (excess + most)).max(1);
        output.related.truncate(count - dropped);
        output.truncated_count += dropped;
        output.omitted.pages += dropped;
        return true;
    }
    output.omitted.text_cut = true;
    budget::cut(&mut output.center.content, excess.div_ceil(4))
}

/// Shows the page, then the pages around it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let PageFields { filepath, title, doc_type, updated_at, staleness, .. } = &output.center.page;
    page.heading(&title_spans(filepath, title, *staleness));
    let updated = to_the_second(updated_at);
    page.aside(&[Span::faint(&message!(
        "{kind} · updated {updated}",
        kind = Span::Label(doc_type),
        updated
    ))]);
    page.gap();
    page.text(&output.center.content);
    code::show(&output.center.code, output.omitted_code, page);
    for related in &output.related {
        let arrow = if related.direction == "outlink" { "-> " } else { "<- " };
        let hops = counted(related.depth, "hop", "hops");
        let link = message!(" ({kind}, {hops})", kind = related.link_type, hops);
        let PageFields { filepath, title, staleness, .. } = &related.page;
        page.gap();
        page.heading(&[
            Span::Text(arrow),
            Span::Title(title),
            Span::Text("  "),
            Span::Path(filepath),
            Span::faint(&link),
            Span::Trust(*staleness),
        ]);
        if !related.summary.is_empty() {
            page.quote(&related.summary, &[]);
        }
    }
    // One of the two limits caused this; `omitted` counts the same pages.
    if output.truncated_count > 0 {
        let pages = counted(output.truncated_count, "related page", "related pages");
        page.note(&[Span::said(&message!(
            "{pages} left out; a larger max_size or max_tokens shows more",
            pages
        ))]);
    }
    let rest = message!("{call} shows the whole page", call = Next::call("get_page"));
    Omitted { pages: 0, ..output.omitted }.show(|count| counted(count, "page", "pages"), rest, page);
    output.index.show(page);
}
