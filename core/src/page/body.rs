//! The text of a page after its front matter. The Markdown parser locates links, headings and
//! text, so anything in code, comments, mathematics or escaped brackets is ignored. [`link_syntax`]
//! parses the source of a link.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::leaf::{Leaf, Tags};
use super::lines::Lines;
use super::link_syntax;
use super::model::{Block, Diagnostic, Link, LinkKind, Section};
use super::outline::Outline;
use super::{LinkTypes, context, link_types};
use crate::reported;

/// Maximum length of the display text of a link that contains another one, in characters: each of several nested
/// links would repeat the text of all links inside it.
const NESTED_TEXT_LIMIT: usize = 200;

/// Maximum number of links of a page; further ones are ignored. A page of links alone would take hundreds of times
/// its size.
const MOST_LINKS: usize = 50_000;

/// The content of a page after its front matter.
pub(super) struct Body {
    pub sections: Vec<Section>,
    /// The level-1 heading at the top, below nothing but pictures, tags and HTML.
    pub title: Option<String>,
    pub links: Vec<Link>,
    pub blocks: Vec<Block>,
    /// Diagnostics about limits that were exceeded.
    pub excess: Vec<Diagnostic>,
}

/// Reads `text` from byte `start`, adding its tags to `tags`.
pub(super) fn read(text: &str, start: usize, lines: &Lines, types: &LinkTypes, tags: &mut Tags) -> Body {
    let mut reader = Reader {
        text,
        lines,
        types,
        tags,
        outline: Outline::new(text, lines, start),
        leaf: Leaf::default(),
        links: Vec::new(),
        more_links: None,
        blocks: Vec::new(),
        open: Vec::new(),
        hidden: 0,
        code: false,
        depth: 0,
        images: 0,
        top: Top::Open,
    };
    for (event, range) in Parser::new_ext(text.get(start..).unwrap_or(""), options()).into_offset_iter() {
        reader.event(event, start + range.start..start + range.end);
    }
    reader.flush();
    let more_links = reader.more_links.map(|line| {
        Diagnostic::in_part(
            line,
            reported!(
                "the page has more than {most} links; those from this line on are text",
                most = MOST_LINKS
            ),
        )
    });
    let more_headings = reader.outline.excess();
    let (sections, title) = reader.outline.finish();
    let excess = more_links.into_iter().chain(more_headings).collect();
    Body { sections, title, links: reader.links, blocks: reader.blocks, excess }
}

/// The enabled extensions of the Markdown parser.
pub(crate) fn options() -> Options {
    // Not its YAML extension, which also reads `---` blocks in the middle of a text as front matter.
    Options::ENABLE_WIKILINKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}

struct Reader<'a> {
    text: &'a str,
    lines: &'a Lines,
    types: &'a LinkTypes,
    tags: &'a mut Tags,
    outline: Outline<'a>,
    leaf: Leaf,
    links: Vec<Link>,
    /// Line of the first link that is ignored.
    more_links: Option<usize>,
    blocks: Vec<Block>,
    open: Vec<OpenLink>,
    /// Number of open links that show their own text instead of the content between the brackets.
    hidden: usize,
    code: bool,
    /// Number of open blocks in which headings do not start a section: quotes, lists, footnotes.
    depth: usize,
    /// Number of open images.
    images: usize,
    top: Top,
}

/// Whether a heading can still be at the top of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top {
    /// There was no text yet.
    Open,
    /// The current heading is the first text.
    Heading,
    /// There was text.
    Closed,
}

