//! Which part of a page a link with a heading or a `^name` embeds, and where such names are.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::load::{Loaded, Place};
use crate::page::{self, Block, Lines, LinkTypes};
use crate::text;

/// The positions in `text` of the names of paragraphs, as `^name`, in bytes and in order.
pub(super) fn markers(text: &str, blocks: &[Block]) -> Vec<(Range<usize>, String)> {
    let lines = Lines::new(text);
    let places = blocks.iter().filter_map(|block| {
        let start = lines.start(block.line)?;
        let end = lines.start(block.line + 1).unwrap_or(text.len());
        let written = format!("^{}", block.name);
        let at = start + text.get(start..end)?.rfind(&written)?;
        Some((at..at + written.len(), text::fold_key(&written)))
    });
    let mut markers: Vec<_> = places.collect();
    markers.sort_by_key(|(range, _)| range.start);
    markers
}

/// Bytes of the page's text that `place` embeds: all of it, a section with its subsections, or a block.
pub(super) fn window(page: &Loaded, place: &Place, types: &LinkTypes) -> Option<Range<usize>> {
    let Some(id) = &place.id else {
        // A missing heading embeds nothing rather than everything.
        return place.anchor.is_none().then_some(0..page.text.len());
    };
    if id.starts_with('^') {
        let (_, blocks) = page::body_parts(&page.text, types);
        let (marker, _) = markers(&page.text, &blocks).into_iter().find(|(_, name)| name == id)?;
        return block(&page.text, &marker);
    }
    let below = format!("{id}/");
    let inside = |section: &&super::load::Section| section.id == *id || section.id.starts_with(&below);
    let first = page.sections.iter().find(inside)?.range.start;
    let last = page.sections.iter().rfind(inside)?.range.end;
    Some(first..last)
}

/// The smallest block that contains the marker; the one before if the marker is alone.
fn block(text: &str, marker: &Range<usize>) -> Option<Range<usize>> {
    let mut smallest: Option<Range<usize>> = None;
    let mut before = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, page::markdown_options()).into_offset_iter() {
        if range.start > marker.start {
            break;
        }
        match event {
            Event::Start(tag) => {
                let holds = matches!(tag, Tag::Paragraph | Tag::Item | Tag::Heading { .. } | Tag::Table(_));
                if holds && range.contains(&marker.start) {
                    smallest = Some(range);
                }
                depth += 1;
            }
            Event::End(_) => {
                depth -= 1;
                if depth == 0 && range.end <= marker.start {
                    before = Some(range);
                }
            }
            _ => {}
        }
    }
    let alone = |block: &Range<usize>| text.get(block.clone()).map(str::trim) == text.get(marker.clone());
    match smallest {
        Some(block) if alone(&block) && before.is_some() => before,
        smallest => smallest,
    }
}
