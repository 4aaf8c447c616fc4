//! Where a symbol went that an anchor names and that is gone, from the commits that removed it and its successors.

use std::collections::HashMap;
use std::rc::Rc;

use super::anchors::Anchor;
use super::successor::{Change, FileChange, Successor, sort};
use crate::ports::{ChangedFile, Commit, Revision, Symbol, SymbolHashes, Target};
use crate::{Context, Result};

/// Maximum versions of a file that are searched for a symbol that is gone. Few of them are read.
const MOST_VERSIONS: usize = 5_000;

/// Maximum newest versions that are read one by one if a search in larger steps finds nothing.
const MOST_READ: usize = 20;

/// Maximum versions of a file that are listed to find the oldest commit of a shallow clone.
const MOST_BEFORE_BOUNDARY: usize = 200;

/// Maximum files of a commit that are searched for where a symbol went.
pub(super) const MOST_FILES: usize = 1_000;

/// Maximum times that a symbol is followed to another name.
const MOST_NAMES: usize = 20;

/// Where a symbol is now.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPlace {
    /// Its file and name, as in an anchor.
    pub anchor: String,
    /// Share of such symbols that are the one that is gone; `None` if it, or its body, is equal.
    pub confidence: Option<f64>,
}

/// Follows symbols. Each commit is read once.
pub struct Moves<'a> {
    context: &'a Context<'a>,
    /// What commits changed, and what changed since commits.
    read: HashMap<(String, bool), Rc<Change>>,
    /// The commits that changed files.
    revisions: HashMap<String, Rc<[Revision]>>,
    /// Files at commits.
    texts: HashMap<(String, String), Option<Rc<[u8]>>>,
}

/// The last version of a symbol in version control.
struct Last {
    /// Its name with all that contains it.
    name: String,
    commit: Commit,
    /// The commit that removed it; `None` if it is removed in the working tree only.
    removed_by: Option<Commit>,
}

impl<'a> Moves<'a> {
    /// In this project.
    pub fn of(context: &'a Context<'a>) -> Self {
        Self { context, read: HashMap::new(), revisions: HashMap::new(), texts: HashMap::new() }
    }

