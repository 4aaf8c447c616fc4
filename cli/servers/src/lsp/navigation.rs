//! Where links lead, and what leads to a place.

use lsp_types::{
    DocumentLink, DocumentLinkParams, GotoDefinitionParams, GotoDefinitionResponse, Location, Position,
    Range, ReferenceParams,
};
use ubp_core::editor::{self, OpenPage, Place, Places, Reference, Referred};
use ubp_core::{Context, Result};

use super::code;
use super::position::to_u32;
use super::projects::{Named, Served};
use super::requests::{Answer, Call, Subject};

pub(super) fn definition(
    call: &Call<'_>,
    params: GotoDefinitionParams,
) -> Answer<Option<GotoDefinitionResponse>> {
    let at = params.text_document_position_params;
    call.on_page(&at.text_document.uri, |context, subject, open| {
        let offset = call.offset(&open.text, at.position);
        let Some(link) = open.link_at(offset) else { return Ok(None) };
        let place = editor::place(context, &subject.drafts, open, link)?;
        Ok(location(call, context, subject, &place)?.map(GotoDefinitionResponse::Scalar))
    })
}

/// The place as an address and a range, for a jump.
fn location(
    call: &Call<'_>,
    context: &Context<'_>,
    subject: &Subject,
    place: &Place,
) -> Result<Option<Location>> {
    let served = &subject.served;
    let at_line = |uri: Option<_>, line: usize| {
        let position = Position::new(to_u32(line.saturating_sub(1)), 0);
        uri.map(|uri| Location::new(uri, Range::new(position, position)))
    };
    Ok(match place {
        Place::Page(place) => match (&place.anchor, place.line) {
            (Some(_), Some(line)) => {
                let target = OpenPage::of(context, &subject.drafts, &place.path)?;
                let range = call.lines(&target.text).range(target.line(line));
                served.page_uri(&place.path).map(|uri| Location::new(uri, range))
            }
            (_, line) => at_line(served.page_uri(&place.path), line.unwrap_or(1)),
        },
        Place::File { path, lines, .. } => at_line(served.file_uri(path), lines.map_or(1, |lines| lines.0)),
        Place::Attachment(file) => at_line(served.file_uri(file), 1),
        Place::Nowhere => None,
    })
}

pub(super) fn references(call: &Call<'_>, params: ReferenceParams) -> Answer<Option<Vec<Location>>> {
    let at = params.text_document_position;
    let uri = at.text_document.uri;
    let Some(subject) = call.subject(&uri)? else { return Ok(None) };
    if let Named::File(file) = &subject.named {
        return code::references(call, &subject, file, at.position).map(Some);
    }
    call.on_page(&uri, |context, subject, open| {
        let offset = call.offset(&open.text, at.position);
        let found = match open.link_at(offset) {
            Some(link) => match editor::place(context, &subject.drafts, open, link)? {
                Place::Page(place) => {
                    let to = match &place.anchor {
                        Some(anchor) if place.line.is_some() => {
                            Referred::Anchor { path: &place.path, anchor }
                        }
                        _ => Referred::Page(&place.path),
                    };
                    editor::references(context, &subject.drafts, to)?
                }
                Place::File { path, symbol, .. } => {
                    let to = Referred::File { path: &path, symbol: symbol.as_deref() };
                    editor::references(context, &subject.drafts, to)?
                }
                Place::Attachment(_) | Place::Nowhere => Vec::new(),
            },
            None => editor::references(context, &subject.drafts, referred_at(open, offset).to())?,
        };
        Ok(Some(locations(call, &subject.served, found)))
    })
}

/// What the cursor is on, outside of links: a heading, a block, or else the page.
pub(super) struct At<'a> {
    path: &'a str,
    anchor: Option<String>,
}

impl At<'_> {
    pub(super) fn to(&self) -> Referred<'_> {
        match &self.anchor {
            Some(anchor) => Referred::Anchor { path: self.path, anchor },
            None => Referred::Page(self.path),
        }
    }
}

pub(super) fn referred_at(open: &OpenPage, offset: usize) -> At<'_> {
    let heading = open.section_at(offset).filter(|section| {
        // The first heading is the title of the page.
        let is_title = section.level == 1 && open.page.title.as_deref() == Some(&section.heading);
        section.level > 0 && !is_title && offset <= open.line(section.lines.0).end
    });
    let block = open.page.blocks.iter().find(|block| {
        let line = open.line(block.line);
        line.start <= offset && offset <= line.end
    });
    let anchor =
        heading.map(|section| section.id.clone()).or_else(|| block.map(|block| format!("^{}", block.name)));
    At { path: &open.path, anchor }
}

/// References as addresses and ranges.
pub(super) fn locations(call: &Call<'_>, served: &Served, found: Vec<Reference>) -> Vec<Location> {
    let located = found.into_iter().filter_map(|reference| {
        let range = call.lines(&reference.text).range(reference.range);
        Some(Location::new(served.page_uri(&reference.path)?, range))
    });
    located.collect()
}

pub(super) fn links(call: &Call<'_>, params: DocumentLinkParams) -> Answer<Option<Vec<DocumentLink>>> {
    call.on_page(&params.text_document.uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let mut links = Vec::new();
        let mut places = Places::of(context, &subject.drafts, open);
        for link in &open.page.links {
            let served = &subject.served;
            let (uri, line) = match places.lead(link)? {
                Place::Page(place) => (served.page_uri(&place.path), place.line),
                Place::File { path, lines, .. } => (served.file_uri(path), lines.map(|lines| lines.0)),
                Place::Attachment(file) => (served.file_uri(file), None),
                Place::Nowhere => continue,
            };
            let line = line.filter(|line| *line > 1).map(|line| format!("#L{line}")).unwrap_or_default();
            let target = uri.and_then(|uri| format!("{}{line}", uri.as_str()).parse().ok());
            links.push(DocumentLink {
                range: lines.range(link.range.clone()),
                target,
                tooltip: None,
                data: None,
            });
        }
        Ok(Some(links))
    })
}
