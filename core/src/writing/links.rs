//! Rewriting links for a rename: finds the links that would lead elsewhere after a page gets another path or title, and
//! rewrites them to keep their destinations. Every rewritten page is parsed and resolved again before anything is
//! written.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::Connection;

use crate::graph::resolve::{Destination, NameKind, NameTable, Named, Names, Origin, page_part, resolve};
use crate::index::name_table;
use crate::index::questions::pages;
use crate::message;
use crate::page::{LinkKind, LinkTypes, Site, Syntax, parse, sites};
use crate::ports::Source;
use crate::{Error, Result, path, text};

mod spell;

#[cfg(not(target_family = "wasm"))]
pub(crate) use spell::encoded;

/// The names and files of the project, before or after a rename.
pub(crate) struct World<'a> {
    names: NameTable,
    paths: HashMap<i64, String>,
    source: &'a dyn Source,
    pages_dir: &'a str,
    files: HashMap<String, bool>,
}

impl<'a> World<'a> {
    /// Loads the names from the index.
    pub(crate) fn load(db: &Connection, source: &'a dyn Source, pages_dir: &'a str) -> Result<Self> {
        let (names, paths) = (name_table(db)?, pages::paths(db)?.into_iter().collect());
        Ok(Self { names, paths, source, pages_dir, files: HashMap::new() })
    }

    /// A world without pages.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn empty(source: &'a dyn Source, pages_dir: &'a str) -> Self {
        Self { names: NameTable::default(), paths: HashMap::new(), source, pages_dir, files: HashMap::new() }
    }

    /// Changes the path and names of a page.
    pub(crate) fn rename(&mut self, page: i64, path: &str, title: &str, aliases: &[String]) {
        let mut names = vec![
            (text::fold_key(path::page_name(path)), NameKind::File),
            (text::fold_key(title), NameKind::Title),
        ];
        names.extend(aliases.iter().map(|alias| (text::fold_key(alias), NameKind::Alias)));
        names.dedup();
        self.names.rename(page, path, names);
        self.paths.insert(page, path.to_owned());
    }

    /// Adds a page.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn add(&mut self, page: i64, path: &str, title: &str, aliases: &[String]) {
        let named = |kind| Named { page, path: path.to_owned(), kind };
        self.names.insert(text::fold_key(path::page_name(path)), named(NameKind::File));
        self.names.insert(text::fold_key(title), named(NameKind::Title));
        for alias in aliases {
            self.names.insert(text::fold_key(alias), named(NameKind::Alias));
        }
        self.paths.insert(page, path.to_owned());
    }

    /// Adds a file of the project that is not written yet.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn add_file(&mut self, file: &str) {
        self.files.insert(file.to_owned(), true);
    }

    /// The numbers of all pages by path.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn numbers(&self) -> HashMap<String, i64> {
        self.paths.iter().map(|(number, path)| (path.clone(), *number)).collect()
    }

    /// Removes a page.
    pub(crate) fn remove(&mut self, page: i64) {
        self.names.rename(page, "", Vec::new());
        self.paths.remove(&page);
    }

    /// The path of a page.
    pub(crate) fn path(&self, page: i64) -> Option<&str> {
        self.paths.get(&page).map(String::as_str)
    }

    /// The destination of a link on `page`.
    pub(crate) fn resolve(&mut self, kind: LinkKind, target: &str, page: i64) -> Result<Destination> {
        let path = self.paths.get(&page).cloned().unwrap_or_default();
        resolve(kind, target, Origin { page, path: &path, pages_dir: self.pages_dir }, self)
    }

    fn page_part<'t>(&mut self, kind: LinkKind, target: &'t str, page: i64) -> Result<Option<&'t str>> {
        let path = self.paths.get(&page).cloned().unwrap_or_default();
        page_part(kind, target, Origin { page, path: &path, pages_dir: self.pages_dir }, self)
    }

    /// The folder of a page relative to the project.
    fn folder(&self, page: i64) -> String {
        let path = self.paths.get(&page).map(String::as_str).unwrap_or_default();
        path::join(self.pages_dir, path::folder(path)).unwrap_or_default()
    }
}

