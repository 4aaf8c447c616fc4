//! What is wrong with an open page, each with its place in the text.

use std::ops::Range;

use super::places::source_place;
use super::{OpenPage, Place, Places, SectionSource};
use crate::drafts::Drafts;
use crate::index::questions::links::LinkOfPage;
use crate::index::questions::pages;
use crate::message;
use crate::ops::doctor::{
    Finding, Severity, ambiguous_link, broken_unless_elsewhere, finding, missing_heading,
};
use crate::page::{Link, Value, front_texts};
use crate::show::what_is_wrong;
use crate::templates::{Breach, Templates, breaches};
use crate::{Context, Result, path};

/// A finding, and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct TextFinding {
    /// Bytes of the page's text.
    pub range: Range<usize>,
    /// The finding, as [`doctor`](crate::ops::doctor) tells it.
    pub finding: Finding,
    /// For `stale_section` and `stale_page`, the name under which `review_page` takes it: `path` or `path#heading`.
    pub review: Option<String>,
}

/// Problems of the page on the screen, in the order of the text: broken and ambiguous links, missing headings, blocks and
/// symbols, sources that are missing, `stale` ones as [`changed_sources`](super::changed_sources) tells them, what breaks the
/// template of its type.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`], [`crate::Error::Cancelled`].
pub fn findings(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    stale: &[SectionSource],
) -> Result<Vec<TextFinding>> {
    let mut found: Vec<TextFinding> = Vec::new();
    let mut add = |range: Range<usize>, finding: Finding| {
        found.push(TextFinding { range, finding: finding.at(&open.path, None), review: None });
    };
    for diagnostic in &open.page.diagnostics {
        add(
            open.line(diagnostic.line),
            finding(Severity::Warning, &diagnostic.code, diagnostic.message.clone()),
        );
    }
    let mut places = Places::of(context, drafts, open);
    for link in &open.page.links {
        if let Some(finding) = of_link(context, link, places.lead(link)?) {
            add(link.range.clone(), finding);
        }
    }
    for (range, named) in entries(open) {
        if !named.contains(['*', '?', '[']) && path::is_inside(&named) {
            let place = source_place(context, &named).unwrap_or(Place::Nowhere);
            let is_missing = matches!(&place, Place::File { symbol: Some(_), lines: None, .. })
                || (matches!(place, Place::Nowhere)
                    && context.source.match_sources(std::slice::from_ref(&named))?.is_empty());
            if is_missing {
                let told = message!("{named} is missing", named);
                add(
                    range,
                    finding(Severity::Warning, "missing_source", told)
                        .hint(message!("correct the entry, or remove it")),
                );
            }
        }
    }
    for breach in broken_rules(context, open, &mut places)? {
        add(
            open.line(breach.line),
            finding(Severity::Warning, &breach.code, breach.message).hint(breach.hint),
        );
    }
    found.extend(stale.iter().map(|source| of_source(open, source)));
    found.sort_by_key(|found| (found.range.start, found.range.end));
    Ok(found)
}

fn of_link(context: &Context<'_>, link: &Link, place: &Place) -> Option<Finding> {
    match place {
        Place::Nowhere => broken_unless_elsewhere(context, &link.target),
        Place::Page(place) => match &place.anchor {
            Some(anchor) if place.line.is_none() => Some(missing_heading(&link.target, &place.path, anchor)),
            _ if place.ambiguous => Some(ambiguous_link(&link.target, &place.path)),
            _ => None,
        },
        Place::File { path, symbol: Some(symbol), lines: None } if !path::is_lines(symbol) => {
            let told = message!("broken link: {path} has no symbol '{symbol}'", path, symbol);
            let hint = message!("fix the name after the #");
            Some(finding(Severity::Warning, "missing_symbol", told).hint(hint))
        }
        Place::File { .. } | Place::Attachment(_) => None,
    }
}

/// The entries of `source_refs`, each with its place in the front matter.
pub(super) fn entries(open: &OpenPage) -> Vec<(Range<usize>, String)> {
    let texts = front_texts(&open.text).into_iter();
    let named = texts.filter(|text| matches!(text.key.as_str(), "source_refs" | "sourceRefs"));
    let named = named.filter(|text| !text.value.is_empty());
    named
        .map(|text| (within_quotes(open, text.range.clone()), path::source_entry(&text.value).to_owned()))
        .collect()
}

/// The bytes of a value in front matter without its quotes.
fn within_quotes(open: &OpenPage, range: Range<usize>) -> Range<usize> {
    let written = open.text.get(range.clone()).unwrap_or_default();
    let is_quoted = |mark: char| written.len() > 1 && written.starts_with(mark) && written.ends_with(mark);
    if is_quoted('\'') || is_quoted('"') { range.start + 1..range.end - 1 } else { range }
}

fn broken_rules<'a>(
    context: &Context<'_>,
    open: &'a OpenPage,
    places: &mut Places<'a, '_>,
) -> Result<Vec<Breach>> {
    let Some(Value::Text(doc_type)) = open.page.front_matter.get("type") else { return Ok(Vec::new()) };
    let templates = Templates::load(context)?;
    let own = templates.of_type(doc_type);
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let mut links = Vec::new();
    for link in &open.page.links {
        let target_type = match places.lead(link)? {
            Place::Page(place) => context.index.read(|db| match pages::at(db, &place.path)? {
                Some(number) => Ok(Some(pages::row(db, number)?.doc_type)),
                None => Ok(None),
            })?,
            _ => None,
        };
        let (line, link_type, target) = (link.line, link.link_type.clone(), link.target.clone());
        links.push(LinkOfPage { line, link_type, target, target_type });
    }
    Ok(breaches(&own, &open.text, &open.page, &links))
}

fn of_source(open: &OpenPage, source: &SectionSource) -> TextFinding {
    let file = &source.stale.file_path;
    let wrong = what_is_wrong(&source.stale);
    let message = message!("{file} {wrong}", file, wrong);
    let section = source.section.as_ref().and_then(|id| {
        let sections = &open.page.sections;
        sections.iter().find(|section| section.id == *id && section.level > 0)
    });
    let (range, code, name) = match section {
        Some(section) => {
            (open.line(section.lines.0), "stale_section", format!("{}#{}", open.path, section.heading))
        }
        None => (top(open), "stale_page", open.path.clone()),
    };
    let hint = message!("read it again, and mark it as reviewed");
    let finding = finding(Severity::Warning, code, message).at(&open.path, None).hint(hint);
    TextFinding { range, finding, review: Some(name) }
}

/// The title of the page, for what concerns all of it.
fn top(open: &OpenPage) -> Range<usize> {
    let first = open.page.sections.iter().find(|section| section.level > 0);
    open.line(first.map_or(1, |section| section.lines.0))
}
