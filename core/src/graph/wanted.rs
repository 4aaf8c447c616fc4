//! Wanted pages: those that links name but that do not exist.

use super::resolve::is_attachment;
use crate::{path, text};

/// The page that a broken link asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Equal for all links that ask for the same page.
    pub key: String,
    /// The name as written, without heading and extension.
    pub name: &'a str,
}

impl<'a> Wanted<'a> {
    /// Reads the target of a link as written.
    pub fn of(target: &'a str) -> Self {
        let name = target.split('#').next().unwrap_or_default().trim();
        // A page can be named with or without its extension.
        let name = path::without_page_extension(name);
        Self { key: text::fold_key(name), name }
    }

    /// Whether a page can be created with this name: links to missing pictures and other files ask for no page.
    pub fn is_page(&self) -> bool {
        !self.name.is_empty() && !is_attachment(self.name)
    }
}
