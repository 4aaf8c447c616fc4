//! Search by meaning, words and links together.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Context;
use super::budget::{self, Omitted};
use super::page::{self, IndexState, PageFields};
use crate::graph::{Direction, LinkGraph, Walk};
use crate::index::VectorMatrix;
use crate::ports::TextKind;
use crate::search::{Filter, Hit, Request, SearchMode, SectionScore, rank, rounded};
use crate::{Error, Result, text};

/// What it is for.
pub const SUMMARY: &str = "Find pages by meaning, words and links; answers with the sections that match.";

/// Characters of a snippet.
const SNIPPET: usize = 240;
/// Sections shown of one page.
const SECTIONS: usize = 3;
/// Linked pages shown of one page.
const LINKED: usize = 8;

/// What to look for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Words, a question, or "an exact phrase" in quotes.
    pub query: String,
    /// Most pages to return, 1 to 20.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<usize>,
    /// Which evidence ranks: hybrid (default), vector or fulltext.
    pub mode: Option<SearchMode>,
    /// Weight of relevance against links, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub alpha: Option<f64>,
    /// Hops over which linked pages lend each other relevance, 1 to 3.
    #[schemars(range(min = 1, max = 3))]
    pub depth: Option<usize>,
    /// Follow links of these types only.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Only pages of these types.
    #[serde(default)]
    pub doc_types: Vec<String>,
    /// Only pages with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Only pages in this folder or below.
    pub folder: Option<String>,
    /// Only pages whose front matter has these values.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Whole sections instead of snippets.
    #[serde(default)]
    pub content: bool,
    /// Also the pages linked with each result.
    #[serde(default)]
    pub include_linked: bool,
    /// Also what led to each score.
    #[serde(default)]
    pub explain: bool,
    /// The answer takes at most this many tokens (4 ASCII bytes or one other character each).
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// What was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages, best first.
    pub results: Vec<PageResult>,
    /// Pages found by meaning or words before `limit`, at most a few hundred.
    pub total_found: usize,
    /// The evidence that ranked.
    pub search_type: SearchType,
    /// What was left out to fit `max_tokens`.
    pub omitted: Omitted,
    /// How true the index is.
    pub index: IndexState,
}

/// The evidence that ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchType {
    /// Meaning and words.
    Hybrid,
    /// Meaning alone.
    Vector,
    /// Words alone, as asked.
    Fulltext,
    /// Words alone, because there are no vectors to compare this query with.
    FulltextFallback,
}

/// A page that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageResult {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// 0 to 1, four decimals.
    pub score: f64,
    /// Where the score comes from.
    pub score_breakdown: ScoreBreakdown,
    /// Hops from the best result; absent beyond the depth.
    pub hop_distance: Option<usize>,
    /// What brought the page here first of all.
    pub relevance_reason: RelevanceReason,
    /// Its best sections.
    pub sections: Vec<SectionResult>,
    /// Pages linked with it, when asked for.
    pub linked_pages: Vec<LinkedPage>,
    /// What led to the score, when asked for.
    pub explanation: Option<Explanation>,
}

/// Parts of a score, each 0 to 1.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ScoreBreakdown {
    /// Cosine similarity of the best section with the query.
    pub vector_similarity: f64,
    /// Match of the words in the best section, relative to the best match of all.
    pub fulltext: f64,
    /// Relevance, or more where linked results pass more on.
    pub graph_proximity: f64,
}

/// What brought a page into the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum RelevanceReason {
    /// A link from or to a result.
    #[serde(rename = "direct_link")]
    DirectLink,
    /// A chain of two links.
    #[serde(rename = "2hop")]
    TwoHops,
    /// A chain of three links.
    #[serde(rename = "3hop")]
    ThreeHops,
    /// Its meaning.
    #[serde(rename = "vector_similarity")]
    VectorSimilarity,
    /// Its words.
    #[serde(rename = "fulltext")]
    Fulltext,
}

