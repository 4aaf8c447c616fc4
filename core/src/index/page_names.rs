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
    /// Title, aliases, file name and path, in this order; of names with the same key, the first.
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
    /// What may match it.
    pub letters: Letters,
}

/// The ASCII letters and digits of a text. A text cannot match a name that lacks one of them, and this is known much sooner
/// than how well it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letters(u128);

impl Letters {
    /// Those of `text`.
    pub fn of(text: &str) -> Self {
        let bits = text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| 1 << byte);
        Self(bits.fold(0, |all, bit: u128| all | bit))
    }

    /// Whether all of them are in `name`.
    pub fn are_in(self, name: Self) -> bool {
        self.0 & !name.0 == 0
    }
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
        let mut names: Vec<Name> = Vec::new();
        for name in all {
            let key = loose_key(name);
            // The file name is often the title, and matches no better than that.
            if names.iter().all(|known| known.key != key) {
                let (length, letters) = (key.chars().count(), Letters::of(&key));
                names.push(Name { name: name.to_owned(), key, length, letters });
            }
        }
        Self { number, filepath: filepath.to_owned(), title: title.to_owned(), names }
    }
}
