//! Judgements by page number: the measurable queries, and the judgements that match no page.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Judgement, Query, Unresolved, UnresolvedJudgement, documents::Library};
use crate::Context;
use crate::index::questions::pages;
use crate::message;
use crate::ops::page::{Found, look_up};
use crate::{Error, Result};

/// Maximum examples of judgements that match no page.
const SHOWN: usize = 10;

/// The judgements of a set.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Grades by page, by query; only queries with a relevant page.
    pub grades: HashMap<String, HashMap<i64, i64>>,
    pub unresolved: Unresolved,
    /// Judgements whose query is not in the set.
    pub unknown_queries: usize,
}

/// Finds the pages that judgements name: documents by id, pages of a project by any name.
pub(super) fn resolve(
    context: &Context<'_>,
    library: Option<&Library>,
    queries: &[Query],
    judgements: &[Judgement],
) -> Result<Judged> {
    let mut known = HashSet::new();
    for query in queries {
        if query.id.trim().is_empty() {
            return Err(Error::invalid(message!("a query's id is empty")));
        }
        if query.text.trim().is_empty() {
            return Err(Error::invalid(message!("the query '{id}' is empty", id = query.id)));
        }
        if !known.insert(query.id.as_str()) {
            return Err(Error::invalid(message!("duplicate query '{id}'", id = query.id)));
        }
    }
    let pages = pages(context, library, judgements)?;
    let mut judged = Judged::default();
    for judgement in judgements {
        if !known.contains(judgement.query.as_str()) {
            judged.unknown_queries += 1;
            continue;
        }
        match pages.get(judgement.page.as_str()) {
            Some(Found::Page(page)) => {
                // If two judgements name the same page, the higher grade counts.
                let grades = judged.grades.entry(judgement.query.clone()).or_default();
                let grade = grades.entry(*page).or_insert(judgement.grade);
                *grade = judgement.grade.max(*grade);
            }
            other => {
                judged.unresolved.count += 1;
                if judged.unresolved.examples.len() < SHOWN {
                    judged.unresolved.examples.push(UnresolvedJudgement {
                        query: judgement.query.clone(),
                        page: judgement.page.clone(),
                        candidates: match other {
                            Some(Found::Several(paths)) => paths.clone(),
                            _ => Vec::new(),
                        },
                    });
                }
            }
        }
    }
    judged.grades.retain(|_, grades| grades.values().any(|&grade| grade > 0));
    Ok(judged)
}

/// The page for every name in the judgements.
fn pages<'a>(
    context: &Context<'_>,
    library: Option<&Library>,
    judgements: &'a [Judgement],
) -> Result<HashMap<&'a str, Found>> {
    let mut pages = HashMap::new();
    context.index.read(|db| {
        let paths = if library.is_some() { pages::paths(db)? } else { Vec::new() };
        let by_path: BTreeMap<String, i64> = paths.into_iter().map(|(page, path)| (path, page)).collect();
        for judgement in judgements {
            let name = judgement.page.as_str();
            if pages.contains_key(name) {
                continue;
            }
            context.cancel.check()?;
            let found = match library {
                None => look_up(db, name)?,
                Some(library) => {
                    let page = library.paths.get(name).and_then(|path| by_path.get(path));
                    page.map_or(Found::Nothing, |&page| Found::Page(page))
                }
            };
            pages.insert(name, found);
        }
        Ok(())
    })?;
    Ok(pages)
}
