//! Answers on the terminal: results on standard output, notes about them on standard error.

use std::ops::Range;

use console::{measure_text_width, truncate_str};
use ubp_core::freshness::Staleness;
use ubp_core::hint::Voice;
use ubp_core::message;
use ubp_core::message::{Message, Style, each_span};
use ubp_core::show::{Page, Span};

use crate::output::{Failure, Palette, printable};
use crate::terminal::Terminal;
use crate::word_diff;

/// Maximum width of a table cell. Longer values are cut for people, never in JSON.
const WIDEST: usize = 60;

/// On narrower terminals, lines are not wrapped.
const NARROWEST: usize = 30;

/// Byte ranges of the lines of `text` when wrapped at `width` columns, between words if possible.
fn wrapped(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut start, mut column, mut word) = (0, 0, 0);
    let mut buffer = [0; 4];
    for (at, c) in text.char_indices() {
        if c == '\n' {
            lines.push(start..at);
            (start, column, word) = (at + 1, 0, at + 1);
            continue;
        }
        let columns = measure_text_width(c.encode_utf8(&mut buffer));
        if c == ' ' {
            word = at + 1;
        } else if column + columns > width {
            // Break inside words longer than a line, and inside text without spaces.
            let end = if word > start { word } else { at };
            lines.push(start..end);
            start = end;
            column = measure_text_width(&text[start..at]);
            word = start;
        }
        column += columns;
    }
    lines.push(start..text.len());
    lines
}

/// A [`Page`] on the terminal. After a failed write, nothing more is printed; [`TerminalPage::finish`] returns the
/// error.
pub(crate) struct TerminalPage<'t, 'io> {
    terminal: &'t mut Terminal<'io>,
    result: Result<(), Failure>,
}

impl<'t, 'io> TerminalPage<'t, 'io> {
    pub(crate) fn new(terminal: &'t mut Terminal<'io>) -> Self {
        Self { terminal, result: Ok(()) }
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.result
    }