struct OpenLink {
    /// Its index in `links`; `None` if its target is not a page or file.
    number: Option<usize>,
    /// Where its text starts in the leaf.
    start: usize,
    /// Whether the events inside are ignored, because its text comes from its source.
    hides: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, &range),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) if self.hidden == 0 => {
                self.leave_top();
                self.leaf.push_opaque(&text, range.end);
            }
            Event::SoftBreak | Event::HardBreak if self.hidden == 0 => self.leaf.push(" ", range.end),
            Event::InlineHtml(html) if html.starts_with("<br") && self.hidden == 0 => {
                self.leaf.push(" ", range.end);
            }
            Event::InlineHtml(_) | Event::FootnoteReference(_) => self.leaf.divide(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => self.open_link(link_type, &dest_url, range, false),
            Tag::Image { link_type, dest_url, .. } => {
                self.images += 1;
                self.open_link(link_type, &dest_url, range, true);
            }
            Tag::Heading { .. } => {
                self.flush();
                self.top = if self.top == Top::Open && self.depth == 0 { Top::Heading } else { Top::Closed };
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => self.leaf.divide(),
            Tag::TableCell => {
                if !self.leaf.is_empty() {
                    self.leaf.push(" ", range.start);
                }
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.leave_top();
                self.code = true;
            }
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item | Tag::FootnoteDefinition(_) => {
                self.flush();
                self.depth += 1;
            }
            _ => self.flush(),
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link => self.close_link(),
            TagEnd::Image => {
                self.images -= 1;
                self.close_link();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.leaf.divide(),
            TagEnd::TableCell => {}
            TagEnd::CodeBlock => self.code = false,
            TagEnd::Heading(level) => {
                if self.depth == 0 {
                    let is_at_top = self.top == Top::Heading;
                    self.outline.heading(level as u8, self.leaf.plain(), range.start, is_at_top);
                }
                // An empty heading is no text.
                let is_still_top = self.top == Top::Heading && self.leaf.plain().trim().is_empty();
                self.top = if is_still_top { Top::Open } else { Top::Closed };
                self.flush();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.flush();
                self.depth -= 1;
            }
            _ => self.flush(),
        }
    }

    /// Notes text that is not in an image.
    fn leave_top(&mut self) {
        if self.top == Top::Open && self.images == 0 {
            self.top = Top::Closed;
        }
    }

    fn text(&mut self, text: &str, range: &Range<usize>) {
        let is_tag = |word: &str| word.len() > 1 && word.starts_with('#');
        if !text.split_whitespace().all(is_tag) {
            self.leave_top();
        }
        if self.code || self.hidden > 0 {
            return;
        }
        // An escaped `\#` or an entity for it reads as `#` but does not start a tag; likewise `^` and block names.
        if text.starts_with(['#', '^']) {
            let before = self.text.get(..range.start).unwrap_or("");
            let source = self.text.get(range.clone()).unwrap_or("");
            if before.ends_with('\\') || !source.starts_with(['#', '^']) {
                let (mark, rest) = text.split_at(1);
                self.leaf.push_opaque(mark, range.end);
                self.leaf.push(rest, range.end);
                return;
            }
        }
        self.leaf.push(text, range.end);
    }

    fn open_link(&mut self, link_type: LinkType, destination: &str, range: Range<usize>, image: bool) {
        let start = self.leaf.len();
        let (link, hides) = match link_type {
            _ if self.links.len() >= MOST_LINKS => {
                self.more_links.get_or_insert(self.lines.line_of(range.start));
                (None, false)
            }
            LinkType::WikiLink { .. } => {
                let link = self.wiki_link(range.clone());
                let hides = link.is_some();
                (link, hides)
            }
            LinkType::Autolink | LinkType::Email => (None, false),
            _ => (self.markdown_link(destination, range.clone(), image), false),
        };
        if let (Some(link), true, 0) = (&link, hides, self.hidden) {
            self.leaf.push(link.text.as_ref().unwrap_or(&link.target), range.end);
        }
        let number = link.map(|link| {
            self.links.push(link);
            self.links.len() - 1
        });
        self.hidden += usize::from(hides);
        self.open.push(OpenLink { number, start, hides });
    }

    fn close_link(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.hidden -= usize::from(open.hides);
        if let Some(number) = open.number {
            self.leaf.link(number, open.start);
            if let (false, Some(link)) = (open.hides, self.links.get_mut(number)) {
                let text = self.leaf.since(open.start);
                let text = if self.open.is_empty() { text } else { context::first(text, NESTED_TEXT_LIMIT) };
                link.text = Some(context::on_one_line(text)).filter(|text| !text.is_empty());
            }
        }
        self.leaf.cover(open.start);
    }

    fn wiki_link(&self, range: Range<usize>) -> Option<Link> {
        let parsed = link_syntax::parse_link(self.text.get(range.clone())?, self.types)?;
        let kind = if parsed.embed { LinkKind::Embed } else { LinkKind::Wiki };
        let link_type = parsed.link_type.unwrap_or_else(|| link_types::DEFAULT.to_owned());
        Some(self.link(kind, parsed.target, link_type, parsed.text, range))
    }

    fn markdown_link(&self, destination: &str, range: Range<usize>, image: bool) -> Option<Link> {
        let target = link_syntax::parse_destination(destination)?;
        let kind = match image {
            true if link_syntax::leads_to_page(&target) => LinkKind::Embed,
            true => return None,
            false => LinkKind::Markdown,
        };
        Some(self.link(kind, target, link_types::DEFAULT.to_owned(), None, range))
    }

    fn link(
        &self,
        kind: LinkKind,
        target: String,
        link_type: String,
        text: Option<String>,
        range: Range<usize>,
    ) -> Link {
        let line = self.lines.line_of(range.start);
        Link { kind, target, link_type, text, range, line, context: String::new() }
    }

    /// Extracts tags, block name and link contexts from a finished block, and clears it.
    fn flush(&mut self) {
        if self.leaf.is_spent() {
            return;
        }
        self.leaf.collect_tags(self.tags);
        if let Some(name) = self.leaf.block_name() {
            let line = self.lines.line_of(self.leaf.end().saturating_sub(1));
            self.blocks.push(Block { name: name.to_owned(), line });
        }
        for (number, context) in self.leaf.contexts() {
            if let Some(link) = self.links.get_mut(number) {
                link.context = context;
            }
        }
        self.leaf.clear();
    }
}
