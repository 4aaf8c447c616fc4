//! Search by words only.

use crate::message::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::hint::Next;
use crate::index::questions::sections;
use crate::message;
use crate::ops::bounds;
use crate::ops::budget::{self, Omitted, more_room};
use crate::ops::page::{IndexState, PageFields};
use crate::ops::search::without_heading;
use crate::ops::{Facts, Tool, unmatched};
use crate::search::{Filter, count, matches, rounded};
use crate::show::{Page, Span, counted};
use crate::{Error, Result, text};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Find sections by exact words, identifiers or \"phrases\": when you know what the text says.",
)
.tool(Tool::Core)
.quoting_pages()
.command("search --fulltext");

/// Maximum characters of a snippet.
const SNIPPET: usize = 160;

/// The query and its conditions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Words, identifiers, paths, or "an exact phrase" in quotes.
    pub query: String,
    /// Maximum number of sections.
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    pub limit: Option<usize>,
    /// Only pages of this type.
    pub doc_type: Option<String>,
    /// Only pages below this folder.
    pub folder: Option<String>,
    /// Only pages with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Sections, best first.
    pub results: Vec<SectionMatch>,
    /// Matching sections, at most 1000.
    pub total_found: usize,
    /// Conditions and phrases that match no page, a sentence each.
    pub unmatched: Vec<Message>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A matching section.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SectionMatch {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// The section's heading; absent before the first heading.
    pub section_heading: Option<String>,
    /// Id of the section within its page.
    pub section_id: String,
    /// Line of the first matching word, from 1.
    pub line: usize,
    /// Text around the matching words.
    pub snippet: String,
    /// Positions of these words in `snippet`, as UTF-16 offsets `[start, end)`.
    pub highlights: Vec<[usize; 2]>,
    /// BM25; larger is better, comparable only within one answer.
    pub rank: f64,
}

/// Runs the query.
///
/// # Errors
/// [`Error::InvalidParams`] for values out of range, [`Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    const MOST_COUNTED: usize = 1_000;
    let limit = budget::ranged("limit", params.limit, 10, 1, 50)?;
    if params.query.trim().is_empty() {
        return Err(Error::invalid(message!("query is empty: give words or a \"phrase\"")));
    }
    let query = text::Query::parse(&params.query);
    let filter = Filter {
        doc_types: params.doc_type.into_iter().collect(),
        tags: params.tags,
        folder: params.folder,
        ..Filter::default()
    };
    let (shown, total_found, unmatched) = context.index.read(|db| {
        let allowed = filter.allowed(db)?;
        let shown = matches(db, &query, limit, 1, allowed.as_ref(), context.index.index())?;
        let total = count(db, &query, MOST_COUNTED, 1, allowed.as_ref())?;
        Ok((shown, total, unmatched::of(db, &filter, Some(&query))?))
    })?;
    let mut pages: Vec<i64> = shown.iter().map(|found| found.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let fields = context.page_fields(&pages)?;
    let results = context.index.read(|db| {
        shown
            .iter()
            .map(|found| {
                let section = sections::row(db, found.section)?;
                let section = section.ok_or_else(|| Error::Internal("a section is gone".into()))?;
                let passage = sections::passage(db, found.passage)?;
                let visible = text::visible(&section.text);
                let (text, before) = passage
                    .and_then(|passage| Some((visible.get(passage.bytes)?, passage.lines.0)))
                    .unwrap_or((&visible, 0));
                // The heading is shown above the snippet.
                let body = without_heading(text, before == 0 && !section.heading_path.is_empty());
                let skipped = text[..text.len() - body.len()].matches('\n').count();
                let snippet = text::snippet(body, &query, SNIPPET);
                let utf16 = |byte: usize| snippet.text.get(..byte).map_or(0, |s| s.encode_utf16().count());
                Ok(SectionMatch {
                    page: fields
                        .get(&found.page)
                        .cloned()
                        .ok_or_else(|| Error::Internal("a page is gone".into()))?,
                    section_heading: section.heading_path.last().cloned().map(bounds::title),
                    section_id: section.section_id,
                    line: section.lines.0 + before + skipped + snippet.line_offset,
                    highlights: snippet.highlights.iter().map(|r| [utf16(r.start), utf16(r.end)]).collect(),
                    snippet: snippet.text.clone(),
                    rank: rounded(found.bm25),
                })
            })
            .collect::<Result<Vec<_>>>()
    })?;
    let omitted = Omitted::default();
    let mut output = Output { results, total_found, unmatched, omitted, index: context.index_state()? };
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        let dropped = excess.shorten(&mut output.results);
        output.omitted.sections += dropped;
        dropped > 0
    })?;
    Ok(output)
}

/// Shows where the words occur.
pub fn show(output: &Output, page: &mut dyn Page) {
    unmatched::show(&output.unmatched, page);
    for (place, found) in output.results.iter().enumerate() {
        if place > 0 {
            page.gap();
        }
        let fields = &found.page;
        let score = format!("  {:.2}", found.rank);
        page.heading(&[Span::Title(&fields.title), Span::Faint(&score), Span::Trust(fields.staleness)]);
        let heading = found.section_heading.as_ref().unwrap_or(&fields.title);
        page.line(&[Span::Place(&fields.filepath, found.line), Span::Text(": "), Span::Words(heading)]);
        page.handle("section", &found.section_id);
        page.quote(&found.snippet, &found.highlights);
    }
    let words = match (output.results.len(), output.total_found) {
        (0, 0) => message!(
            "no page contains these words; {search} also finds pages by meaning",
            search = Next::call("search")
        ),
        (shown, total) if shown >= total => counted(shown, "section", "sections"),
        (shown, total) => message!("{shown} of {total} sections", shown, total),
    };
    page.note(&[Span::said(&words)]);
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
    output.index.show(page);
}
