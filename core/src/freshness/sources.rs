//! What pages name as their sources, and which files that stands for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use globset::GlobSet;
use rusqlite::Connection;

use super::Reviewed;
use crate::Context;
use crate::index::questions::sources;
use crate::ports::ContentHash;
use crate::{Result, path};

/// What one page names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredPage {
    /// The page's path below the pages folder.
    pub path: String,
    /// Files, folders and globs, as written.
    pub sources: BTreeSet<String>,
}

/// Pages that name sources, by their numbers.
pub type Declared = BTreeMap<i64, DeclaredPage>;

/// Reads what `pages` name, or every page when `None`.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn declared(db: &Connection, pages: Option<&[i64]>) -> Result<Declared> {
    let mut declared = Declared::new();
    for (page, path, source) in sources::declared(db, pages)? {
        let entry = declared.entry(page).or_default();
        entry.path = path;
        entry.sources.insert(source);
    }
    Ok(declared)
}

/// The files behind what is named.
#[derive(Debug, Default)]
pub struct Sources {
    named: HashMap<String, (Kind, Vec<String>)>,
}

#[derive(Debug)]
enum Kind {
    File,
    Glob(GlobSet),
    Folder(String),
}

impl Kind {
    fn of(named: &str, is_file: bool) -> Self {
        if is_file {
            return Self::File;
        }
        let glob = named.contains(['*', '?', '[', '{']).then(|| path::glob_set(&[named.to_owned()]));
        match glob {
            Some(Ok(set)) => Self::Glob(set),
            Some(Err(_)) => Self::File,
            None => Self::Folder(format!("{}/", named.trim_end_matches('/'))),
        }
    }

    fn covers(&self, named: &str, file: &str) -> bool {
        named == file
            || match self {
                Self::File => false,
                Self::Glob(set) => set.is_match(file),
                Self::Folder(prefix) => file.starts_with(prefix),
            }
    }
}

impl Sources {
    /// What every named source stands for: itself, the files of a folder, or those that match a glob.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the files cannot be listed.
    pub fn expand(context: &Context<'_>, declared: &Declared) -> Result<Self> {
        let mut named = HashMap::new();
        for source in declared.values().flat_map(|page| &page.sources) {
            if named.contains_key(source) {
                continue;
            }
            let is_file = context.source.stat_source(source)?.is_some();
            let kind = Kind::of(source, is_file);
            let files = match &kind {
                Kind::File if is_file => vec![source.clone()],
                Kind::File => Vec::new(),
                Kind::Glob(_) => {
                    context.source.match_sources(std::slice::from_ref(source)).unwrap_or_default()
                }
                // A folder's own special characters are not to be read as a glob.
                Kind::Folder(prefix) => {
                    context.source.match_sources(&[format!("{}**", globset::escape(prefix))])?
                }
            };
            named.insert(source.clone(), (kind, files));
        }
        Ok(Self { named })
    }

    /// Every file behind any of them.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.named.values().flat_map(|(_, files)| files.iter().map(String::as_str))
    }

    /// The files behind one.
    pub fn of(&self, source: &str) -> &[String] {
        self.named.get(source).map(|(_, files)| files.as_slice()).unwrap_or_default()
    }

    /// Whether one stands for `file`, there or not.
    pub fn covers(&self, source: &str, file: &str) -> bool {
        self.named.get(source).is_some_and(|(kind, _)| kind.covers(source, file))
    }

    /// The part of what was reviewed that falls to one source.
    pub(super) fn part<'a>(
        &self,
        source: &str,
        reviewed: &'a Reviewed,
    ) -> BTreeMap<&'a str, &'a [ContentHash]> {
        let Some((kind, _)) = self.named.get(source) else { return BTreeMap::new() };
        let covered = reviewed.iter().filter(|(file, _)| kind.covers(source, file));
        covered.map(|(file, hashes)| (file.as_str(), hashes.as_slice())).collect()
    }
}
