//! `textDocument/completion`, and the preview of a candidate.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionParams, CompletionResponse,
    CompletionTextEdit, Documentation, MarkupContent, MarkupKind, TextEdit, Uri,
};
use serde::{Deserialize, Serialize};
use ubp_core::editor::{self, CandidateKind, PlaceInPage};

use super::projects::Named;
use super::requests::{Answer, Call};

/// What a preview needs.
#[derive(Serialize, Deserialize)]
struct Data {
    uri: Uri,
    /// The page or file, and the symbol or heading in it.
    path: String,
    part: Option<String>,
}

pub(super) fn complete(call: &Call<'_>, params: CompletionParams) -> Answer<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let uri = at.text_document.uri;
    call.on_page(&uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let offset = lines.offset(at.position);
        let Some(found) = editor::candidates(context, &subject.drafts, open, offset)? else {
            return Ok(None);
        };
        let range = lines.range(found.range.clone());
        let typed = open.text.get(found.range.clone()).unwrap_or_default();
        let line_end = open.text[offset..].find(['\n', '\r']).map_or(open.text.len(), |at| offset + at);
        let after = open.text.get(offset..line_end).unwrap_or_default();
        let line_start = open.text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let before = open.text.get(line_start..found.range.start).unwrap_or_default();
        let is_open = before.rfind("[[").is_some_and(|at| !before[at..].contains("]]"));
        // The brackets may be there already, but those of another link are not its own.
        let is_closed = after.find("]]").is_some_and(|end| after.find("[[").is_none_or(|next| end < next));
        let closing = if is_open && !is_closed { "]]" } else { "" };
        let items = found.all.into_iter().enumerate().map(|(at, candidate)| {
            let closes =
                !matches!(candidate.kind, CandidateKind::Tag | CandidateKind::Key | CandidateKind::Value);
            let closing = if closes { closing } else { "" };
            let new_text = format!("{}{closing}", candidate.insert);
            let is_symbol = candidate.kind == CandidateKind::Symbol;
            let data = candidate.path.map(|path| Data {
                uri: uri.clone(),
                path,
                part: is_symbol.then(|| candidate.insert.clone()),
            });
            CompletionItem {
                kind: Some(kind(candidate.kind)),
                detail: Some(candidate.detail).filter(|detail| !detail.is_empty()),
                // The candidates match in ways that editors do not know: without accents, by other names.
                filter_text: Some(if found.is_part { typed.to_owned() } else { candidate.label.clone() }),
                sort_text: Some(format!("{at:05}")),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
                data: data.and_then(|data| serde_json::to_value(data).ok()),
                label: candidate.label,
                ..Default::default()
            }
        });
        let list = CompletionList { is_incomplete: found.is_part, items: items.collect() };
        Ok(Some(CompletionResponse::List(list)))
    })
}

fn kind(kind: CandidateKind) -> CompletionItemKind {
    match kind {
        CandidateKind::Page | CandidateKind::File => CompletionItemKind::FILE,
        CandidateKind::Heading | CandidateKind::Block => CompletionItemKind::REFERENCE,
        CandidateKind::LinkType => CompletionItemKind::ENUM_MEMBER,
        CandidateKind::Symbol => CompletionItemKind::FUNCTION,
        CandidateKind::Tag => CompletionItemKind::KEYWORD,
        CandidateKind::Key => CompletionItemKind::PROPERTY,
        CandidateKind::Value => CompletionItemKind::VALUE,
    }
}

pub(super) fn resolve(call: &Call<'_>, mut item: CompletionItem) -> Answer<CompletionItem> {
    let Some(data) = item.data.clone().and_then(|data| serde_json::from_value::<Data>(data).ok()) else {
        return Ok(item);
    };
    let Some(subject) = call.subject(&data.uri)? else { return Ok(item) };
    let language = call.server.abilities().language;
    let is_page = matches!(item.kind, Some(CompletionItemKind::FILE)) && ubp_core::path::is_page(&data.path);
    let preview = call.at_once(&subject, |context| {
        if is_page && matches!(subject.named, Named::Page(_)) {
            let place =
                PlaceInPage { path: data.path.clone(), anchor: None, line: Some(1), ambiguous: false };
            editor::page_preview(context, &subject.drafts, &place, language)
        } else {
            editor::source_preview(context, &data.path, data.part.as_deref(), language)
        }
    })?;
    item.documentation =
        Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: preview }));
    Ok(item)
}
