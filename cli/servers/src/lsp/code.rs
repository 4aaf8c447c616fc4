//! Files that are not pages: which pages describe their symbols.

use lsp_types::{
    Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, Range, TextDocumentIdentifier,
};
use serde::{Deserialize, Serialize};
use ubp_core::Result;
use ubp_core::editor::{self, DescribedSymbol, Describing, Referred};
use ubp_core::message;

use super::navigation::locations;
use super::position::to_u32;
use super::projects::{Named, Served};
use super::requests::{Answer, Call, Subject};

/// The request for everything that pages describe of a file.
pub(super) const METHOD: &str = "ubp/described";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DescribedParams {
    text_document: TextDocumentIdentifier,
}

/// A symbol of the file, or the file, and the sections that describe it.
#[derive(Serialize)]
pub(super) struct DescribedRange {
    symbol: Option<String>,
    range: Range,
    sections: Vec<DescribingLocation>,
}

#[derive(Serialize)]
pub(super) struct DescribingLocation {
    title: String,
    heading: Option<String>,
    location: Location,
    stale: bool,
}

/// Answers `ubp/described`.
pub(super) fn described(call: &Call<'_>, params: DescribedParams) -> Answer<Vec<DescribedRange>> {
    let Some(subject) = call.subject(&params.text_document.uri)? else { return Ok(Vec::new()) };
    let Named::File(file) = &subject.named else { return Ok(Vec::new()) };
    let all = of_file(call, &subject, file)?;
    let ranges = all.into_iter().map(|symbol| DescribedRange {
        range: range(&symbol),
        sections: symbol
            .sections
            .iter()
            .filter_map(|section| {
                Some(DescribingLocation {
                    title: section.title.clone(),
                    heading: section.heading.clone(),
                    location: location(&subject.served, section)?,
                    stale: section.reason.is_some(),
                })
            })
            .collect(),
        symbol: symbol.symbol,
    });
    Ok(ranges.collect())
}

pub(super) fn of_file(call: &Call<'_>, subject: &Subject, file: &str) -> Result<Vec<DescribedSymbol>> {
    let text = subject.document.as_ref().map(|document| document.text.clone());
    call.at_once(subject, |context| editor::described(context, file, text.as_deref()))
}

/// The first line of the symbol, or of the file.
pub(super) fn range(symbol: &DescribedSymbol) -> Range {
    let line = to_u32(symbol.lines.map_or(1, |lines| lines.0).saturating_sub(1));
    Range::new(Position::new(line, 0), Position::new(line, 0))
}

pub(super) fn location(served: &Served, section: &Describing) -> Option<Location> {
    let position = Position::new(to_u32(section.line.saturating_sub(1)), 0);
    Some(Location::new(served.page_uri(&section.path)?, Range::new(position, position)))
}

/// The innermost described symbol with this line.
fn at(all: Vec<DescribedSymbol>, position: Position) -> Option<DescribedSymbol> {
    let line = position.line as usize + 1;
    let within =
        |symbol: &DescribedSymbol| symbol.lines.is_some_and(|(first, last)| first <= line && line <= last);
    let inner = |symbol: &DescribedSymbol| symbol.lines.map_or(usize::MAX, |(first, last)| last - first);
    all.into_iter().filter(within).min_by_key(inner)
}

pub(super) fn hover(
    call: &Call<'_>,
    subject: &Subject,
    file: &str,
    position: Position,
) -> Answer<Option<Hover>> {
    let Some(found) = at(of_file(call, subject, file)?, position) else { return Ok(None) };
    // Inside of long symbols, editors have something better to show.
    if found.lines.is_none_or(|(first, _)| first != position.line as usize + 1) {
        return Ok(None);
    }
    let language = call.server.abilities().language;
    let mut lines = vec![message!("Described in").in_language(language) + ":", String::new()];
    for section in &found.sections {
        let place = match &section.heading {
            Some(heading) if *heading != section.title => format!("{} › {heading}", section.title),
            _ => section.title.clone(),
        };
        let place = place.replace(['[', ']'], " ");
        let target = location(&subject.served, section)
            .map(|location| format!("{}#L{}", location.uri.as_str(), section.line))
            .unwrap_or_default();
        let stale = match section.reason {
            Some(_) => format!(" — {}", message!("to be reviewed").in_language(language)),
            None => String::new(),
        };
        lines.push(format!("- [{place}]({target}){stale}"));
    }
    let contents =
        HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: lines.join("\n") });
    Ok(Some(Hover { contents, range: None }))
}

/// The links and entries in pages that name the symbol at this place; of the whole file, outside of described symbols.
pub(super) fn references(
    call: &Call<'_>,
    subject: &Subject,
    file: &str,
    position: Position,
) -> Answer<Vec<Location>> {
    let found = at(of_file(call, subject, file)?, position).and_then(|symbol| symbol.symbol);
    let to = Referred::File { path: file, symbol: found.as_deref() };
    let found = call.at_once(subject, |context| editor::references(context, &subject.drafts, to))?;
    Ok(locations(call, &subject.served, found))
}