impl Names for World<'_> {
    type Error = Error;

    fn named(&mut self, key: &str) -> Result<Vec<Named>> {
        Ok(self.names.get(key))
    }

    fn has_source(&mut self, path: &str) -> Result<bool> {
        if let Some(known) = self.files.get(path) {
            return Ok(*known);
        }
        let found = self.source.stat_source(path).is_ok_and(|stat| stat.is_some());
        self.files.insert(path.to_owned(), found);
        Ok(found)
    }
}

/// A change of a page's path, title or first heading.
pub(crate) struct Renaming {
    pub page: i64,
    /// Title before and after.
    pub titles: (String, String),
    /// First heading before and after, if it changes.
    pub heading: Option<(String, String)>,
}

/// The project before and after a rename.
pub(crate) struct Follower<'a, 'r> {
    pub before: World<'a>,
    pub after: World<'a>,
    pub renaming: &'r Renaming,
    pub types: &'a LinkTypes,
    /// Pages that are removed, each with the page that replaces it as a destination.
    pub replaced: HashMap<i64, i64>,
}

/// The destination that a link must have.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Page(i64, Option<String>),
    Source(String),
    /// A path, relative to the project, without a page or source.
    Place(String),
    /// Any destination.
    Anything,
}

impl Follower<'_, '_> {
    /// The text of `page` with rewritten links; `None` if no link needs to be rewritten.
    ///
    /// # Errors
    /// [`Error::InvalidParams`], with the line, if a link cannot be rewritten to keep its destination; [`Error::Io`],
    /// [`Error::Database`].
    pub(crate) fn rewritten(&mut self, page: i64, old: &str) -> Result<Option<String>> {
        let found = sites(old, self.types);
        let mut wanted = Vec::with_capacity(found.len());
        let mut splices: Vec<(Range<usize>, String)> = Vec::new();
        for site in &found {
            let want = self.wanted(page, site)?;
            if !self.leads_to(page, site, &want)? {
                match self.respelled(page, old, site, &want) {
                    Ok(splice) => splices.push(splice),
                    // The link was broken before.
                    Err(_) if matches!(want, Wanted::Place(_)) => {
                        wanted.push(Wanted::Anything);
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            wanted.push(want);
        }
        if splices.is_empty() {
            return Ok(None);
        }
        splices.sort_by_key(|(range, _)| range.start);
        splices.dedup_by_key(|(range, _)| range.start);
        let new = spliced(old, &splices).ok_or_else(|| self.refused(page, 1))?;
        self.prove(page, &found, &wanted, &new)?;
        Ok(Some(new))
    }

    /// Checks that every link of a rewritten text has its former destination.
    fn prove(&mut self, page: i64, old: &[Site], wanted: &[Wanted], new: &str) -> Result<()> {
        let now = sites(new, self.types);
        if now.len() != old.len() {
            return Err(self.refused(page, 1));
        }
        for ((before, after), want) in old.iter().zip(&now).zip(wanted) {
            let same = before.kind == after.kind && self.leads_to(page, after, want)?;
            if !same {
                return Err(self.refused(page, before.line));
            }
        }
        Ok(())
    }

    /// Checks the links of a text that the rename itself changed.
    ///
    /// # Errors
    /// As [`Follower::rewritten`].
    pub(crate) fn check(&mut self, page: i64, old: &str, new: &str) -> Result<()> {
        let found = sites(old, self.types);
        let wanted = found.iter().map(|site| self.wanted(page, site)).collect::<Result<Vec<_>>>()?;
        self.prove(page, &found, &wanted, new)
    }

    fn refused(&self, page: i64, line: usize) -> Error {
        let path = self.before.path(page).unwrap_or_default();
        Error::invalid(message!(
            "{path}:{line}: this link cannot be rewritten to keep its destination; fix it first, or \
             choose another name",
            path,
            line
        ))
    }

    fn wanted(&mut self, page: i64, site: &Site) -> Result<Wanted> {
        Ok(match self.before.resolve(site.kind, &site.target, page)? {
            Destination::Page { page: target, anchor, .. } => {
                let target = self.replaced.get(&target).copied().unwrap_or(target);
                let heading = self.renaming.heading.as_ref().filter(|_| target == self.renaming.page);
                let anchor = match (anchor, heading) {
                    (Some(anchor), Some((old, new))) => {
                        Some(spell::anchor(&anchor, old, new, site.syntax == Syntax::Wiki))
                    }
                    (anchor, _) => anchor,
                };
                Wanted::Page(target, anchor)
            }
            Destination::Source(file) => Wanted::Source(file),
            Destination::Attachment | Destination::Unresolved => self.place(page, site)?,
        })
    }

    /// The former destination of a relative link to an attachment or a missing page, if the page moves to another
    /// folder.
    fn place(&mut self, page: i64, site: &Site) -> Result<Wanted> {
        let name = site.name.as_str();
        let stepping = name.starts_with("./") || name.starts_with("../");
        let relative = stepping || (site.kind == LinkKind::Markdown && !name.starts_with('/'));
        let (old, new) = (self.before.folder(page), self.after.folder(page));
        if !relative || old == new || name.is_empty() {
            return Ok(Wanted::Anything);
        }
        let Some(place) = path::join(&old, name) else { return Ok(Wanted::Anything) };
        // If the file exists only at this path from the project's root, the link does not depend on the folder.
        let elsewhere = !self.before.has_source(&place)?
            && path::join("", name).is_some_and(|top| self.before.has_source(&top).unwrap_or(false));
        Ok(if elsewhere { Wanted::Anything } else { Wanted::Place(place) })
    }

    fn leads_to(&mut self, page: i64, site: &Site, want: &Wanted) -> Result<bool> {
        let now = self.after.resolve(site.kind, &site.target, page)?;
        Ok(match (want, now) {
            (Wanted::Anything, _) => true,
            (Wanted::Page(wanted, anchor), Destination::Page { page, anchor: now, .. }) => {
                *wanted == page && *anchor == now
            }
            (Wanted::Source(wanted), Destination::Source(now)) => *wanted == now,
            (Wanted::Place(place), Destination::Attachment | Destination::Unresolved) => {
                path::join(&self.after.folder(page), &site.name).as_deref() == Some(place)
            }
            _ => false,
        })
    }

    /// The byte range to replace, and the new text.
    fn respelled(
        &mut self,
        page: i64,
        old: &str,
        site: &Site,
        want: &Wanted,
    ) -> Result<(Range<usize>, String)> {
        let written = old.get(site.range.clone()).unwrap_or_default();
        let name = match self.before.page_part(site.kind, &site.target, page)? {
            Some(name) => name.to_owned(),
            None => site.name.clone(),
        };
        let Some((raw_name, raw_anchor)) = spell::split(written, &site.target, &name, site.syntax) else {
            return Err(self.refused(page, site.line));
        };
        let raw_anchor = match (want, &self.renaming.heading) {
            (Wanted::Page(target, Some(anchor)), Some((old, new))) if *target == self.renaming.page => {
                match site.syntax {
                    Syntax::Wiki => spell::anchor(raw_anchor, old, new, true),
                    Syntax::Destination { .. } if site.target.ends_with(anchor) => raw_anchor.to_owned(),
                    Syntax::Destination { .. } => spell::with_fragment(raw_anchor, anchor),
                }
            }
            _ => raw_anchor.to_owned(),
        };
        let mut candidates = self.candidates(page, site, &name, want);
        candidates.insert(0, name);
        for candidate in candidates {
            for spelling in spell::spellings(&candidate, raw_name, site) {
                let spelling = format!("{spelling}{raw_anchor}");
                let Some(edited) = spliced(old, &[(site.range.clone(), spelling.clone())]) else { continue };
                let now = sites(&edited, self.types);
                let same =
                    now.iter().find(|now| now.range.start == site.range.start && now.kind == site.kind);
                // A link may still be found in broken front matter.
                let sound =
                    site.kind != LinkKind::FrontMatter || self.problems(&edited) <= self.problems(old);
                if let Some(now) = same
                    && sound
                    && now.range.len() == spelling.len()
                    && self.leads_to(page, now, want)?
                {
                    return Ok((site.range.clone(), spelling));
                }
            }
        }
        Err(self.refused(page, site.line))
    }

    fn problems(&self, text: &str) -> usize {
        parse(text, self.types).diagnostics.len()
    }

    /// Names that may resolve to the destination, those most similar to the current one first.
    fn candidates(&mut self, page: i64, site: &Site, name: &str, want: &Wanted) -> Vec<String> {
        let folder = self.after.folder(page);
        let pages_folder = path::folder(self.after.path(page).unwrap_or_default()).to_owned();
        let stepping = name.starts_with("./") || name.starts_with("../");
        let step = |way: String| {
            if name.starts_with("./") && !way.starts_with("../") { format!("./{way}") } else { way }
        };
        match want {
            Wanted::Anything => Vec::new(),
            Wanted::Source(file) | Wanted::Place(file) => {
                let way = path::relative(&folder, file);
                let way = if stepping && !way.starts_with("../") { format!("./{way}") } else { way };
                vec![way, file.clone()]
            }
            Wanted::Page(target, _) => {
                let Some(new) = self.after.path(*target).map(str::to_owned) else { return Vec::new() };
                let old = self.before.path(*target).unwrap_or_default().to_owned();
                let spelled = |path: &str| {
                    if path::is_page(name) {
                        path.to_owned()
                    } else {
                        path::without_page_extension(path).to_owned()
                    }
                };
                let way = spelled(&path::relative(&pages_folder, &new));
                if site.kind == LinkKind::Markdown {
                    let from_here =
                        path::join(path::folder(self.before.path(page).unwrap_or_default()), name)
                            .is_some_and(|joined| spell::same_page(&joined, &old));
                    let top = spelled(&new);
                    return match (name.starts_with('/'), from_here) {
                        (true, _) => vec![format!("/{top}"), way],
                        (false, true) => vec![step(way), format!("/{top}")],
                        (false, false) => vec![top.clone(), way, format!("/{top}")],
                    };
                }
                let mut names = Vec::new();
                if stepping {
                    names.push(if way.starts_with("../") { way } else { format!("./{way}") });
                }
                let bare = name.trim_start_matches('/');
                let by_path = spell::ends_with(&old, bare);
                let parts = if by_path { bare.matches('/').count() } else { 0 };
                let (was, is) = &self.renaming.titles;
                if !by_path && *target == self.renaming.page && text::fold_key(was) == text::fold_key(name) {
                    names.push(is.clone());
                }
                let all: Vec<&str> = new.split('/').collect();
                for count in parts + 1..=all.len().max(parts + 1) {
                    let from = all.len().saturating_sub(count);
                    let end = spelled(&all.get(from..).unwrap_or_default().join("/"));
                    let slash = if name.starts_with('/') { "/" } else { "" };
                    names.push(format!("{slash}{end}"));
                }
                // The complete path, which may be longer or shorter than the others.
                names.push(new);
                names
            }
        }
    }
}

/// `text` with the ranges replaced; they must be in order and not overlap.
pub(crate) fn spliced(text: &str, splices: &[(Range<usize>, String)]) -> Option<String> {
    let mut edited = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for (range, insert) in splices {
        edited.push_str(text.get(from..range.start)?);
        edited.push_str(insert);
        from = range.end;
    }
    edited.push_str(text.get(from..)?);
    Some(edited)
}

/// All folded names of a page with this path, title and aliases.
pub(crate) fn keys(path: &str, title: &str, aliases: &[String]) -> Vec<String> {
    let names = [path::page_name(path), title].into_iter().chain(aliases.iter().map(String::as_str));
    names.map(text::fold_key).collect()
}
