//! Plans what changes on pages when something gets another name: files and folders, titles, headings, blocks, tags and
//! aliases. A plan changes nothing, neither files nor the index, and takes unsaved texts into account. Programs in which
//! people type apply it to the texts that they have open; operations write it.
//!
//! **Invariants**
//! - After a rename every link leads to the same page, place or file as before (`writing/renaming/tests/properties.rs`).
//! - If a link cannot be rewritten, the plan fails with the file and line of the link (`writing/renaming/tests/cases.rs`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drafts::Drafts;
use crate::freshness::ReviewLock;
use crate::index::questions::pages;
use crate::message;
use crate::page::{LinkTypes, Linking, decode, parse};
use crate::ports::Source;
use crate::threads::on_each_core;
use crate::writing::links::{Edits, Follower, World};
use crate::writing::make;
use crate::{Context, Error, Result, path};

pub(crate) mod moving;
pub(crate) mod naming;
mod reach;
pub(crate) mod tags;

pub(crate) use reach::naming_sources as pages_naming;
pub use tags::LeftName;

/// A file or folder, and where it goes. Paths are relative to the project, with `/` between folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The path that it has.
    pub from: String,
    /// The path that it gets.
    pub to: String,
}

/// The edits of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageEdits {
    /// Path of the page before any move, relative to the pages folder. If a tag gets another name, also that of a base.
    pub path: String,
    /// Ranges of bytes of its text, which is the unsaved one if there is one, and what replaces them; in order and without
    /// overlaps.
    pub edits: Edits,
}

/// Something that gets another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renamed {
    /// A page gets another path, relative to the pages folder.
    Page {
        /// Its path.
        path: String,
        /// Its new path.
        new_path: String,
    },
    /// A page gets another title and keeps its path.
    Title {
        /// Its path.
        path: String,
        /// The new title.
        new: String,
    },
    /// A heading.
    Heading {
        /// Path of its page.
        path: String,
        /// Its line, from 1.
        line: usize,
        /// The new text.
        new: String,
    },
    /// A named block.
    Block {
        /// Path of its page.
        path: String,
        /// Its name, without `^`.
        name: String,
        /// The new name, without `^`.
        new: String,
    },
    /// A tag, and the tags below it: `a/b` follows `a`.
    Tag {
        /// The tag, without `#`.
        tag: String,
        /// The new tag, without `#`.
        new: String,
    },
    /// An alias in the front matter of a page.
    Alias {
        /// Path of the page.
        path: String,
        /// The alias.
        old: String,
        /// The new alias.
        new: String,
    },
}

/// What changes on pages so that links to files and folders that move, and links in pages that move, lead where they led.
/// Moves are made together: two files may swap their paths, and a file may leave a folder that moves.
///
/// # Errors
/// [`Error::InvalidParams`] if a move is impossible, a path is taken, or a link cannot be rewritten: with the path, and
/// the line of the link. [`Error::Io`], [`Error::Database`], [`Error::Cancelled`].
pub fn plan_moves(context: &Context<'_>, moves: &[Move], drafts: &Drafts) -> Result<Vec<PageEdits>> {
    Ok(moving::plan(context, moves, drafts)?.edits)
}

/// What changes on pages if something gets another name: where it is written, and links that name it.
///
/// # Errors
/// As [`plan_moves`]; [`Error::InvalidParams`] if there is nothing with this name, or the new one cannot be used;
/// [`Error::FrontMatter`].
pub fn plan_rename(context: &Context<'_>, renamed: &Renamed, drafts: &Drafts) -> Result<Vec<PageEdits>> {
    match renamed {
        Renamed::Page { path, new_path } => {
            let file = |page: &str| path::join(context.pages_dir(), page).unwrap_or_default();
            plan_moves(context, &[Move { from: file(path), to: file(new_path) }], drafts)
        }
        Renamed::Tag { tag, new } => Ok(tags::plan(context, tag, new, drafts)?.edits),
        other => Ok(naming::plan(context, other, drafts)?.edits),
    }
}

