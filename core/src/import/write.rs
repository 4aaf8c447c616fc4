//! Compares a converted export with the project, and writes what is missing as one change.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::answer::{self, Output, Placed, State};
use super::compare::{Place, is_same_page};
use super::draft::Drafts;
use super::places::valid_path;
use super::settle::{Meaning, Neighbourhood, NewPage, Settled};
use super::tree::Tree;
use super::{Export, Kind, Notice, NoticeKind, ReadFile, detect, logseq, notion, obsidian};
use crate::message;
use crate::message::Message;
use crate::page::LinkTypes;
use crate::ports::{ContentHash, MemorySource};
use crate::writing::links::World;
use crate::writing::names::{self, MovedLink};
use crate::writing::{Change, Plan, Version, carry_out_with};
use crate::{Context, Error, Result, path, text};

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The program that made the export; `None` recognises it.
    pub from: Option<Kind>,
    /// Folder for the pages, relative to the pages folder; empty for the pages folder itself.
    pub into: String,
    /// Whether links of existing pages may lead to imported pages of the same name.
    pub allow_same_name: bool,
}

/// A converted export, and what is to be written.
pub struct Prepared<'a> {
    read: &'a ReadFile<'a>,
    tree: Tree,
    pages: Vec<(NewPage, Place)>,
    files: Vec<(String, String, Place)>,
    moved: Vec<MovedLink>,
    allow_same_name: bool,
    output: Output,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(context: &Context<'_>, export: Export<'a>, options: &Options) -> Result<Self> {
        let names = || export.files.iter().map(|file| file.path.as_str());
        let (kind, root) = match options.from {
            Some(kind) => (kind, detect::root_of(kind, names())),
            None => detect(names()).ok_or_else(unknown_kind)?,
        };
        let (tree, outside) = Tree::new(&export.files, &root);
        let read = |path: &str| (export.read)(&tree.full(path));
        let into = valid_path(&options.into);
        context.refresh(false)?;
        let (mut drafts, settled) = converted(context, kind, &tree, &read, &into)?;

        let mut notices: Vec<Notice> = export.notices;
        let outside = outside.into_iter().map(|file| {
            let message = message!("outside of {folder}, the folder with the notes", folder = root);
            Notice::file(NoticeKind::LeftOut, file, message)
        });
        notices.extend(outside);
        let full = |notice: Notice| Notice { file: tree.full(&notice.file), ..notice };
        notices.extend(std::mem::take(&mut drafts.notices).into_iter().map(full));

        let existing = existing(context)?;
        let mut pages = Vec::with_capacity(settled.pages.len());
        for page in settled.pages {
            context.cancel.check()?;
            let place = place_of_page(context, &existing, &page)?;
            if let Place::Taken(reason) = &place {
                notices.push(not_written(tree.full(&page.from), &page.path, reason));
            }
            pages.push((page, place));
        }
        let mut files = Vec::with_capacity(drafts.files.len());
        for (from, place) in drafts.files {
            context.cancel.check()?;
            let state = place_of_file(context, &place, || read(&from))?;
            if let Place::Taken(reason) = &state {
                notices.push(not_written(tree.full(&from), &place, reason));
            }
            files.push((from, place, state));
        }
        let new: Vec<Change> =
            pages.iter().filter(|(_, place)| *place == Place::Free).map(|(page, _)| change(page)).collect();
        let moved = names::taken(context, &new)?.links;
        notices.sort();
        // Each lost link counts, also if a line has several to the same page.
        notices.dedup_by(|a, b| a == b && a.kind != NoticeKind::LostLink);
        let types = context.link_types();
        let link_types = drafts.link_types.into_iter().filter(|name| types.for_key(name).is_none()).collect();
        let placed = |from: &str, filepath: &str, place: &Place| Placed {
            from: tree.full(from),
            filepath: filepath.to_owned(),
            state: match place {
                Place::Free => State::New,
                Place::Same => State::Unchanged,
                Place::Taken(_) => State::NotWritten,
            },
        };
        let output = Output {
            kind,
            dry_run: true,
            made_of: drafts.made_of.into_iter().map(|(what, count)| (what.to_owned(), count)).collect(),
            links: settled.links,
            attachment_links: settled.file_links,
            pages: pages.iter().map(|(page, place)| placed(&page.from, &page.path, place)).collect(),
            attachments: files.iter().map(|(from, filepath, place)| placed(from, filepath, place)).collect(),
            moved_links: moved.clone(),
            link_types,
            notices,
            audit_id: None,
            index_error: None,
        };
        let allow_same_name = options.allow_same_name;
        Ok(Self { read: export.read, tree, pages, files, moved, allow_same_name, output })
    }

    /// What the import would do.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Link types that the project needs, so that links in properties have the type of their property.
    pub fn link_types(&self) -> &[String] {
        &self.output.link_types
    }

    /// Refuses to write if links of existing pages would lead to imported pages.
    ///
    /// # Errors
    /// [`Error::NameTaken`], unless that is allowed.
    pub fn check(&self) -> Result<()> {
        if self.moved.is_empty() || self.allow_same_name {
            return Ok(());
        }
        Err(answer::refusal(&self.moved))
    }

    /// Writes new pages and attachments as one change. If the caller asks to stop, what was written stays, and the next
    /// import writes the rest.
    ///
    /// # Errors
    /// [`Error::NameTaken`] as [`Prepared::check`]; [`Error::Conflict`] if a file appeared in the meantime;
    /// [`Error::Io`], [`Error::Cancelled`].
    pub fn write(self, context: &Context<'_>) -> Result<Output> {
        self.check()?;
        let mut changes: Vec<Change> = self
            .pages
            .iter()
            .filter(|(_, place)| *place == Place::Free)
            .map(|(page, _)| change(page))
            .collect();
        let mut sources: HashMap<&str, &str> = HashMap::new();
        for (from, place, _) in self.files.iter().filter(|(_, _, state)| *state == Place::Free) {
            context.cancel.check()?;
            let hash = ContentHash::of(&(self.read)(&self.tree.full(from))?);
            changes.push(Change::create(Version { path: place.clone(), hash, bytes: None }));
            sources.insert(place, from);
        }
        let contents = |place: &str| match sources.get(place) {
            Some(from) => (self.read)(&self.tree.full(from)),
            None => Err(Error::Internal(format!("{place} is not in the export"))),
        };
        let plan = Plan::new("import", changes).in_parts();
        let written = carry_out_with(context, plan, false, &contents)?;
        let (audit_id, index_error) = (written.audit_id, written.index_error);
        Ok(Output { dry_run: false, audit_id, index_error, ..self.output })
    }
}

