//! Texts of open pages that are not saved yet. Programs in which people type pass them along, so that answers are about
//! what is on the screen. They never enter the index, which other programs share.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::page::decode;
use crate::ports::Source;

/// Unsaved texts, by path relative to the pages folder.
#[derive(Debug, Clone, Default)]
pub struct Drafts(BTreeMap<String, Arc<str>>);

impl Drafts {
    /// Sets the text of the page at `path`.
    pub fn set(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) {
        self.0.insert(path.into(), text.into());
    }

    /// Forgets the text of the page at `path`: its file counts again.
    pub fn remove(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// The unsaved text of the page at `path`.
    pub fn get(&self, path: &str) -> Option<&Arc<str>> {
        self.0.get(path)
    }

    /// The paths of all pages with unsaved text, and the texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text))
    }

    /// The text of a page: unsaved, or else that of its file.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the file cannot be read, [`crate::Error::OutsideProject`].
    pub fn text(&self, source: &dyn Source, path: &str) -> Result<Arc<str>> {
        match self.get(path) {
            Some(text) => Ok(text.clone()),
            None => Ok(decode(&source.read(path)?).0.into()),
        }
    }
}
