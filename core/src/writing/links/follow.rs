//! Rewrites the links of one page so that they lead where they led.

use std::collections::HashMap;
use std::ops::Range;

use super::{Edits, Moves, World, spell, spliced};
use crate::graph::resolve::Destination;
use crate::message;
use crate::page::{Anchors, LinkKind, LinkTypes, Linking, Site, Spot, Syntax, parse_destination, parse_link};
use crate::{Error, Result, path, text};

/// What gets another name.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    /// Titles and aliases of pages, before and after.
    pub names: HashMap<i64, Vec<(String, String)>>,
    /// A heading or block.
    pub places: Option<Places>,
    /// Files and folders.
    pub moves: Moves,
    /// References to headings of pages as sources, such as `docs/api.md#Errors`, before and after.
    #[cfg_attr(target_family = "wasm", allow(dead_code))]
    pub anchors: HashMap<String, String>,
}

/// The headings and blocks of a page before and after one of them gets another name.
#[derive(Debug)]
pub(crate) struct Places {
    pub page: i64,
    pub before: Anchors,
    pub after: Anchors,
    /// The text of the heading, or the name of the block.
    pub renamed: (String, String),
}

impl Places {
    /// How links may name `spot` after the change, those most similar to `anchor` first.
    fn spellings(&self, anchor: &str, spot: Spot, wiki: bool) -> Vec<String> {
        let (old, new) = (self.renamed.0.as_str(), self.renamed.1.as_str());
        let Spot::Heading(heading) = spot else {
            let above = anchor.rsplit_once('#').map(|(above, _)| format!("{above}#")).unwrap_or_default();
            return vec![format!("{above}^{new}")];
        };
        let mut found = vec![spell::anchor(anchor, old, new, wiki)];
        if self.before.id(heading) == Some(anchor) {
            found.extend(self.after.id(heading).map(str::to_owned));
        }
        let path: Vec<String> = self.after.path(heading).iter().map(|part| spell::plain(part)).collect();
        found.extend((0..path.len()).rev().filter_map(|from| Some(path.get(from..)?.join("#"))));
        found.extend(self.after.id(heading).map(str::to_owned));
        found.retain(|found| self.after.find(found) == Some(spot));
        found
    }
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
pub(super) enum Wanted {
    /// A page, and the former name of a place on it.
    Page(i64, Option<String>),
    Source(String),
    /// A picture or another attachment, and whether the link has to name it by the path from its page.
    Attachment(String, bool),
    /// A path, relative to the project, without a page or source.
    Place(String),
    /// Any destination.
    Anything,
}

/// The parts of a link's target as they are written, and may be written.
pub(super) struct Parts {
    /// The name of the page or file, as written.
    pub raw_name: String,
    /// What may follow the name, with its `#`.
    pub anchors: Vec<String>,
    /// Names that may lead to the destination.
    pub names: Vec<String>,
}

impl Follower<'_, '_> {
    /// The text of `page` with rewritten links; `None` if no link needs to be rewritten.
    ///
    /// # Errors
    /// As [`Follower::edits`].
    pub(crate) fn rewritten(&mut self, page: i64, old: &str) -> Result<Option<String>> {
        let edits = self.edits(page, old, Linking::of(old, self.types), &[])?;
        if edits.is_empty() {
            return Ok(None);
        }
        spliced(old, &edits).map(Some).ok_or_else(|| self.refused(page, 1))
    }

