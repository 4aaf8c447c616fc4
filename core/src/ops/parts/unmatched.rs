//! Conditions and phrases of a query that match no page. They are the usual reason for an empty answer.

use crate::message::Message;
use rusqlite::Connection;

use crate::index::questions::fulltext;
use crate::index::{Filter, Unmatched, UnmatchedKind};
use crate::message;
use crate::page::LinkTypes;
use crate::show::{Page, Span};
use crate::text::{Phrase, Query};
use crate::{Context, Error, Result};

/// The conditions and phrases that match no page, a sentence each, with the values that exist.
pub(crate) fn of(db: &Connection, filter: &Filter, query: Option<&Query>) -> Result<Vec<Message>> {
    let mut unmatched: Vec<Message> = filter.unmatched(db)?.into_iter().map(sentence).collect();
    let phrases = query.map(Query::phrases).unwrap_or_default();
    let known = unmatched.len();
    for phrase in phrases {
        if fulltext::count_sections(db, &phrase.expression(), 1, None)? == 0 {
            unmatched.push(message!(
                "no page has the phrase \"{text}\"; without the quotes, pages with its words are found",
                text = phrase.text()
            ));
        }
    }
    if phrases.len() > 1 && unmatched.len() == known {
        let all: Vec<String> = phrases.iter().map(Phrase::expression).collect();
        if fulltext::count_sections(db, &all.join(" AND "), 1, None)? == 0 {
            unmatched.push(message!("no section has all of the phrases"));
        }
    }
    Ok(unmatched)
}

fn sentence(Unmatched { kind, value, known }: Unmatched) -> Message {
    let known = if known.is_empty() { None } else { Some(known.join(", ")) };
    match (kind, known) {
        (UnmatchedKind::Type, None) => message!("no page has the type '{value}'", value),
        (UnmatchedKind::Type, Some(known)) => {
            message!("no page has the type '{value}'; the types are {known}", value, known)
        }
        (UnmatchedKind::Tag, None) => message!("no page has the tag '{value}'", value),
        (UnmatchedKind::Tag, Some(known)) => {
            message!("no page has the tag '{value}'; the most frequent tags are {known}", value, known)
        }
        (UnmatchedKind::Folder, None) => message!("no page is in a folder '{value}'", value),
        (UnmatchedKind::Folder, Some(known)) => {
            message!("no page is in a folder '{value}'; the folders are {known}", value, known)
        }
        (UnmatchedKind::Field, None) => message!("no page has {value} in its front matter", value),
        (UnmatchedKind::Field, Some(known)) => {
            message!("no page has {value} in its front matter; its values are {known}", value, known)
        }
    }
}

/// Shows these sentences as warnings.
pub(crate) fn show(unmatched: &[Message], page: &mut dyn Page) {
    unmatched.iter().for_each(|sentence| page.warn(&[Span::said(sentence)]));
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
            Err(Error::invalid(message!(
                "unknown link type '{unknown}'; expected one of {known}",
                unknown,
                known = known.join(", ")
            )))
        }
    }
}
