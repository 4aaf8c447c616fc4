//! Where a page can say something that can be checked: code spans, shell blocks, and paths in the text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::exempt;
use crate::page::{Lines, body_start, markdown_options};

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A code span.
    Span,
    /// A line of a block with commands.
    Shell,
    /// A line of a block without a language.
    Block,
    /// A word of the text.
    Text,
}

/// Something that a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// What it says.
    pub text: String,
    /// Line, from 1.
    pub line: usize,
    /// The line on which its section starts.
    pub section: usize,
    /// How it is written.
    pub place: Place,
}

/// Languages of blocks with commands.
const SHELLS: [&str; 9] =
    ["bash", "console", "sh", "shell", "shell-session", "sh-session", "shellsession", "terminal", "zsh"];

/// Maximum distance that is searched for the start and the end of a sentence, in bytes.
const SENTENCE: usize = 300;

/// All that the page says now: without sections and sentences about the past or the future.
pub(super) fn said(text: &str, lines: &Lines) -> Vec<Said> {
    let start = body_start(text);
    let body = text.get(start..).unwrap_or_default();
    let mut reader = Reader {
        body,
        lines,
        start,
        said: Vec::new(),
        headings: Vec::new(),
        section: 1,
        open: Open::default(),
    };
    for (event, range) in Parser::new_ext(body, markdown_options()).into_offset_iter() {
        reader.event(event, range);
    }
    reader.said
}

struct Reader<'a> {
    body: &'a str,
    lines: &'a Lines,
    /// Where the body starts in the page.
    start: usize,
    said: Vec<Said>,
    /// Level of each heading around the text, and whether its section is exempt.
    headings: Vec<(u8, bool)>,
    section: usize,
    open: Open,
}

/// What the text is in.
#[derive(Default)]
struct Open {
    /// The level and text of a heading.
    heading: Option<(u8, String)>,
    /// A block of code; `Some(None)` in another language.
    block: Option<Option<Place>>,
    /// Depth of struck text.
    struck: usize,
    /// Depth of links and pictures, which are claims of their own.
    links: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let level = level as u8;
                self.headings.retain(|(outer, _)| *outer < level);
                self.section = self.line(range.start);
                self.open.heading = Some((level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, text)) = self.open.heading.take() {
                    self.headings.push((level, exempt::by_heading(&text)));
                }
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Indented => "",
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
                };
                let place = match language.to_ascii_lowercase().as_str() {
                    "" | "text" | "txt" => Some(Place::Block),
                    language => SHELLS.contains(&language).then_some(Place::Shell),
                };
                self.open.block = Some(place);
            }
            Event::End(TagEnd::CodeBlock) => self.open.block = None,
            Event::Start(Tag::Strikethrough) => self.open.struck += 1,
            Event::End(TagEnd::Strikethrough) => self.open.struck = self.open.struck.saturating_sub(1),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => self.open.links += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => self.open.links = self.open.links.saturating_sub(1),
            Event::Code(code) => {
                if let Some((_, heading)) = &mut self.open.heading {
                    heading.push_str(&code);
                }
                // A span longer than a line is not a name.
                if code.len() <= 200 {
                    self.say(code.trim(), Place::Span, &range);
                }
            }
            Event::Text(text) => match self.open.block {
                Some(Some(place)) => self.block(place, &range),
                Some(None) => {}
                None => {
                    if let Some((_, heading)) = &mut self.open.heading {
                        heading.push_str(&text);
                    } else if self.open.links == 0 && text.contains('/') {
                        self.words(&range);
                    }
                }
            },
            _ => {}
        }
    }

    fn line(&self, at: usize) -> usize {
        self.lines.line_of(self.start + at)
    }

    fn block(&mut self, place: Place, range: &Range<usize>) {
        let mut at = range.start;
        for line in self.body.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
            let text = line.trim();
            if !text.is_empty() && text.len() <= 400 {
                self.say(text, place, &(at..at + line.len()));
            }
            at += line.len();
        }
    }

    fn words(&mut self, range: &Range<usize>) {
        let text = self.body.get(range.clone()).unwrap_or_default();
        for word in text.split_whitespace().filter(|word| word.contains('/')) {
            let trimmed = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_'));
            let trimmed = trimmed.trim_end_matches(['.', '/']);
            let at = range.start + (word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            if trimmed.contains('/') {
                self.say(trimmed, Place::Text, &(at..at + word.len()));
            }
        }
    }

    fn say(&mut self, text: &str, place: Place, range: &Range<usize>) {
        let is_exempt = self.open.struck > 0
            || self.headings.iter().any(|(_, is_exempt)| *is_exempt)
            || (matches!(place, Place::Span | Place::Text) && is_exempt(self.sentence(range)));
        if !text.is_empty() && !is_exempt {
            let line = self.line(range.start);
            self.said.push(Said { text: text.to_owned(), line, section: self.section, place });
        }
    }

    /// The sentence around a range, as written; for a cell of a table, its row.
    fn sentence(&self, range: &Range<usize>) -> &str {
        const ENDS: [&str; 8] = [". ", ".\n", "? ", "! ", "。", "\n\n", "\n- ", "\n* "];
        let mut from = range.start.saturating_sub(SENTENCE);
        while !self.body.is_char_boundary(from) {
            from += 1;
        }
        let mut to = (range.end + SENTENCE).min(self.body.len());
        while !self.body.is_char_boundary(to) {
            to -= 1;
        }
        let before = self.body.get(from..range.start).unwrap_or_default();
        let after = self.body.get(range.end..to).unwrap_or_default();
        let mut start =
            from + ENDS.iter().filter_map(|end| Some(before.rfind(end)? + end.len())).max().unwrap_or(0);
        let mut end = range.end + ENDS.iter().filter_map(|end| after.find(end)).min().unwrap_or(after.len());
        // A row of a table is a sentence.
        let row = before.rfind('\n').map_or(from, |at| from + at + 1);
        if self.body.get(row..).is_some_and(|row| row.trim_start().starts_with('|')) {
            start = row;
            end = range.end + after.find('\n').unwrap_or(after.len());
        }
        self.body.get(start..end).unwrap_or_default()
    }
}

fn is_exempt(sentence: &str) -> bool {
    exempt::is_task(sentence) || exempt::by_sentence(sentence)
}
