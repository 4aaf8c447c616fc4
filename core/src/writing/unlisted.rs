//! What a folder contains that listings leave out: hidden and ignored files, links, and folders without files. When the
//! folder moves, all of it moves along, in as few steps as possible and without being read.
//!
//! **Invariants**
//! - Nothing at the target is replaced (`tests/tests/renames.rs`), and a move that fails leaves the folder as it was
//!   (`ops/tests/writing.rs`).

use std::collections::BTreeSet;

use super::audit::Entry;
use super::links::Moves;
use crate::message;
use crate::ports::{EntryKind, FolderEntry, Source};
use crate::{Error, Result, path, word};

/// What moves besides the files of a plan. Paths are relative to the pages folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unlisted {
    /// Old and new paths of files and links, and of folders that move with everything in them.
    pub files: Vec<(String, String)>,
    /// Folders whose content moves one by one, inner ones first.
    folders: Vec<Folder>,
}

/// A folder that is empty afterwards, and the one that comes into being.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Folder {
    emptied: Option<String>,
    made: Option<String>,
}

impl Unlisted {
    /// What moves with folders: `moves` has their old and new paths, and `planned` the current paths of all files that
    /// move one by one.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if a path is taken, or something in the folder would be damaged; [`Error::Io`].
    pub(crate) fn of(
        source: &dyn Source,
        moves: &[(String, String)],
        planned: &BTreeSet<String>,
    ) -> Result<Self> {
        let to = Moves::of(moves.iter().cloned());
        let mut search = Search { source, moves: &to, planned, found: Self::default() };
        let mut folders: Vec<&(String, String)> = moves.iter().filter(|(from, to)| from != to).collect();
        folders.sort_by_key(|(from, _)| std::cmp::Reverse(from.matches('/').count()));
        for (from, to) in folders {
            if is_visible(from) && is_visible(to) && source.entries(from)?.is_some() {
                let there = search.kind_at(to)?;
                search.folder(from, to, there)?;
                search.parents_of(to)?;
            }
        }
        Ok(search.found)
    }

    /// Whether nothing moves.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// The moves in the form of a diff.
    pub(super) fn diff(&self) -> String {
        self.files.iter().map(|(from, to)| format!("rename from {from}\nrename to {to}\n")).collect()
    }

    /// Moves everything, or nothing if a step fails.
    pub(super) fn make(&self, source: &dyn Source) -> Result<()> {
        for (number, (from, to)) in self.files.iter().enumerate() {
            let Err(error) = source.move_unlisted(from, to) else { continue };
            return Err(match self.back(source, number) {
                Ok(()) => error,
                Err(stuck) => {
                    let message = message!(
                        "{failed}; earlier changes could not be undone: {stuck}",
                        failed = error,
                        stuck
                    );
                    Error::HalfDone { message, entry: String::new() }
                }
            });
        }
        // An empty folder that cannot be removed does no harm.
        let emptied = self.folders.iter().filter_map(|folder| folder.emptied.as_ref());
        emptied.for_each(|folder| drop(source.remove_empty_folder(folder)));
        Ok(())
    }

    /// Moves everything back. The files of the plan follow, and then [`Self::tidy`].
    pub(super) fn take_back(&self, source: &dyn Source) -> Result<()> {
        self.back(source, self.files.len())
    }

    fn back(&self, source: &dyn Source, made: usize) -> Result<()> {
        let mut moved = self.files.iter().take(made).rev();
        moved.try_for_each(|(from, to)| source.move_unlisted(to, from))
    }

    /// Removes the folders that a move made, after everything in them was moved back.
    pub(super) fn tidy(&self, source: &dyn Source) {
        let made = self.folders.iter().filter_map(|folder| folder.made.as_ref());
        made.for_each(|folder| drop(source.remove_empty_folder(folder)));
    }

    /// Entries of the audit log. They have no hashes; a path that ends in `/` is that of a folder which is made, and removed
    /// by an undo.
    pub(super) fn logged(&self) -> impl Iterator<Item = (String, Option<String>)> {
        let files = self.files.iter().map(|(from, to)| (to.clone(), Some(from.clone())));
        let folders = self.folders.iter().filter_map(|Folder { emptied, made }| {
            Some((format!("{}/", made.as_ref()?), emptied.as_ref().map(|folder| format!("{folder}/"))))
        });
        files.chain(folders)
    }

    /// Whether an entry of the audit log is one of these.
    pub(super) fn is_logged(entry: &Entry) -> bool {
        let is_bare = entry.before_hash.is_none() && entry.after_hash.is_none();
        is_bare && entry.record().is_none() && (entry.from.is_some() || entry.path.ends_with('/'))
    }