/// A section that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SectionResult {
    /// Names the section within its page.
    pub section_id: String,
    /// Its headings from the top of the page, joined with ` > `; empty before the first heading.
    pub heading: String,
    /// First and last line in the file, from 1.
    pub lines: [usize; 2],
    /// Line where the snippet begins.
    pub line: usize,
    /// The snippet, or the whole section.
    pub content: String,
    /// Where the query's words stand in `content`, as UTF-16 offsets `[start, end)`.
    pub highlights: Vec<[usize; 2]>,
    /// 0 to 1.
    pub score: f64,
}

/// A page linked with a result.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkedPage {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// The link's type.
    pub link_type: String,
    /// `outlink` or `backlink`, seen from the result.
    pub direction: &'static str,
    /// Its first words.
    pub summary: String,
}

/// What led to a score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    /// How the score was put together, with its numbers.
    pub formula: String,
    /// The query's words that counted.
    pub terms: Vec<String>,
    /// Relevance before links.
    pub relevance: f64,
    /// Every section that was found: id, relevance, cosine, words.
    pub sections: Vec<SectionEvidence>,
    /// The linked result that lifted the page, where one did.
    pub lifted_by: Option<LiftedBy>,
}

/// Evidence of one section.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SectionEvidence {
    /// Names the section within its page.
    pub section_id: String,
    /// Relevance.
    pub score: f64,
    /// Cosine similarity.
    pub vector_similarity: f64,
    /// Match of the words.
    pub fulltext: f64,
}

/// A result that lifted another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LiftedBy {
    /// Path of the result.
    pub filepath: String,
    /// Hops between the two.
    pub hops: usize,
    /// Type of the last link on the way.
    pub link_type: String,
    /// What arrived.
    pub passed: f64,
}

/// Answers the query.
///
/// # Errors
/// [`Error::InvalidParams`] for values out of range, [`Error::Model`], [`Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let defaults = &context.manifest.search;
    let limit = budget::ranged("limit", params.limit, defaults.limit.unwrap_or(10), 1, 20)?;
    let depth = budget::ranged("depth", params.depth, defaults.depth, 1, 3)?;
    let alpha = params.alpha.unwrap_or(defaults.alpha);
    if !(0.0..=1.0).contains(&alpha) {
        return Err(Error::invalid(format!("alpha is {alpha}; it must be from 0 to 1")));
    }
    if params.query.trim().is_empty() {
        return Err(Error::invalid("query is empty: give words, a question, or a \"phrase\""));
    }
    let mode = params.mode.unwrap_or_default();
    let query = text::Query::parse(&params.query);
    let (vector, matrix) = query_vector(context, mode, &params.query)?;
    let search_type = match (mode, &vector) {
        (SearchMode::Fulltext, _) => SearchType::Fulltext,
        (_, None) => SearchType::FulltextFallback,
        (SearchMode::Hybrid, _) => SearchType::Hybrid,
        (SearchMode::Vector, _) => SearchType::Vector,
    };
    let filter = Filter {
        doc_types: params.doc_types.clone(),
        tags: params.tags.clone(),
        folder: params.folder.clone(),
        fields: params.fields.clone(),
    };
    let graph = context.index.graph()?;
    let request = Request {
        query: &query,
        vector: vector.as_deref(),
        matrix: &matrix,
        graph: &graph,
        mode: if search_type == SearchType::FulltextFallback { SearchMode::Fulltext } else { mode },
        alpha,
        // Words alone were asked for, so links have no say.
        depth: if search_type == SearchType::Fulltext { 0 } else { depth },
        link_types: &params.link_types,
        filter: &filter,
    };
    let hits = context.index.read(|db| rank(db, &request))?;
    let total_found = hits.iter().filter(|hit| !hit.sections.is_empty()).count();
    let shown: Vec<Hit> = hits.into_iter().take(limit).collect();
    let mut output = Output {
        results: results(context, &params, &query, &graph, alpha, shown)?,
        total_found,
        search_type,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(&mut output, params.max_tokens, shrink)?;
    Ok(output)
}

