//! The names for finding pages while the user types, with their comparison keys. Folding thousands of names at every
//! keystroke would take longer than comparing them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rusqlite::Connection;

use super::questions::{names, pages};
use crate::text::loose_key;
use crate::{Result, path};

/// The names of a page.
#[derive(Debug, PartialEq, Eq)]
pub struct NamedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Title, aliases, file name and path, in this order.
    pub names: Vec<Name>,
    /// Its number in the index.
    number: i64,
}

/// A name and its comparison key.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub name: String,
    /// Folded: case, accents, width and kana are ignored.
    pub key: String,
    /// Length of the key in characters.
    pub length: usize,
}

/// The names of all pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageNames {
    /// Sorted by path.
    pub pages: Vec<Arc<NamedPage>>,
}

impl PageNames {
    /// Reads the names.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(super) fn load(db: &Connection) -> Result<Self> {
        let mut aliases = HashMap::<i64, Vec<String>>::new();
        names::each_alias(db, |page, alias| aliases.entry(page).or_default().push(alias.to_owned()))?;
        let mut names = Self::default();
        pages::each_title(db, |page, filepath, title| {
            let aliases = aliases.remove(&page).unwrap_or_default();
            names.pages.push(Arc::new(NamedPage::new(page, filepath, title, &aliases)));
        })?;
        Ok(names)
    }

    /// The names after changes of the pages in `changed`, including those that were added, moved or removed: the same as
    /// [`PageNames::load`] reads, but only the names of these pages are read.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(super) fn after(&self, db: &Connection, changed: &BTreeSet<i64>) -> Result<Self> {
        let mut pages: Vec<_> =
            self.pages.iter().filter(|page| !changed.contains(&page.number)).cloned().collect();
        for &number in changed {
            if let Some((filepath, title)) = pages::path_and_title(db, number)? {
                let aliases = names::aliases(db, number)?;
                let place = pages.partition_point(|page| page.filepath < filepath);
                pages.insert(place, Arc::new(NamedPage::new(number, &filepath, &title, &aliases)));
            }
        }
        Ok(Self { pages })
    }
}

impl NamedPage {
    fn new(number: i64, filepath: &str, title: &str, aliases: &[String]) -> Self {
        let own = [path::page_name(filepath), path::without_page_extension(filepath)];
        let all = std::iter::once(title).chain(aliases.iter().map(String::as_str)).chain(own);
        let names = all
            .map(|name| {
                let key = loose_key(name);
                let length = key.chars().count();
                Name { name: name.to_owned(), key, length }
            })
            .collect();
        Self { number, filepath: filepath.to_owned(), title: title.to_owned(), names }
    }
}