    /// The edits of `page`, in whose text `old` is `was`, that keep the destinations of its links, together with `own`, edits
    /// that change other things on it.
    ///
    /// # Errors
    /// [`Error::InvalidParams`], with the line, if a link cannot be rewritten to keep its destination; [`Error::Io`],
    /// [`Error::Database`].
    pub(crate) fn edits(
        &mut self,
        page: i64,
        old: &str,
        mut was: Linking,
        own: &[(Range<usize>, String)],
    ) -> Result<Edits> {
        was.sites.retain(|site| !own.iter().any(|(range, _)| overlaps(range, &site.whole)));
        let mut wanted = Vec::with_capacity(was.sites.len());
        let mut due = Vec::new();
        for (at, site) in was.sites.iter().enumerate() {
            let want = self.wanted(page, site)?;
            if !self.leads_to(page, site, &want)? {
                due.push(at);
            }
            wanted.push(want);
        }
        #[cfg(not(target_family = "wasm"))]
        let entries = self.entries(page, old, &was.front_matter)?;
        #[cfg(target_family = "wasm")]
        let entries = Edits::new();
        if due.is_empty() && entries.is_empty() && own.is_empty() {
            return Ok(Edits::new());
        }
        let others: Edits = own.iter().cloned().chain(entries).collect();
        // Nearly always the first spelling is read as expected, and the page is parsed once for all of its links.
        if let Some(edits) = self.quick(page, old, &was.sites, &wanted, &due, &others)?
            && self.prove(page, old, &was, &wanted, &edits, own).is_ok()
        {
            return Ok(edits);
        }
        let mut edits = others;
        for at in due {
            match self.respelled(page, old, &was, &was.sites[at], &wanted[at]) {
                Ok(edit) => edits.push(edit),
                // The link was broken before.
                Err(_) if matches!(wanted[at], Wanted::Place(_)) => wanted[at] = Wanted::Anything,
                Err(error) => return Err(error),
            }
        }
        sorted(&mut edits);
        self.prove(page, old, &was, &wanted, &edits, own)?;
        Ok(edits)
    }

    /// Edits with the first spelling of every link that should lead to its destination; `None` if a link has none.
    fn quick(
        &mut self,
        page: i64,
        old: &str,
        found: &[Site],
        wanted: &[Wanted],
        due: &[usize],
        others: &Edits,
    ) -> Result<Option<Edits>> {
        let mut edits = others.clone();
        for &at in due {
            let (site, want) = (&found[at], &wanted[at]);
            let Some(Parts { raw_name, anchors, names }) = self.parts(page, old, site, want)? else {
                return Ok(None);
            };
            let mut fitting = None;
            'all: for name in names {
                for spelling in spell::spellings(&name, &raw_name, site) {
                    for anchor in &anchors {
                        let written = format!("{spelling}{anchor}");
                        let Some(read) = self.read(site, &written) else { continue };
                        if self.leads_to(page, &read, want)? {
                            fitting = Some(written);
                            break 'all;
                        }
                    }
                }
            }
            let Some(fitting) = fitting else { return Ok(None) };
            edits.push((site.range.clone(), fitting));
        }
        sorted(&mut edits);
        Ok(Some(edits))
    }

    /// The link that has this target instead, as it should be read.
    fn read(&self, site: &Site, written: &str) -> Option<Site> {
        let target = match site.syntax {
            Syntax::Wiki => parse_link(&format!("[[{written}]]"), &LinkTypes::default())?.target,
            Syntax::Destination { .. } => parse_destination(written)?,
        };
        let name = target.split('#').next().unwrap_or_default().trim().to_owned();
        Some(Site { target, name, ..site.clone() })
    }

    /// Checks that every link of the edited text has its former destination.
    fn prove(
        &mut self,
        page: i64,
        old: &str,
        was: &Linking,
        wanted: &[Wanted],
        edits: &Edits,
        own: &[(Range<usize>, String)],
    ) -> Result<()> {
        let new = spliced(old, edits).ok_or_else(|| self.refused(page, 1))?;
        let mut now = Linking::of(&new, self.types);
        let replaced = ranges_after(edits, own);
        now.sites.retain(|site| !replaced.iter().any(|range| overlaps(range, &site.whole)));
        if now.sites.len() != was.sites.len() {
            return Err(self.refused(page, 1));
        }
        for ((before, after), want) in was.sites.iter().zip(&now.sites).zip(wanted) {
            let same = before.kind == after.kind && self.leads_to(page, after, want)?;
            if !same {
                return Err(self.refused(page, before.line));
            }
        }
        // A link may still be found in broken front matter.
        if now.problems > was.problems {
            return Err(self.refused(page, 1));
        }
        #[cfg(not(target_family = "wasm"))]
        self.prove_entries(page, (old, &was.front_matter), (&new, &now.front_matter))?;
        Ok(())
    }

