//! Converts the events of the Markdown parser to HTML: blocks, text, lists, tables, footnotes, callouts. Links
//! and pictures are in [`super::links`].

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::callout::Callout;
use super::html::Html;
use super::links::Frame;
use super::load::{Loaded, Section};
use super::notes::Note;
use super::own_html::{self, OwnHtml};
use super::survey::{Survey, survey};
use super::{Job, blocks};
use crate::Result;
use crate::page::{self, Link};
use crate::text;

/// Whether a paragraph is open. A paragraph that contains only an embedded page is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paragraph {
    None,
    Pending,
    Open,
    /// The title of a callout.
    Title,
}

/// State saved while a footnote is written.
struct Outer {
    out: Html,
    paragraph: Paragraph,
    leaf: usize,
    note: usize,
}

/// The text of a page, or a part of it, while it is converted.
pub(super) struct Body<'j> {
    pub(super) job: &'j Job<'j>,
    pub(super) page: &'j Loaded,
    /// The part to convert; `None` for the requested page itself, in which places have ids.
    pub(super) window: Option<Range<usize>>,
    /// Prefix of the numbers in the ids of footnotes, so that those of embedded pages differ.
    pub(super) prefix: String,
    pub(super) links: HashMap<(usize, usize), Link>,
    pub(super) markers: Vec<(Range<usize>, String)>,
    marked: HashSet<String>,
    sections: std::vec::IntoIter<&'j Section>,
    pub(super) out: Html,
    outer: Vec<Outer>,
    pub(super) paragraph: Paragraph,
    /// Where the content of the innermost block starts in `out`.
    pub(super) leaf: usize,
    /// Number of open quotations, lists and footnotes: headings in them are not sections.
    depth: usize,
    /// Text before this byte belongs to the marker of a callout.
    pub(super) cut: usize,
    callout: Option<Callout>,
    /// For each open quotation, whether it is a callout.
    quotes: Vec<bool>,
    lists: Vec<bool>,
    aligned: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Empty cells at the end of a table row, written only if another cell follows: the parser pads rows.
    empty_cells: usize,
    pub(super) in_code: bool,
    /// The info string and the text of the block of code that is a query or names code.
    #[cfg(not(target_family = "wasm"))]
    pub(super) query: Option<(String, String)>,
    pub(super) raw: Option<String>,
    /// What the page's own HTML has opened.
    pub(super) own: OwnHtml,
    pub(super) survey: Survey,
    /// A byte of the text, and its line in the file.
    pub(super) line: (usize, usize),
    in_cell: bool,
    /// Whether the heading that repeats the title is being skipped.
    repeats_title: bool,
    started: bool,
    /// Number of open inline elements, such as emphasis.
    pub(super) inline: usize,
    /// Whether only text may be written, no block: in headings and cells.
    pub(super) phrasing: bool,
    pub(super) frames: Vec<Frame>,
    pub(super) notes: Vec<Note>,
    pub(super) note_numbers: HashMap<String, usize>,
}

impl<'j> Body<'j> {
    pub(super) fn new(job: &'j Job<'j>, page: &'j Loaded, window: Option<Range<usize>>) -> Self {
        let (links, blocks) = page::body_parts(&page.text, &job.renderer.types);
        let sections: Vec<&Section> = page.sections.iter().filter(|section| section.level > 0).collect();
        Self {
            job,
            page,
            prefix: window.as_ref().map(|_| format!("{}.", job.embeds.get())).unwrap_or_default(),
            window,
            links: links.into_iter().map(|link| ((link.range.start, link.range.end), link)).collect(),
            markers: blocks::markers(&page.text, &blocks),
            marked: HashSet::new(),
            sections: sections.into_iter(),
            out: Html::default(),
            outer: Vec::new(),
            paragraph: Paragraph::None,
            leaf: 0,
            depth: 0,
            cut: 0,
            callout: None,
            quotes: Vec::new(),
            lists: Vec::new(),
            aligned: Vec::new(),
            column: 0,
            in_head: false,
            empty_cells: 0,
            in_code: false,
            #[cfg(not(target_family = "wasm"))]
            query: None,
            raw: None,
            own: OwnHtml::default(),
            survey: survey(&page.text),
            line: (0, page.sections.first().map_or(1, |section| section.line)),
            in_cell: false,
            repeats_title: false,
            started: false,
            inline: 0,
            phrasing: false,
            frames: Vec::new(),
            notes: Vec::new(),
            note_numbers: HashMap::new(),
        }
    }

