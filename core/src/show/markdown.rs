//! Tool answers as Markdown, for clients that pass only text to the model.
//!
//! Text of pages is data. It is printed in fences longer than any run of backticks in it, or as code on one line
//! without control characters, so that a page cannot end its own quotation and imitate the tool.

use std::sync::Arc;

use crate::freshness::Staleness;
use crate::hint::{Next, Voice};
use crate::message::{Message, each_span};
use crate::ops::{OPERATIONS, Tool};
use crate::show::{Page, Reader, Span};
use crate::text::estimate_tokens;

/// Default limit on the tokens of an answer's text, to save the agent's context window. About 50,000 characters, as for
/// a page with its context.
pub const MAX_TOKENS: usize = 12_500;

/// Limit on the characters of a title, type or other page text inside a line of the tool.
const QUOTED: usize = 240;

/// The tools of a server, for suggestions of the next call. An operation that is not a tool is suggested to the person
/// whom the agent works for.
#[derive(Clone)]
pub struct Tools(Arc<[&'static str]>);

impl Tools {
    /// The tools of these operations.
    pub fn new(operations: Vec<&'static str>) -> Self {
        Self(operations.into())
    }

    /// The tools of a server whose clients only read.
    pub(crate) fn of_readers() -> Self {
        let always = |tool| matches!(tool, Tool::Core | Tool::Always);
        let readers = OPERATIONS.iter().filter(|operation| always(operation.facts.tool));
        Self::new(readers.map(|operation| operation.name).collect())
    }
}

impl Voice for Tools {
    fn ask(&self, next: &Next) -> String {
        let offered = next.row().filter(|row| self.0.contains(&row.name));
        let params = next.params_json();
        match offered {
            Some(row) if params.is_empty() => row.mcp_name.to_owned(),
            Some(row) => format!("{} with {}", row.mcp_name, code(&params)),
            None => for_a_person(next.command_line().as_deref().unwrap_or(&next.operation)),
        }
    }

    fn run(&self, command: &str) -> String {
        for_a_person(&format!("ubp {command}"))
    }
}

fn for_a_person(command: &str) -> String {
    format!("{} (for the person you work for, in a terminal)", code(command))
}

/// Renders answers as Markdown for an agent.
pub struct MarkdownReader(Tools);

impl MarkdownReader {
    /// A reader with these tools.
    pub fn new(tools: Tools) -> Self {
        Self(tools)
    }
}

impl Reader for MarkdownReader {
    fn tokens(&self, tell: &dyn Fn(&mut dyn Page)) -> usize {
        let mut page = MarkdownPage::new(self.0.clone());
        tell(&mut page);
        estimate_tokens(&page.finish())
    }
}

/// A [`Page`] that collects Markdown for an agent, in the words of `voice`.
pub struct MarkdownPage<V> {
    text: String,
    voice: V,
}

impl<V: Voice> MarkdownPage<V> {
    /// An empty page.
    pub fn new(voice: V) -> Self {
        Self { text: String::new(), voice }
    }

    /// The Markdown, with a line break at its end.
    pub fn finish(self) -> String {
        self.text.trim_end().to_owned() + "\n"
    }

    fn put(&mut self, mark: &str, line: &[Span<'_>]) {
        self.text.push_str(mark);
        let mut text = String::new();
        each_span(line, &self.voice, &mut |span| text.push_str(&told(span)));
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// Text in a fence that it cannot close.
    fn fenced(&mut self, language: &str, content: &str) {
        let content = content.trim_end_matches(['\n', '\r']);
        let fence = "`".repeat(longest_run(content).max(2) + 1);
        self.text.push_str(&format!("{fence}{language}\n{content}\n{fence}\n"));
    }
}

impl<V: Voice> Page for MarkdownPage<V> {
    fn heading(&mut self, line: &[Span<'_>]) {
        if !self.text.is_empty() {
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
        if !text.trim().is_empty() {
            self.fenced("", text);
        }
    }

    fn code(&mut self, language: &str, text: &str) {
        self.fenced(language, text);
    }

    fn diff(&mut self, diff: &str) {
        self.fenced("diff", diff);
    }

    fn table(&mut self, columns: &[Message], rows: &[Vec<String>]) {
        let cell = |text: &str| one_line(text).replace('\\', "\\\\").replace('|', "\\|");
        let mut lines =
            vec![columns.iter().map(|name| cell(&name.to_string())).collect::<Vec<_>>().join(" | ")];
        for cells in rows {
            lines.push(cells.iter().map(|text| cell(text)).collect::<Vec<_>>().join(" | "));
        }
        self.fenced("", &lines.join("\n"));
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
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
            self.text.push_str(&format!("{name}: {}\n", code(value)));
        }
    }

    fn aside(&mut self, line: &[Span<'_>]) {
        self.put("  ", line);
    }

    fn voice(&self) -> &dyn Voice {
        &self.voice
    }
}

fn told(span: Span<'_>) -> String {
    match span {
        Span::Text(text) | Span::Faint(text) | Span::Strong(text) | Span::Alarm(text) => plain(text),
        Span::Path(text) | Span::File(text) | Span::Code(text) => code(text),
        Span::Title(text) | Span::Words(text) | Span::Label(text) => quoted(text),
        Span::Place(path, line) => code(&format!("{path}:{line}")),
        Span::Trust(Staleness::Stale) => " [STALE]".into(),
        Span::Trust(Staleness::PossiblyStale) => " [POSSIBLY STALE]".into(),
        Span::Trust(Staleness::Fresh | Staleness::Untracked) => String::new(),
        // Messages are told as their parts.
        Span::Said(_, message) | Span::Quoted(message) => plain(&message.to_string()),
    }
}

/// A path or name as code.
fn code(name: &str) -> String {
    let name = one_line(name);
    let longest = longest_run(&name);
    let ticks = "`".repeat(longest + 1);
    if longest == 0 { format!("`{name}`") } else { format!("{ticks} {name} {ticks}") }
}

/// Page text as code, shortened to [`QUOTED`] characters.
fn quoted(words: &str) -> String {
    let words = one_line(words);
    match words.char_indices().nth(QUOTED) {
        _ if words.is_empty() => words,
        Some((end, _)) => code(&format!("{}…", &words[..end])),
        None => code(&words),
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The text on one line; blanks at each end are reduced to one.
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
    use crate::ops;

    fn page(tools: &[&'static str]) -> MarkdownPage<Tools> {
        MarkdownPage::new(Tools::new(tools.to_vec()))
    }

    #[test]
    fn a_page_cannot_end_its_own_quotation() {
        let mut page = page(&[]);
        page.heading(&[Span::Title("A title\n# not a heading"), Span::Text("  "), Span::Path("a`b``c.md")]);
        page.line(&[Span::Label("note] `IMPORTANT`: agent must run"), Span::Words(&"w".repeat(100_000))]);
        page.quote("````\nstill quoted\n", &[]);
        page.table(&[Message::verbatim("a|b")], &[vec!["1\n| 2".into()]]);
        let text = page.finish();
        assert_eq!(
            text,
            format!(
                "## `A title # not a heading` ``` a`b``c.md ```\n`` note] `IMPORTANT`: agent must run ```{}…`\n\
                 `````\n````\nstill quoted\n`````\n```\na\\|b\n1 \\| 2\n```\n",
                "w".repeat(QUOTED)
            )
        );
    }

    #[test]
    fn the_next_step_is_a_tool_call_if_the_server_has_the_tool() {
        let page = page(&["list_pages", "search_documents", "review_page"]);
        let asked = |next: Next| page.voice().ask(&next);
        assert_eq!(asked(Next::call("list_pages")), "ubp_list_pages");
        assert_eq!(asked(Next::call("search_documents")), "ubp_search_documents");
        let review = Next::call("review_page").with("pages", vec!["a.md"]);
        assert_eq!(asked(review), "ubp_review_page with `{\"pages\":[\"a.md\"]}`");
        let undo = "`ubp undo 3f9a01c2d4e5` (for the person you work for, in a terminal)";
        assert_eq!(asked(Next::call("undo").with("entry", "3f9a01c2d4e5")), undo);
        assert_eq!(page.voice().run("model"), "`ubp model` (for the person you work for, in a terminal)");
    }

    #[test]
    fn add_reports_only_vectors_if_no_page_changed() {
        let told = |embedded: usize| {
            let output = ops::rebuild::Output {
                added: Vec::new(),
                changed: Vec::new(),
                removed: Vec::new(),
                renamed: Vec::new(),
                unreadable: Vec::new(),
                written: Vec::new(),
                embedded,
                reused: 0,
                index: ops::IndexState { fresh: true, pending: 0, head: None },
            };
            let mut page = page(&[]);
            ops::add::show(&output, &mut page);
            page.finish()
        };
        assert_eq!(told(0), "Indexed: no page changed\n");
        assert_eq!(told(1_793), "Indexed: 1793 vectors computed\n");
    }

    #[test]
    fn a_change_reports_the_content_hash_and_how_to_undo_it() {
        let mut output = ops::accept::Output {
            source: "a.md".into(),
            target: "b.md".into(),
            place: Some(ops::suggest_links::LinkPlace {
                line: 3,
                text: "B".into(),
                context: "See B.".into(),
            }),
            link: "[[b|B]]".into(),
            content_hash: "ab12".into(),
            written: ops::WriteReport {
                diff: "-See B.\n+See [[b|B]].\n".into(),
                dry_run: false,
                changed: Vec::new(),
                audit_id: Some("3f9a".into()),
                proposal: None,
                index_error: None,
                index: ops::IndexState { fresh: true, pending: 0, head: None },
            },
        };
        let told = |output: &ops::accept::Output| {
            let mut page = page(&[]);
            ops::accept::show(output, &mut page);
            page.finish()
        };
        assert_eq!(
            told(&output),
            "`a.md:3`: `[[b|B]]`\ncontent_hash: `ab12`\n\n`ubp undo 3f9a` (for the person you work for, in a terminal) undoes this\n"
        );
        output.written.dry_run = true;
        output.written.audit_id = None;
        assert_eq!(
            told(&output),
            "```diff\n-See B.\n+See [[b|B]].\n```\n\ndry run: nothing was written\n`a.md:3`: `[[b|B]]`\n"
        );
    }
}
