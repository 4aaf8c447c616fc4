//! What a tool answers, as text: for clients that show the model nothing else. It is rendered from the
//! structured answer and says what matters of it.
//!
//! Text of pages is data. It stands inside fences longer than any run of backticks in it, or on one line
//! without control characters, so that a page cannot end its own quotation and speak for the tool.

mod changed;
mod documents;
mod found;
mod freshness;
mod linked;
mod memory;
mod pages;

use serde_json::Value;

/// The answer of the operation called `name`. Answers without a text of their own are shown as JSON.
pub(crate) fn render(name: &str, answer: &Value) -> String {
    let mut text = Text::default();
    let view = View(answer);
    let rendered = match name {
        "search" => found::search(&mut text, view),
        "fulltext_search" => found::fulltext(&mut text, view),
        "get_page" => pages::page(&mut text, view),
        "get_context" => pages::context(&mut text, view),
        "list_pages" => pages::list(&mut text, view),
        "get_graph" => linked::graph(&mut text, view),
        "graph_traverse" => linked::traverse(&mut text, view),
        "get_impact" => linked::impact(&mut text, view),
        "suggest_links" => linked::suggestions(&mut text, view),
        "check_staleness" => freshness::stale(&mut text, view),
        "review_page" => freshness::reviewed(&mut text, view),
        "refs" => freshness::refs(&mut text, view),
        "status" => freshness::status(&mut text, view),
        "create_page" | "update_page" | "rename_page" | "delete_page" | "accept" => {
            changed::page(&mut text, view)
        }
        "dismiss" => changed::dismissed(&mut text, view),
        "remember" => memory::remembered(&mut text, view),
        "recall" => memory::recalled(&mut text, view),
        "search_documents" => documents::found(&mut text, view),
        "list_documents" => documents::list(&mut text, view),
        "index_markdown" | "reindex_document" => documents::indexed(&mut text, view),
        "delete_document" => documents::deleted(&mut text, view),
        _ => None,
    };
    if rendered.is_none() {
        return answer.to_string();
    }
    omitted(&mut text, view);
    index(&mut text, view);
    text.0
}

/// What was left out of the answer, and how to get it.
fn omitted(text: &mut Text, answer: View<'_>) {
    let Some(omitted) = answer.get("omitted") else { return };
    let (pages, sections) = (omitted.count("pages"), omitted.count("sections"));
    let mut parts = Vec::new();
    if pages > 0 {
        parts.push(format!("{pages} pages"));
    }
    if sections > 0 {
        parts.push(format!("{sections} sections"));
    }
    if omitted.flag("text_cut") {
        parts.push("the end of a text".into());
    }
    if !parts.is_empty() {
        text.line(format!("\nLeft out to fit max_tokens: {}.", parts.join(", ")));
    }
}

/// How true the index is, where that is worth a word.
fn index(text: &mut Text, answer: View<'_>) {
    let Some(index) = answer.get("index") else { return };
    if !index.flag("fresh") {
        text.line("\nThe index was not compared with the files just now: this may be behind them.");
    }
    let pending = index.count("pending");
    if pending > 0 {
        text.line(format!("\n{pending} sections have no vectors yet; they are found by words alone."));
    }
}

/// Markdown in the making.
#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// Text of a page, word for word, in a fence that it cannot close.
    fn quote(&mut self, content: &str) {
        let content = content.trim_end_matches(['\n', '\r']);
        let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.line(format!("{fence}markdown\n{content}\n{fence}"));
    }
}

/// A part of an answer.
#[derive(Clone, Copy)]
struct View<'a>(&'a Value);

impl<'a> View<'a> {
    fn get(self, key: &str) -> Option<View<'a>> {
        self.0.get(key).filter(|value| !value.is_null()).map(View)
    }

    /// Text as it is.
    fn raw(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Text on one line, without control characters.
    fn text(self, key: &str) -> String {
        one_line(self.raw(key))
    }

    fn strings(self, key: &str) -> Vec<String> {
        self.each(key).filter_map(|value| value.0.as_str().map(one_line)).collect()
    }

    fn count(self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    fn number(self, key: &str) -> f64 {
        self.0.get(key).and_then(Value::as_f64).unwrap_or(0.0)
    }

    fn flag(self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn each(self, key: &str) -> impl Iterator<Item = View<'a>> + Clone {
        self.0.get(key).and_then(Value::as_array).into_iter().flatten().map(View)
    }

    /// Title, path and freshness of a page.
    fn page(self) -> String {
        let (path, title) = (code(self.raw("filepath")), self.text("title"));
        match self.raw("staleness") {
            "stale" => format!("{path} {title} [STALE]"),
            "possibly_stale" => format!("{path} {title} [POSSIBLY STALE]"),
            _ => format!("{path} {title}"),
        }
    }

    /// A range of lines.
    fn lines(self, key: &str) -> String {
        let lines: Vec<u64> = self.each(key).filter_map(|line| line.0.as_u64()).collect();
        match lines[..] {
            [first, last] if first != last => format!("{first}-{last}"),
            [first, ..] => first.to_string(),
            [] => String::new(),
        }
    }
}

/// A path or name as code.
fn code(name: &str) -> String {
    let name = one_line(name);
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    if longest == 0 { format!("`{name}`") } else { format!("{ticks} {name} {ticks}") }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_control() || c.is_whitespace()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
