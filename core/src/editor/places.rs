//! Where links lead, down to the line.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::OpenPage;
use crate::drafts::Drafts;
use crate::freshness::{Anchor, file_of};
use crate::graph::resolve::Destination;
use crate::index::questions::pages;
use crate::page::{Anchors, Link, LinkKind, Page, Spot, parse};
use crate::render::Attachments;
use crate::{Context, Error, Result, index, text};

/// Least similarity (Jaro-Winkler) of a heading that may be meant.
const LIKE: f64 = 0.7;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A page, or a heading or block of it.
    Page(PlaceInPage),
    /// A file of the project that is not a page.
    File {
        /// Its path relative to the project.
        path: String,
        /// The symbol in it, as written.
        symbol: Option<String>,
        /// First and last line of the symbol, from 1; `None` without a symbol, or if the file does not have it.
        lines: Option<(usize, usize)>,
    },
    /// A picture or another file that pages show, by its path relative to the project.
    Attachment(String),
    /// Nowhere.
    Nowhere,
}

/// A page, or a heading or block of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceInPage {
    /// Path of the page.
    pub path: String,
    /// The heading or `^block` as written.
    pub anchor: Option<String>,
    /// Line of the heading or block, from 1; the first without an anchor, `None` if the page does not have it.
    pub line: Option<usize>,
    /// Whether other pages match the name as well.
    pub ambiguous: bool,
}

/// Where a link of an open page leads.
///
/// # Errors
/// [`crate::Error::Database`]; [`crate::Error::Io`] if a page that it names by heading or block cannot be read.
pub fn place(context: &Context<'_>, drafts: &Drafts, open: &OpenPage, link: &Link) -> Result<Place> {
    place_of(context, drafts, open, link.kind, &link.target)
}

/// Where many links of an open page lead. A target that is written several times is looked up once.
pub struct Places<'a, 'c> {
    context: &'a Context<'c>,
    drafts: &'a Drafts,
    open: &'a OpenPage,
    known: HashMap<(LinkKind, &'a str), Place>,
}

impl<'a, 'c> Places<'a, 'c> {
    /// Of this page.
    pub fn of(context: &'a Context<'c>, drafts: &'a Drafts, open: &'a OpenPage) -> Self {
        Self { context, drafts, open, known: HashMap::new() }
    }

    /// Where a link of the page leads; nowhere if its page is gone since the index was read.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Cancelled`].
    pub fn lead(&mut self, link: &'a Link) -> Result<&Place> {
        self.context.cancel.check()?;
        Ok(match self.known.entry((link.kind, link.target.as_str())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let found = match place(self.context, self.drafts, self.open, link) {
                    Ok(place) => place,
                    Err(error @ (Error::Database(_) | Error::Cancelled)) => return Err(error),
                    Err(_) => Place::Nowhere,
                };
                unknown.insert(found)
            }
        })
    }
}

/// The same for a target as links of `kind` write it.
pub(super) fn place_of(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    kind: LinkKind,
    target: &str,
) -> Result<Place> {
    // A page that is not in the index yet has no number under which its own headings could be found.
    if open.number.is_none() && target.starts_with('#') {
        let anchor = target.trim_start_matches('#').trim().to_owned();
        let line = place_in(&open.page, &anchor);
        let path = open.path.clone();
        return Ok(Place::Page(PlaceInPage { path, anchor: Some(anchor), line, ambiguous: false }));
    }
    let (destination, path) = context.index.read(|db| {
        let destination = index::destination(db, context.source, kind, target, open.origin(context))?;
        let path = match &destination {
            Destination::Page { page, .. } if Some(*page) != open.number => Some(pages::path(db, *page)?),
            _ => None,
        };
        Ok((destination, path))
    })?;
    Ok(match destination {
        Destination::Page { anchor, ambiguous, .. } => {
            let path = path.unwrap_or_else(|| open.path.clone());
            let line = match &anchor {
                None => Some(1),
                Some(anchor) if path == open.path => place_in(&open.page, anchor),
                Some(anchor) => {
                    let text = drafts.text(context.source, &path)?;
                    place_in(&parse(&text, &context.link_types()), anchor)
                }
            };
            Place::Page(PlaceInPage { path, anchor, line, ambiguous })
        }
        Destination::Source(file) => {
            let symbol = target.split_once('#').map(|(_, symbol)| symbol.trim().to_owned());
            in_file(context, file, symbol.filter(|symbol| !symbol.is_empty()))
        }
        Destination::Attachment => {
            let files = Attachments::new(context.source, context.pages_dir());
            files.find(kind, target, &open.path)?.map_or(Place::Nowhere, Place::Attachment)
        }
        Destination::Unresolved => Place::Nowhere,
    })
}

/// What an entry of `source_refs` names.
pub(super) fn source_place(context: &Context<'_>, named: &str) -> Result<Place> {
    let (file, symbol) = match Anchor::of(context.source, named)? {
        Some(anchor) => (anchor.file.to_owned(), Some(anchor.name.to_owned())),
        None => (file_of(context.source, named)?.to_owned(), None),
    };
    if context.source.stat_source(&file)?.is_none() {
        return Ok(Place::Nowhere);
    }
    Ok(in_file(context, file, symbol))
}

fn in_file(context: &Context<'_>, path: String, symbol: Option<String>) -> Place {
    let lines = symbol.as_deref().and_then(|symbol| super::code::lines_of(context, &path, symbol));
    Place::File { path, symbol, lines }
}

/// Line, from 1, of the heading or `^block` of a page that `anchor` names.
pub fn place_in(page: &Page, anchor: &str) -> Option<usize> {
    match Anchors::of(page).find(anchor)? {
        Spot::Heading(at) => {
            page.sections.iter().filter(|section| section.level > 0).nth(at).map(|section| section.lines.0)
        }
        Spot::Block(at) => page.blocks.get(at).map(|block| block.line),
    }
}

/// The headings of a page that are most like `wanted`, best first, as a link of this kind names them; those that have little
/// in common with it are left out.
pub fn closest_headings(open: &OpenPage, wanted: &str, most: usize, kind: LinkKind) -> Vec<String> {
    let wanted = text::heading_key(wanted);
    let anchors = Anchors::of(&open.page);
    let headings = open.page.sections.iter().filter(|section| section.level > 0).enumerate();
    let mut found: Vec<(f64, String)> = headings
        .map(|(number, section)| {
            let likeness = strsim::jaro_winkler(&wanted, &text::heading_key(&section.heading));
            let fragment = anchors.fragment(number).filter(|_| kind == LinkKind::Markdown);
            (likeness, fragment.unwrap_or_else(|| section.heading.clone()))
        })
        .filter(|(likeness, _)| *likeness >= LIKE)
        .collect();
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().take(most).map(|(_, heading)| heading).collect()
}
