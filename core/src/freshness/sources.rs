//! The sources that pages name, and the files they match.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

#[cfg(not(target_family = "wasm"))]
use super::anchors::Anchor;
#[cfg(target_family = "wasm")]
use super::anchors::file_of;
#[cfg(not(target_family = "wasm"))]
use super::symbols::{self, Targets};
use super::{Content, Reviewed};
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
    /// Files, folders, globs and symbols, as written.
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

/// One hash for the content of several sources. It stays the same if the file of a symbol changes elsewhere.
pub fn combined(contents: &BTreeMap<String, Content>) -> ContentHash {
    let line = |(path, content): (&String, &Content)| {
        #[cfg(not(target_family = "wasm"))]
        if let Some(symbol) = content.symbol.as_ref().filter(|symbol| symbol.are_known()) {
            return format!("{} {path}\n", symbol.tokens);
        }
        format!("{} {path}\n", content.file)
    };
    ContentHash::of(contents.iter().map(line).collect::<String>().as_bytes())
}

/// The files that sources match.
#[derive(Debug, Default)]
pub struct Sources {
    named: HashMap<String, (Kind, Vec<String>)>,
}

#[derive(Debug)]
enum Kind {
    File,
    /// The file of a symbol, and its name.
    #[cfg(not(target_family = "wasm"))]
    Symbol(String, String),
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
                // Of a symbol, in a browser.
                Self::File if cfg!(target_family = "wasm") => {
                    named.strip_prefix(file).is_some_and(|rest| rest.starts_with('#'))
                }
                Self::File => false,
                #[cfg(not(target_family = "wasm"))]
                Self::Symbol(own, _) => file == own,
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
    #[cfg(not(target_family = "wasm"))]
    let is_file = is_file || Anchor::of(context.source, source).is_ok_and(|anchor| anchor.is_some());
    if is_file {
        return Ok(1);
    }
    let kind = Kind::of(source, is_file);
    Ok(files.filter(|file| kind.covers(source, file)).count())
}

impl Sources {
    /// Expands every source to its files: the file itself, that of a symbol, the files in a folder, or those that match
    /// a glob.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the files cannot be listed.
    pub fn expand(context: &Context<'_>, declared: &Declared) -> Result<Self> {
        let mut named = HashMap::new();
        // Many symbols are in the same file.
        #[cfg(not(target_family = "wasm"))]
        let mut files: HashMap<&str, bool> = HashMap::new();
        for source in declared.values().flat_map(|page| &page.sources) {
            if named.contains_key(source) {
                continue;
            }
            #[cfg(not(target_family = "wasm"))]
            let is_file = |file| -> Result<bool> {
                if let Some(known) = files.get(file) {
                    return Ok(*known);
                }
                let is_file = context.source.stat_source(file)?.is_some();
                files.insert(file, is_file);
                Ok(is_file)
            };
            #[cfg(not(target_family = "wasm"))]
            if let Some(Anchor { file, name }) = Anchor::among(is_file, source)? {
                named.insert(source.clone(), (Kind::Symbol(file.into(), name.into()), vec![file.to_owned()]));
                continue;
            }
            #[cfg(not(target_family = "wasm"))]
            let file = source.as_str();
            #[cfg(target_family = "wasm")]
            let file = file_of(context.source, source)?;
            let is_file = context.source.stat_source(file)?.is_some();
            let kind = Kind::of(source, is_file);
            let files = match &kind {
                Kind::File if is_file => vec![file.to_owned()],
                Kind::File => Vec::new(),
                #[cfg(not(target_family = "wasm"))]
                Kind::Symbol(..) => Vec::new(),
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

    /// The anchor that this source is.
    #[cfg(not(target_family = "wasm"))]
    pub fn anchor(&self, source: &str) -> Option<Anchor<'_>> {
        match self.named.get(source)? {
            (Kind::Symbol(file, name), _) => Some(Anchor { file, name }),
            _ => None,
        }
    }

    /// All sources that are anchors.
    #[cfg(not(target_family = "wasm"))]
    pub fn anchors(&self) -> impl Iterator<Item = Anchor<'_>> {
        self.named.keys().filter_map(|source| self.anchor(source))
    }

    /// The files of one source.
    pub fn of(&self, source: &str) -> &[String] {
        self.named.get(source).map(|(_, files)| files.as_slice()).unwrap_or_default()
    }

    /// The content of every file that the sources of a page match, by path, and of every symbol, by anchor. Symbols that
    /// do not exist are absent.
    ///
    /// # Errors
    /// [`crate::Error::Io`], [`crate::Error::OutsideProject`].
    pub fn contents(&self, context: &Context<'_>, page: &DeclaredPage) -> Result<BTreeMap<String, Content>> {
        #[cfg(not(target_family = "wasm"))]
        let mut targets = Targets::of(page.sources.iter().filter_map(|source| self.anchor(source)));
        let mut contents: BTreeMap<String, Content> = BTreeMap::new();
        for source in &page.sources {
            #[cfg(not(target_family = "wasm"))]
            if let Some(anchor) = self.anchor(source) {
                let file = ContentHash::of_source(&context.source.read_source(anchor.file)?);
                if let Some(symbol) = targets.target(context, anchor).and_then(symbols::hashes) {
                    contents.insert(source.clone(), Content { file, symbol: Some(symbol), stamp: None });
                }
                continue;
            }
            for file in self.of(source) {
                if !contents.contains_key(file) {
                    let hash = ContentHash::of_source(&context.source.read_source(file)?);
                    contents.insert(file.clone(), hash.into());
                }
            }
        }
        Ok(contents)
    }

    /// Whether a source includes `file`, which may no longer exist.
    pub fn covers(&self, source: &str, file: &str) -> bool {
        self.named.get(source).is_some_and(|(kind, _)| kind.covers(source, file))
    }

    /// The reviewed files that belong to one source.
    pub(super) fn part<'a>(&self, source: &str, reviewed: &'a Reviewed) -> BTreeMap<&'a str, &'a [Content]> {
        let Some((kind, _)) = self.named.get(source) else { return BTreeMap::new() };
        // A link to a symbol was reviewed as a link to its file by versions that did not know symbols.
        #[cfg(not(target_family = "wasm"))]
        if let Kind::Symbol(file, _) = kind {
            let known = reviewed.get_key_value(source).or_else(|| reviewed.get_key_value(file));
            return known.map(|(key, contents)| (key.as_str(), contents.as_slice())).into_iter().collect();
        }
        let covered = reviewed.iter().filter(|(file, _)| kind.covers(source, file));
        // Folders contain files, not symbols.
        #[cfg(not(target_family = "wasm"))]
        let covered = covered.filter(|(file, contents)| {
            *file == source || contents.iter().all(|content| content.symbol.is_none())
        });
        covered.map(|(file, contents)| (file.as_str(), contents.as_slice())).collect()
    }
}