/// The text of a page, or of another file in the pages folder: unsaved, or else that of its file.
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, [`Error::OutsideProject`].
pub fn text(context: &Context<'_>, drafts: &Drafts, path: &str) -> Result<Arc<str>> {
    if path::is_page(path) {
        return drafts.text(context.source, path);
    }
    let file = path::join(context.pages_dir(), path).unwrap_or_default();
    Ok(decode(&context.source.read_source(&file)?).0.into())
}

/// Moves reviews, decisions and favourites along with files and folders that another program has moved. Call it after the
/// files have moved.
///
/// # Errors
/// As [`plan_moves`], and [`Error::Conflict`] if another program changes the files of UBP at the same time.
pub fn settle_moves(context: &Context<'_>, moves: &[Move]) -> Result<()> {
    let moves = moving::checked(moves)?;
    let _held = context.source.lock()?;
    let dir = context.pages_dir();
    let listing = context.source.list()?;
    let pairs: Vec<(String, String)> = listing
        .pages
        .into_iter()
        .filter_map(|page| {
            let file = path::join(dir, &page.path)?;
            let from = moves.origins(&file).into_iter().find(|from| *from != file)?;
            Some((moving::page_path(dir, &from)?, page.path))
        })
        .collect();
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    make::follow_moves(context, &pairs, &moves)
}

/// Moves reviews of a heading that pages name as their source along with its new name, which another program writes. Call it
/// before the new text is saved, with the same arguments as [`plan_rename`].
///
/// # Errors
/// As [`plan_rename`], and [`Error::Conflict`] if another program changes the reviews at the same time.
pub fn settle_rename(context: &Context<'_>, renamed: &Renamed, drafts: &Drafts) -> Result<()> {
    let Renamed::Heading { .. } = renamed else { return Ok(()) };
    let anchors = naming::plan(context, renamed, drafts)?.anchors;
    let _held = context.source.lock()?;
    let mut lock = ReviewLock::load(context.source, |_| true)?;
    match lock.rename_sources(|source| anchors.get(source).cloned()) {
        true => lock.save(context.source),
        false => Ok(()),
    }
}

/// Pages that are read at the same time, so that not all texts are in memory at once.
const READ_TOGETHER: usize = 256;

/// The pages of a project with the names that unsaved texts give them.
struct Project<'a, 'd> {
    context: Context<'a>,
    drafts: &'d Drafts,
    types: LinkTypes,
    /// Numbers of pages with unsaved text; negative if the index does not have the page.
    open: BTreeMap<String, i64>,
}

/// The text of a page.
struct Text {
    text: String,
    /// Whether it is the text of a file that is not UTF-8, which cannot be edited.
    is_guessed: bool,
}

impl Text {
    /// That of the page at `path`; `None` if its file is gone.
    fn of(path: &str, source: &dyn Source, drafts: &Drafts) -> Result<Option<Self>> {
        if let Some(text) = drafts.get(path) {
            return Ok(Some(Self { text: text.to_string(), is_guessed: false }));
        }
        let bytes = match source.read(path) {
            Ok(bytes) => bytes,
            Err(error) => return if source.stat(path)?.is_none() { Ok(None) } else { Err(error) },
        };
        let is_guessed = std::str::from_utf8(&bytes).is_err();
        Ok(Some(Self { text: decode(&bytes).0.into_owned(), is_guessed }))
    }
}

impl<'a, 'd> Project<'a, 'd> {
    fn new(context: &Context<'a>, db: &Connection, drafts: &'d Drafts) -> Result<Self> {
        let mut open = BTreeMap::new();
        for (path, _) in drafts.iter() {
            let unused = -1 - open.len() as i64;
            open.insert(path.to_owned(), pages::at(db, path)?.unwrap_or(unused));
        }
        Ok(Self { context: *context, drafts, types: context.link_types(), open })
    }