/// The query's vector and what to compare it with; no vector where the comparison would mean nothing.
fn query_vector(
    context: &Context<'_>,
    mode: SearchMode,
    query: &str,
) -> Result<(Option<Vec<f32>>, Arc<VectorMatrix>)> {
    let nothing = || Ok((None, Arc::new(VectorMatrix::default())));
    let Some(embedder) = context.embedder else { return nothing() };
    if mode == SearchMode::Fulltext || !embedder.model().scripts.cover(query) {
        return nothing();
    }
    let matrix = context.index.vectors(&embedder.model().identity)?;
    if matrix.is_empty() {
        return nothing();
    }
    let vector = embedder.embed(TextKind::Query, &[query])?.pop();
    Ok((vector, matrix))
}

fn results(
    context: &Context<'_>,
    params: &Params,
    query: &text::Query,
    graph: &LinkGraph,
    alpha: f64,
    hits: Vec<Hit>,
) -> Result<Vec<PageResult>> {
    let linked: Vec<Vec<(i64, String, bool)>> =
        hits.iter()
            .map(|hit| {
                if params.include_linked {
                    neighbours(graph, hit.page, &params.link_types)
                } else {
                    Vec::new()
                }
            })
            .collect();
    let mut pages: Vec<i64> = hits.iter().map(|hit| hit.page).collect();
    pages.extend(hits.iter().filter_map(|hit| hit.lift.as_ref()).map(|lift| lift.from));
    pages.extend(linked.iter().flatten().map(|(page, ..)| *page));
    pages.sort_unstable();
    pages.dedup();
    let fields = context.page_fields(&pages)?;
    let of =
        |page: i64| fields.get(&page).cloned().ok_or_else(|| Error::Internal(format!("page {page} is gone")));
    context.index.read(|db| {
        hits.into_iter()
            .zip(linked)
            .map(|(hit, linked)| {
                let linked_pages = linked
                    .into_iter()
                    .map(|(page, link_type, outgoing)| {
                        Ok(LinkedPage {
                            page: of(page)?,
                            link_type,
                            direction: if outgoing { "outlink" } else { "backlink" },
                            summary: page::summary(db, page, SNIPPET)?,
                        })
                    })
                    .collect::<Result<_>>()?;
                let explanation =
                    if params.explain { Some(explain(db, &hit, query, alpha, &fields)?) } else { None };
                Ok(PageResult {
                    page: of(hit.page)?,
                    score: rounded(hit.score),
                    score_breakdown: ScoreBreakdown {
                        vector_similarity: rounded(hit.vector_similarity),
                        fulltext: rounded(hit.fulltext),
                        graph_proximity: rounded(hit.graph_proximity),
                    },
                    hop_distance: hit.hop_distance,
                    relevance_reason: reason(&hit),
                    sections: section_results(db, &hit, query, params.content)?,
                    linked_pages,
                    explanation,
                })
            })
            .collect()
    })
}

fn neighbours(graph: &LinkGraph, page: i64, types: &[String]) -> Vec<(i64, String, bool)> {
    let walk = Walk { depth: 1, direction: Direction::Both, types };
    graph
        .walk(page, walk)
        .into_iter()
        .take(LINKED)
        .map(|reached| (reached.page, reached.link_type.to_owned(), reached.outgoing))
        .collect()
}

fn reason(hit: &Hit) -> RelevanceReason {
    match &hit.lift {
        // The links did more than the page itself.
        Some(lift) if lift.passed > 2.0 * hit.relevance => match lift.hops {
            1 => RelevanceReason::DirectLink,
            2 => RelevanceReason::TwoHops,
            _ => RelevanceReason::ThreeHops,
        },
        _ if hit.vector_similarity > hit.fulltext => RelevanceReason::VectorSimilarity,
        _ => RelevanceReason::Fulltext,
    }
}

fn section_results(
    db: &Connection,
    hit: &Hit,
    query: &text::Query,
    whole: bool,
) -> Result<Vec<SectionResult>> {
    if hit.sections.is_empty() {
        let first: i64 = db
            .prepare_cached("SELECT coalesce(min(section), 0) FROM sections WHERE page = ?1 AND ordinal = 0")?
            .query_row([hit.page], |row| row.get(0))?;
        let scored = SectionScore { section: first, score: 0.0, vector_similarity: 0.0, fulltext: 0.0 };
        return Ok(section_result(db, scored, query, whole)?.into_iter().collect());
    }
    let mut results = Vec::new();
    for &scored in hit.sections.iter().take(SECTIONS) {
        results.extend(section_result(db, scored, query, whole)?);
    }
    Ok(results)
}

