//! Resolving links, in Obsidian's order: exact path, end of a path, file name, then titles and aliases. Unicode form
//! and case are ignored only if there is no exact match. Of several equally good pages, the one nearest to the link's
//! folder wins.

use std::collections::{HashMap, HashSet};

use crate::page::LinkKind;
use crate::{path, text};

/// The kind of a page's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// The file name.
    File,
    /// The title.
    Title,
    /// An alias.
    Alias,
}

/// A page that has some folded name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Number of the page in the index.
    pub page: i64,
    /// Its path.
    pub path: String,
    /// The kind of the name.
    pub kind: NameKind,
}

/// Access to the names and files of the project, for resolving links.
pub trait Names {
    /// Error of a lookup.
    type Error;
    /// Every page with this folded name, sorted by path.
    ///
    /// # Errors
    /// If the names cannot be read.
    fn named(&mut self, key: &str) -> Result<Vec<Named>, Self::Error>;
    /// Whether the project has this file; the path is relative to the project.
    ///
    /// # Errors
    /// If the project cannot be read.
    fn has_source(&mut self, path: &str) -> Result<bool, Self::Error>;
}

/// The destination of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A page, or a heading or `^block` on it.
    Page {
        /// Number of the page in the index.
        page: i64,
        /// The part after the `#`, unless it belongs to the page's name.
        anchor: Option<String>,
        /// Whether other pages match as well.
        ambiguous: bool,
    },
    /// A file of the project that is not a page.
    Source(String),
    /// An image or another file that pages show.
    Attachment,
    /// Nothing: the link is broken.
    Unresolved,
}

/// The page that contains a link.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Number of the page in the index.
    pub page: i64,
    /// Its path relative to the pages folder.
    pub path: &'a str,
    /// The pages folder relative to the project; empty if it is the project itself.
    pub pages_dir: &'a str,
}

/// Extensions of files that pages embed or offer for download; never sources.
const ATTACHMENTS: [&str; 38] = [
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "bmp",
    "avif",
    "ico",
    "mp3",
    "wav",
    "m4a",
    "ogg",
    "flac",
    "3gp",
    "mp4",
    "webm",
    "ogv",
    "mov",
    "mkv",
    "pdf",
    "canvas",
    "base",
    "excalidraw",
    "zip",
    "7z",
    "tar",
    "gz",
    "doc",
    "docx",
    "xls",
    "xlsx",
    "ppt",
    "pptx",
    "odt",
    "ods",
    "odp",
    "rtf",
];

