//! The text of one paragraph, heading, table row or list item as it reads, without its markup: what
//! tags, block names and the context of links are taken from.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::context;

/// Text that grows while a block is read, and is cleared for the next.
#[derive(Default)]
pub(super) struct Leaf {
    plain: String,
    /// Parts of `plain`, in order, in which `#` and `^` mean nothing; an empty one ends a tag.
    opaque: Vec<Range<usize>>,
    /// Numbers of the links in this block with their parts of `plain`.
    links: Vec<(usize, Range<usize>)>,
    /// Where the text so far ends in the page.
    end: usize,
}

impl Leaf {
    pub(super) fn len(&self) -> usize {
        self.plain.len()
    }

    /// Whether it holds no text; it may still hold a link without one.
    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Whether there is nothing to take from it.
    pub(super) fn is_spent(&self) -> bool {
        self.plain.is_empty() && self.links.is_empty()
    }

    /// Where its last text stands in the page.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    pub(super) fn since(&self, start: usize) -> &str {
        self.plain.get(start..).unwrap_or("")
    }

    /// Adds text that stands in the page up to `end`.
    pub(super) fn push(&mut self, text: &str, end: usize) {
        self.plain.push_str(text);
        self.end = end;
    }

    /// Adds text in which nothing is a tag.
    pub(super) fn push_opaque(&mut self, text: &str, end: usize) {
        let start = self.plain.len();
        self.push(text, end);
        self.cover(start);
    }

    /// What was added since `start` holds no tags.
    pub(super) fn cover(&mut self, start: usize) {
        while self.opaque.last().is_some_and(|last| last.start >= start) {
            self.opaque.pop();
        }
        self.opaque.push(start..self.plain.len());
    }

    /// A tag cannot go on across this place.
    pub(super) fn divide(&mut self) {
        let here = self.plain.len();
        if self.opaque.last().is_none_or(|last| last.end < here) {
            self.opaque.push(here..here);
        }
    }

    /// The link with this number is what was added since `start`.
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
    }

    /// The `name` of a `^name` with which the text ends.
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

/// Tags in order of appearance, each once.
#[derive(Default)]
pub(super) struct Tags {
    seen: HashSet<String>,
    names: Vec<String>,
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
