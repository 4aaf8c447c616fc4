//! Symbols: the headings of a page, and pages of the workspace by name and by meaning.

use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf, Position, Range,
    SymbolKind, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use ubp_core::editor::OpenPage;
use ubp_core::ops::{complete, search};
use ubp_core::page::Section;

use super::position::{Lines, to_u32};
use super::projects::Served;
use super::requests::{Answer, Call};

/// Maximum number of symbols of a project that are found by name.
const BY_NAME: usize = 50;
/// Maximum number that are found by their meaning.
const BY_MEANING: usize = 10;
/// Shorter questions are names.
const QUESTION: usize = 4;

pub(super) fn of_document(
    call: &Call<'_>,
    params: DocumentSymbolParams,
) -> Answer<Option<DocumentSymbolResponse>> {
    call.on_page(&params.text_document.uri, |_, _, open| {
        let lines = call.lines(&open.text);
        let sections: Vec<&Section> = open.page.sections.iter().filter(|section| section.level > 0).collect();
        let mut rest = sections.as_slice();
        Ok(Some(DocumentSymbolResponse::Nested(nested(open, &lines, &mut rest, 0))))
    })
}

/// The headings below one of `level`, taken from the front of `rest`.
fn nested(open: &OpenPage, lines: &Lines<'_>, rest: &mut &[&Section], level: u8) -> Vec<DocumentSymbol> {
    let mut found = Vec::new();
    while let Some((section, after)) = rest.split_first().filter(|(section, _)| section.level > level) {
        *rest = after;
        let children = nested(open, lines, rest, section.level);
        let end = rest.first().map_or(open.text.len(), |next| next.range.start);
        let trimmed = open.text.get(section.range.start..end).unwrap_or_default().trim_end().len();
        #[allow(deprecated)]
        found.push(DocumentSymbol {
            // A heading without words still needs a name.
            name: if section.heading.is_empty() { "#".into() } else { section.heading.clone() },
            detail: None,
            kind: SymbolKind::STRING,
            tags: None,
            deprecated: None,
            range: lines.range(section.range.start..section.range.start + trimmed),
            selection_range: lines.range(open.line(section.lines.0)),
            children: Some(children),
        });
    }
    found
}

pub(super) fn of_workspace(
    call: &Call<'_>,
    params: WorkspaceSymbolParams,
) -> Answer<Option<WorkspaceSymbolResponse>> {
    let query = params.query.trim();
    let mut found = Vec::new();
    for served in call.server.projects.all_opened() {
        call.cancel.check()?;
        let (names, results) = call.fresh(&served, |context| {
            let by_name = complete::Params { text: query.to_owned(), limit: Some(BY_NAME) };
            let names = complete::run(context, by_name)?.pages;
            if query.chars().count() < QUESTION {
                return Ok((names, Vec::new()));
            }
            let params =
                search::Params { query: query.to_owned(), limit: Some(BY_MEANING), ..Default::default() };
            Ok((names, search::run(context, params)?.results))
        })?;
        for page in &names {
            let container = (page.name != page.title).then(|| page.title.clone());
            found.extend(symbol(&served, &page.filepath, &page.name, SymbolKind::FILE, container, 1));
        }
        for page in &results {
            for section in &page.sections {
                let name = if section.heading.is_empty() { &page.page.title } else { &section.heading };
                let container = Some(page.page.title.clone());
                let path = &page.page.filepath;
                found.extend(symbol(&served, path, name, SymbolKind::STRING, container, section.line));
            }
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Nested(found)))
}

fn symbol(
    served: &Served,
    page: &str,
    name: &str,
    kind: SymbolKind,
    container_name: Option<String>,
    line: usize,
) -> Option<WorkspaceSymbol> {
    let uri = served.page_uri(page)?;
    let position = Position::new(to_u32(line.saturating_sub(1)), 0);
    let location = OneOf::Left(Location::new(uri, Range::new(position, position)));
    Some(WorkspaceSymbol { name: name.to_owned(), kind, tags: None, container_name, location, data: None })
}
