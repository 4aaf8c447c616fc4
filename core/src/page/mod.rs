//! Parses one Markdown page. Parsing never fails: any bytes are a page,
//! and problems are diagnostics with their line.
//!
//! **Invariants**
//! - Parsing takes linear time for any bytes (`tests/hostile.rs`, fuzz targets).
//! - Every byte after front matter is in exactly one section, except blank space (`tests/properties.rs`).
//! - Setting a field changes only that field, or fails (`splice/tests.rs`).
//! - A code block, table, list item or sentence that fits into a piece is never cut, both for vectors and for full
//!   text (`split/tests.rs`).

mod anchors;
mod body;
mod body_edit;
mod breaks;
mod context;
mod cuts;
mod decode;
mod editor;
mod front_matter;
mod leaf;
mod lines;
mod link_syntax;
mod link_types;
mod model;
mod outline;
mod passage;
mod prose;
mod sites;
mod source_blocks;
mod splice;
pub(crate) mod split;
mod value_json;

pub(crate) use anchors::{Anchors, Spot};
pub(crate) use body::options as markdown_options;
pub(crate) use body_edit::{
    body_start, branch, has_front_matter, section_range, with_appended, with_body, with_section,
};
#[cfg(not(target_family = "wasm"))]
pub(crate) use body_edit::{in_kind, yaml_range};
pub use breaks::LineBreak;
pub(crate) use breaks::{plain, with_breaks_of};
pub use decode::decode;
pub use editor::{ParsedHeading, ParsedLink, ParsedPage};
pub(crate) use lines::{Lines, line_breaks};
pub(crate) use link_syntax::percent_decoded;
pub use link_syntax::{WikiLink, parse_destination, parse_link};
pub(crate) use link_types::DEFAULT as DEFAULT_LINK_TYPE;
pub use link_types::LinkTypes;
pub use model::{Block, Diagnostic, FrontMatter, Link, LinkKind, Page, Section, Value};
pub(crate) use outline::slug;
pub(crate) use passage::{closest, occurrences, with_replaced};
pub use prose::{Prose, prose};
pub(crate) use sites::{Linking, Site, Syntax, sites};
#[cfg(not(target_family = "wasm"))]
pub(crate) use source_blocks::sources_named;
pub(crate) use source_blocks::{is_source, source_blocks};
pub use splice::set_fields;
#[cfg(not(target_family = "wasm"))]
pub(crate) use splice::{
    FrontText, Replacement, add_to_list, fill_scalars, front_texts, plain_scalar, put_event,
};

use std::collections::HashSet;
#[cfg(not(target_family = "wasm"))]
use std::ops::Range;

use front_matter::field;

/// The front matter of a text, without the links in it.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn front_matter(text: &str) -> FrontMatter {
    front_matter::read(text, &Lines::new(text), &LinkTypes::default()).front_matter
}

/// Parses a page. Never fails: every text is a page.
///
/// Takes linear time. A byte order mark at the start is skipped.
/// Every byte after front matter, except blank space, is in exactly one section.
pub fn parse(text: &str, types: &LinkTypes) -> Page {
    let lines = Lines::new(text);
    let front = front_matter::read(text, &lines, types);
    let fields = &front.front_matter.fields;
    let strings = |key| field(fields, key).map(front_matter::strings).unwrap_or_default();

    let mut tags = leaf::Tags::default();
    for key in ["tags", "tag"] {
        for tag in field(fields, key).map(front_matter::words).unwrap_or_default() {
            tags.add(&tag);
        }
    }
    let mut seen = HashSet::new();
    let aliases =
        ["aliases", "alias"].into_iter().flat_map(strings).filter(|alias| seen.insert(alias.clone()));
    let aliases = aliases.collect();
    let start = match front.front_matter.range.end {
        0 => front_matter::text_start(text),
        end => end,
    };
    let body = body::read(text, start, &lines, types, &mut tags);
    let mut links = front.links;
    links.extend(body.links);
    let mut diagnostics = front.diagnostics;
    diagnostics.extend(body.excess);
    Page {
        title: strings("title").into_iter().next().or(body.title),
        aliases,
        tags: tags.into_names(),
        sections: body.sections,
        links,
        blocks: body.blocks,
        diagnostics,
        front_matter: front.front_matter,
    }
}

/// The tags in the text of a page after its front matter, with their bytes, without `#`; not those that are written with
/// escapes.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn tags_in_text(text: &str, types: &LinkTypes) -> Vec<(String, Range<usize>)> {
    let start =
        front_matter::find(text).map_or_else(|| front_matter::text_start(text), |block| block.whole.end);
    let mut tags = leaf::Tags::default();
    tags.places = Some(Vec::new());
    body::read(text, start, &Lines::new(text), types, &mut tags);
    let placed = tags.places.into_iter().flatten();
    placed
        .filter_map(|(tag, range)| range.map(|range| (tag, range)))
        .filter(|(tag, range)| text.get(range.clone()) == Some(tag.as_str()))
        .collect()
}

/// The parts of the text after front matter that rendering needs: its links and the names of its paragraphs. Ranges
/// and lines count from the start of `text`.
pub(crate) fn body_parts(text: &str, types: &LinkTypes) -> (Vec<Link>, Vec<Block>) {
    let body = body::read(text, 0, &Lines::new(text), types, &mut leaf::Tags::default());
    (body.links, body.blocks)
}

#[cfg(test)]
mod tests;
