//! What a question asks for and the project has nowhere: a name that is spelled differently is the usual reason of an
//! empty answer, and a phrase that is nowhere gets an answer of its single words.

use rusqlite::Connection;

use crate::index::questions::fulltext;
use crate::index::{Filter, Unmatched, UnmatchedKind};
use crate::page::LinkTypes;
use crate::show::{Page, Span};
use crate::text::Query;
use crate::{Context, Error, Result};

/// The conditions and phrases that no page at all has.
pub(crate) fn of(db: &Connection, filter: &Filter, query: Option<&Query>) -> Result<Vec<Unmatched>> {
    let mut unmatched = filter.unmatched(db)?;
    for phrase in query.map(Query::phrases).unwrap_or_default() {
        if fulltext::count_sections(db, &phrase.expression(), 1, None)? == 0 {
            let value = phrase.tokens().join(" ");
            unmatched.push(Unmatched { kind: UnmatchedKind::Phrase, value, known: Vec::new() });
        }
    }
    Ok(unmatched)
}

/// Tells them, each with what there is instead.
pub(crate) fn show(unmatched: &[Unmatched], page: &mut dyn Page) {
    for Unmatched { kind, value, known } in unmatched {
        let known = known.join(", ");
        let known = match kind {
            UnmatchedKind::Phrase => "; pages with its words are listed instead".to_owned(),
            _ if known.is_empty() => String::new(),
            UnmatchedKind::Type => format!("; the types are {known}"),
            UnmatchedKind::Tag => format!("; the most frequent tags are {known}"),
            UnmatchedKind::Folder => format!("; the folders are {known}"),
            UnmatchedKind::Field => format!("; its values are {known}"),
        };
        let what = match kind {
            UnmatchedKind::Type => format!("no page has the type '{value}'"),
            UnmatchedKind::Tag => format!("no page has the tag '{value}'"),
            UnmatchedKind::Folder => format!("no page is in a folder '{value}'"),
            UnmatchedKind::Field => format!("no page has {value} in its front matter"),
            UnmatchedKind::Phrase => format!("the phrase \"{value}\" is on no page"),
        };
        page.warn(&[Span::Text(&what), Span::Text(&known)]);
    }
}

/// Refuses types of links that are neither types of this project nor among `others`.
///
/// # Errors
/// [`Error::InvalidParams`] naming the first.
pub(crate) fn require_link_types(context: &Context<'_>, given: &[String], others: &[&str]) -> Result<()> {
    let types: LinkTypes = context.link_types();
    let is_known = |name: &str| types.exact(name).is_some() || others.contains(&name);
    match given.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let known: Vec<&str> = types.iter().collect();
            Err(Error::invalid(format!(
                "'{unknown}' is no type of link here; the types are {}",
                known.join(", ")
            )))
        }
    }
}