fn section_result(
    db: &Connection,
    scored: SectionScore,
    query: &text::Query,
    whole: bool,
) -> Result<Option<SectionResult>> {
    use rusqlite::OptionalExtension;
    let row: Option<(String, String, usize, usize, String)> = db
        .prepare_cached(
            "SELECT section_id, heading_path, first_line, last_line, text FROM sections WHERE section = ?1",
        )?
        .query_row([scored.section], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((section_id, heading_path, first, last, source)) = row else { return Ok(None) };
    let headings: Vec<String> = serde_json::from_str(&heading_path).unwrap_or_default();
    let most = if whole { usize::MAX } else { SNIPPET };
    let body = if whole { source.as_str() } else { without_heading(&source, !headings.is_empty()) };
    let skipped = source[..source.len() - body.len()].matches('\n').count();
    let snippet = text::snippet(body, query, most);
    let (content, line) = if whole {
        (source.clone(), first)
    } else {
        (snippet.text.clone(), first + skipped + snippet.line_offset)
    };
    let utf16 = |byte: usize| content.get(..byte).map_or(0, |before| before.encode_utf16().count());
    let highlights = if whole {
        Vec::new()
    } else {
        snippet.highlights.iter().map(|range| [utf16(range.start), utf16(range.end)]).collect()
    };
    Ok(Some(SectionResult {
        section_id,
        heading: headings.join(" > "),
        lines: [first, last],
        line,
        highlights,
        content,
        score: rounded(scored.score),
    }))
}

/// A section's text after its heading line, unless there is nothing else.
fn without_heading(source: &str, has_heading: bool) -> &str {
    match source.split_once('\n') {
        Some((_, body)) if has_heading && !body.trim().is_empty() => body,
        _ => source,
    }
}

fn explain(
    db: &Connection,
    hit: &Hit,
    query: &text::Query,
    alpha: f64,
    fields: &HashMap<i64, PageFields>,
) -> Result<Explanation> {
    let mut name = db.prepare_cached("SELECT section_id FROM sections WHERE section = ?1")?;
    let sections = hit
        .sections
        .iter()
        .map(|section| {
            Ok(SectionEvidence {
                section_id: name.query_row([section.section], |row| row.get(0))?,
                score: rounded(section.score),
                vector_similarity: rounded(section.vector_similarity),
                fulltext: rounded(section.fulltext),
            })
        })
        .collect::<Result<_>>()?;
    Ok(Explanation {
        formula: format!(
            "{:.4} = {alpha} * relevance {:.4} + {:.2} * graph proximity {:.4}",
            hit.score,
            hit.relevance,
            1.0 - alpha,
            hit.graph_proximity
        ),
        terms: query.active_terms().map(|term| term.text().to_owned()).collect(),
        relevance: rounded(hit.relevance),
        sections,
        lifted_by: hit.lift.as_ref().map(|lift| LiftedBy {
            filepath: fields.get(&lift.from).map(|page| page.filepath.clone()).unwrap_or_default(),
            hops: lift.hops,
            link_type: lift.link_type.clone(),
            passed: rounded(lift.passed),
        }),
    })
}

/// Takes away the least important part: linked pages and further sections from the end, then whole
/// results, at last text.
fn shrink(output: &mut Output, excess: usize) -> bool {
    if let Some(result) = output.results.iter_mut().rev().find(|r| !r.linked_pages.is_empty()) {
        result.linked_pages.pop();
        output.omitted.pages += 1;
        return true;
    }
    if let Some(result) = output.results.iter_mut().rev().find(|r| r.sections.len() > 1) {
        result.sections.pop();
        output.omitted.sections += 1;
        return true;
    }
    if output.results.len() > 1 {
        output.results.pop();
        output.omitted.pages += 1;
        return true;
    }
    let Some(result) = output.results.first_mut() else { return false };
    if let Some(section) = result.sections.first_mut() {
        output.omitted.text_cut = true;
        section.highlights.clear();
        if budget::cut(&mut section.content, excess) {
            return true;
        }
    }
    output.results.clear();
    output.omitted.pages += 1;
    true
}
