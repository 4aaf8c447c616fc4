//! Titles with markup of their own, and links to pages whose title has a link, which are no links in Markdown:
//! `[[a](https://b.c) d](Page.md)`.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::layout::Site;
use super::relations::closing;
use crate::import::draft::Draft;
use crate::page::markdown_options;
use crate::writing::links::spliced;

/// A title without its links and the marks around them.
pub(super) fn plain(title: &str) -> String {
    if !title.contains("](") {
        return title.to_owned();
    }
    let mut plain = String::new();
    for event in Parser::new_ext(title, markdown_options()) {
        match event {
            Event::Text(text) | Event::Code(text) => plain.push_str(&text),
            Event::SoftBreak | Event::HardBreak => plain.push(' '),
            _ => {}
        }
    }
    let plain = plain.replace("**", "");
    if plain.trim().is_empty() { title.to_owned() } else { plain.trim().to_owned() }
}

/// A text as the text of a link.
pub(super) fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| if r"[]\`*_<|".contains(c) { vec!['\\', c] } else { vec![c] }).collect()
}

/// The draft with its links to pages made links.
pub(super) fn mended(draft: Draft, site: &Site<'_>) -> Draft {
    // Only a link in the text of a link ends so.
    if !draft.text.contains("](") {
        return draft;
    }
    let known = known(&draft.text);
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    for (at, _) in draft.text.match_indices("](") {
        let inside = draft.text.get(at + 2..).unwrap_or_default();
        let Some(length) = closing(inside.lines().next().unwrap_or_default()) else { continue };
        let target = inside.get(..length).unwrap_or_default();
        let end = at + 2 + length + 1;
        let is_page = target.ends_with(".md") && !target.contains("://") && site.page(target).is_some();
        if !is_page || known.iter().any(|range| range.end == end || (range.start <= at && end <= range.end)) {
            continue;
        }
        let Some(start) = opening(&draft.text, at) else { continue };
        let label = draft.text.get(start + 1..at).unwrap_or_default();
        let is_free = splices.last().is_none_or(|(range, _)| range.end <= start);
        if label.contains("](") && is_free {
            splices.push((start..end, format!("[{}]({target})", escaped(&plain(label)))));
        }
    }
    match spliced(&draft.text, &splices) {
        Some(text) if !splices.is_empty() => Draft { text, ..draft },
        _ => draft,
    }
}

/// Byte ranges of links, pictures and code.
fn known(text: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(text, markdown_options()).into_offset_iter();
    let ranges = events.filter_map(|(event, range)| match event {
        Event::Code(_)
        | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Link { .. } | Tag::Image { .. }) => {
            Some(range)
        }
        _ => None,
    });
    ranges.collect()
}

/// The bracket that the one at `at` closes, on the same line.
fn opening(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (found, c) in text.get(..at)?.char_indices().rev().take_while(|(_, c)| *c != '\n') {
        match c {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(found),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}
