//! Conditions and phrases of a query that match no page. They are the usual reason for an empty answer.

use rusqlite::Connection;

use crate::index::questions::fulltext;
use crate::index::{Filter, Unmatched, UnmatchedKind};
use crate::page::LinkTypes;
use crate::show::{Page, Span};
use crate::text::{Phrase, Query};
use crate::{Context, Error, Result};

/// The conditions and phrases that match no page, a sentence each, with the values that exist.
pub(crate) fn of(db: &Connection, filter: &Filter, query: Option<&Query>) -> Result<Vec<String>> {
    let mut unmatched: Vec<String> = filter.unmatched(db)?.into_iter().map(sentence).collect();
    let phrases = query.map(Query::phrases).unwrap_or_default();
    let known = unmatched.len();
    for phrase in phrases {
        if fulltext::count_sections(db, &phrase.expression(), 1, None)? == 0 {
            unmatched.push(format!(
                "no page has the phrase \"{}\"; without the quotes, pages with its words are found",
                phrase.text()
            ));
        }
    }
    if phrases.len() > 1 && unmatched.len() == known {
        let all: Vec<String> = phrases.iter().map(Phrase::expression).collect();
        if fulltext::count_sections(db, &all.join(" AND "), 1, None)? == 0 {
            unmatched.push("no section has all of the phrases".into());
        }
    }
    Ok(unmatched)
}

fn sentence(Unmatched { kind, value, known }: Unmatched) -> String {
    let (what, others) = match kind {
        UnmatchedKind::Type => (format!("no page has the type '{value}'"), "the types are"),
        UnmatchedKind::Tag => (format!("no page has the tag '{value}'"), "the most frequent tags are"),
        UnmatchedKind::Folder => (format!("no page is in a folder '{value}'"), "the folders are"),
        UnmatchedKind::Field => (format!("no page has {value} in its front matter"), "its values are"),
    };
    if known.is_empty() { what } else { format!("{what}; {others} {}", known.join(", ")) }
}

/// Shows these sentences as warnings.
pub(crate) fn show(unmatched: &[String], page: &mut dyn Page) {
    unmatched.iter().for_each(|sentence| page.warn(&[Span::Text(sentence)]));
}

/// Refuses link types that are neither types of this project nor in `others`.
///
/// # Errors
/// [`Error::InvalidParams`] for the first unknown type.
pub(crate) fn require_link_types(context: &Context<'_>, given: &[String], others: &[&str]) -> Result<()> {
    let types: LinkTypes = context.link_types();
    let is_known = |name: &str| types.exact(name).is_some() || others.contains(&name);
    match given.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let known: Vec<&str> = types.iter().collect();
            Err(Error::invalid(format!(
                "unknown link type '{unknown}'; expected one of {}",
                known.join(", ")
            )))
        }
    }
}
