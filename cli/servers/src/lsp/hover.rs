//! `textDocument/hover`.

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use ubp_core::editor::{self, Place};
use ubp_core::message;

use super::code;
use super::projects::Named;
use super::requests::{Answer, Call};

pub(super) fn hover(call: &Call<'_>, params: HoverParams) -> Answer<Option<Hover>> {
    let at = params.text_document_position_params;
    let uri = at.text_document.uri;
    let Some(subject) = call.subject(&uri)? else { return Ok(None) };
    if let Named::File(file) = &subject.named {
        return code::hover(call, &subject, file, at.position);
    }
    let language = call.server.abilities().language;
    call.on_page(&uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let Some(link) = open.link_at(lines.offset(at.position)) else { return Ok(None) };
        let value = match editor::place(context, &subject.drafts, open, link)? {
            Place::Page(place) if place.line.is_some() => {
                editor::page_preview(context, &subject.drafts, &place, language)?
            }
            Place::File { path, symbol, .. } => {
                editor::source_preview(context, &path, symbol.as_deref(), language)?
            }
            Place::Attachment(file) => format!("`{file}`"),
            Place::Page(_) | Place::Nowhere => {
                message!("broken link to '{target}'", target = &link.target).in_language(language)
            }
        };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Ok(Some(Hover { contents, range: Some(lines.range(link.range.clone())) }))
    })
}
