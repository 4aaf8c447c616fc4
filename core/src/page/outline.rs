//! Splits a page into sections at its headings, and names them.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::context::{first, on_one_line};
use super::lines::Lines;
use super::model::{Diagnostic, Section};
use crate::reported;

/// Maximum length of a heading in characters: every section below a heading stores it again.
const HEADING_LIMIT: usize = 200;

/// Maximum length of the slug of one heading in characters.
const SLUG_LIMIT: usize = 80;

/// Maximum number of sections of a page. Each stores the path of its headings, which can be much longer than its text.
const MOST_SECTIONS: usize = 10_000;

/// Id of the text before the first heading.
const PREAMBLE: &str = "_";

/// The sections of a page being read.
pub(super) struct Outline<'a> {
    text: &'a str,
    lines: &'a Lines,
    /// Where the text after front matter starts.
    start: usize,
    sections: Vec<Section>,
    /// Indexes of the open sections, outermost first.
    open: Vec<usize>,
    used: HashSet<String>,
    /// Number of duplicates of each id.
    twins: HashMap<String, usize>,
    title: Option<String>,
    /// Line of the first heading that does not start a section.
    more: Option<usize>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(text: &'a str, lines: &'a Lines, start: usize) -> Self {
        Self {
            text,
            lines,
            start,
            sections: Vec::new(),
            open: Vec::new(),
            used: HashSet::from([PREAMBLE.to_owned()]),
            twins: HashMap::new(),
            title: None,
            more: None,
        }
    }

    /// Adds a heading of `level` at `offset`; `is_at_top` if there is no text above it.
    pub(super) fn heading(&mut self, level: u8, plain: &str, offset: usize, is_at_top: bool) {
        if self.sections.len() >= MOST_SECTIONS {
            self.more.get_or_insert(self.lines.line_of(offset));
            return;
        }
        let heading = first(on_one_line(plain).as_str(), HEADING_LIMIT).trim_end().to_owned();
        if level == 1 && is_at_top && !heading.is_empty() {
            self.title = Some(heading.clone());
        }
        self.open.retain(|&number| self.sections.get(number).is_some_and(|above| above.level < level));
        let parent = self.open.last().and_then(|&number| self.sections.get(number));
        let base =
            parent.map_or_else(|| slug(&heading), |parent| format!("{}/{}", parent.id, slug(&heading)));
        let mut heading_path = parent.map_or_else(Vec::new, |parent| parent.heading_path.clone());
        heading_path.push(heading.clone());
        // The section starts at the start of the line, before its indentation.
        let start = self.lines.start_of(offset).max(self.start);
        let id = self.unique(base);
        self.open.push(self.sections.len());
        self.sections.push(Section { id, heading, heading_path, level, range: start..start, lines: (0, 0) });
    }

    /// The diagnostic about too many headings, if there are.
    pub(super) fn excess(&self) -> Option<Diagnostic> {
        self.more.map(|line| {
            let message = reported!(
                "the page has more than {most} headings; those from this line on start no section",
                most = MOST_SECTIONS
            );
            Diagnostic::in_part(line, message)
        })
    }

    fn unique(&mut self, base: String) -> String {
        if self.used.insert(base.clone()) {
            return base;
        }
        let count = self.twins.entry(base.clone()).or_insert(1);
        loop {
            *count += 1;
            let id = format!("{base}-{count}");
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }

    /// The sections, which together are the whole text after front matter, and the level-1 heading at the top.
    /// Blank text before the first heading is not in a section.
    pub(super) fn finish(mut self) -> (Vec<Section>, Option<String>) {
        let first = self.sections.first().map_or(self.text.len(), |section| section.range.start);
        if self.text.get(self.start..first).is_some_and(|preamble| !preamble.trim().is_empty()) {
            let preamble = Section {
                id: PREAMBLE.to_owned(),
                heading: String::new(),
                heading_path: Vec::new(),
                level: 0,
                range: self.start..first,
                lines: (0, 0),
            };
            self.sections.insert(0, preamble);
        }
        let mut end = self.text.len();
        for section in self.sections.iter_mut().rev() {
            section.range.end = end;
            end = section.range.start;
            let last = section.range.end.saturating_sub(1).max(section.range.start);
            section.lines = (self.lines.line_of(section.range.start), self.lines.line_of(last));
        }
        (self.sections, self.title)
    }
}

/// A heading as part of an id: letters and digits of any script, in lower case, everything else as single
/// hyphens; `section` if nothing is left.
pub(crate) fn slug(heading: &str) -> String {
    let mut slug = if heading.is_ascii() {
        hyphenated(heading.chars().map(|character| character.to_ascii_lowercase()))
    } else {
        hyphenated(heading.nfc().flat_map(char::to_lowercase))
    };
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() { "section".to_owned() } else { slug }
}

fn hyphenated(heading: impl Iterator<Item = char>) -> String {
    let mut slug = String::with_capacity(SLUG_LIMIT);
    let mut length = 0;
    for character in heading {
        if length == SLUG_LIMIT {
            break;
        }
        if character.is_alphanumeric() || (!character.is_ascii() && is_combining_mark(character)) {
            slug.push(character);
            length += 1;
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
            length += 1;
        }
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_keep_letters_of_any_script() {
        assert_eq!(slug("Getting Started!"), "getting-started");
        assert_eq!(slug("  認証 / ログイン (v2)"), "認証-ログイン-v2");
        assert_eq!(slug("Cafe\u{301} ÄÖ"), "café-äö");
        assert_eq!(slug("C++"), "c");
        assert_eq!(slug("!?"), "section");
        assert_eq!(slug("snake_case"), "snake-case");
        assert_eq!(slug(&"abc ".repeat(100)).chars().count(), 79);
    }
}
