//! One Markdown page as the engine sees it. Parsing is total: whatever the bytes, there is a page,
//! and what could not be understood is a diagnostic with its line.
//!
//! **Invariants**
//! - Parsing takes linear time, whatever the bytes (`tests/hostile.rs`, fuzz targets).
//! - Every byte after front matter is in exactly one section, blank space apart (`tests/properties.rs`).
//! - Setting a field changes that field and no other byte of meaning, or is refused (`splice/tests.rs`).
//! - A code block, table, list item or sentence that fits into a piece is never cut, for vectors and full text
//!   alike (`split/tests.rs`).

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
mod splice;
pub(crate) mod split;
mod value_json;

pub(crate) use body::options as markdown_options;
#[cfg(not(target_family = "wasm"))]
pub(crate) use body_edit::in_kind;
pub(crate) use body_edit::{
    body_start, branch, has_front_matter, section_range, with_appended, with_body, with_section,
};
pub use breaks::LineBreak;
pub(crate) use breaks::{plain, with_breaks_of};
pub use decode::decode;
pub use editor::{ParsedHeading, ParsedLink, ParsedPage};
pub(crate) use lines::Lines;
pub(crate) use link_syntax::percent_decoded;
pub use link_syntax::{WikiLink, parse_destination, parse_link};
pub use link_types::LinkTypes;
pub use model::{Block, Diagnostic, FrontMatter, Link, LinkKind, Page, Section, Value};
pub(crate) use outline::slug;
pub(crate) use passage::{closest, occurrences, with_replaced};
pub use prose::{Prose, prose};
pub(crate) use sites::{Site, Syntax, sites};
#[cfg(not(target_family = "wasm"))]
pub(crate) use splice::plain_scalar;
pub use splice::set_fields;

use std::collections::HashSet;

use front_matter::field;

/// Reads a page. Total: every text is a page.
///
/// Cost is linear in the length of the text. A byte order mark at the start is stepped over.
/// Whitespace apart, every byte after front matter is in exactly one section.
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
    Page {
        title: strings("title").into_iter().next().or(body.title),
        aliases,
        tags: tags.into_names(),
        sections: body.sections,
        links,
        blocks: body.blocks,
        diagnostics: front.diagnostics,
        front_matter: front.front_matter,
    }
}

/// What rendering needs to know of the text after front matter: its links and the names of its paragraphs. Ranges
/// and lines count from the start of `text`.
pub(crate) fn body_parts(text: &str, types: &LinkTypes) -> (Vec<Link>, Vec<Block>) {
    let body = body::read(text, 0, &Lines::new(text), types, &mut leaf::Tags::default());
    (body.links, body.blocks)
}

#[cfg(test)]
mod tests;
