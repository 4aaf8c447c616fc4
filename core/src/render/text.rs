//! Converts the text of a page to HTML: words, highlights, code, formulas, line breaks, and the boxes of tasks.

use std::ops::Range;

use super::body::{Body, Paragraph};
use super::links::Frame;
use super::math;
use crate::{message, page};

impl Body<'_> {
    pub(super) fn formula(&mut self, latex: &str, is_display: bool) {
        match math::mathml(latex, is_display) {
            Some(markup) if !self.described(latex) => {
                self.open_paragraph();
                self.fill_gap("x");
                self.out.raw(&markup);
            }
            Some(_) => {}
            None if is_display => self.code(latex, "<code class=\"math math-display\">"),
            None => self.code(latex, "<code class=\"math\">"),
        }
    }

    pub(super) fn task(&mut self, is_done: bool, at: usize) {
        self.open_paragraph();
        let mut attributes = vec![("type", "checkbox"), ("class", "task"), ("disabled", "")];
        if is_done {
            attributes.push(("checked", ""));
        }
        let label = if is_done { message!("Done") } else { message!("To do") }.told_to_reader();
        attributes.push(("aria-label", &label));
        let line = self.line_of(at).to_string();
        // Tasks of embedded pages are changed on those.
        if self.window.is_none() {
            attributes.push(("data-line", &line));
        }
        self.out.open("input", &attributes);
        self.out.raw(" ");
    }

    /// The line in the file of the byte at `at`; bytes are asked for in order.
    fn line_of(&mut self, at: usize) -> usize {
        let (from, line) = self.line;
        let passed = self.page.text.get(from..at).map_or(0, page::line_breaks);
        self.line = (at.max(from), line + passed);
        self.line.1
    }

    pub(super) fn code(&mut self, text: &str, markup: &str) {
        if self.described(text) {
            return;
        }
        self.open_paragraph();
        self.fill_gap(text);
        self.out.raw(markup);
        self.out.text(text);
        self.out.raw("</code>");
    }

    /// Adds text to a picture's description, or skips it if it is hidden; returns whether it did either.
    fn described(&mut self, text: &str) -> bool {
        let hidden = self.is_hidden();
        if let Some(Frame::Picture { description, .. }) = self.frames.iter_mut().rev().find(|f| f.hides()) {
            description.push_str(text);
        }
        hidden
    }

    pub(super) fn line_break(&mut self, markup: &str) {
        if self.described(" ") {
            return;
        }
        match self.paragraph {
            Paragraph::Title if self.inline == 0 && self.frames.is_empty() && self.own.is_clear() => {
                self.out.raw("</p>\n");
                self.paragraph = Paragraph::Pending;
            }
            Paragraph::Pending => {}
            _ => self.out.raw(markup),
        }
    }

    pub(super) fn text(&mut self, text: &str, range: &Range<usize>) {
        if self.in_code {
            self.out.text(text);
            return;
        }
        if let Some(raw) = &mut self.raw {
            raw.push_str(text);
            return;
        }
        let mut from = range.start;
        let next = self.survey.highlights.partition_point(|(at, _)| *at < range.start);
        let within = self.survey.highlights.iter().skip(next).take_while(|(at, _)| *at + 2 <= range.end);
        let highlights: Vec<(usize, bool)> = within.copied().collect();
        for (at, opens) in highlights {
            self.piece(text.get(from - range.start..at - range.start).unwrap_or_default(), &(from..at));
            self.highlight(opens);
            from = at + 2;
        }
        self.piece(text.get(from - range.start..).unwrap_or(text), &(from..range.end));
    }

    /// Writes text that is not highlighted differently from its start to its end.
    fn piece(&mut self, text: &str, range: &Range<usize>) {
        if text.is_empty() {
            return;
        }
        if range.end <= self.cut || self.described(text) {
            return;
        }
        let skip = self.cut.saturating_sub(range.start);
        let rest = text.get(skip..).unwrap_or(text);
        let start = range.start + (text.len() - rest.len());
        let rest = if self.leaf == self.out.len() { rest.trim_start() } else { rest };
        let next = self.markers.partition_point(|(marker, _)| marker.start < start);
        let marker = self.markers.get(next).filter(|(marker, _)| marker.end <= range.end).cloned();
        match marker.and_then(|(marker, name)| {
            // Counted from the end, because the start may have lost blank space.
            let before = rest.len().checked_sub(range.end - marker.start)?;
            Some((rest.get(..before)?, name, rest.get(rest.len() - (range.end - marker.end)..)?))
        }) {
            Some((before, name, after)) => {
                self.write(if after.is_empty() { before.trim_end() } else { before });
                self.mark(&name);
                self.write(after);
            }
            None => self.write(rest),
        }
    }

    fn write(&mut self, text: &str) {
        if self.paragraph == Paragraph::Pending && text.trim().is_empty() {
            return;
        }
        self.open_paragraph();
        self.fill_gap(text);
        self.out.text(text);
    }
}
