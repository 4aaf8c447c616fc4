//! What a tool answers, as Markdown: for clients that show the model nothing else.
//!
//! Text of pages is data. It stands inside fences longer than any run of backticks in it, or on one line
//! without control characters, so that a page cannot end its own quotation and speak for the tool.

use ubp_core::freshness::Staleness;
use ubp_core::ops::{self, Tool};
use ubp_core::show::{Page, Span};

/// A [`Page`] that is Markdown in the making.
#[derive(Default)]
pub(crate) struct MarkdownPage(String);

impl MarkdownPage {
    pub(crate) fn finish(self) -> String {
        self.0.trim_end().to_owned() + "\n"
    }

    fn put(&mut self, mark: &str, line: &[Span<'_>]) {
        self.0.push_str(mark);
        let text: String = line.iter().map(|span| told(*span)).collect();
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    /// Text that stands in a fence that it cannot close.
    fn fenced(&mut self, language: &str, content: &str) {
        let content = content.trim_end_matches(['\n', '\r']);
        let fence = "`".repeat(longest_run(content).max(2) + 1);
        self.0.push_str(&format!("{fence}{language}\n{content}\n{fence}\n"));
    }
}

impl Page for MarkdownPage {
    fn heading(&mut self, line: &[Span<'_>]) {
        if !self.0.is_empty() {
            self.gap();
        }
        self.put("## ", line);
    }

    fn line(&mut self, line: &[Span<'_>]) {
        self.put("", line);
    }

    fn item(&mut self, line: &[Span<'_>]) {
        self.put("- ", line);
    }

    fn branch(&mut self, depth: usize, line: &[Span<'_>]) {
        self.put(&format!("{}- ", "  ".repeat(depth.saturating_sub(1))), line);
    }

    fn detail(&mut self, line: &[Span<'_>]) {
        self.put("  ", line);
    }

    fn text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.fenced("markdown", text);
        }
    }

    fn quote(&mut self, text: &str, _highlights: &[[usize; 2]]) {
        self.text(text);
    }

    fn diff(&mut self, diff: &str) {
        self.fenced("diff", diff);
    }

    fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) {
        let row = |cells: &mut dyn Iterator<Item = String>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let cell = |text: &str| one_line(text).replace('\\', "\\\\").replace('|', "\\|");
        self.0.push_str(&row(&mut columns.iter().map(|name| cell(name))));
        self.0.push_str(&row(&mut columns.iter().map(|_| "---".to_owned())));
        for cells in rows {
            self.0.push_str(&row(&mut cells.iter().map(|text| cell(text))));
        }
    }

    fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn note(&mut self, line: &[Span<'_>]) {
        self.gap();
        self.put("", line);
    }

    fn warn(&mut self, line: &[Span<'_>]) {
        self.put("Warning: ", line);
    }

    fn hint(&mut self, line: &[Span<'_>]) {
        self.put("Hint: ", line);
    }

    fn handle(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.0.push_str(&format!("{name}: {}\n", code(value)));
        }
    }

    fn aside(&mut self, line: &[Span<'_>]) {
        self.put("  ", line);
    }

    fn call(&self, name: &str, arguments: &str) -> String {
        let operation = ops::find(name);
        // What is no tool is left to the person whom the agent works for.
        if let Some(facts) =
            operation.map(|operation| operation.facts).filter(|facts| facts.tool == Tool::Never)
        {
            return code(&format!("ubp {} {arguments}", facts.command));
        }
        let tool = operation.map_or(name, |operation| operation.mcp_name);
        if arguments.is_empty() { tool.to_owned() } else { format!("{tool} with {}", code(arguments)) }
    }
}

fn told(span: Span<'_>) -> String {
    match span {
        Span::Text(text) | Span::Faint(text) | Span::Strong(text) | Span::Alarm(text) => plain(text),
        Span::Path(text) | Span::File(text) | Span::Code(text) => code(text),
        Span::Place(path, line) => code(&format!("{path}:{line}")),
        Span::Trust(Staleness::Stale) => " [STALE]".into(),
        Span::Trust(Staleness::PossiblyStale) => " [POSSIBLY STALE]".into(),
        Span::Trust(Staleness::Fresh | Staleness::Untracked) => String::new(),
    }
}

/// A path or name as code.
fn code(name: &str) -> String {
    let name = one_line(name);
    let longest = longest_run(&name);
    let ticks = "`".repeat(longest + 1);
    if longest == 0 { format!("`{name}`") } else { format!("{ticks} {name} {ticks}") }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The same text on one line, the blanks at its ends kept as one.
fn plain(text: &str) -> String {
    let blank = |c: Option<char>| if c.is_some_and(char::is_whitespace) { " " } else { "" };
    let line = one_line(text);
    if line.is_empty() {
        return blank(text.chars().next()).to_owned();
    }
    format!("{}{line}{}", blank(text.chars().next()), blank(text.chars().next_back()))
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_end_its_own_quotation() {
        let mut page = MarkdownPage::default();
        page.heading(&[Span::Strong("A title\n# not a heading"), Span::Text("  "), Span::Path("a`b``c.md")]);
        page.quote("````\nstill quoted\n", &[]);
        page.table(&["a|b"], &[vec!["1\n| 2".into()]]);
        let text = page.finish();
        assert_eq!(
            text,
            "## A title # not a heading ``` a`b``c.md ```\n`````markdown\n````\nstill quoted\n`````\n\
             | a\\|b |\n| --- |\n| 1 \\| 2 |\n"
        );
    }

    #[test]
    fn what_an_agent_asks_next_is_named_as_a_tool() {
        let page = MarkdownPage::default();
        assert_eq!(page.call("list_pages", ""), "ubp_list_pages");
        assert_eq!(page.call("search_documents", ""), "search");
        assert_eq!(page.call("undo", "3f9a01c2d4e5"), "ubp_undo with `3f9a01c2d4e5`");
        assert_eq!(page.call("add", "a.md"), "`ubp add a.md`");
    }

    #[test]
    fn a_change_names_what_the_next_edit_has_to_carry_and_who_undoes_it() {
        let mut output = ops::accept::Output {
            source: "a.md".into(),
            target: "b.md".into(),
            place: ops::suggest_links::LinkPlace { line: 3, text: "B".into(), context: "See B.".into() },
            link: "[[b|B]]".into(),
            content_hash: "ab12".into(),
            diff: "-See B.\n+See [[b|B]].\n".into(),
            dry_run: false,
            audit_id: Some("3f9a".into()),
            index_error: None,
        };
        let told = |output: &ops::accept::Output| {
            let mut page = MarkdownPage::default();
            ops::accept::show(output, &mut page);
            page.finish()
        };
        assert_eq!(
            told(&output),
            "`a.md:3`: `[[b|B]]`\ncontent_hash: `ab12`\n\nubp_undo with `3f9a` undoes this\n"
        );
        output.dry_run = true;
        output.audit_id = None;
        assert_eq!(
            told(&output),
            "```diff\n-See B.\n+See [[b|B]].\n```\n\ndry run: nothing was written\n`a.md:3`: `[[b|B]]`\n"
        );
    }
}
