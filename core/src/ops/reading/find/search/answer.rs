//! Turns ranked pages into the results of an answer.

use rusqlite::Connection;

use super::explain::explain;
use super::shown;
use super::{LinkedPage, PageResult, Params, RelevanceReason, ScoreBreakdown, SectionResult};
use crate::Context;
use crate::graph::{Direction, LinkGraph, Walk};
use crate::index::questions::sections::{self, SectionRow};
use crate::ops::{bounds, page};
use crate::search::{Hit, Request, SectionScore, rounded};
use crate::{Error, Result, text};

/// Maximum characters of a snippet.
const SNIPPET: usize = 240;
/// Maximum bytes of a result with snippets only, unless its only section is larger.
const LARGEST: usize = 2_000;
/// Maximum sections per page.
const SECTIONS: usize = 3;
/// Maximum linked pages per page.
pub(super) const LINKED: usize = 8;

pub(super) fn results(
    context: &Context<'_>,
    params: &Params,
    request: &Request<'_>,
    hits: Vec<Hit>,
) -> Result<Vec<PageResult>> {
    let linked: Vec<Vec<(i64, String, bool)>> = hits
        .iter()
        .map(|hit| {
            if params.include_linked {
                neighbours(request.graph, hit.page, &params.link_types)
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
                    if params.explain { Some(explain(db, &hit, request, &fields)?) } else { None };
                let mut result = PageResult {
                    page: of(hit.page)?,
                    score: rounded(hit.score),
                    score_breakdown: ScoreBreakdown {
                        vector_similarity: rounded(hit.vector_similarity),
                        fulltext: rounded(hit.fulltext),
                        graph_proximity: rounded(hit.graph_proximity),
                    },
                    hop_distance: hit.hop_distance,
                    relevance_reason: reason(&hit),
                    sections: section_results(db, &hit, request, params.content)?,
                    linked_pages,
                    explanation,
                };
                if !(params.content || params.include_linked || params.explain) {
                    keep_small(&mut result)?;
                }
                Ok(result)
            })
            .collect()
    })
}

/// Removes the least relevant sections while the result is larger than agents should have to read.
fn keep_small(result: &mut PageResult) -> Result<()> {
    while result.sections.len() > 1 {
        let json = serde_json::to_vec(result).map_err(|error| Error::Internal(error.to_string()))?;
        if json.len() <= LARGEST {
            break;
        }
        result.sections.pop();
    }
    Ok(())
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

pub(super) fn reason(hit: &Hit) -> RelevanceReason {
    match &hit.lift {
        // Links contributed more than the page itself.
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
    request: &Request<'_>,
    whole: bool,
) -> Result<Vec<SectionResult>> {
    if hit.sections.is_empty() {
        let first = sections::first_of(db, hit.page)?;
        let scored = SectionScore { section: first, ..SectionScore::default() };
        return Ok(section_result(db, scored, request, whole)?.into_iter().collect());
    }
    let mut results = Vec::new();
    for &scored in hit.sections.iter().take(SECTIONS) {
        results.extend(section_result(db, scored, request, whole)?);
    }
    Ok(results)
}

fn section_result(
    db: &Connection,
    scored: SectionScore,
    request: &Request<'_>,
    whole: bool,
) -> Result<Option<SectionResult>> {
    let Some(section) = sections::row(db, scored.section)? else { return Ok(None) };
    let SectionRow { section_id, heading_path: headings, lines: (first, last), text: source, .. } = section;
    let passage = match whole {
        true => None,
        false => shown::best(db, &scored, request)?,
    };
    // If the text was edited a moment ago, the passage may be out of range: then the whole section is shown.
    let visible = text::visible(&source);
    let part = passage.and_then(|passage| Some((visible.get(passage.bytes)?, passage.lines)));
    let (part, lines) = part.unwrap_or((&visible, (0, last.saturating_sub(first))));
    let (content, line, highlights) = if whole {
        (source.clone(), first, Vec::new())
    } else {
        let body = without_heading(part, lines.0 == 0 && !headings.is_empty());
        let skipped = part[..part.len() - body.len()].matches('\n').count();
        let snippet = text::snippet(body, request.query, SNIPPET);
        (snippet.text, first + lines.0 + skipped + snippet.line_offset, snippet.highlights)
    };
    let utf16 = |byte: usize| content.get(..byte).map_or(0, |before| before.encode_utf16().count());
    let highlights = highlights.iter().map(|range| [utf16(range.start), utf16(range.end)]).collect();
    Ok(Some(SectionResult {
        section_id,
        heading: bounds::title(headings.join(" > ")),
        lines: [first + lines.0, first + lines.1],
        line,
        highlights,
        content,
        score: rounded(scored.score),
    }))
}

/// A section's text after its heading line, unless there is nothing else.
pub(in crate::ops) fn without_heading(source: &str, has_heading: bool) -> &str {
    match source.split_once('\n') {
        Some((_, body)) if has_heading && !body.trim().is_empty() => body,
        _ => source,
    }
}
