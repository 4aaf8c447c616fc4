//! Queries in pages: a code block with the language `ubp`, in whose place the answer is shown. Its text is a SELECT, or
//! lines with filters, which become one.

use std::cell::{Cell, OnceCell};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use rusqlite::Connection;
use serde_json::{Map, Value};

use super::schema::OWN;
use super::{Answer, Limits, Schema};
use crate::Context;
use crate::index::questions::pages;
use crate::message;
use crate::page;
use crate::render::url;
use crate::{Error, Result};

/// Language of the code block.
const LANGUAGE: &str = "ubp";

/// Maximum number of answers that are computed for one page.
const MOST: usize = 20;

/// Limits of an answer that is part of a page.
const LIMITS: Limits = Limits { rows: 500, bytes: 256 << 10, millis: 1_500 };

/// Maximum number of characters of a value.
const LONGEST: usize = 300;

/// A query in a page.
#[derive(Debug, PartialEq)]
struct QueryBlock<'t> {
    view: View<'t>,
    text: &'t str,
}

/// How an answer is shown.
#[derive(Debug, PartialEq)]
enum View<'t> {
    Table,
    List,
    /// A list for each value of a column.
    Board(&'t str),
}

/// An answer, or a column of a board, as Markdown.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    /// Value that the rows of a column of a board have in common.
    pub heading: Option<String>,
    /// A table or a list; links are relative to the page.
    pub markdown: String,
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        let heading = part.heading.map(|heading| format!("**{}**\n\n", escaped(&heading)));
        heading.unwrap_or_default() + &part.markdown
    }
}

/// The queries in a text: the info string and the text of each.
pub(crate) fn blocks_in(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    if !text.contains(LANGUAGE) {
        return found;
    }
    let mut is_open = false;
    for event in Parser::new_ext(text, page::markdown_options()) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_query(&info) => {
                found.push((info.into_string(), String::new()));
                is_open = true;
            }
            Event::Text(part) if is_open => {
                found.iter_mut().last().map_or((), |(_, text)| text.push_str(&part))
            }
            _ => is_open = false,
        }
    }
    found
}

/// Whether a block of code with this info string is a query.
pub(crate) fn is_query(info: &str) -> bool {
    info.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(LANGUAGE))
}

/// Answers the queries of one page, and of the pages that it embeds.
pub(crate) struct Queries<'a> {
    context: &'a Context<'a>,
    /// Number of queries so far.
    asked: Cell<usize>,
    /// All pages, read for the first query that needs them.
    all: OnceCell<Schema>,
}

impl<'a> Queries<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        Self { context, asked: Cell::new(0), all: OnceCell::new() }
    }

    /// The answer of the query in a block of code on `page`: a table or a list, or the columns of a board, with links
    /// relative to the page; or the reason why there is none, for people.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Database`], [`Error::Model`].
    pub(crate) fn answer(
        &self,
        page: &str,
        info: &str,
        text: &str,
    ) -> Result<std::result::Result<Vec<Part>, String>> {
        self.asked.set(self.asked.get() + 1);
        let answer = match self.asked.get() {
            ..=MOST => QueryBlock::parse(info, text).and_then(|block| block.answer(self, page)),
            _ => Err(Error::invalid(message!("a page can have at most {most} queries", most = MOST))),
        };
        match answer {
            Ok(parts) => Ok(Ok(parts)),
            Err(Error::InvalidParams { message, .. }) => {
                Ok(Err(format!("This query has no answer: {message}")))
            }
            Err(error) => Err(error),
        }
    }

    fn all(&self) -> Result<&Schema> {
        if let Some(known) = self.all.get() {
            return Ok(known);
        }
        let schema = Schema::read(self.context, None)?;
        Ok(self.all.get_or_init(|| schema))
    }
}

impl<'t> QueryBlock<'t> {
    fn parse(info: &'t str, text: &'t str) -> Result<Self> {
        let mut words = info.split_whitespace().skip(1);
        let view = match (words.next(), words.next(), words.next()) {
            (None | Some("table"), None, _) => View::Table,
            (Some("list"), None, _) => View::List,
            (Some("board"), Some(key), None) => View::Board(key),
            (Some("board"), None, _) => {
                return Err(Error::invalid(message!("a board needs a key, such as `board status`")));
            }
            _ => {
                return Err(Error::invalid(message!(
                    "unknown view: {info}; the views are `table`, `list` and `board KEY`",
                    info = info.trim()
                )));
            }
        };
        Ok(Self { view, text })
    }

