//! What of a question is nowhere in the project, so that an empty answer is not taken for a true one.

use rusqlite::Connection;

use crate::index::questions::{fulltext, pages};
use crate::search::Filter;
use crate::show::{Page, Span};
use crate::{Result, text};

/// Types that a message names.
const NAMED: usize = 12;

/// A sentence for each condition that no page meets, whatever the others are.
pub(crate) fn conditions(db: &Connection, filter: &Filter) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    let is_met = |one: Filter| Ok::<_, crate::Error>(one.allowed(db)?.is_none_or(|pages| !pages.is_empty()));
    for doc_type in &filter.doc_types {
        if !is_met(Filter { doc_types: vec![doc_type.clone()], ..Filter::default() })? {
            let there: Vec<String> =
                pages::types(db)?.into_iter().take(NAMED).map(|(name, _)| name).collect();
            unknown.push(format!("no page has the type '{doc_type}'; there are {}", there.join(", ")));
        }
    }
    for tag in &filter.tags {
        if !is_met(Filter { tags: vec![tag.clone()], ..Filter::default() })? {
            unknown.push(format!("no page has the tag '{tag}'"));
        }
    }
    if let Some(folder) = &filter.folder
        && !is_met(Filter { folder: Some(folder.clone()), ..Filter::default() })?
    {
        unknown.push(format!("no page is in the folder '{folder}'"));
    }
    for (key, value) in &filter.fields {
        if !is_met(Filter { fields: [(key.clone(), value.clone())].into(), ..Filter::default() })? {
            unknown.push(format!("no page has '{value}' in the field '{key}'"));
        }
    }
    Ok(unknown)
}

/// A sentence for each phrase in quotes that no page has.
pub(crate) fn phrases(db: &Connection, query: &text::Query) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    for phrase in query.phrases() {
        if !fulltext::is_anywhere(db, &phrase.expression())? {
            unknown.push(format!("no page has the phrase \"{}\"", phrase.text()));
        }
    }
    Ok(unknown)
}

/// Tells what is unknown.
pub(crate) fn show(unknown: &[String], page: &mut dyn Page) {
    for sentence in unknown {
        page.note(&[Span::Text(sentence)]);
    }
}