/// Every folded name that can change the destination of `target` when it is added or removed.
pub fn name_keys(target: &str) -> Vec<String> {
    let mut keys: Vec<String> = readings(target)
        .flat_map(|(name, _)| {
            let name = path::without_page_extension(name);
            [text::fold_key(path::file_name(name)), text::fold_key(name)]
        })
        .filter(|key| !key.is_empty())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Splits a target into page name and heading in every possible way, the whole target as a name first, because file
/// names may contain `#`.
fn readings(target: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let cuts = target.rmatch_indices('#').map(|(at, _)| (&target[..at], Some(&target[at + 1..])));
    std::iter::once((target, None)).chain(cuts).map(|(name, anchor)| (name.trim(), anchor.map(str::trim)))
}

/// Resolves a link.
///
/// # Errors
/// What `names` returns.
pub fn resolve<N: Names>(
    kind: LinkKind,
    target: &str,
    origin: Origin<'_>,
    names: &mut N,
) -> Result<Destination, N::Error> {
    for (name, anchor) in readings(target) {
        let anchor = anchor.filter(|anchor| !anchor.is_empty()).map(str::to_owned);
        if name.is_empty() {
            return Ok(match anchor {
                Some(_) => Destination::Page { page: origin.page, anchor, ambiguous: false },
                None => Destination::Unresolved,
            });
        }
        let found = match kind {
            LinkKind::Markdown => markdown_page(name, origin, names)?,
            _ => wiki_page(name, origin, names)?,
        };
        if let Some((page, ambiguous)) = found {
            return Ok(Destination::Page { page, anchor, ambiguous });
        }
    }
    if is_attachment(bare(target)) {
        return Ok(Destination::Attachment);
    }
    for candidate in source_candidates(kind, target, origin) {
        if names.has_source(&candidate)? {
            return Ok(Destination::Source(candidate));
        }
    }
    Ok(Destination::Unresolved)
}

/// The page name in a target, without its heading, if it resolves to a page; empty for a heading on the same page.
///
/// # Errors
/// What `names` returns.
pub fn page_part<'t, N: Names>(
    kind: LinkKind,
    target: &'t str,
    origin: Origin<'_>,
    names: &mut N,
) -> Result<Option<&'t str>, N::Error> {
    for (name, _) in readings(target) {
        let found = match kind {
            _ if name.is_empty() => return Ok(Some(name)),
            LinkKind::Markdown => markdown_page(name, origin, names)?,
            _ => wiki_page(name, origin, names)?,
        };
        if found.is_some() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The target before its first `#`.
fn bare(target: &str) -> &str {
    target.split('#').next().unwrap_or(target).trim()
}

/// Whether a name looks like a file that is not a page, so that it has to be looked up on disk.
pub fn may_name_source(target: &str) -> bool {
    let name = bare(target);
    !path::is_page(name) && !is_attachment(name) && path::file_name(name).contains('.')
}

/// Whether a file with this name is an attachment: embedded or offered for download, not described.
pub fn is_attachment(name: &str) -> bool {
    path::file_name(name)
        .rsplit_once('.')
        .is_some_and(|(_, ext)| ATTACHMENTS.iter().any(|known| ext.eq_ignore_ascii_case(known)))
}

/// Paths, relative to the project, of the files that a target could mean, likeliest first.
pub fn source_candidates(kind: LinkKind, target: &str, origin: Origin<'_>) -> Vec<String> {
    let name = bare(target);
    let here = path::join(origin.pages_dir, path::folder(origin.path)).unwrap_or_default();
    let from_here = path::join(&here, name);
    let from_root = path::join("", name);
    let ordered = match kind {
        LinkKind::Markdown => [from_here, from_root],
        _ => [from_root, from_here],
    };
    let mut candidates: Vec<String> =
        ordered.into_iter().flatten().filter(|p| path::is_inside(p) && !path::is_page(p)).collect();
    candidates.dedup();
    candidates
}

type Found = Option<(i64, bool)>;

fn markdown_page<N: Names>(name: &str, origin: Origin<'_>, names: &mut N) -> Result<Found, N::Error> {
    let from_here = if name.starts_with('/') { None } else { path::join(path::folder(origin.path), name) };
    for candidate in [from_here, path::join("", name)].into_iter().flatten() {
        if let Some(found) = at_path(&candidate, names)? {
            return Ok(Some((found, false)));
        }
    }
    Ok(None)
}

fn wiki_page<N: Names>(name: &str, origin: Origin<'_>, names: &mut N) -> Result<Found, N::Error> {
    if name.starts_with("./") || name.starts_with("../") {
        let joined = path::join(path::folder(origin.path), name);
        return match joined {
            Some(joined) => Ok(at_path(&joined, names)?.map(|page| (page, false))),
            None => Ok(None),
        };
    }
    let name = path::without_page_extension(name.trim_start_matches('/'));
    if let Some(page) = at_path(name, names)? {
        return Ok(Some((page, false)));
    }
    let key = text::fold_key(name);
    let file_key = text::fold_key(path::file_name(name));
    let by_path: Vec<Named> = names
        .named(&file_key)?
        .into_iter()
        .filter(|named| {
            named.kind == NameKind::File && ends_with_path(&text::fold_key(stem(&named.path)), &key)
        })
        .collect();
    if let Some(found) = nearest(by_path, origin, |named| ends_with_path(stem(&named.path), name)) {
        return Ok(Some(found));
    }
    for kind in [NameKind::Title, NameKind::Alias] {
        let named: Vec<Named> = names.named(&key)?.into_iter().filter(|named| named.kind == kind).collect();
        if let Some(found) = nearest(named, origin, |_| true) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn stem(path: &str) -> &str {
    path::without_page_extension(path)
}

/// The page at a path relative to the pages folder; case and Unicode form are ignored if there is no exact match.
fn at_path<N: Names>(candidate: &str, names: &mut N) -> Result<Option<i64>, N::Error> {
    let name = stem(candidate);
    let key = text::fold_key(name);
    let mut folded = None;
    for named in names.named(&text::fold_key(path::file_name(name)))? {
        if named.kind != NameKind::File {
            continue;
        }
        if stem(&named.path) == name {
            return Ok(Some(named.page));
        }
        if folded.is_none() && text::fold_key(stem(&named.path)) == key {
            folded = Some(named.page);
        }
    }
    Ok(folded)
}

fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The candidate whose folder is nearest to the origin's, preferring those for which `exact` is true.
fn nearest(mut candidates: Vec<Named>, origin: Origin<'_>, exact: impl Fn(&Named) -> bool) -> Found {
    if candidates.iter().any(&exact) {
        candidates.retain(&exact);
    }
    let rank =
        |named: &Named| (distance(path::folder(origin.path), path::folder(&named.path)), named.path.clone());
    let ambiguous = candidates.iter().any(|named| named.page != candidates[0].page);
    candidates.into_iter().min_by_key(rank).map(|named| (named.page, ambiguous))
}

/// Steps up and down from one folder to another.
pub(crate) fn distance(from: &str, to: &str) -> usize {
    let parts =
        |folder: &str| folder.split('/').filter(|p| !p.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    from.len() + to.len() - 2 * shared
}

/// A page's number, path, and names: pairs of folded name and kind.
pub type NamesOfPage = (i64, String, Vec<(String, NameKind)>);

/// Names in memory, for whole indexes and for tests.
#[derive(Debug, Default, Clone)]
pub struct NameTable {
    by_key: HashMap<String, Vec<Named>>,
    sources: Vec<String>,
}

impl NameTable {
    /// Adds a page under a folded name.
    pub fn insert(&mut self, key: String, named: Named) {
        self.by_key.entry(key).or_default().push(named);
    }

    /// Replaces the names of pages. An empty list removes the page.
    pub fn rename(&mut self, pages: Vec<NamesOfPage>) {
        let renamed: HashSet<i64> = pages.iter().map(|(page, ..)| *page).collect();
        for named in self.by_key.values_mut() {
            named.retain(|named| !renamed.contains(&named.page));
        }
        let mut keys = HashSet::new();
        for (page, path, names) in pages {
            for (key, kind) in names {
                let named = Named { page, path: path.clone(), kind };
                self.by_key.entry(key.clone()).or_default().push(named);
                keys.insert(key);
            }
        }
        for key in keys {
            if let Some(named) = self.by_key.get_mut(&key) {
                named.sort_by(|a, b| a.path.cmp(&b.path));
            }
        }
    }

    /// Adds a project file.
    pub fn insert_source(&mut self, path: &str) {
        self.sources.push(path.into());
    }

    /// The pages with this folded name.
    pub fn get(&self, key: &str) -> Vec<Named> {
        self.by_key.get(key).cloned().unwrap_or_default()
    }
}

impl Names for NameTable {
    type Error = std::convert::Infallible;

    fn named(&mut self, key: &str) -> Result<Vec<Named>, Self::Error> {
        Ok(self.get(key))
    }

    fn has_source(&mut self, path: &str) -> Result<bool, Self::Error> {
        Ok(self.sources.iter().any(|source| source == path))
    }
}

#[cfg(test)]
mod tests;