    pub(super) fn run(mut self) -> Result<String> {
        let page = self.page;
        for (event, range) in Parser::new_ext(&page.text, page::markdown_options()).into_offset_iter() {
            if self.is_wanted(&event, &range) {
                self.event(event, range)?;
            }
        }
        self.close_own();
        self.write_notes();
        Ok(self.out.into_string())
    }

    /// Whether an event belongs to the part. Footnotes may be anywhere on the page if the part refers to them.
    fn is_wanted(&self, event: &Event<'_>, range: &Range<usize>) -> bool {
        let is_note = matches!(
            event,
            Event::Start(Tag::FootnoteDefinition(_)) | Event::End(TagEnd::FootnoteDefinition)
        );
        let inside = |window: &Range<usize>| window.start <= range.start && range.end <= window.end;
        is_note || !self.outer.is_empty() || self.window.as_ref().is_none_or(inside)
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<()> {
        if self.repeats_title {
            if matches!(event, Event::End(TagEnd::Heading(_))) {
                self.repeats_title = false;
                self.leave();
            }
            return Ok(());
        }
        #[cfg(not(target_family = "wasm"))]
        if self.is_in_query(&event)? {
            return Ok(());
        }
        match event {
            Event::Start(tag) => self.start(tag, range)?,
            Event::End(tag) => self.end(tag)?,
            Event::Text(text) => self.text(&text, &range),
            Event::Code(text) => self.code(&text, "<code>"),
            Event::InlineMath(text) => self.formula(&text, false),
            Event::DisplayMath(text) => self.formula(&text, true),
            Event::SoftBreak => self.line_break("\n"),
            Event::HardBreak => self.line_break("<br>\n"),
            Event::InlineHtml(html) => self.inline_html(&html)?,
            Event::Html(html) => {
                if let Some(raw) = &mut self.raw {
                    raw.push_str(&html);
                }
            }
            Event::FootnoteReference(name) => self.note_reference(&name),
            Event::Rule => self.block("<hr>\n"),
            Event::TaskListMarker(done) => self.task(done, range.start),
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) -> Result<()> {
        if !matches!(tag, Tag::Paragraph) {
            self.untitled_callout();
        }
        let is_html = matches!(tag, Tag::HtmlBlock);
        match tag {
            Tag::Paragraph => self.start_paragraph(),
            Tag::Heading { level, .. } => self.heading(level as u8, range.start),
            Tag::BlockQuote(kind) => {
                self.depth += 1;
                let source = self.page.text.get(range.clone()).unwrap_or_default();
                self.callout = Callout::read(source, kind);
                self.quotes.push(self.callout.is_some());
                match &self.callout {
                    Some(callout) => {
                        self.cut = self.cut.max(range.start + callout.marker);
                        let kind = callout.kind.clone();
                        self.out.open(
                            "aside",
                            &[("class", "callout"), ("data-callout", &kind), ("role", "note")],
                        );
                        self.out.raw("\n");
                    }
                    None => self.block("<blockquote>\n"),
                }
            }
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => language(info),
                    CodeBlockKind::Indented => None,
                };
                match language {
                    Some(name) => {
                        self.out.raw("<pre>");
                        self.out.open("code", &[("class", &format!("language-{name}"))]);
                    }
                    None => self.out.raw("<pre><code>"),
                }
                // Browsers know no symbols: the block shows what it names.
                #[cfg(target_family = "wasm")]
                if let CodeBlockKind::Fenced(info) = &kind
                    && page::is_source(info)
                {
                    self.out.text(info);
                    self.out.text("\n");
                }
            }
            Tag::HtmlBlock => self.raw = Some(String::new()),
            Tag::List(first) => {
                self.depth += 1;
                self.lists.push(first.is_some());
                match first {
                    None => self.block("<ul>\n"),
                    Some(1) => self.block("<ol>\n"),
                    Some(first) => self.block(&format!("<ol start=\"{first}\">\n")),
                }
            }
            Tag::Item => {
                self.depth += 1;
                // A single item of a list may be embedded without the list.
                self.block(if self.lists.is_empty() { "<div>" } else { "<li>" });
            }
            Tag::FootnoteDefinition(name) => {
                self.depth += 1;
                let note = self.note(&name);
                let outer = Outer {
                    out: std::mem::take(&mut self.out),
                    paragraph: std::mem::replace(&mut self.paragraph, Paragraph::None),
                    leaf: std::mem::take(&mut self.leaf),
                    note,
                };
                self.outer.push(outer);
            }
            Tag::Table(aligned) => {
                self.aligned = aligned;
                self.block("<table>\n");
            }
            Tag::TableHead => {
                (self.column, self.in_head, self.empty_cells) = (0, true, 0);
                self.block("<thead><tr>");
            }
            Tag::TableRow => {
                (self.column, self.in_head, self.empty_cells) = (0, false, 0);
                self.block("<tr>");
            }
            Tag::TableCell => {
                let is_empty = range.is_empty() && !self.in_head;
                if is_empty {
                    self.empty_cells += 1;
                } else {
                    for _ in 0..std::mem::take(&mut self.empty_cells) {
                        self.out.raw("<td></td>");
                    }
                    self.open_cell();
                }
                self.column += 1;
                (self.phrasing, self.in_cell) = (true, true);
            }
            Tag::Emphasis => self.open_inline("<em>"),
            Tag::Strong => self.open_inline("<strong>"),
            Tag::Strikethrough => self.open_inline("<del>"),
            Tag::Link { link_type, dest_url, .. } => self.open_link(link_type, &dest_url, range)?,
            Tag::Image { link_type, dest_url, .. } => self.open_image(link_type, &dest_url, range)?,
            _ => {}
        }
        // A link or picture is written before anything in it.
        if !is_html {
            self.enter();
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) -> Result<()> {
        if !matches!(tag, TagEnd::HtmlBlock) {
            self.leave();
        }
        match tag {
            TagEnd::Paragraph => {
                if matches!(self.paragraph, Paragraph::Open | Paragraph::Title) {
                    self.out.raw("</p>\n");
                }
                self.paragraph = Paragraph::None;
            }
            TagEnd::Heading(level) => {
                self.phrasing = false;
                self.block(&format!("</{level}>\n"));
            }
            TagEnd::BlockQuote(_) => {
                self.depth -= 1;
                self.untitled_callout();
                let is_callout = self.quotes.pop().unwrap_or(false);
                self.block(if is_callout { "</aside>\n" } else { "</blockquote>\n" });
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.block("</code></pre>\n");
            }
            TagEnd::HtmlBlock => {
                let html = self.raw.take().unwrap_or_default();
                self.html_block(&html)?;
            }
            TagEnd::List(_) => {
                self.depth -= 1;
                let ordered = self.lists.pop().unwrap_or(false);
                self.block(if ordered { "</ol>\n" } else { "</ul>\n" });
            }
            TagEnd::Item => {
                self.depth -= 1;
                self.block(if self.lists.is_empty() { "</div>\n" } else { "</li>\n" });
            }
            TagEnd::FootnoteDefinition => {
                self.depth -= 1;
                if let Some(outer) = self.outer.pop() {
                    let html = std::mem::replace(&mut self.out, outer.out).into_string();
                    (self.paragraph, self.leaf) = (outer.paragraph, outer.leaf);
                    if let Some(note) = self.notes.get_mut(outer.note) {
                        note.html.get_or_insert(html);
                    }
                }
            }
            TagEnd::Table => self.block("</tbody></table>\n"),
            TagEnd::TableHead => self.block("</tr></thead><tbody>\n"),
            TagEnd::TableRow => self.block("</tr>\n"),
            TagEnd::TableCell => {
                (self.phrasing, self.in_cell) = (false, false);
                if self.empty_cells == 0 {
                    self.block(if self.in_head { "</th>" } else { "</td>" });
                }
            }
            TagEnd::Emphasis => self.close_inline("</em>"),
            TagEnd::Strong => self.close_inline("</strong>"),
            TagEnd::Strikethrough => self.close_inline("</del>"),
            TagEnd::Link | TagEnd::Image => self.close_link()?,
            _ => {}
        }
        Ok(())
    }

    /// Writes the tag of a block.
    pub(super) fn block(&mut self, markup: &str) {
        self.started = true;
        self.out.raw(markup);
        self.leaf = self.out.len();
    }

    /// Closes an open paragraph so that a block can follow; text after it opens another one.
    pub(super) fn interrupt_paragraph(&mut self) {
        if self.paragraph == Paragraph::Open {
            self.out.raw("</p>\n");
            self.paragraph = Paragraph::Pending;
        }
    }

    /// Whether a block may interrupt the text here.
    pub(super) fn takes_blocks(&self) -> bool {
        self.inline == 0
            && !self.phrasing
            && self.paragraph != Paragraph::Title
            && self.frames.is_empty()
            && self.own.is_clear()
    }

    fn start_paragraph(&mut self) {
        self.started = true;
        match self.callout.take() {
            None => self.paragraph = Paragraph::Pending,
            Some(callout) if callout.titled => {
                self.block("<p class=\"callout-title\">");
                self.paragraph = Paragraph::Title;
            }
            Some(callout) => {
                self.write_default_title(&callout);
                self.paragraph = Paragraph::Pending;
            }
        }
    }

    /// Writes the title of a callout that has none.
    fn untitled_callout(&mut self) {
        if let Some(callout) = self.callout.take() {
            self.write_default_title(&callout);
        }
    }

    fn write_default_title(&mut self, callout: &Callout) {
        self.out.raw("<p class=\"callout-title\">");
        self.out.text(&callout.default_title());
        self.block("</p>\n");
    }

    fn heading(&mut self, level: u8, start: usize) {
        let is_first = !std::mem::replace(&mut self.started, true);
        let section = if self.depth == 0 && self.window.is_none() { self.sections.next() } else { None };
        if let Some(section) = section {
            let heading = section.heading_path.last().map_or("", String::as_str);
            if is_first && level == 1 && heading == self.page.title && self.cut <= start {
                self.out.open("span", &[("class", "anchor"), ("id", &section.id)]);
                self.out.raw("</span>\n");
                self.repeats_title = true;
                return;
            }
            self.out.open(&format!("h{level}"), &[("id", &section.id)]);
        } else {
            self.out.raw(&format!("<h{level}>"));
        }
        self.phrasing = true;
        self.leaf = self.out.len();
    }

    fn open_cell(&mut self) {
        let alignment = match self.aligned.get(self.column) {
            Some(Alignment::Left) => " class=\"align-left\"",
            Some(Alignment::Center) => " class=\"align-center\"",
            Some(Alignment::Right) => " class=\"align-right\"",
            _ => "",
        };
        let (name, scope) = if self.in_head { ("th", " scope=\"col\"") } else { ("td", "") };
        self.block(&format!("<{name}{scope}{alignment}>"));
    }

    /// Whether text is hidden here: the text of a link that shows another, or the description of a picture.
    pub(super) fn is_hidden(&self) -> bool {
        self.frames.iter().any(Frame::hides)
    }

    /// Starts the content of a block, as part of what the page shows.
    pub(super) fn start_leaf(&mut self) {
        self.leaf = self.out.len();
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.leaf == self.out.len()
    }

    /// Writes the end of a block of the page's own HTML.
    pub(super) fn close_block(&mut self, markup: &str) {
        self.out.raw(markup);
        self.start_leaf();
    }

    /// Text was shown: a later heading is not at the top of the page.
    pub(super) fn saw_text(&mut self) {
        self.started = true;
    }

    /// Whether a block may be here without interrupting a paragraph: in a cell, or an item without paragraphs.
    pub(super) fn is_bare(&self) -> bool {
        let is_plain = self.paragraph == Paragraph::None && (!self.phrasing || self.in_cell);
        is_plain && self.inline == 0 && self.frames.is_empty()
    }

    /// Opens a paragraph if text needs one here.
    pub(super) fn open_paragraph(&mut self) {
        if self.paragraph == Paragraph::Pending {
            self.paragraph = Paragraph::Open;
            self.block("<p>");
        }
    }

    fn open_inline(&mut self, markup: &str) {
        if !self.is_hidden() {
            self.open_paragraph();
            self.out.raw(markup);
        }
        self.inline += 1;
    }

    fn close_inline(&mut self, markup: &str) {
        if !self.is_hidden() {
            self.out.raw(markup);
        }
        self.inline -= 1;
    }

    /// The id of a place on this page, for its name in a link.
    pub(super) fn own_place(&self, name: &str) -> Option<String> {
        let key = text::fold_key(name);
        let block = self.markers.iter().find(|(_, marker)| *marker == key);
        let place = block.map(|(_, marker)| marker.clone()).or_else(|| self.page.place(name));
        place.or_else(|| self.survey.names.contains(name).then(|| own_html::id_of(name)))
    }

    /// Gives the current block its name as id, once, and only on the page itself.
    pub(super) fn mark(&mut self, name: &str) {
        if self.window.is_none() && self.marked.insert(name.to_owned()) {
            let mut anchor = Html::default();
            anchor.open("span", &[("class", "anchor"), ("id", name)]);
            anchor.raw("</span>");
            self.out.insert(self.leaf, &anchor.into_string());
        }
    }
}

/// The language of a code block, if its name is valid as part of a class.
pub(super) fn language(info: &str) -> Option<String> {
    let name = info.split([' ', '\t', ',', '{', ':']).next().unwrap_or_default();
    let fits = !name.is_empty()
        && name.len() <= 40
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+#.".contains(c));
    fits.then(|| name.to_lowercase())
}
