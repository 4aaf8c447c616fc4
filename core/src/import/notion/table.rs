//! Databases of Notion: tables whose rows are pages.

use std::collections::{HashMap, HashSet};

use super::UNTITLED;
use super::values::Column;

/// What Notion calls the column of titles. It is the first one, except in a view that shows another one first.
const NAMES: [&str; 12] =
    ["name", "title", "nom", "nombre", "nome", "titel", "título", "titre", "名前", "名称", "이름", "имя"];

/// A table from a CSV file.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// The rows, each with one value for each column.
    pub rows: Vec<Row>,
    /// The column with the titles of the pages.
    pub title: usize,
    /// Types of the columns.
    pub types: Vec<Column>,
    /// Line of the first row that could not be read.
    pub damaged: Option<usize>,
}

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    /// Line of the file, from 1.
    pub line: usize,
    pub values: Vec<String>,
}

/// Finds the lines of rows, which the reader miscounts after `\r\n`.
#[derive(Default)]
struct Lines {
    byte: usize,
    line: usize,
}

impl Lines {
    /// The line of the row that begins at or after `byte`, from 1. Rows come in order.
    fn line_of(&mut self, text: &str, byte: usize) -> usize {
        let rest = text.as_bytes().get(byte..).unwrap_or_default();
        let start = byte + rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let passed = text.as_bytes().get(self.byte..start).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.byte = start;
        self.line + 1
    }
}

impl Table {
    /// Reads a CSV file. Anything is one.
    pub(super) fn read(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let mut table = Self::default();
        let mut at = Lines::default();
        for record in reader.records() {
            let Ok(record) = record else {
                table.damaged.get_or_insert(table.rows.last().map_or(1, |row| row.line + 1));
                continue;
            };
            let line = at.line_of(text, record.position().map_or(0, |position| position.byte() as usize));
            let mut values: Vec<String> = record.iter().map(|value| value.trim().to_owned()).collect();
            if table.columns.is_empty() {
                table.columns = values;
                continue;
            }
            values.resize(table.columns.len().max(values.len()), String::new());
            if values.iter().any(|value| !value.is_empty()) {
                table.rows.push(Row { line, values });
            }
        }
        table
    }

    /// Finds the column of titles among `titles` of pages, and the types of all columns. `pages` are the properties of
    /// the pages in the table.
    pub(super) fn settle(&mut self, titles: &HashSet<&str>, pages: &[&[(String, String)]]) {
        let matches = |at: &usize| {
            let titled =
                |row: &&Row| row.values.get(*at).is_some_and(|value| titles.contains(value.as_str()));
            let name = self.columns.get(*at).map(|name| name.to_lowercase()).unwrap_or_default();
            let is_name = NAMES.contains(&name.as_str());
            (self.rows.iter().filter(titled).count(), is_name, std::cmp::Reverse(*at))
        };
        self.title = (0..self.columns.len()).max_by_key(matches).unwrap_or(0);
        let types = self.columns.iter().enumerate().map(|(at, name)| {
            // Pages repeat the values of their rows.
            let values: Vec<&str> = match self.rows.as_slice() {
                [] => {
                    let on_pages = pages.iter().copied().flatten().filter(|(key, _)| key == name);
                    on_pages.map(|(_, value)| value.as_str()).collect()
                }
                rows => rows.iter().filter_map(|row| row.values.get(at)).map(String::as_str).collect(),
            };
            Column::of(name, values)
        });
        self.types = types.collect();
    }

    /// The properties of a row: names and values that are not empty, without its title.
    pub(super) fn properties(&self, row: &Row) -> Vec<(String, String)> {
        let named = self.columns.iter().zip(&row.values).enumerate();
        let kept =
            named.filter(|(at, (name, value))| *at != self.title && !name.is_empty() && !value.is_empty());
        kept.map(|(_, (name, value))| (name.clone(), value.clone())).collect()
    }

    /// The type of a property.
    pub(super) fn type_of(&self, name: &str) -> Column {
        let at = self.columns.iter().position(|column| column == name);
        at.and_then(|at| self.types.get(at)).copied().unwrap_or(Column::Text)
    }

    /// The title of a row, empty if it has none.
    pub(super) fn title_of<'r>(&self, row: &'r Row) -> &'r str {
        row.values.get(self.title).map(String::as_str).unwrap_or_default()
    }

    /// Rows without a page, given the titles of all pages of the table: there may be several of one title.
    pub(super) fn without_page(&self, titles: &[&str]) -> Vec<&Row> {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for title in titles {
            *left.entry(title).or_default() += 1;
        }
        self.rows
            .iter()
            .filter(|row| {
                let title = self.title_of(row);
                match left.get_mut(if title.is_empty() { UNTITLED } else { title }) {
                    Some(pages) if *pages > 0 => {
                        *pages -= 1;
                        false
                    }
                    _ => true,
                }
            })
            .collect()
    }
}