    pub(super) fn refused(&self, page: i64, line: usize) -> Error {
        let path = self.before.path(page).unwrap_or_default();
        Error::invalid(message!(
            "{path}:{line}: this link cannot be rewritten to keep its destination; fix it first, or \
             choose another name",
            path,
            line
        ))
    }

    pub(super) fn wanted(&mut self, page: i64, site: &Site) -> Result<Wanted> {
        Ok(match self.before.resolve(site.kind, &site.target, page)? {
            Destination::Page { page: target, anchor, .. } => {
                let target = self.replaced.get(&target).copied().unwrap_or(target);
                Wanted::Page(target, anchor)
            }
            Destination::Source(file) => Wanted::Source(self.renaming.moves.forward(&file)),
            Destination::Attachment => {
                // Only a move changes where attachments are, and that is seldom.
                let is_due = !self.renaming.moves.is_empty();
                let file = if is_due { self.before.attachment(site.kind, &site.target, page)? } else { None };
                match file {
                    Some(file) => {
                        let stepping = site.name.starts_with("./") || site.name.starts_with("../");
                        let relative = stepping || site.kind == LinkKind::Markdown;
                        let here = path::join(&self.before.folder(page), &site.name);
                        let by_path = relative && here.as_ref() == Some(&file);
                        Wanted::Attachment(self.renaming.moves.forward(&file), by_path)
                    }
                    None => self.place(page, site)?,
                }
            }
            Destination::Unresolved => self.place(page, site)?,
        })
    }

    /// The destination of a relative link to nothing that UBP knows, such as a folder, if it or the page moves.
    fn place(&mut self, page: i64, site: &Site) -> Result<Wanted> {
        let name = site.name.as_str();
        let stepping = name.starts_with("./") || name.starts_with("../");
        let relative = stepping || (site.kind == LinkKind::Markdown && !name.starts_with('/'));
        let (old, new) = (self.before.folder(page), self.after.folder(page));
        if !relative || name.is_empty() {
            return Ok(Wanted::Anything);
        }
        let Some(place) = path::join(&old, name) else { return Ok(Wanted::Anything) };
        let moved = self.renaming.moves.moved(&place).filter(|_| !path::is_page(&place));
        if old == new && moved.is_none() {
            return Ok(Wanted::Anything);
        }
        // If the file exists only at this path from the project's root, the link does not depend on the folder.
        let elsewhere = !self.before.exists(&place)?
            && path::join("", name).is_some_and(|top| self.before.exists(&top).unwrap_or(false));
        Ok(if elsewhere { Wanted::Anything } else { Wanted::Place(moved.unwrap_or(place)) })
    }

    pub(super) fn leads_to(&mut self, page: i64, site: &Site, want: &Wanted) -> Result<bool> {
        let now = self.after.resolve(site.kind, &site.target, page)?;
        Ok(match (want, now) {
            (Wanted::Anything, _) => true,
            (Wanted::Page(wanted, anchor), Destination::Page { page, anchor: now, .. }) => {
                *wanted == page && self.is_same_place(page, anchor.as_deref(), now.as_deref())
            }
            (Wanted::Source(wanted), Destination::Source(now)) => *wanted == now,
            (Wanted::Attachment(wanted, by_path), Destination::Attachment) => {
                let here = path::join(&self.after.folder(page), &site.name);
                (!by_path || here.as_ref() == Some(wanted))
                    && self.after.attachment(site.kind, &site.target, page)?.as_ref() == Some(wanted)
            }
            (Wanted::Place(place), Destination::Attachment | Destination::Unresolved) => {
                path::join(&self.after.folder(page), &site.name).as_deref() == Some(place)
            }
            _ => false,
        })
    }

