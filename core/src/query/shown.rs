//! Answers as Markdown: tables, lists and boards. Queries and bases are shown alike.

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::Answer;
use crate::Result;
use crate::index::questions::pages;
use crate::message;
use crate::message::Message;
use crate::render::url;

/// Maximum number of characters of a value.
const LONGEST: usize = 300;

/// An answer, as Markdown.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Shown {
    /// The answer as a whole, or its groups.
    pub parts: Vec<Part>,
    /// Whether the groups are the columns of a board.
    pub is_board: bool,
    /// Sentences about what is missing.
    pub notes: Vec<Message>,
}

/// An answer, or a group of its rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    /// Value that the rows of a group have in common.
    pub heading: Option<String>,
    /// A table or a list; links are relative to the page.
    pub markdown: String,
}

impl From<Shown> for String {
    fn from(shown: Shown) -> Self {
        let part = |part: Part| {
            let heading = part.heading.map(|heading| format!("**{}**\n\n", escaped(&heading)));
            heading.unwrap_or_default() + &part.markdown
        };
        let notes = shown.notes.iter().map(|note| format!("{note}\n"));
        shown.parts.into_iter().map(part).chain(notes).collect::<Vec<_>>().join("\n")
    }
}

/// How rows are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Table,
    List,
}

/// A column of an answer.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: String,
    /// What is written over it.
    pub label: String,
    /// Whether its values are paths of pages, and shown as links.
    pub is_page: bool,
}

/// An answer, and how it is shown.
pub(super) struct Table {
    pub layout: Layout,
    /// The column that rows are grouped by, and its label.
    pub group: Option<(String, String)>,
    pub columns: Vec<Column>,
    pub answer: Answer,
}

/// Writes answers as Markdown.
pub(super) struct Writer<'a> {
    /// The page with the query.
    pub page: &'a str,
    pub db: &'a Connection,
}

/// A message as a paragraph of the answer.
fn remark(message: &Message) -> String {
    format!("*{}*\n", message.told_to_reader())
}

impl Writer<'_> {
    pub(super) fn shown(&self, table: &Table) -> Result<Shown> {
        let Table { layout, group, columns, answer } = table;
        let rows: Vec<&Map<String, Value>> = answer.rows.iter().collect();
        let mut parts = match group {
            _ if rows.is_empty() => {
                vec![Part { heading: None, markdown: remark(&message!("Nothing found.")) }]
            }
            None => vec![Part { heading: None, markdown: self.rows(*layout, columns, &rows)? }],
            Some((name, label)) => {
                let mut groups: Vec<(String, Vec<&Map<String, Value>>)> = Vec::new();
                for row in rows {
                    let value = plain(row.get(name));
                    match groups.iter_mut().find(|(known, _)| *known == value) {
                        Some((_, found)) => found.push(row),
                        None => groups.push((value, vec![row])),
                    }
                }
                let part = |(value, rows): (String, Vec<_>)| {
                    let heading = Some(match value.is_empty() {
                        true => message!("no {label}", label).told_to_reader(),
                        false => value,
                    });
                    Ok(Part { heading, markdown: self.rows(*layout, columns, &rows)? })
                };
                groups.into_iter().map(part).collect::<Result<_>>()?
            }
        };
        if let (true, Some(last)) = (answer.truncated, parts.last_mut()) {
            let more = message!("The first {count} rows; there are more.", count = answer.rows.len());
            last.markdown += &format!("\n{}", remark(&more));
        }
        let is_board = *layout == Layout::List && parts.iter().any(|part| part.heading.is_some());
        Ok(Shown { parts, is_board, notes: Vec::new() })
    }

    fn rows(&self, layout: Layout, columns: &[Column], rows: &[&Map<String, Value>]) -> Result<String> {
        match layout {
            Layout::Table => self.table(columns, rows),
            Layout::List => self.list(columns, rows),
        }
    }

    fn table(&self, columns: &[Column], rows: &[&Map<String, Value>]) -> Result<String> {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = line(columns.iter().map(|column| escaped(&column.label)).collect());
        out += &line(vec!["---".into(); columns.len()]);
        // The bar of a link would end the cell.
        let in_table = |link: &str| link.replace('|', "\\|");
        for row in rows {
            let cells = columns.iter().map(|column| self.cell(column, row.get(&column.name), in_table));
            out += &line(cells.collect::<Result<_>>()?);
        }
        Ok(out)
    }

    fn list(&self, columns: &[Column], rows: &[&Map<String, Value>]) -> Result<String> {
        let mut out = String::new();
        for row in rows {
            let cells = columns.iter().map(|column| self.cell(column, row.get(&column.name), str::to_owned));
            let mut cells = cells.collect::<Result<Vec<_>>>()?;
            cells.retain(|cell| !cell.is_empty());
            out += &format!("- {}\n", cells.join(" · "));
        }
        Ok(out)
    }

    /// A value as Markdown on one line. Wikilinks and embeds are links, written by `link`; everything else is text.
    fn cell(&self, column: &Column, value: Option<&Value>, link: impl Fn(&str) -> String) -> Result<String> {
        let text = plain(value);
        if column.is_page
            && let Some(title) = pages::title_at(self.db, &text)?
        {
            return Ok(format!("[{}]({})", escaped(&title), url::relative(self.page, &text)));
        }
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((before, written, after)) = next_link(rest) {
            let before = before.strip_suffix('!').unwrap_or(before);
            out += &escaped(before);
            if before.ends_with('!') {
                out.insert(out.len() - 1, '\\');
            }
            out += &link(written);
            rest = after;
        }
        Ok(out + &escaped(rest))
    }
}

/// The first wikilink of a text, with what is before and after it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find("[[")?;
    let end = start + text[start..].find("]]")? + 2;
    let link = &text[start..end];
    (!link[2..].contains("[[") && !link.contains('`')).then_some((&text[..start], link, &text[end..]))
}

/// A value as text on one line, lists separated by commas.
fn plain(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => items.iter().map(scalar).collect::<Vec<_>>().join(", "),
            _ => text.clone(),
        },
        Some(other) => scalar(other),
    };
    let mut words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(at);
        words.push('…');
    }
    words
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Text that Markdown shows as it is. Signs that cannot be markup where they are stay as they are, for who reads the
/// Markdown.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut before = ' ';
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map_or(' ', |(_, next)| *next);
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '^' | '&' => true,
            '_' => !before.is_alphanumeric() || !after.is_alphanumeric(),
            '=' | '%' => before == c || after == c,
            '#' | '+' | '-' => at == 0,
            '.' | ')' => at == digits && after == ' ',
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}
