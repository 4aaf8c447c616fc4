//! The text of a query in a page: a SELECT, or lines with filters, which become one.

use std::ops::Range;

use super::queries::Queries;
use super::schema::OWN;
use super::shown::{Column, Layout, Table};
use super::{Answer, Limits, Schema};
use crate::message;
use crate::{Error, Result};

/// A query in a page.
#[derive(Debug, PartialEq)]
pub(super) struct QueryBlock<'t> {
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

impl<'t> QueryBlock<'t> {
    pub(super) fn parse(info: &'t str, text: &'t str) -> Result<Self> {
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

    pub(super) fn answer(&self, queries: &Queries<'_>, limits: Limits) -> Result<Table> {
        let context = queries.context();
        let answer = if is_sql(self.text) {
            super::run(context, queries.all()?, self.text, limits)?
        } else {
            let filters = Filters::parse(self.text)?;
            let matching = filters.glob.map(|glob| Schema::read(context, Some(glob))).transpose()?;
            let schema = matching.as_ref().map_or_else(|| queries.all(), Ok)?;
            super::run(context, schema, &filters.statement(schema, &self.view)?, limits)?
        };
        self.view.table(answer)
    }
}

impl View<'_> {
    fn table(&self, answer: Answer) -> Result<Table> {
        let group = match self {
            Self::Board(key) if !answer.rows.is_empty() => {
                let known = answer.columns.iter().find(|name| name.eq_ignore_ascii_case(key));
                Some(known.ok_or_else(|| {
                    Error::invalid(message!(
                        "the statement has no column `{key}`, which the board needs",
                        key
                    ))
                })?)
            }
            _ => None,
        };
        let shown = answer.columns.iter().filter(|name| Some(*name) != group);
        let columns = shown.map(|name| {
            let is_page = name == "path";
            let label = if is_page { message!("page").told_to_reader() } else { name.clone() };
            Column { name: name.clone(), label, is_page }
        });
        Ok(Table {
            layout: if *self == Self::Table { Layout::Table } else { Layout::List },
            group: group.map(|name| (name.clone(), name.clone())),
            columns: columns.collect(),
            answer,
        })
    }
}

/// Renames tags in a query: `renamed` returns the new name of a tag, if it gets one. Returns the bytes that change, and
/// the lines, from 1, that may name the tag and stay as they are: SQL compares texts with anything.
pub(crate) fn rename_tags(
    text: &str,
    renamed: &dyn Fn(&str) -> Option<String>,
) -> (Vec<(Range<usize>, String)>, Vec<usize>) {
    let (mut edits, mut left) = (Vec::new(), Vec::new());
    let is_sql = is_sql(text);
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_sql {
            let texts = line.split('\'').skip(1).step_by(2);
            let mut words = texts.map(|text| text.trim_matches(['%', '"']).trim_start_matches('#'));
            if words.any(|word| renamed(word).is_some()) {
                left.push(number + 1);
            }
        } else if let Some((key, value)) = line.split_once(':')
            && key.trim().eq_ignore_ascii_case("tags")
        {
            let (operator, written) = split_operator(value.trim());
            let tag = unquoted(written).trim_start_matches('#');
            if let Some(new) = renamed(tag).filter(|_| matches!(operator, "=" | "!=")) {
                let end =
                    start + line.trim_end().len() - usize::from(written.len() != unquoted(written).len());
                edits.push((end - tag.len()..end, new));
            } else if renamed(tag).is_some() {
                left.push(number + 1);
            }
        }
        start += line.len();
    }
    (edits, left)
}

fn is_sql(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// The operator of a condition, `=` if none is written, and the value after it.
fn split_operator(written: &str) -> (&'static str, &str) {
    let operators = ["!=", "<=", ">=", "<", ">"];
    let operator = operators.into_iter().find(|operator| written.starts_with(operator)).unwrap_or("=");
    (operator, written.strip_prefix(operator).unwrap_or(written).trim())
}

/// A value without the double quotes around it.
fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
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
    let (operator, value) = split_operator(written);
    let value = unquoted(value);
    let value = if key == "tags" { value.trim_start_matches('#') } else { value };
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