    /// The pages of the index, with the names that unsaved texts give them.
    fn world(&self, db: &Connection) -> Result<World<'a>> {
        let mut world = World::load(db, self.context.source, self.context.pages_dir())?;
        let renamed = self.drafts.iter().filter_map(|(path, text)| {
            let (title, aliases) = self.named(path, text);
            Some((*self.open.get(path)?, path.to_owned(), title, aliases))
        });
        let renamed = renamed.collect();
        world.rename_all(renamed);
        Ok(world)
    }

    /// The title and aliases of the page with this path and text.
    fn named(&self, path: &str, text: &str) -> (String, Vec<String>) {
        let page = parse(text, &self.types);
        (page.title.unwrap_or_else(|| path::page_name(path).to_owned()), page.aliases)
    }

    /// The text of a page; `None` if its file is gone.
    fn text(&self, path: &str) -> Result<Option<Text>> {
        Text::of(path, self.context.source, self.drafts)
    }

    /// The number and text of the page at `path`, which must exist.
    fn page(&self, db: &Connection, path: &str) -> Result<(i64, String)> {
        let number = match self.open.get(path) {
            Some(number) => Some(*number),
            None => pages::at(db, path)?,
        };
        let text = if number.is_some() { self.text(path)? } else { None };
        let (Some(number), Some(text)) = (number, text) else {
            return Err(Error::PageNotFound { page: path.to_owned(), similar: Vec::new() });
        };
        if text.is_guessed {
            return Err(crate::ops::read_page::not_utf8(path));
        }
        Ok((number, text.text))
    }

    /// The edits of these pages, and of all pages with unsaved text, except for `leaving`. `own` are the edits that the
    /// rename itself makes.
    fn follow(
        &self,
        follower: &mut Follower<'_, '_>,
        pages: BTreeSet<i64>,
        own: &HashMap<i64, Edits>,
        leaving: &HashSet<i64>,
    ) -> Result<Vec<PageEdits>> {
        let numbers = pages.into_iter().chain(self.open.values().copied()).chain(own.keys().copied());
        let numbers = numbers.filter(|page| !leaving.contains(page));
        let named: BTreeMap<String, i64> =
            numbers.filter_map(|page| Some((follower.before.path(page)?.to_owned(), page))).collect();
        let named: Vec<(String, i64)> = named.into_iter().collect();
        let mut planned = Vec::new();
        for some in named.chunks(READ_TOGETHER) {
            for ((path, page), read) in some.iter().zip(self.read(some)) {
                self.context.cancel.check()?;
                let Some((Text { text, is_guessed }, was)) = read? else { continue };
                let none = Edits::new();
                let edits = follower.edits(*page, &text, was, own.get(page).unwrap_or(&none))?;
                if edits.is_empty() {
                    continue;
                }
                if is_guessed {
                    return Err(Error::invalid(message!(
                        "{path}: links to the page and is not UTF-8; save it as UTF-8 first",
                        path
                    )));
                }
                planned.push(PageEdits { path: path.clone(), edits });
            }
        }
        Ok(planned)
    }

    /// The texts of these pages, and what is in them, in the same order.
    fn read(&self, pages: &[(String, i64)]) -> Vec<Result<Option<(Text, Linking)>>> {
        let (source, drafts, types) = (self.context.source, self.drafts, &self.types);
        let next = AtomicUsize::new(0);
        let mut read: Vec<_> = on_each_core(|| {
            let mut read = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((path, _)) = pages.get(at) else { return read };
                let text = Text::of(path, source, drafts);
                let parsed = |text: Text| {
                    let linking = Linking::of(&text.text, types);
                    (text, linking)
                };
                read.push((at, text.map(|text| text.map(parsed))));
            }
        })
        .into_iter()
        .flatten()
        .collect();
        read.sort_by_key(|(at, _)| *at);
        read.into_iter().map(|(_, read)| read).collect()
    }
}

#[cfg(test)]
mod tests;