    fn answer(&self, queries: &Queries<'_>, page: &str) -> Result<Vec<Part>> {
        let context = queries.context;
        let first = self.text.split_whitespace().next().unwrap_or_default();
        let is_sql = ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word));
        let answer = if is_sql {
            super::run(context, queries.all()?, self.text, LIMITS)?
        } else {
            let filters = Filters::parse(self.text)?;
            let matching = filters.glob.map(|glob| Schema::read(context, Some(glob))).transpose()?;
            let schema = matching.as_ref().map_or_else(|| queries.all(), Ok)?;
            super::run(context, schema, &filters.statement(schema, &self.view)?, LIMITS)?
        };
        context.index.read(|db| Writer { page, db }.parts(&self.view, &answer))
    }
}

/// The lines of a block without SQL.
#[derive(Debug, Default)]
struct Filters<'t> {
    glob: Option<&'t str>,
    conditions: Vec<(&'t str, &'t str)>,
    shown: Vec<&'t str>,
    /// Keys, and whether the order is descending.
    sorted: Vec<(&'t str, bool)>,
    limit: Option<usize>,
}

impl<'t> Filters<'t> {
    fn parse(text: &'t str) -> Result<Self> {
        let mut filters = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((key, value)) = line.split_once(':').map(|(key, value)| (key.trim(), value.trim()))
            else {
                return Err(Error::invalid(message!(
                    "`{line}` is neither SQL nor a filter: write a SELECT, or lines such as `status: open`",
                    line
                )));
            };
            if value.is_empty() || key.is_empty() {
                return Err(Error::invalid(message!(
                    "`{line}` has no value; `{key}: *` is any value",
                    line,
                    key
                )));
            }
            let list = value.split(',').map(str::trim).filter(|item| !item.is_empty());
            match key {
                "path" => filters.glob = Some(value),
                "show" => filters.shown.extend(list),
                "sort" => {
                    filters.sorted.extend(list.map(|item| match item.split_once(char::is_whitespace) {
                        Some((key, order)) => (key, order.trim().eq_ignore_ascii_case("desc")),
                        None => (item, false),
                    }))
                }
                "limit" => {
                    let limit = value
                        .parse()
                        .map_err(|_| Error::invalid(message!("`{line}`: not a number", line)))?;
                    filters.limit = Some(limit);
                }
                _ => filters.conditions.push((key, value)),
            }
        }
        Ok(filters)
    }

    fn statement(&self, schema: &Schema, view: &View<'_>) -> Result<String> {
        let mut columns = vec![column(schema, "path")?];
        let group = if let View::Board(key) = view { Some(*key) } else { None };
        for key in self.shown.iter().copied().chain(group) {
            let column = column(schema, key)?;
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        let mut sql = format!("SELECT {} FROM files WHERE true", columns.join(", "));
        for (key, value) in &self.conditions {
            sql += " AND ";
            sql += &condition(&column(schema, key)?, key, value);
        }
        sql += " ORDER BY ";
        for (key, descending) in &self.sorted {
            sql += &column(schema, key)?;
            sql += if *descending { " DESC, " } else { ", " };
        }
        sql += "files.path";
        if let Some(limit) = self.limit {
            sql += &format!(" LIMIT {limit}");
        }
        Ok(sql)
    }
}

/// The column of a key of front matter. An unknown name in quotes would be a text for SQLite.
fn column(schema: &Schema, key: &str) -> Result<String> {
    let known = OWN.into_iter().chain(schema.columns.iter().map(|column| column.name.as_str()));
    match known.into_iter().find(|name| name.eq_ignore_ascii_case(key)) {
        Some(name) => Ok(format!("files.{}", quoted(name, '"'))),
        None => Err(Error::invalid(message!("no page has the key `{key}` in its front matter", key))),
    }
}

fn condition(column: &str, key: &str, written: &str) -> String {
    let operators = ["!=", "<=", ">=", "<", ">"];
    let operator = operators.into_iter().find(|operator| written.starts_with(operator)).unwrap_or("=");
    let value = written.strip_prefix(operator).unwrap_or(written).trim();
    let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    let value = if key == "tags" { unquoted.trim_start_matches('#') } else { unquoted };
    let text = quoted(value, '\'');
    let equals = if value == "*" {
        format!("{column} IS NOT NULL")
    } else {
        format!(
            "({column} IS NOT NULL AND ({column} = {text} OR EXISTS (SELECT 1 FROM json_each(\
             CASE WHEN json_valid({column}) THEN {column} ELSE '[]' END) WHERE json_each.value = {text})))"
        )
    };
    match operator {
        "=" => equals,
        "!=" => format!("NOT {equals}"),
        _ if value.parse::<f64>().is_ok() => {
            format!("({column} IS NOT NULL AND CAST({column} AS REAL) {operator} {value})")
        }
        _ => format!("{column} {operator} {text}"),
    }
}