    /// Whether two names, one from before and one from after the change, are those of the same place.
    fn is_same_place(&self, page: i64, was: Option<&str>, now: Option<&str>) -> bool {
        let places = self.renaming.places.as_ref().filter(|places| places.page == page);
        match (places, was, now) {
            (Some(places), Some(was), Some(now)) => match places.before.find(was) {
                Some(spot) => {
                    let is_exact = places.after.is_exact(now) || !places.before.is_exact(was);
                    is_exact && places.after.find(now) == Some(spot)
                }
                None => was == now,
            },
            _ => was == now,
        }
    }

    /// The name of a link as it is written, what may follow it, and the names that may lead to the destination.
    pub(super) fn parts(
        &mut self,
        page: i64,
        old: &str,
        site: &Site,
        want: &Wanted,
    ) -> Result<Option<Parts>> {
        let name = match self.before.page_part(site.kind, &site.target, page)? {
            Some(name) => name.to_owned(),
            None => site.name.clone(),
        };
        let written = old.get(site.range.clone()).unwrap_or_default();
        let Some((raw_name, raw_anchor)) = spell::split(written, &site.target, &name, site.syntax) else {
            return Ok(None);
        };
        let mut anchors = vec![raw_anchor.to_owned()];
        if let (Wanted::Page(target, Some(anchor)), Some(places)) = (want, &self.renaming.places)
            && places.page == *target
            && let Some(spot) = places.before.find(anchor)
            && !self.is_same_place(*target, Some(anchor), Some(anchor))
        {
            let wiki = site.syntax == Syntax::Wiki;
            anchors = places.spellings(anchor, spot, wiki);
            for anchor in &mut anchors {
                *anchor = if wiki { format!("#{anchor}") } else { spell::with_fragment(raw_anchor, anchor) };
            }
        }
        let mut names = self.candidates(page, site.kind, &name, want)?;
        names.insert(0, name);
        Ok(Some(Parts { raw_name: raw_name.to_owned(), anchors, names }))
    }

    /// The byte range to replace, and the new text.
    fn respelled(
        &mut self,
        page: i64,
        old: &str,
        was: &Linking,
        site: &Site,
        want: &Wanted,
    ) -> Result<(Range<usize>, String)> {
        let Some(Parts { raw_name, anchors, names }) = self.parts(page, old, site, want)? else {
            return Err(self.refused(page, site.line));
        };
        for name in names {
            for spelling in spell::spellings(&name, &raw_name, site) {
                for anchor in &anchors {
                    let spelling = format!("{spelling}{anchor}");
                    let edit = (site.range.clone(), spelling.clone());
                    let Some(edited) = spliced(old, std::slice::from_ref(&edit)) else { continue };
                    let now = Linking::of(&edited, self.types);
                    let is_same = |now: &&Site| now.range.start == site.range.start && now.kind == site.kind;
                    let same = now.sites.iter().find(is_same);
                    // A link may still be found in broken front matter.
                    let sound = site.kind != LinkKind::FrontMatter || now.problems <= was.problems;
                    if let Some(now) = same
                        && sound
                        && now.range.len() == spelling.len()
                        && self.leads_to(page, now, want)?
                    {
                        return Ok(edit);
                    }
                }
            }
        }
        Err(self.refused(page, site.line))
    }