    /// Prints a table with cells of at most `widest` columns.
    pub(crate) fn columns(&mut self, columns: &[Message], rows: &[Vec<String>], widest: usize) {
        let cell = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            truncate_str(&printable(&line), widest, "…").into_owned()
        };
        let header: Vec<String> = columns.iter().map(|name| cell(&self.terminal.told(name))).collect();
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect();
        let widths: Vec<usize> = (0..header.len())
            .map(|at| {
                let cells = rows.iter().chain([&header]).filter_map(|row| row.get(at));
                cells.map(|text| measure_text_width(text)).max().unwrap_or(0)
            })
            .collect();
        let aligned = |row: &[String]| {
            let cells = row.iter().zip(&widths).map(|(text, width)| {
                let gap = width.saturating_sub(measure_text_width(text)) + 2;
                format!("{text}{:gap$}", "")
            });
            cells.collect::<String>().trim_end().to_owned()
        };
        let heading = self.terminal.out.faint(aligned(&header));
        self.put(&heading);
        rows.iter().for_each(|row| self.put(&aligned(row)));
    }

    fn put(&mut self, line: &str) {
        if self.result.is_ok() {
            self.result = self.terminal.put(line);
        }
    }

    fn painted(&self, paint: Palette, line: &[Span<'_>]) -> String {
        let mut painted = String::new();
        each_span(line, &*self.terminal, &mut |span| painted.push_str(&self.span(paint, span)));
        painted
    }

    fn span(&self, paint: Palette, span: Span<'_>) -> String {
        match span {
            Span::Text(text) | Span::Words(text) | Span::Code(text) => printable(text),
            Span::Path(path) => paint.path(self.terminal.path(path)),
            Span::Place(path, line) => {
                format!("{}:{}", paint.path(self.terminal.path(path)), paint.line(line))
            }
            Span::File(path) => paint.path(self.terminal.project_path(path)),
            Span::Strong(text) | Span::Title(text) => paint.strong(printable(text)),
            Span::Faint(text) | Span::Label(text) => paint.faint(printable(text)),
            Span::Alarm(text) => paint.warning(printable(text)),
            Span::Trust(Staleness::Stale) => {
                format!("  {}", paint.error(self.terminal.told(&message!("[STALE]"))))
            }
            Span::Trust(Staleness::PossiblyStale) => {
                format!("  {}", paint.warning(self.terminal.told(&message!("[POSSIBLY STALE]"))))
            }
            Span::Trust(Staleness::Fresh | Staleness::Untracked) => String::new(),
            // Messages are told as their parts.
            Span::Said(_, message) | Span::Quoted(message) => printable(&self.terminal.told(message)),
        }
    }

    /// Columns to wrap at; `None` if the output is not a terminal: lines in a file or pipe are not wrapped.
    fn width(&self) -> Option<usize> {
        self.terminal.io.width.filter(|width| self.terminal.io.out_is_terminal && *width > NARROWEST)
    }

    fn indented(&mut self, by: &str, line: &[Span<'_>]) {
        let painted = self.painted(self.terminal.out, line);
        self.put(format!("{by}{painted}").trim_end());
    }
}

impl Page for TerminalPage<'_, '_> {
    fn heading(&mut self, line: &[Span<'_>]) {
        let plain = self.painted(Palette::new(false), line);
        if self.width().is_none_or(|width| measure_text_width(&plain) <= width) {
            return self.indented("", line);
        }
        // Details, printed in a faint colour, move to their own line.
        let (faint, rest): (Vec<Span<'_>>, Vec<Span<'_>>) =
            line.iter().partition(|span| matches!(span, Span::Faint(_) | Span::Said(Style::Faint, _)));
        // Drop the blanks that separated the two parts.
        let blank = |span: &Span<'_>| matches!(span, Span::Text(text) if text.trim().is_empty());
        let rest: Vec<Span<'_>> = rest.into_iter().filter(|span| !blank(span)).collect();
        self.indented("", &rest);
        if !faint.is_empty() {
            self.indented("    ", &faint);
        }
    }

    fn line(&mut self, line: &[Span<'_>]) {
        self.indented("", line);
    }

    fn rows(&mut self, rows: &[(Message, Message)], width: usize) {
        let names: Vec<String> = rows.iter().map(|(name, _)| self.terminal.told(name)).collect();
        let widest = names.iter().map(|name| measure_text_width(name) + 1).max().unwrap_or(0).max(width);
        for (name, (_, value)) in names.iter().zip(rows) {
            let gap = widest.saturating_sub(measure_text_width(name));
            self.line(&[Span::Strong(&format!("{name}{:gap$}", "")), Span::said(value)]);
        }
    }

    fn item(&mut self, line: &[Span<'_>]) {
        self.indented("  ", line);
    }

    fn branch(&mut self, depth: usize, line: &[Span<'_>]) {
        self.indented(&"  ".repeat(depth), line);
    }

    fn detail(&mut self, line: &[Span<'_>]) {
        self.indented("    ", line);
    }

    fn text(&mut self, text: &str) {
        self.put(&printable(text.trim_end_matches(['\n', '\r'])));
    }

    fn quote(&mut self, text: &str, highlights: &[[usize; 2]]) {
        let text = text.trim_end();
        let paint = self.terminal.out;
        let Some(width) = self.width() else {
            for line in paint.highlighted(text, highlights).lines() {
                self.put(format!("    {line}").trim_end());
            }
            return;
        };
        for range in wrapped(text, width - 4) {
            let before = text[..range.start].encode_utf16().count();
            let here: Vec<[usize; 2]> = highlights
                .iter()
                .filter(|[_, end]| *end > before)
                .map(|[start, end]| [start.saturating_sub(before), end - before])
                .collect();
            let line = paint.highlighted(&text[range], &here);
            self.put(format!("    {line}").trim_end());
        }
    }

    fn diff(&mut self, diff: &str) {
        for line in word_diff::painted(diff, self.terminal.out) {
            self.put(&line);
        }
    }

    fn table(&mut self, columns: &[Message], rows: &[Vec<String>]) {
        self.columns(columns, rows, WIDEST);
    }

    fn gap(&mut self) {
        self.put("");
    }

    fn note(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        let words = self.terminal.err.faint(words);
        self.terminal.note(Message::verbatim(words));
    }

    fn warn(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        self.terminal.warn(Message::verbatim(words));
    }

    fn hint(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        let label = self.terminal.told(&message!("hint:"));
        self.terminal.note(Message::verbatim(format!("{} {words}", self.terminal.err.good(label))));
    }

    fn handle(&mut self, _name: &str, _value: &str) {}

    fn aside(&mut self, line: &[Span<'_>]) {
        if self.terminal.verbose {
            self.indented("  ", line);
        }
    }

    fn padded(&self, message: &Message, width: usize) -> String {
        let told = self.terminal.told(message);
        let gap = width.saturating_sub(measure_text_width(&told));
        format!("{told}{:gap$}", "")
    }

    fn voice(&self) -> &dyn Voice {
        &*self.terminal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<&str> {
        wrapped(text, width).into_iter().map(|range| text[range].trim_end()).collect()
    }

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("one\ntwo three", 80), ["one", "two three"]);
        assert_eq!(lines("", 10), [""]);
    }

    #[test]
    fn text_without_spaces_is_wrapped_at_the_width() {
        assert_eq!(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(lines("認証の流れ", 4), ["認証", "の流", "れ"]);
    }
}