/// The pages of the export with all links settled.
fn converted(
    context: &Context<'_>,
    kind: Kind,
    tree: &Tree,
    read: &ReadFile<'_>,
    into: &str,
) -> Result<(Drafts, Settled)> {
    let pages_dir = context.pages_dir();
    let is_file = |file: &&String| !path::is_page(file);
    let own_files = in_memory(tree.files.iter().filter(is_file).map(String::as_str));
    let settle = |mut drafts: Drafts, meaning: &dyn Meaning| -> Result<(Drafts, Settled)> {
        let new_files: Vec<String> =
            drafts.files.iter().filter_map(|(_, place)| path::join(pages_dir, place)).collect();
        let files = in_memory(new_files.iter().map(String::as_str));
        // The types that the export needs are in the project when its pages are read.
        let own = context.manifest.links.types.iter().chain(&drafts.link_types).cloned();
        let types = LinkTypes::with(own);
        let world = context.index.read(|db| World::load(db, context.source, pages_dir))?;
        let mut around = Neighbourhood::new(world, &drafts, &files, pages_dir, &types);
        let settled = around.settle(&mut drafts, meaning, context.progress, context.cancel)?;
        Ok((drafts, settled))
    };
    match kind {
        Kind::Obsidian => {
            let types = context.link_types();
            let (drafts, vault) = obsidian::convert(tree, read, &own_files, &types, into, context.cancel)?;
            settle(drafts, &vault)
        }
        Kind::Notion => {
            let (drafts, paths) = notion::convert(tree, read, into, context.cancel)?;
            settle(drafts, &(tree, &paths))
        }
        Kind::Logseq => {
            let (drafts, names) = logseq::convert(tree, read, into, context.cancel)?;
            settle(drafts, &(tree, &names))
        }
    }
}

/// A source with these files, for looking up names.
fn in_memory<'p>(files: impl Iterator<Item = &'p str>) -> MemorySource {
    let source = MemorySource::default();
    files.for_each(|file| source.put_source(file, b"", Timestamp::UNIX_EPOCH));
    source
}

fn change(page: &NewPage) -> Change {
    Change::create(Version::new(page.path.clone(), page.bytes.clone()))
}

fn not_written(from: String, place: &str, reason: &Message) -> Notice {
    Notice::file(NoticeKind::NotWritten, from, message!("{place}: {reason}", place, reason))
}

fn unknown_kind() -> Error {
    Error::invalid_with_hint(
        message!(
            "these files are neither a Notion export (Markdown & CSV) nor a Logseq graph nor an Obsidian vault"
        ),
        message!("name the program with --from notion, logseq or obsidian"),
    )
}

/// The paths of all pages, by folded path.
fn existing(context: &Context<'_>) -> Result<HashMap<String, HashSet<String>>> {
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    for page in context.source.list()?.pages {
        found.entry(text::fold_key(&page.path)).or_default().insert(page.path);
    }
    Ok(found)
}

fn place_of_page(
    context: &Context<'_>,
    existing: &HashMap<String, HashSet<String>>,
    page: &NewPage,
) -> Result<Place> {
    let alike = existing.get(&text::fold_key(&page.path));
    if alike.is_some_and(|paths| paths.contains(&page.path)) {
        let found = context.source.read(&page.path)?;
        return Ok(match is_same_page(&page.bytes, &found) {
            true => Place::Same,
            false => Place::Taken(message!("a page with other content is there; it was not changed")),
        });
    }
    if let Some(other) = alike.and_then(|paths| paths.iter().min()) {
        return Ok(Place::Taken(message!("{other} differs in letter case only", other)));
    }
    match context.source.check_writable(&page.path) {
        Ok(()) => Ok(Place::Free),
        Err(error @ (Error::InvalidParams { .. } | Error::OutsideProject { .. })) => {
            Ok(Place::Taken(error.message()))
        }
        Err(error) => Err(error),
    }
}

fn place_of_file(
    context: &Context<'_>,
    place: &str,
    read: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Place> {
    if !path::can_be_attachment(place) {
        return Ok(Place::Taken(Error::not_an_attachment(place).message()));
    }
    let file = path::join(context.pages_dir(), place).unwrap_or_default();
    let Some(stat) = context.source.stat_source(&file)? else { return Ok(Place::Free) };
    let new = read()?;
    let is_same = stat.size == new.len() as u64 && context.source.read_source(&file)? == new;
    Ok(if is_same {
        Place::Same
    } else {
        Place::Taken(message!("a file with other content is there; it was not changed"))
    })
}
