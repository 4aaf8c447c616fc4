//! What the part of a link after its `#` leads to on a page: a heading or a named block.

use super::{Page, Section};
use crate::text;

/// The headings and named blocks of a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Anchors {
    headings: Vec<Heading>,
    /// Folded names.
    blocks: Vec<String>,
}

#[derive(Debug, Clone)]
struct Heading {
    /// The id of its section.
    id: String,
    /// The headings from the outermost to this one, as text.
    path: Vec<String>,
    /// The same, as they are compared.
    keys: Vec<String>,
}

impl Heading {
    /// Whether its path has all of these headings, in this order.
    fn is_below(&self, wanted: &[String]) -> bool {
        let mut path = self.keys.iter();
        wanted.iter().all(|wanted| path.any(|heading| heading == wanted))
    }
}

/// A place on a page, by its number among the headings or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// A heading.
    Heading(usize),
    /// A block.
    Block(usize),
}

impl Anchors {
    /// Those of a page.
    pub(crate) fn of(page: &Page) -> Self {
        let mut anchors = Self::of_headings(
            page.sections
                .iter()
                .filter(|section| section.level > 0)
                .map(|Section { id, heading_path, .. }| (id.as_str(), heading_path.as_slice())),
        );
        anchors.blocks = page.blocks.iter().map(|block| text::fold_key(&block.name)).collect();
        anchors
    }

    /// Those of a page with these headings: the ids of the sections and the headings from the outermost on.
    pub(crate) fn of_headings<'s>(headings: impl Iterator<Item = (&'s str, &'s [String])>) -> Self {
        let headings = headings.map(|(id, path)| Heading {
            id: id.to_owned(),
            keys: path.iter().map(|heading| text::heading_key(heading)).collect(),
            path: path.to_vec(),
        });
        Self { headings: headings.collect(), blocks: Vec::new() }
    }

    /// The place that `anchor` names: a `^block`, or a heading by the id of its section, by the headings from the outermost
    /// on, or by the last of them.
    pub(crate) fn find(&self, anchor: &str) -> Option<Spot> {
        // In Obsidian, `A#B` is a nested heading: the last part is the place.
        let last = anchor.rsplit('#').next().unwrap_or(anchor).trim();
        if let Some(block) = last.strip_prefix('^') {
            let key = text::fold_key(block);
            return self.blocks.iter().position(|block| *block == key).map(Spot::Block);
        }
        self.heading(anchor).map(Spot::Heading)
    }

    /// The number of the heading that `anchor` names.
    pub(crate) fn heading(&self, anchor: &str) -> Option<usize> {
        if let Some(at) = self.headings.iter().position(|heading| heading.id == anchor) {
            return Some(at);
        }
        let wanted: Vec<String> = anchor.split('#').map(text::heading_key).collect();
        let named = |heading: &Heading| heading.keys.last() == wanted.last();
        let found = self.headings.iter().position(|heading| named(heading) && heading.is_below(&wanted));
        found.or_else(|| self.headings.iter().position(named))
    }

    /// Whether the place that `anchor` names is below all headings in it.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub(crate) fn is_exact(&self, anchor: &str) -> bool {
        let wanted: Vec<String> = anchor.split('#').map(text::heading_key).collect();
        match self.find(anchor) {
            Some(Spot::Heading(at)) => {
                self.headings.get(at).is_some_and(|heading| heading.id == anchor || heading.is_below(&wanted))
            }
            found => found.is_some(),
        }
    }

    /// The id of the section of a heading.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub(crate) fn id(&self, heading: usize) -> Option<&str> {
        self.headings.get(heading).map(|heading| heading.id.as_str())
    }

    /// What a Markdown link writes after `#` to lead to a heading: as other programs do, unless another heading has it.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn fragment(&self, heading: usize) -> Option<String> {
        let own = self.headings.get(heading)?;
        let usual = super::slug(own.path.last()?);
        let is_own = !usual.is_empty() && self.heading(&usual) == Some(heading);
        Some(if is_own { usual } else { own.id.clone() })
    }

    /// The headings from the outermost to this one.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub(crate) fn path(&self, heading: usize) -> &[String] {
        self.headings.get(heading).map(|heading| heading.path.as_slice()).unwrap_or_default()
    }
}
