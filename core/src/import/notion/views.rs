//! Views of a database that Notion exports as tables of their own: their rows are pages of that database.

use std::collections::{BTreeMap, HashMap};

use super::Database;
use super::page::Exported;
use super::relations::references;
use super::table::{Row, Table};

/// Pages that are rows of databases, by title.
pub(super) struct Shown<'a> {
    /// The columns of the database, and the files of the pages.
    by_title: HashMap<String, Vec<(&'a [String], String)>>,
}

/// The rows of a view that are pages of another database.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Their lines in the table.
    pub rows: Vec<usize>,
    /// The files of the pages.
    pub files: Vec<String>,
}

impl<'a> Shown<'a> {
    /// The pages of the databases that have any; `rows` are their files.
    pub(super) fn new(
        databases: &'a BTreeMap<&str, Database>,
        rows: &BTreeMap<String, Vec<String>>,
        pages: &BTreeMap<String, Exported>,
    ) -> Self {
        let mut by_title: HashMap<String, Vec<(&'a [String], String)>> = HashMap::new();
        for (key, files) in rows {
            let Some(database) = databases.get(key.as_str()) else { continue };
            for file in files {
                let Some(page) = pages.get(file) else { continue };
                let entry = (database.table.columns.as_slice(), file.clone());
                by_title.entry(page.title.clone()).or_default().push(entry);
            }
        }
        Self { by_title }
    }

    /// The rows of `table` that are these pages: all columns of a view are in its database, and all values are the same.
    /// One column alone says too little.
    pub(super) fn rows(&self, table: &Table, pages: &BTreeMap<String, Exported>) -> Found {
        let mut found = Found::default();
        if table.columns.len() < 2 {
            return found;
        }
        for row in &table.rows {
            let candidates = self.by_title.get(table.title_of(row)).map(Vec::as_slice).unwrap_or_default();
            let same = candidates.iter().find(|(columns, file)| {
                table.columns.iter().all(|column| columns.contains(column))
                    && pages.get(file).is_some_and(|page| is_same(table, row, page))
            });
            if let Some((_, file)) = same {
                found.rows.push(row.line);
                found.files.push(file.clone());
            }
        }
        found
    }
}

/// Whether a page has the values of a row, relations aside: they are written as paths from the table or the page.
fn is_same(table: &Table, row: &Row, page: &Exported) -> bool {
    table.columns.iter().zip(&row.values).enumerate().filter(|(at, _)| *at != table.title).all(
        |(_, (column, value))| {
            let on_page =
                page.properties.iter().find(|(name, _)| name == column).map(|(_, value)| value.trim());
            let on_page = on_page.unwrap_or_default();
            let is_relation = |value: &str| references(value).is_some_and(|found| !found.is_empty());
            value == on_page || (is_relation(value) && is_relation(on_page))
        },
    )
}
