//! Search over several projects, in one ranking.

use std::sync::Arc;

use super::{Asked, Output, PageResult, Params, Prepared, SearchMode, SearchType, answer, filter};
use super::{is_about_the_query, show, shrink};
use crate::graph::LinkGraph;
use crate::message::Message;
use crate::ops::budget::{self, Omitted};
use crate::ops::page::IndexState;
use crate::ops::unmatched;
use crate::search::across::{Member, rank_across};
use crate::search::{Hit, Request, Vocabulary, correct};
use crate::{Context, Error, Result, message, text};

/// The graph of several projects and the links between them, from their graphs.
pub(crate) type Joined<'a> = &'a dyn Fn(&[Arc<LinkGraph>]) -> Arc<LinkGraph>;

/// Runs the query on projects, sorted by name, each in one state of its index. Pages are named `project:path`.
///
/// # Errors
/// As [`super::run`]; [`Error::InvalidParams`] without a project.
pub(crate) fn run_across(
    projects: &[(&str, Context<'_>)],
    joined: Joined<'_>,
    params: Params,
) -> Result<Output> {
    let (_, first) = projects.first().ok_or_else(|| Error::Internal("no project to search".into()))?;
    let Asked { limit, depth, alpha } = Asked::of(first, &params)?;
    if params.explain {
        return Err(Error::invalid(message!(
            "`explain` explains the scores of one project: name it in `projects`"
        )));
    }
    let filter = filter(&params);
    let mode = params.mode.unwrap_or_default();
    let indexes = projects.iter().map(|(_, context)| context.index.connection());
    let indexes = indexes.collect::<Result<Vec<_>>>()?;
    let vocabularies: Vec<&dyn Vocabulary> = indexes.iter().map(|&db| db as _).collect();
    let corrected = correct(&vocabularies, &text::Query::parse(&params.query))?;
    let (mut known, mut prepared) = (Vec::new(), Vec::with_capacity(projects.len()));
    for (_, context) in projects {
        let own = Prepared::corrected(context, text::Query::parse(&params.query), corrected.clone())?;
        prepared.push(match mode {
            SearchMode::Fulltext => own,
            _ => own.with_meaning_from(context, &mut known)?,
        });
    }
    let search_type =
        prepared.iter().map(|own| own.search_type(mode)).find(|found| *found != SearchType::FulltextFallback);
    let search_type = search_type.unwrap_or(SearchType::FulltextFallback);
    let mut members = Vec::with_capacity(projects.len());
    for (db, own) in indexes.into_iter().zip(&prepared) {
        members.push(Member { db, request: own.request(mode, alpha, depth, &params.link_types, &filter) });
    }
    let graphs: Vec<_> = prepared.iter().map(|own| own.graph.clone()).collect();
    let graph = joined(&graphs);
    let by_words = matches!(search_type, SearchType::Fulltext | SearchType::FulltextFallback);
    let whole = Request {
        graph: &graph,
        mode: if by_words { SearchMode::Fulltext } else { mode },
        depth: if search_type == SearchType::Fulltext { 0 } else { depth },
        ..prepared[0].request(mode, alpha, depth, &params.link_types, &filter)
    };
    let found = rank_across(&members, &whole)?;
    let total_found = found.len();
    let shown: Vec<(usize, Hit)> = found.into_iter().take(limit).collect();
    let results = named_results(projects, &members, &params, shown)?;
    let (results, nearby) = results.into_iter().partition(is_about_the_query);
    let mut output = Output {
        results,
        nearby,
        total_found,
        search_type,
        corrected_query: corrected,
        asked: params.query.clone(),
        unmatched: unmatched_everywhere(&members)?,
        fallback: prepared
            .iter()
            .find_map(|own| own.fallback)
            .filter(|_| search_type == SearchType::FulltextFallback),
        omitted: Omitted::default(),
        index: state(projects)?,
    };
    budget::fit(first, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// The results in order, with pages named `project:path`.
pub(super) fn named_results(
    projects: &[(&str, Context<'_>)],
    members: &[Member<'_>],
    params: &Params,
    shown: Vec<(usize, Hit)>,
) -> Result<Vec<PageResult>> {
    let mut results = Vec::with_capacity(shown.len());
    for (at, mut hit) in shown {
        let (name, context) = &projects[at];
        // The page that lifted this one may be in another project, and is named only in explanations.
        let lift = hit.lift.take();
        let mut found = answer::results(context, params, &members[at].request, vec![hit.clone()])?;
        for mut result in found.drain(..) {
            if let Some(lift) = lift.clone() {
                hit.lift = Some(lift);
                result.relevance_reason = answer::reason(&hit);
            }
            let linked = result.linked_pages.iter_mut().map(|linked| &mut linked.page.filepath);
            for path in std::iter::once(&mut result.page.filepath).chain(linked) {
                *path = format!("{name}:{path}");
            }
            results.push(result);
        }
    }
    Ok(results)
}

/// Conditions and phrases that match no page of any project. Those of the first project, if all have some: which values
/// exist differs between projects.
fn unmatched_everywhere(members: &[Member<'_>]) -> Result<Vec<Message>> {
    let mut first = None;
    for Member { db, request } in members {
        let own = unmatched::of(db, request.filter, Some(request.query))?;
        if own.is_empty() {
            return Ok(Vec::new());
        }
        first.get_or_insert(own);
    }
    Ok(first.unwrap_or_default())
}

pub(super) fn state(projects: &[(&str, Context<'_>)]) -> Result<IndexState> {
    let mut all = IndexState { fresh: true, pending: 0, head: None };
    for (_, context) in projects {
        all.fresh &= context.refreshed;
        all.pending += context.pending_sections()?;
    }
    Ok(all)
}
