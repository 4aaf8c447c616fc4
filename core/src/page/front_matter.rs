//! The YAML block at the top of a page: its range, its fields, and the links in its values.
//! Invalid YAML is still read as far as possible: a page must not lose its
//! title because of a colon.

mod salvage;
mod values;
mod yaml;

use std::ops::Range;

use super::lines::{self, Lines};
use super::{Diagnostic, FrontMatter, Link, LinkTypes, Value};
use crate::reported;

pub(super) use values::{strings, words};
pub(super) use yaml::limits;

/// The byte order mark that may precede a text.
const BOM: char = '\u{FEFF}';

/// The ranges of a block in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The block with both fences and the last line break.
    pub whole: Range<usize>,
    /// The YAML between the fences.
    pub yaml: Range<usize>,
}

/// The result of reading front matter.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub front_matter: FrontMatter,
    pub links: Vec<Link>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the YAML is valid, so that it can be edited safely.
    pub sound: bool,
}

/// Where the text starts if there is no front matter.
pub(super) fn text_start(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
}

/// Finds the block: a first line `---`, up to the next line `---`; trailing spaces are ignored.
pub(super) fn find(text: &str) -> Option<Block> {
    let start = text_start(text);
    let is_fence = |line: &str| lines::content(line).trim_end_matches([' ', '\t']) == "---";
    let mut all = lines::split(text.get(start..)?).map(|(at, line)| (start + at, line));
    let (_, opening) = all.next().filter(|(_, line)| is_fence(line))?;
    let (closing_at, closing) = all.find(|(_, line)| is_fence(line))?;
    Some(Block { whole: start..closing_at + closing.len(), yaml: start + opening.len()..closing_at })
}

/// Reads the front matter of `text`; empty, and sound, if there is none.
pub(super) fn read(text: &str, lines: &Lines, types: &LinkTypes) -> Reading {
    let Some(block) = find(text) else { return Reading { sound: true, ..Reading::default() } };
    let yaml = &text[block.yaml.clone()];
    let mut findings = Findings { lines, types, links: Vec::new(), diagnostics: Vec::new() };
    let read = yaml::mapping(yaml, block.yaml.start, &mut findings);
    let sound = read.is_ok();
    let fields = read.unwrap_or_else(|problem| {
        findings.diagnose(problem.offset, "front_matter_syntax", problem.message);
        salvage::mapping(yaml, block.yaml.start, &mut findings)
    });
    Reading {
        front_matter: FrontMatter { fields, range: block.whole },
        links: findings.links,
        diagnostics: findings.diagnostics,
        sound,
    }
}

/// The value of a key.
pub(super) fn field<'a>(fields: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// What is found while a block is read.
struct Findings<'a> {
    lines: &'a Lines,
    types: &'a LinkTypes,
    links: Vec<Link>,
    diagnostics: Vec<Diagnostic>,
}

/// A position in the findings, to discard what was found after it.
struct Mark {
    links: usize,
    diagnostics: usize,
}

impl Findings<'_> {
    fn diagnose(&mut self, offset: usize, code: &str, message: impl Into<String>) {
        let line = self.lines.line_of(offset);
        self.diagnostics.push(Diagnostic::new(line, code, message));
    }

    fn mark(&self) -> Mark {
        Mark { links: self.links.len(), diagnostics: self.diagnostics.len() }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.links.truncate(mark.links);
        self.diagnostics.truncate(mark.diagnostics);
    }
}

fn duplicate(key: &str) -> String {
    reported!("the key `{key}` is repeated; its first value is used")
}

#[cfg(test)]
mod tests;
