//! The sources that pages name, and the files they match.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

use super::Reviewed;
use crate::Context;
use crate::globs::{self, Globs};
use crate::index::questions::sources;
use crate::ports::ContentHash;
use crate::{Error, Result, path};

/// The sources of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredPage {
    /// Path relative to the pages folder.
    pub path: String,
    /// Files, folders and globs, as written.
    pub sources: BTreeSet<String>,
}

/// Pages with sources, by page number.
pub type Declared = BTreeMap<i64, DeclaredPage>;

/// Reads the sources of `pages`, or of all pages if `None`.
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

/// One hash for the content of several files.
pub fn combined(hashes: &BTreeMap<String, ContentHash>) -> ContentHash {
    let lines: String = hashes.iter().map(|(path, hash)| format!("{hash} {path}\n")).collect();
    ContentHash::of(lines.as_bytes())
}

/// The files that sources match.
#[derive(Debug, Default)]
pub struct Sources {
    named: HashMap<String, (Kind, Vec<String>)>,
}

#[derive(Debug)]
enum Kind {
    File,
    Glob(Globs),
    Folder(String),
}

impl Kind {
    fn of(named: &str, is_file: bool) -> Self {
        if is_file {
            return Self::File;
        }
        let glob = named.contains(['*', '?', '[', '{']).then(|| Globs::new(&[named]));
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

/// How many of `files`, the paths of all listed files, a source as written matches. A file that is named exactly counts
/// even if it is ignored.
///
/// # Errors
/// The errors of [`crate::ports::Source::stat_source`], except for paths that cannot be files.
pub(crate) fn count_among<'a>(
    context: &Context<'_>,
    written: &str,
    files: impl Iterator<Item = &'a str>,
) -> Result<usize> {
    let source = path::source_entry(written);
    if !path::is_inside(source) {
        return Ok(0);
    }
    let is_file = match context.source.stat_source(source) {
        Ok(stat) => stat.is_some(),
        // A symbolic link out of the project, or a name that is invalid for a file.
        Err(Error::OutsideProject { .. } | Error::Io { .. }) => false,
        Err(error) => return Err(error),
    };
    if is_file {
        return Ok(1);
    }
    let kind = Kind::of(source, is_file);
    Ok(files.filter(|file| kind.covers(source, file)).count())
}

impl Sources {
    /// Expands every source to its files: the file itself, the files in a folder, or those that match a glob.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the files cannot be listed.
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
                // Special characters in the name of a folder are not a glob.
                Kind::Folder(prefix) => {
                    context.source.match_sources(&[format!("{}**", globs::escaped(prefix))])?
                }
            };
            named.insert(source.clone(), (kind, files));
        }
        Ok(Self { named })
    }

    /// The files of all sources.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.named.values().flat_map(|(_, files)| files.iter().map(String::as_str))
    }

    /// The files of one source.
    pub fn of(&self, source: &str) -> &[String] {
        self.named.get(source).map(|(_, files)| files.as_slice()).unwrap_or_default()
    }

    /// The content of every file that the sources of a page match, by path.
    ///
    /// # Errors
    /// [`crate::Error::Io`], [`crate::Error::OutsideProject`].
    pub fn hashes(
        &self,
        context: &Context<'_>,
        page: &DeclaredPage,
    ) -> Result<BTreeMap<String, ContentHash>> {
        let mut hashes = BTreeMap::new();
        for file in page.sources.iter().flat_map(|source| self.of(source)) {
            if !hashes.contains_key(file) {
                hashes.insert(file.clone(), ContentHash::of(&context.source.read_source(file)?));
            }
        }
        Ok(hashes)
    }

    /// Whether a source includes `file`, which may no longer exist.
    pub fn covers(&self, source: &str, file: &str) -> bool {
        self.named.get(source).is_some_and(|(kind, _)| kind.covers(source, file))
    }

    /// The reviewed files that belong to one source.
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
