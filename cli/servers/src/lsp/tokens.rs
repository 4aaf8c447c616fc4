//! `textDocument/semanticTokens`: links by kind and state.

use lsp_types::{
    SemanticToken, SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, Uri,
};
use std::ops::Range;
use ubp_core::editor::{Place, Places};
use ubp_core::page::LinkKind;

use super::requests::{Answer, Call};

/// Types of tokens. Editors give them colours by these names; those that they do not know have none.
pub(super) const TYPES: [&str; 5] = ["pageLink", "codeLink", "attachmentLink", "brokenLink", "linkType"];
/// Modifiers of tokens.
pub(super) const MODIFIERS: [&str; 1] = ["embed"];

pub(super) fn full(call: &Call<'_>, params: SemanticTokensParams) -> Answer<Option<SemanticTokensResult>> {
    Ok(tokens(call, &params.text_document.uri, None)?.map(SemanticTokensResult::Tokens))
}

pub(super) fn range(
    call: &Call<'_>,
    params: SemanticTokensRangeParams,
) -> Answer<Option<SemanticTokensRangeResult>> {
    let found = tokens(call, &params.text_document.uri, Some(params.range))?;
    Ok(found.map(SemanticTokensRangeResult::Tokens))
}

fn tokens(call: &Call<'_>, uri: &Uri, within: Option<lsp_types::Range>) -> Answer<Option<SemanticTokens>> {
    call.on_page(uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let within = within.map_or(0..open.text.len(), |range| lines.bytes(range));
        // Bytes, type and modifiers.
        let mut found: Vec<(Range<usize>, u32, u32)> = Vec::new();
        let mut places = Places::of(context, &subject.drafts, open);
        for link in open
            .page
            .links
            .iter()
            .filter(|link| link.range.start < within.end && link.range.end > within.start)
        {
            let kind = match places.lead(link)? {
                Place::Page(place) if place.line.is_none() => 3,
                Place::Page(_) => 0,
                Place::File { .. } => 1,
                Place::Attachment(_) => 2,
                Place::Nowhere => 3,
            };
            let modifiers = u32::from(link.kind == LinkKind::Embed);
            let written = open.text.get(link.range.clone()).unwrap_or_default();
            // Tokens end with their line.
            if written.contains(['\n', '\r']) {
                continue;
            }
            let pipe = written.rfind('|').filter(|_| link.kind != LinkKind::Markdown);
            let typed = pipe.filter(|at| written[at + 1..].trim_end_matches(']').trim() == link.link_type);
            match typed {
                Some(at) => {
                    let (from, to) =
                        (link.range.start + at + 1, link.range.start + written.trim_end_matches(']').len());
                    found.push((link.range.start..from, kind, modifiers));
                    found.push((from..to.max(from), 4, 0));
                    found.push((to.max(from)..link.range.end, kind, modifiers));
                }
                None => found.push((link.range.clone(), kind, modifiers)),
            }
        }
        found.sort_by_key(|(range, ..)| range.start);
        let mut last = lsp_types::Position::default();
        let mut data = Vec::new();
        for (range, token_type, token_modifiers_bitset) in found {
            let at = lines.range(range);
            if at.end <= at.start || at.start < last {
                continue;
            }
            let delta_line = at.start.line - last.line;
            let delta_start = at.start.character - if delta_line == 0 { last.character } else { 0 };
            let length = at.end.character - at.start.character;
            data.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset });
            last = at.start;
        }
        Ok(Some(SemanticTokens { result_id: None, data }))
    })
}
