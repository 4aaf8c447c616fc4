//! Where a link leads. The order is Obsidian's: the exact path, a path's end, the file name, then
//! titles and aliases; Unicode form and case are ignored only after exact spelling was tried.
//! Of several equally good pages the one nearest to the link's own folder wins.

use std::collections::HashMap;

use crate::page::LinkKind;
use crate::{path, text};

/// How a page came by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// The file's name.
    File,
    /// The page's title.
    Title,
    /// One of its aliases.
    Alias,
}

/// A page that goes by some folded name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Number of the page in the index.
    pub page: i64,
    /// Its path.
    pub path: String,
    /// How it came by the name.
    pub kind: NameKind,
}

/// What is known about the project when links are resolved.
pub trait Names {
    /// Failure of the lookup.
    type Error;
    /// Every page with that folded name, in order of path.
    ///
    /// # Errors
    /// Whatever keeps the names from being read.
    fn named(&mut self, key: &str) -> Result<Vec<Named>, Self::Error>;
    /// Whether the project has such a file; the path is relative to the project.
    ///
    /// # Errors
    /// Whatever keeps the project from being asked.
    fn has_source(&mut self, path: &str) -> Result<bool, Self::Error>;
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// To a page, and within it to a heading or `^block`.
    Page {
        /// Number of the page in the index.
        page: i64,
        /// What follows the `#`, where that is not part of the page's name.
        anchor: Option<String>,
        /// Whether other pages had been as good.
        ambiguous: bool,
    },
    /// To a file of the project that is no page.
    Source(String),
    /// To an image or another file that a page shows.
    Attachment,
    /// Nowhere.
    Unresolved,
}

/// The page that a link stands on.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Number of the page in the index.
    pub page: i64,
    /// Its path relative to the pages folder.
    pub path: &'a str,
    /// The pages folder relative to the project, empty when they are the same.
    pub pages_dir: &'a str,
}

/// Endings of files that pages show or hand out, never read as sources.
pub(crate) const ATTACHMENTS: [&str; 26] = [
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
    "docx",
];

/// Every folded name whose coming or going can change where `target` leads.
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

/// The ways to read a target, likeliest to be meant first: the whole as a name, then with ever more
/// of its end taken as heading, because file names may contain `#`.
fn readings(target: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let cuts = target.rmatch_indices('#').map(|(at, _)| (&target[..at], Some(&target[at + 1..])));
    std::iter::once((target, None)).chain(cuts).map(|(name, anchor)| (name.trim(), anchor.map(str::trim)))
}

/// Finds where the link leads.
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

/// The part of a target that names a page, without its heading, where it leads to one; empty for a place on
/// the same page.
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

/// The target up to its first `#`.
fn bare(target: &str) -> &str {
    target.split('#').next().unwrap_or(target).trim()
}

/// Whether a name looks like a file that is not a page, so that only the disk can tell.
pub fn may_name_source(target: &str) -> bool {
    let name = bare(target);
    !path::is_page(name) && !is_attachment(name) && path::file_name(name).contains('.')
}

/// Whether pages show or hand out a file with this name, instead of describing it.
pub fn is_attachment(name: &str) -> bool {
    path::file_name(name)
        .rsplit_once('.')
        .is_some_and(|(_, ext)| ATTACHMENTS.iter().any(|known| ext.eq_ignore_ascii_case(known)))
}

/// Paths, relative to the project, of files that a target could mean, likeliest first.
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

/// The page at a path from the top of the pages folder: spelled so, else but for case and form.
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

/// The candidate whose folder is nearest to the origin's; `exact` ones go first.
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

/// Names held in memory: for whole indexes, and for tests.
#[derive(Debug, Default)]
pub struct NameTable {
    by_key: HashMap<String, Vec<Named>>,
    sources: Vec<String>,
}

impl NameTable {
    /// Adds a page under a folded name.
    pub fn insert(&mut self, key: String, named: Named) {
        self.by_key.entry(key).or_default().push(named);
    }

    /// Gives a page other names than it had: pairs of folded name and how the page comes by it. None
    /// take the page away.
    pub fn rename(&mut self, page: i64, path: &str, names: Vec<(String, NameKind)>) {
        for named in self.by_key.values_mut() {
            named.retain(|named| named.page != page);
        }
        for (key, kind) in names {
            let named = self.by_key.entry(key).or_default();
            named.push(Named { page, path: path.into(), kind });
            named.sort_by(|a, b| a.path.cmp(&b.path));
        }
    }

    /// Adds a file of the project.
    pub fn insert_source(&mut self, path: &str) {
        self.sources.push(path.into());
    }

    /// The pages under a folded name.
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
