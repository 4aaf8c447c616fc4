//! Answers told at the terminal: results on standard output, what is to be said about them on standard error.

use console::{measure_text_width, truncate_str};
use ubp_core::freshness::Staleness;
use ubp_core::ops;
use ubp_core::show::{Page, Span};

use crate::output::{Failure, Palette, printable};
use crate::session::Terminal;

/// Columns that a value of a table may take: what is longer is cut for people, never in JSON.
const WIDEST: usize = 60;

/// A [`Page`] that is a terminal. What fails to be written ends the answer; [`TerminalPage::finish`] says so.
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

    fn put(&mut self, line: &str) {
        if self.result.is_ok() {
            self.result = self.terminal.line(line);
        }
    }

    fn painted(&self, paint: Palette, line: &[Span<'_>]) -> String {
        line.iter().map(|span| self.span(paint, *span)).collect()
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
            Span::Trust(Staleness::Stale) => format!("  {}", paint.error("[STALE]")),
            Span::Trust(Staleness::PossiblyStale) => format!("  {}", paint.warning("[POSSIBLY STALE]")),
            Span::Trust(Staleness::Fresh | Staleness::Untracked) => String::new(),
        }
    }

    fn indented(&mut self, by: &str, line: &[Span<'_>]) {
        let painted = self.painted(self.terminal.out, line);
        self.put(format!("{by}{painted}").trim_end());
    }
}

impl Page for TerminalPage<'_, '_> {
    fn heading(&mut self, line: &[Span<'_>]) {
        self.indented("", line);
    }

    fn line(&mut self, line: &[Span<'_>]) {
        self.indented("", line);
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
        for line in self.terminal.out.highlighted(text.trim_end(), highlights).lines() {
            self.put(format!("    {line}").trim_end());
        }
    }

    fn diff(&mut self, diff: &str) {
        let paint = self.terminal.out;
        for line in diff.lines() {
            let text = printable(line);
            self.put(&match line.as_bytes().first() {
                _ if line.starts_with("+++") || line.starts_with("---") => paint.strong(text),
                Some(b'+') => paint.good(text),
                Some(b'-') => paint.error(text),
                Some(b'@') => paint.faint(text),
                _ => text,
            });
        }
    }

    fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) {
        let cell = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            truncate_str(&printable(&line), WIDEST, "…").into_owned()
        };
        let header: Vec<String> = columns.iter().map(|name| cell(name)).collect();
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

    fn gap(&mut self) {
        self.put("");
    }

    fn note(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        let words = self.terminal.err.faint(words);
        self.terminal.note(words);
    }

    fn warn(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        self.terminal.warn(words);
    }

    fn hint(&mut self, line: &[Span<'_>]) {
        let words = self.painted(Palette::new(false), line);
        let label = self.terminal.err.good("hint:");
        self.terminal.note(format!("{label} {words}"));
    }

    fn handle(&mut self, _name: &str, _value: &str) {}

    fn aside(&mut self, line: &[Span<'_>]) {
        if self.terminal.verbose {
            self.indented("  ", line);
        }
    }

    fn call(&self, name: &str, arguments: &str) -> String {
        let command = ops::find(name).map_or(name, |operation| operation.facts.command);
        let gap = if arguments.is_empty() { "" } else { " " };
        format!("`ubp {command}{gap}{arguments}`")
    }
}