    /// Adds what undoes an entry of the audit log, unless what had moved is gone.
    ///
    /// # Errors
    /// [`Error::Undo`] if its former path is taken; [`Error::Io`].
    pub(super) fn undo(&mut self, source: &dyn Source, entry: &Entry) -> Result<()> {
        if let Some(made) = entry.path.strip_suffix('/') {
            let before = entry.from.as_deref().and_then(|from| from.strip_suffix('/'));
            let folder = Folder { emptied: Some(made.to_owned()), made: before.map(str::to_owned) };
            // Entries are undone from the last to the first, and inner folders come first here, too.
            self.folders.insert(0, folder);
            return Ok(());
        }
        let Some(from) = &entry.from else { return Ok(()) };
        if kind_at(source, &entry.path)?.is_none() {
            return Ok(());
        }
        if kind_at(source, from)?.is_some() {
            return Err(Error::Undo {
                path: from.clone(),
                entry: entry.id.clone(),
                left: word!("no file").into(),
                found: word!("another file").into(),
            });
        }
        self.files.push((entry.path.clone(), from.clone()));
        Ok(())
    }
}

struct Search<'a> {
    source: &'a dyn Source,
    moves: &'a Moves,
    planned: &'a BTreeSet<String>,
    found: Unlisted,
}

impl Search<'_> {
    /// A folder that moves to `to`, where `there` is.
    fn folder(&mut self, from: &str, to: &str, there: Option<EntryKind>) -> Result<()> {
        let is_divided = self.has_planned(from) || there == Some(EntryKind::Folder);
        if !is_divided {
            return self.whole(from, to, there.is_some());
        }
        for FolderEntry { name, kind } in self.source.entries(from)?.unwrap_or_default() {
            let entry = format!("{from}/{name}");
            if [".git", ".ubp"].iter().any(|own| name.eq_ignore_ascii_case(own)) {
                return Err(Error::invalid(message!(
                    "'{from}' is a repository or project of its own; move it yourself, with `git mv` if it is a submodule",
                    from
                )));
            }
            // Another move has it.
            let Some(to) = self.moves.moved(&entry).filter(|new| *new == format!("{to}/{name}")) else {
                continue;
            };
            if self.planned.contains(&entry) {
                continue;
            }
            let there = self.kind_at(&to)?;
            match kind {
                EntryKind::Folder => self.folder(&entry, &to, there)?,
                EntryKind::File => self.whole(&entry, &to, there.is_some())?,
                EntryKind::Link(target) => {
                    self.check_link(&entry, &to, &target)?;
                    self.whole(&entry, &to, there.is_some())?;
                }
            }
        }
        let made = there.is_none().then(|| to.to_owned());
        self.found.folders.push(Folder { emptied: Some(from.to_owned()), made });
        Ok(())
    }

    fn whole(&mut self, from: &str, to: &str, is_taken: bool) -> Result<()> {
        if is_taken {
            return Err(Error::invalid(message!("'{file}' already exists; choose another path", file = to)));
        }
        self.found.files.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    /// Folders above `to` that come into being.
    fn parents_of(&mut self, to: &str) -> Result<()> {
        let mut folder = path::folder(to);
        while !folder.is_empty() && self.kind_at(folder)?.is_none() {
            let made = Folder { emptied: None, made: Some(folder.to_owned()) };
            if !self.found.folders.contains(&made) {
                self.found.folders.push(made);
            }
            folder = path::folder(folder);
        }
        Ok(())
    }

    /// Refuses a symbolic link that would lead elsewhere.
    fn check_link(&self, from: &str, to: &str, target: &str) -> Result<()> {
        let is_absolute = target.starts_with(['/', '\\']) || target.as_bytes().get(1) == Some(&b':');
        if is_absolute {
            return Ok(());
        }
        // Links may lead out of the pages folder, so it is taken as if it were far down.
        let deep = |path: &str| format!("{}{path}", "x/".repeat(32));
        let leads = |link: &str| path::join(path::folder(&deep(link)), target);
        let (before, after) = (leads(from), leads(to));
        let top = deep("");
        let moved = before.as_deref().map(|led| match led.strip_prefix(&top) {
            Some(inside) => format!("{top}{}", self.moves.forward(inside)),
            None => led.to_owned(),
        });
        if moved.is_some() && moved == after {
            return Ok(());
        }
        Err(Error::invalid(message!(
            "'{path}' is a symbolic link; move or delete it yourself, or use the path of its target",
            path = from
        )))
    }

    fn has_planned(&self, folder: &str) -> bool {
        let below = format!("{folder}/");
        let is_below = |path: Option<&str>| path.is_some_and(|path| path.starts_with(&below));
        is_below(self.planned.range(below.clone()..).next().map(String::as_str))
            || self.moves.sources().any(|from| is_below(Some(from)))
    }

    fn kind_at(&self, path: &str) -> Result<Option<EntryKind>> {
        kind_at(self.source, path)
    }
}

/// What is at a path.
fn kind_at(source: &dyn Source, at: &str) -> Result<Option<EntryKind>> {
    let entries = source.entries(path::folder(at))?.unwrap_or_default();
    Ok(entries.into_iter().find(|entry| entry.name == path::file_name(at)).map(|entry| entry.kind))
}

/// Whether listings can contain files of a folder.
fn is_visible(folder: &str) -> bool {
    !path::is_hidden(folder) && path::is_listed_source(folder)
}