fn quoted(text: &str, mark: char) -> String {
    let doubled = text.replace(mark, &mark.to_string().repeat(2));
    format!("{mark}{doubled}{mark}")
}

/// Writes answers as Markdown.
struct Writer<'a> {
    /// The page with the query.
    page: &'a str,
    db: &'a Connection,
}

impl Writer<'_> {
    fn parts(&self, view: &View<'_>, answer: &Answer) -> Result<Vec<Part>> {
        let columns: Vec<&str> = answer.columns.iter().map(String::as_str).collect();
        let whole = |markdown| vec![Part { heading: None, markdown }];
        let mut parts = match view {
            _ if answer.rows.is_empty() => whole("*Nothing found.*\n".into()),
            View::Table => whole(self.table(&columns, &answer.rows)?),
            View::List => whole(self.list(&columns, answer.rows.iter())?),
            View::Board(key) => self.board(key, &columns, &answer.rows)?,
        };
        if let (true, Some(last)) = (answer.truncated, parts.last_mut()) {
            last.markdown += &format!("\n*The first {} rows; there are more.*\n", answer.rows.len());
        }
        Ok(parts)
    }

    fn table(&self, columns: &[&str], rows: &[Map<String, Value>]) -> Result<String> {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let names = columns.iter().map(|name| if *name == "path" { "page".into() } else { escaped(name) });
        let mut out = line(names.collect());
        out += &line(vec!["---".into(); columns.len()]);
        // The bar of a link would end the cell.
        let in_table = |link: &str| link.replace('|', "\\|");
        for row in rows {
            let cells = columns.iter().map(|name| self.cell(name, row.get(*name), in_table));
            out += &line(cells.collect::<Result<_>>()?);
        }
        Ok(out)
    }

    fn list<'r>(
        &self,
        columns: &[&str],
        rows: impl Iterator<Item = &'r Map<String, Value>>,
    ) -> Result<String> {
        let mut out = String::new();
        for row in rows {
            let cells = columns.iter().map(|name| self.cell(name, row.get(*name), str::to_owned));
            let mut cells = cells.collect::<Result<Vec<_>>>()?;
            cells.retain(|cell| !cell.is_empty());
            out += &format!("- {}\n", cells.join(" · "));
        }
        Ok(out)
    }

    fn board(&self, key: &str, columns: &[&str], rows: &[Map<String, Value>]) -> Result<Vec<Part>> {
        let Some(group) = columns.iter().find(|name| name.eq_ignore_ascii_case(key)) else {
            return Err(Error::invalid(message!(
                "the statement has no column `{key}`, which the board needs",
                key
            )));
        };
        let others: Vec<&str> = columns.iter().filter(|name| *name != group).copied().collect();
        let mut parts: Vec<(String, Vec<&Map<String, Value>>)> = Vec::new();
        for row in rows {
            let value = plain(row.get(*group));
            match parts.iter_mut().find(|(known, _)| *known == value) {
                Some((_, found)) => found.push(row),
                None => parts.push((value, vec![row])),
            }
        }
        let part = |(value, rows): (String, Vec<_>)| {
            let heading = Some(if value.is_empty() { format!("no {group}") } else { value });
            Ok(Part { heading, markdown: self.list(&others, rows.into_iter())? })
        };
        parts.into_iter().map(part).collect()
    }

    /// A value as Markdown on one line. Wikilinks stay links, written by `link`; everything else is text.
    fn cell(&self, column: &str, value: Option<&Value>, link: impl Fn(&str) -> String) -> Result<String> {
        let text = plain(value);
        if column == "path"
            && let Some(title) = pages::title_at(self.db, &text)?
        {
            return Ok(format!("[{}]({})", escaped(&title), url::relative(self.page, &text)));
        }
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((before, written, after)) = next_link(rest) {
            out += &escaped(before);
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
fn escaped(text: &str) -> String {
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
            '.' | ')' => at == digits,
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

#[cfg(test)]
mod tests;