    /// Names that may resolve to the destination, those most similar to the current one first.
    pub(super) fn candidates(
        &mut self,
        page: i64,
        kind: LinkKind,
        name: &str,
        want: &Wanted,
    ) -> Result<Vec<String>> {
        let folder = self.after.folder(page);
        let pages_folder = path::folder(self.after.path(page).unwrap_or_default()).to_owned();
        let stepping = name.starts_with("./") || name.starts_with("../");
        let step = |way: String| {
            if name.starts_with("./") && !way.starts_with("../") { format!("./{way}") } else { way }
        };
        Ok(match want {
            Wanted::Anything => Vec::new(),
            Wanted::Source(file) | Wanted::Attachment(file, _) | Wanted::Place(file) => {
                let way = path::relative(&folder, file);
                let way = if stepping && !way.starts_with("../") { format!("./{way}") } else { way };
                let from_project = self.before.is_from_project(kind, page, name)?;
                let mut names = if from_project { vec![file.clone(), way] } else { vec![way, file.clone()] };
                if let Wanted::Attachment(file, _) = want {
                    names.extend(self.attachment_names(file, name));
                }
                if name.ends_with('/') {
                    names.iter_mut().for_each(|name| name.push('/'));
                }
                names
            }
            Wanted::Page(target, _) => {
                let Some(new) = self.after.path(*target).map(str::to_owned) else { return Ok(Vec::new()) };
                let old = self.before.path(*target).unwrap_or_default().to_owned();
                let spelled = |path: &str| {
                    if path::is_page(name) {
                        path.to_owned()
                    } else {
                        path::without_page_extension(path).to_owned()
                    }
                };
                let way = spelled(&path::relative(&pages_folder, &new));
                if kind == LinkKind::Markdown {
                    let from_here =
                        path::join(path::folder(self.before.path(page).unwrap_or_default()), name)
                            .is_some_and(|joined| spell::same_page(&joined, &old));
                    let top = spelled(&new);
                    let names = match (name.starts_with('/'), from_here) {
                        (true, _) => vec![format!("/{top}"), way],
                        (false, true) => vec![step(way), format!("/{top}")],
                        (false, false) => vec![top.clone(), way, format!("/{top}")],
                    };
                    return Ok(names);
                }
                let mut names = Vec::new();
                if stepping {
                    names.push(if way.starts_with("../") { way } else { format!("./{way}") });
                }
                let bare = name.trim_start_matches('/');
                let by_path = spell::ends_with(&old, bare);
                let parts = if by_path { bare.matches('/').count() } else { 0 };
                let renamed = self.renaming.names.get(target).into_iter().flatten();
                let renamed = renamed.filter(|(was, _)| text::fold_key(was) == text::fold_key(name));
                names.extend(renamed.filter(|_| !by_path).map(|(_, is)| is.clone()));
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
        })
    }

    /// Ends of the path of an attachment, with as many folders as `name` has and more.
    fn attachment_names(&self, file: &str, name: &str) -> Vec<String> {
        let below = path::is_below(file, self.after.pages_dir());
        let from_pages = below.then(|| file.strip_prefix(self.after.pages_dir())).flatten();
        let parts = name.matches('/').count() + 1;
        let all: Vec<&str> = file.split('/').collect();
        let ends = (parts..=all.len()).filter_map(|count| Some(all.get(all.len() - count..)?.join("/")));
        let slash = name.starts_with('/').then_some(from_pages).flatten();
        let slash = slash.map(|rest| format!("/{}", rest.trim_start_matches('/')));
        slash.into_iter().chain(ends).collect()
    }
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Sorts edits, and leaves out those of the same bytes.
fn sorted(edits: &mut Edits) {
    edits.sort_by_key(|(range, _)| range.start);
    edits.dedup_by_key(|(range, _)| range.start);
}

/// Where the edits `some` of `edits` are in the edited text.
fn ranges_after(edits: &Edits, some: &[(Range<usize>, String)]) -> Vec<Range<usize>> {
    let mut shift = 0_isize;
    let mut found = Vec::new();
    for (range, insert) in edits {
        let start = range.start.saturating_add_signed(shift);
        if some.iter().any(|(own, _)| own == range) {
            found.push(start..start + insert.len());
        }
        shift += insert.len() as isize - range.len() as isize;
    }
    found
}