    /// Where the symbol of an anchor that leads nowhere is now. It is followed through the commits that renamed or moved it;
    /// if that fails, its last version is compared with the working tree. `reviewed` is used if version control does not know
    /// it. `None` if nothing, or not only one symbol, is like it.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when version control fails, [`crate::Error::Cancelled`].
    pub fn moved_to(&mut self, named: &str, reviewed: Option<&SymbolHashes>) -> Result<Option<NewPlace>> {
        let context = self.context;
        let anchor = Anchor::of(context.source, named)?.or_else(|| Anchor::of_deleted(named));
        let Some(anchor) = anchor.filter(|anchor| context.symbols.knows(anchor.file)) else {
            return Ok(None);
        };
        let Some(first) = self.last_version(anchor)? else {
            let tokens = reviewed.filter(|hashes| hashes.are_known()).map(|hashes| hashes.tokens.as_str());
            return tokens.map_or(Ok(None), |tokens| self.with_tokens(anchor, tokens));
        };
        if let Some(place) = self.followed(anchor.file, &first)? {
            return Ok(Some(place));
        }
        let change = self.change(&first.commit, true, anchor.file)?;
        let found = change.successor(anchor.file, &first.name);
        // Of everything that was added since the commit that removed it, something is like it by chance.
        let is_same = |found: &Successor<'_>| {
            first.removed_by.is_none() || found.similarity.is_none() || found.has_name_of(&first.name)
        };
        let found = found.filter(is_same);
        Ok(found.map(|found| NewPlace::of(&found)))
    }

    /// The commit that took away the symbol of a file; `None` if no earlier one had it, or that commit is not known.
    ///
    /// # Errors
    /// As [`Moves::moved_to`].
    pub fn taken_away(&mut self, anchor: Anchor<'_>) -> Result<Option<Revision>> {
        let Some(commit) = self.last_version(anchor)?.and_then(|last| last.removed_by) else {
            return Ok(None);
        };
        let revisions = self.revisions(anchor.file)?;
        Ok(revisions.iter().find(|revision| revision.commit == commit).cloned())
    }

    /// Follows a symbol from one name to the next until it exists.
    fn followed(&mut self, file: &str, first: &Last) -> Result<Option<NewPlace>> {
        let mut similarity: Option<f64> = None;
        let mut at = (file.to_owned(), first.name.clone(), first.removed_by.clone());
        for _ in 0..MOST_NAMES {
            self.context.cancel.check()?;
            let (file, name, Some(removed_by)) = &at else { return Ok(None) };
            let change = self.change(removed_by, false, file)?;
            let Some(found) = change.successor(file, name) else { return Ok(None) };
            if let Some(share) = found.similarity {
                similarity = Some(similarity.unwrap_or(1.0) * share);
            }
            let (file, name) = (found.symbol.file.clone(), found.symbol.symbol.name.clone());
            if self.exists(&file, &name) {
                return Ok(Some(NewPlace::new(&file, &name, similarity)));
            }
            let Some(last) = self.last_version(Anchor { file: &file, name: &name })? else { return Ok(None) };
            at = match last.removed_by {
                Some(commit) => (file, last.name, Some(commit)),
                // It was removed in the working tree.
                None => {
                    let change = self.change(&last.commit, true, &file)?;
                    let Some(found) = change.successor(&file, &last.name) else { return Ok(None) };
                    if let Some(share) = found.similarity {
                        similarity = Some(similarity.unwrap_or(1.0) * share);
                    }
                    let (file, name) = (&found.symbol.file, &found.symbol.symbol.name);
                    return Ok(Some(NewPlace::new(file, name, similarity)));
                }
            };
        }
        Ok(None)
    }

    fn exists(&self, file: &str, name: &str) -> bool {
        let Ok(bytes) = self.context.source.read_source(file) else { return false };
        let found = self.context.symbols.find(file, &bytes, &[name]);
        matches!(found.first(), Some(Target::Symbol(symbol)) if symbol.name == name)
    }

    /// The newest commit that has the symbol, and the one after it.
    fn last_version(&mut self, anchor: Anchor<'_>) -> Result<Option<Last>> {
        let mut revisions = self.revisions(anchor.file)?;
        if let Some(last) = self.last_among(anchor, &revisions)? {
            return Ok(Some(last));
        }
        // The oldest commit of a shallow clone has the file, although it may not have changed it.
        let versions = self.context.history.versions(anchor.file, MOST_BEFORE_BOUNDARY)?;
        let boundary =
            versions.into_iter().find(|version| version.is_boundary && version.path == anchor.file);
        let Some(boundary) = boundary else { return Ok(None) };
        let boundary = Revision { commit: boundary.commit, subject: boundary.subject };
        revisions = revisions.iter().cloned().chain([boundary]).collect();
        self.last_among(anchor, &revisions)
    }

    /// The same among these commits, newest first. Looks further and further back, then halves the distance.
    fn last_among(&mut self, anchor: Anchor<'_>, revisions: &[Revision]) -> Result<Option<Last>> {
        let mut name_at = |place: usize| -> Result<Option<String>> {
            self.context.cancel.check()?;
            let Some(revision) = revisions.get(place) else { return Ok(None) };
            let Some(bytes) = self.text(&revision.commit.id, anchor.file)? else { return Ok(None) };
            let found = self.context.symbols.find(anchor.file, &bytes, &[anchor.name]);
            Ok(found.into_iter().next().and_then(|target| match target {
                Target::Symbol(symbol) => Some(symbol.name),
                // Fields often have the name of a function.
                Target::Several(symbols) => {
                    let mut functions = symbols.into_iter().filter(|symbol| sort(symbol) == "function");
                    functions.next().filter(|_| functions.next().is_none()).map(|symbol| symbol.name)
                }
                _ => None,
            }))
        };
        let (mut without, mut with, mut step) = (None, None, 0);
        while with.is_none() && step < revisions.len() {
            match name_at(step)? {
                Some(name) => with = Some((step, name)),
                None => without = Some(step),
            }
            step = if with.is_none() && step + 1 < revisions.len() {
                (2 * step + 1).min(revisions.len() - 1)
            } else {
                revisions.len()
            };
        }
        let mut place = 0;
        while with.is_none() && place < MOST_READ.min(revisions.len()) {
            with = name_at(place)?.map(|name| (place, name));
            without = place.checked_sub(1);
            place += 1;
        }
        let Some((mut last, mut name)) = with else { return Ok(None) };
        let mut first = without.map_or(0, |without| without + 1);
        while first < last {
            let middle = first.midpoint(last);
            match name_at(middle)? {
                Some(found) => (last, name) = (middle, found),
                None => first = middle + 1,
            }
        }
        let commit = |place: usize| revisions.get(place).map(|revision| revision.commit.clone());
        let removed_by = last.checked_sub(1).and_then(commit);
        Ok(commit(last).map(|commit| Last { name, commit, removed_by }))
    }

    fn revisions(&mut self, file: &str) -> Result<Rc<[Revision]>> {
        if let Some(known) = self.revisions.get(file) {
            return Ok(known.clone());
        }
        let read: Rc<[Revision]> = self.context.history.revisions(file, MOST_VERSIONS)?.into();
        self.revisions.insert(file.to_owned(), read.clone());
        Ok(read)
    }

    fn text(&mut self, commit: &str, file: &str) -> Result<Option<Rc<[u8]>>> {
        let key = (commit.to_owned(), file.to_owned());
        if let Some(known) = self.texts.get(&key) {
            return Ok(known.clone());
        }
        let read: Option<Rc<[u8]>> = self.context.history.read_at(commit, file)?.map(Into::into);
        self.texts.insert(key, read.clone());
        Ok(read)
    }

    /// What a commit changed, or what changed since. `near` is a file in its repository.
    fn change(&mut self, commit: &Commit, since: bool, near: &str) -> Result<Rc<Change>> {
        let key = (commit.id.clone(), since);
        if let Some(known) = self.read.get(&key) {
            return Ok(known.clone());
        }
        let context = self.context;
        let mut files = match since {
            true => context.history.changes_since(&commit.id, near)?,
            false => context.history.changes_by(&commit.id, near)?,
        };
        files.retain(|file| context.symbols.knows(&file.path));
        let folder = crate::path::folder(near);
        files.sort_by_key(|file| {
            (file.path != near, crate::graph::resolve::distance(folder, crate::path::folder(&file.path)))
        });
        files.truncate(MOST_FILES);
        let before = self.contents(&files, |file| file.before.as_deref())?;
        let after = match since {
            true => {
                files.iter().map(|file| context.source.read_source(&file.path).unwrap_or_default()).collect()
            }
            false => self.contents(&files, |file| file.after.as_deref())?,
        };
        let symbols = |contents: &[Vec<u8>]| -> Result<Vec<Vec<Symbol>>> {
            let read = files.iter().zip(contents).map(|(file, bytes)| {
                context.cancel.check()?;
                Ok(context.symbols.all(&file.path, bytes))
            });
            read.collect()
        };
        let (before_symbols, after_symbols) = (symbols(&before)?, symbols(&after)?);
        let change = Rc::new(Change::of(files.iter().enumerate().filter_map(|(place, file)| {
            Some(FileChange {
                path: &file.path,
                before: (before.get(place)?, before_symbols.get(place)?),
                after: (after.get(place)?, after_symbols.get(place)?),
            })
        })));
        self.read.insert(key, change.clone());
        Ok(change)
    }

    /// The contents of one side of each file; empty if there is none.
    fn contents(
        &self,
        files: &[ChangedFile],
        side: impl Fn(&ChangedFile) -> Option<&str>,
    ) -> Result<Vec<Vec<u8>>> {
        let wanted: Vec<(&str, &str)> =
            files.iter().filter_map(|file| Some((file.path.as_str(), side(file)?))).collect();
        let mut read = self.context.history.contents(&wanted)?.into_iter();
        let content = |file: &ChangedFile| side(file).and_then(|_| read.next()?).unwrap_or_default();
        Ok(files.iter().map(content).collect())
    }

    /// The only symbol with these tokens in all files.
    fn with_tokens(&self, anchor: Anchor<'_>, tokens: &str) -> Result<Option<NewPlace>> {
        let context = self.context;
        let mut files = context.source.match_sources(&["**".to_owned()])?;
        files.retain(|file| context.symbols.knows(file));
        let folder = crate::path::folder(anchor.file);
        files.sort_by_key(|file| {
            (file != anchor.file, crate::graph::resolve::distance(folder, crate::path::folder(file)))
        });
        let mut same = Vec::new();
        for file in files.into_iter().take(MOST_FILES) {
            context.cancel.check()?;
            let Ok(bytes) = context.source.read_source(&file) else { continue };
            let found = context.symbols.all(&file, &bytes).into_iter();
            let is_same = |symbol: &Symbol| symbol.hashes.tokens == tokens && symbol.body.is_some();
            same.extend(found.filter(is_same).map(|symbol| NewPlace::new(&file, &symbol.name, None)));
        }
        Ok(<[NewPlace; 1]>::try_from(same).ok().map(|[only]| only))
    }
}

impl NewPlace {
    /// What a single change made of a symbol.
    pub(super) fn of(found: &Successor<'_>) -> Self {
        Self::new(&found.symbol.file, &found.symbol.symbol.name, found.similarity)
    }

    fn new(file: &str, name: &str, similarity: Option<f64>) -> Self {
        let confidence = similarity.map(crate::renames::of_symbols);
        Self { anchor: format!("{file}#{name}"), confidence }
    }
}
