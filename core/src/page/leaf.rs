//! The plain text of one paragraph, heading, table row or list item, without markup: the source of
//! tags, block names and the contexts of links.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::context;

/// A buffer for the text of a block, which is cleared for the next block.
#[derive(Default)]
pub(super) struct Leaf {
    plain: String,
    /// Parts of `plain`, in order, in which `#` and `^` are literal; an empty one ends a tag.
    opaque: Vec<Range<usize>>,
    /// Numbers of the links in this block with their ranges of `plain`.
    links: Vec<(usize, Range<usize>)>,
    /// Where the parts of `plain` start, and where they start in the page if they are written as they are read.
    parts: Vec<(usize, usize)>,
    /// Where the last text ends in the page.
    end: usize,
}

impl Leaf {
    pub(super) fn len(&self) -> usize {
        self.plain.len()
    }

    /// Whether it has no text; it may still have a link without text.
    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Whether it has neither text nor links.
    pub(super) fn is_spent(&self) -> bool {
        self.plain.is_empty() && self.links.is_empty()
    }

    /// Where its last text ends in the page.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    pub(super) fn since(&self, start: usize) -> &str {
        self.plain.get(start..).unwrap_or("")
    }

    /// Adds text that ends at `end` in the page.
    pub(super) fn push(&mut self, text: &str, end: usize) {
        self.parts.push((self.plain.len(), end.saturating_sub(text.len())));
        self.plain.push_str(text);
        self.end = end;
    }

    /// Adds text that contains no tags.
    pub(super) fn push_opaque(&mut self, text: &str, end: usize) {
        let start = self.plain.len();
        self.push(text, end);
        self.cover(start);
    }

    /// Marks everything since `start` as text without tags.
    pub(super) fn cover(&mut self, start: usize) {
        while self.opaque.last().is_some_and(|last| last.start >= start) {
            self.opaque.pop();
        }
        self.opaque.push(start..self.plain.len());
    }

    /// Ends a tag here.
    pub(super) fn divide(&mut self) {
        let here = self.plain.len();
        if self.opaque.last().is_none_or(|last| last.end < here) {
            self.opaque.push(here..here);
        }
    }

    /// Records the text since `start` as that of the link with this number.
    pub(super) fn link(&mut self, number: usize, start: usize) {
        self.links.push((number, start..self.plain.len()));
    }

    /// Each link's number and context.
    pub(super) fn contexts(&self) -> impl Iterator<Item = (usize, String)> {
        self.links.iter().map(|(number, range)| (*number, context::around(&self.plain, range.clone())))
    }

    pub(super) fn clear(&mut self) {
        self.plain.clear();
        self.opaque.clear();
        self.links.clear();
        self.parts.clear();
    }

    /// The bytes of the page that `range` of the plain text comes from, if they are one piece.
    fn place(&self, range: Range<usize>) -> Option<Range<usize>> {
        let at = |plain: usize| {
            let (start, place) = self.parts.iter().rev().find(|(start, _)| *start <= plain)?;
            Some(place + plain - start)
        };
        let (start, last) = (at(range.start)?, at(range.end.checked_sub(1)?)?);
        (last + 1 == start + range.len()).then_some(start..last + 1)
    }

    /// The `name` of a `^name` at the end of the text.
    pub(super) fn block_name(&self) -> Option<&str> {
        let text = self.plain.trim_end();
        let name_start = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-').len();
        let name = text.get(name_start..).filter(|name| !name.is_empty())?;
        let before = text.get(..name_start)?.strip_suffix('^')?;
        let apart = before.is_empty() || before.ends_with(char::is_whitespace);
        let literal = self.opaque.last().is_none_or(|last| last.end <= before.len());
        (apart && literal).then_some(name)
    }

    /// Adds the tags of this text to `tags`.
    pub(super) fn collect_tags(&self, tags: &mut Tags) {
        let mut opaque = self.opaque.iter().peekable();
        let mut from = 0;
        while let Some(at) = self.plain.get(from..).and_then(|rest| rest.find('#')).map(|at| from + at) {
            from = at + 1;
            while opaque.next_if(|range| range.end <= at).is_some() {}
            let apart = self
                .plain
                .get(..at)
                .is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
            if !apart || opaque.peek().is_some_and(|range| range.start <= at) {
                continue;
            }
            let limit = opaque.peek().map_or(self.plain.len(), |range| range.start);
            let tag = tag_at_start(self.plain.get(from..limit).unwrap_or(""));
            if let Some(places) = tags.places.as_mut().filter(|_| !tag.is_empty()) {
                places.push((tag.to_owned(), self.place(from..from + tag.len())));
            }
            from += tag.len();
            tags.add(tag);
        }
    }
}

fn tag_at_start(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_-/".contains(c) || is_combining_mark(c)));
    let tag = text.get(..end.unwrap_or(text.len())).unwrap_or("").trim_end_matches('/');
    let counts = tag.contains(|c: char| !c.is_numeric()) && tag.contains(char::is_alphanumeric);
    if counts { tag } else { "" }
}

/// Unique tags, in order of appearance.
#[derive(Default)]
pub(super) struct Tags {
    seen: HashSet<String>,
    names: Vec<String>,
    /// Each tag of the text with its bytes in the page, without `#`, if that is asked for.
    pub(super) places: Option<Vec<(String, Option<Range<usize>>)>>,
}

impl Tags {
    /// Adds a tag, with or without its `#`.
    pub(super) fn add(&mut self, tag: &str) {
        let tag = tag.trim().trim_start_matches('#');
        if !tag.is_empty() && !self.seen.contains(tag) {
            self.seen.insert(tag.to_owned());
            self.names.push(tag.to_owned());
        }
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}
