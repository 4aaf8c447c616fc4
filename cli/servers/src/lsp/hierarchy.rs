//! The call hierarchy of pages: what a page depends on, and what depends on it.

use std::collections::BTreeMap;

use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    SymbolKind,
};
use ubp_core::editor::{self, OpenPage, Place, Places, Referred};
use ubp_core::graph::DEPENDENCIES;

use super::projects::Served;
use super::requests::{Answer, Call};

fn item(call: &Call<'_>, served: &Served, open: &OpenPage) -> Option<CallHierarchyItem> {
    let lines = call.lines(&open.text);
    let title = open.page.sections.iter().find(|section| section.level > 0);
    Some(CallHierarchyItem {
        name: open.title().to_owned(),
        kind: SymbolKind::FILE,
        tags: None,
        detail: Some(open.path.clone()),
        uri: served.page_uri(&open.path)?,
        range: lines.range(0..open.text.len()),
        selection_range: lines.range(open.line(title.map_or(1, |section| section.lines.0))),
        data: None,
    })
}

pub(super) fn prepare(
    call: &Call<'_>,
    params: CallHierarchyPrepareParams,
) -> Answer<Option<Vec<CallHierarchyItem>>> {
    let at = params.text_document_position_params;
    call.on_page(&at.text_document.uri, |context, subject, open| {
        let offset = call.offset(&open.text, at.position);
        // On a link it is about the page at the other end.
        if let Some(link) = open.link_at(offset)
            && let Place::Page(place) = editor::place(context, &subject.drafts, open, link)?
        {
            let other = OpenPage::of(context, &subject.drafts, &place.path)?;
            return Ok(item(call, &subject.served, &other).map(|item| vec![item]));
        }
        Ok(item(call, &subject.served, open).map(|item| vec![item]))
    })
}

fn is_dependency(link_type: &str) -> bool {
    DEPENDENCIES.contains(&link_type)
}

pub(super) fn incoming(
    call: &Call<'_>,
    params: CallHierarchyIncomingCallsParams,
) -> Answer<Option<Vec<CallHierarchyIncomingCall>>> {
    call.on_page(&params.item.uri, |context, subject, open| {
        let mut by_page: BTreeMap<String, Vec<Range>> = BTreeMap::new();
        for reference in editor::references(context, &subject.drafts, Referred::Page(&open.path))? {
            if is_dependency(&reference.link_type) && reference.path != open.path {
                let range = call.lines(&reference.text).range(reference.range);
                by_page.entry(reference.path).or_default().push(range);
            }
        }
        let mut calls = Vec::new();
        for (path, from_ranges) in by_page {
            let other = OpenPage::of(context, &subject.drafts, &path)?;
            let from = item(call, &subject.served, &other);
            calls.extend(from.map(|from| CallHierarchyIncomingCall { from, from_ranges }));
        }
        Ok(Some(calls))
    })
}

pub(super) fn outgoing(
    call: &Call<'_>,
    params: CallHierarchyOutgoingCallsParams,
) -> Answer<Option<Vec<CallHierarchyOutgoingCall>>> {
    call.on_page(&params.item.uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let mut by_page: BTreeMap<String, Vec<Range>> = BTreeMap::new();
        let mut places = Places::of(context, &subject.drafts, open);
        for link in open.page.links.iter().filter(|link| is_dependency(&link.link_type)) {
            if let Place::Page(place) = places.lead(link)?
                && place.path != open.path
            {
                by_page.entry(place.path.clone()).or_default().push(lines.range(link.range.clone()));
            }
        }
        let mut calls = Vec::new();
        for (path, from_ranges) in by_page {
            let other = OpenPage::of(context, &subject.drafts, &path)?;
            let to = item(call, &subject.served, &other);
            calls.extend(to.map(|to| CallHierarchyOutgoingCall { to, from_ranges }));
        }
        Ok(Some(calls))
    })
}
