//! Search over several projects whose texts and vectors are in another database.

use std::collections::{BTreeMap, HashSet};

use super::across::{Joined, named_results, state};
use super::answer::LINKED;
use super::{Asked, Output, Params, Prepared, SearchMode, SearchType, filter};
use super::{is_about_the_query, show, shrink};
use crate::graph::{Direction, LinkGraph, Walk};
use crate::hub::in_one_state_each;
use crate::index::questions::names;
use crate::index::received::{pages_with_sections, put_sections};
use crate::message::Message;
use crate::ops::budget::{self, Omitted};
use crate::ops::unmatched;
use crate::search::across::{Member, SharedEvidence, SharedTexts, SharedVocabulary};
use crate::search::across::{member_of, number, rank_shared, sought, within};
use crate::search::{Hit, Request, correct};
use crate::{Context, Error, Result, message, text};

/// Runs the query on projects, sorted by name, as [`super::run_across`].
///
/// # Errors
/// As [`super::run`]; [`Error::SharedIndex`].
pub(crate) fn run_shared(
    projects: &[(&str, Context<'_>)],
    texts: &dyn SharedTexts,
    joined: Joined<'_>,
    params: Params,
) -> Result<Output> {
    let (_, first) = projects.first().ok_or_else(|| Error::Internal("no project to search".into()))?;
    let Asked { limit, depth, alpha } = Asked::of(first, &params)?;
    if params.explain {
        return Err(Error::invalid(message!(
            "`explain` explains the scores of an index in files: ask the project itself"
        )));
    }
    let filter = filter(&params);
    let mode = params.mode.unwrap_or_default();
    let asked = text::Query::parse(&params.query);
    let mut allowed = Vec::with_capacity(projects.len());
    for (_, context) in projects {
        allowed.push(context.index.read(|db| filter.allowed(db))?);
    }
    let among = || projects.iter().zip(&allowed).map(|((name, _), pages)| (*name, pages.clone())).collect();
    let evidence = texts.find(&sought(&asked, mode, among()))?;
    let corrected = corrected(projects, texts, &evidence, &asked)?;
    let (query, evidence) = match &corrected {
        Some(text) => {
            let query = text::Query::parse(text);
            let evidence = texts.find(&sought(&query, mode, among()))?;
            (query, evidence)
        }
        None => (asked, evidence),
    };
    let mut prepared = Vec::with_capacity(projects.len());
    for (_, context) in projects {
        let own = Prepared::corrected(context, query.clone(), None)?;
        prepared.push(match mode {
            SearchMode::Fulltext => own,
            _ => own.ranked_elsewhere(evidence.fallback),
        });
    }
    let search_type = prepared.first().map_or(SearchType::Fulltext, |own| own.search_type(mode));
    let graphs: Vec<_> = prepared.iter().map(|own| own.graph.clone()).collect();
    let graph = joined(&graphs);
    let whole =
        Request { graph: &graph, ..prepared[0].request(mode, alpha, depth, &params.link_types, &filter) };
    let request = |at: usize| prepared[at].request(mode, alpha, depth, &params.link_types, &filter);
    let mut unmatched = None;
    let contexts: Vec<Context<'_>> = projects.iter().map(|(_, context)| *context).collect();
    let found = in_one_state_each(&contexts, Vec::new(), &mut |contexts| {
        let members = members_of(contexts, &request)?;
        for Member { db, .. } in &members {
            let own = unmatched::of(db, &filter, None)?;
            unmatched = Some(match unmatched.take() {
                Some(known) if !own.is_empty() => known,
                _ => own,
            });
        }
        rank_shared(&members, &allowed, &whole, &evidence)
    })?;
    let total_found = found.len();
    let mut shown: Vec<(usize, Hit)> = found.into_iter().take(limit).collect();
    bring_sections(projects, texts, &mut shown, params.include_linked.then_some((&*graph, &params)))?;
    let results = in_one_state_each(&contexts, Vec::new(), &mut |contexts| {
        let named: Vec<(&str, Context<'_>)> =
            projects.iter().map(|(name, _)| *name).zip(contexts.iter().copied()).collect();
        named_results(&named, &members_of(contexts, &request)?, &params, shown.clone())
    })?;
    let (results, nearby) = results.into_iter().partition(is_about_the_query);
    let mut output = Output {
        results,
        nearby,
        total_found,
        search_type,
        corrected_query: corrected,
        asked: params.query.clone(),
        unmatched: unmatched.unwrap_or_default(),
        fallback: evidence.fallback.filter(|_| search_type == SearchType::FulltextFallback),
        omitted: Omitted::default(),
        index: state(projects)?,
    };
    if evidence.words.is_empty() && output.results.is_empty() {
        output.unmatched.extend(without_phrases(&query));
    }
    budget::fit(first, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// The query without mistyped words; `evidence` is what was found for it.
fn corrected(
    projects: &[(&str, Context<'_>)],
    texts: &dyn SharedTexts,
    evidence: &SharedEvidence,
    query: &text::Query,
) -> Result<Option<String>> {
    let is_in_name = |expression: &str| {
        projects.iter().try_fold(false, |has, (_, context)| {
            Ok(has || context.index.read(|db| names::has(db, expression))?)
        })
    };
    let names: Vec<&str> = projects.iter().map(|(name, _)| *name).collect();
    correct(&[&SharedVocabulary { texts, projects: &names, evidence, is_in_name: &is_in_name }], query)
}

fn members_of<'m, 'r: 'm>(
    contexts: &[Context<'m>],
    request: &impl Fn(usize) -> Request<'r>,
) -> Result<Vec<Member<'m>>> {
    let member = |(at, context): (usize, &Context<'m>)| {
        Ok(Member { db: context.index.connection()?, request: request(at) })
    };
    contexts.iter().enumerate().map(member).collect()
}

/// What to say about phrases that no section has.
fn without_phrases(query: &text::Query) -> Option<Message> {
    match query.phrases() {
        [] => None,
        [phrase] => Some(message!(
            "no page has the phrase \"{text}\"; without the quotes, pages with its words are found",
            text = phrase.text()
        )),
        _ => Some(message!("no section has all of the phrases")),
    }
}

/// Brings in the sections of the shown pages, and names the passages as they are stored here.
fn bring_sections(
    projects: &[(&str, Context<'_>)],
    texts: &dyn SharedTexts,
    shown: &mut [(usize, Hit)],
    linked: Option<(&LinkGraph, &Params)>,
) -> Result<()> {
    let mut wanted: BTreeMap<usize, HashSet<i64>> = BTreeMap::new();
    for (at, hit) in &*shown {
        wanted.entry(*at).or_default().insert(hit.page);
        let Some((graph, params)) = linked else { continue };
        let walk = Walk { depth: 1, direction: Direction::Both, types: &params.link_types };
        for reached in graph.walk(number(*at, hit.page), walk).into_iter().take(LINKED) {
            wanted.entry(member_of(reached.page)).or_default().insert(within(reached.page));
        }
    }
    for (at, pages) in wanted {
        let (name, context) = &projects[at];
        bring(name, context, texts, pages)?;
    }
    for (at, hit) in shown {
        let (_, context) = &projects[*at];
        context.index.read(|db| {
            for section in &mut hit.sections {
                let Some(passage) = section.passage else { continue };
                if crate::index::questions::sections::passage(db, passage)?.is_none() {
                    section.passage = Some(section.section);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Brings in the sections of pages that are not there yet.
pub(crate) fn bring(
    name: &str,
    context: &Context<'_>,
    texts: &dyn SharedTexts,
    pages: HashSet<i64>,
) -> Result<()> {
    let known: HashSet<i64> = context.index.read(pages_with_sections)?.into_iter().collect();
    let missing: Vec<i64> = pages.into_iter().filter(|page| !known.contains(page)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let sections = texts.sections(name, &missing)?;
    context
        .index
        .index()
        .write(|db| sections.iter().try_for_each(|(page, sections)| put_sections(db, *page, sections)))
}
