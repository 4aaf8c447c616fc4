//! The names for finding pages while the user types, with their comparison keys. Folding thousands of names at every
//! keystroke would take longer than comparing them.

use std::collections::HashMap;
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
    aliases: Vec<String>,
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
#[derive(Debug, Default)]
pub struct PageNames {
    /// Sorted by path.
    pub pages: Vec<Arc<NamedPage>>,
    by_path: HashMap<String, Arc<NamedPage>>,
}

impl PageNames {
    /// Reads the names, reusing unchanged ones from `before`.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub(super) fn load(db: &Connection, before: Option<&Self>) -> Result<Self> {
        let mut aliases = HashMap::<i64, Vec<String>>::new();
        names::each_alias(db, |page, alias| aliases.entry(page).or_default().push(alias.to_owned()))?;
        let mut names = Self::default();
        pages::each_title(db, |page, filepath, title| {
            let aliases = aliases.remove(&page).unwrap_or_default();
            let known = before.and_then(|before| before.by_path.get(filepath));
            let page = match known.filter(|known| known.title == title && known.aliases == aliases) {
                Some(known) => known.clone(),
                None => Arc::new(NamedPage::new(filepath, title, aliases)),
            };
            names.by_path.insert(filepath.to_owned(), page.clone());
            names.pages.push(page);
        })?;
        Ok(names)
    }
}

impl NamedPage {
    fn new(filepath: &str, title: &str, aliases: Vec<String>) -> Self {
        let own = [path::page_name(filepath), path::without_page_extension(filepath)];
        let all = std::iter::once(title).chain(aliases.iter().map(String::as_str)).chain(own);
        let names = all
            .map(|name| {
                let key = loose_key(name);
                let length = key.chars().count();
                Name { name: name.to_owned(), key, length }
            })
            .collect();
        Self { filepath: filepath.to_owned(), title: title.to_owned(), names, aliases }
    }
}
