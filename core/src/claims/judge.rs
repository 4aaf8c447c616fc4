//! Judges single claims: by the project as it is, and by what the history took away.

use std::cell::RefCell;
use std::collections::HashMap;

use super::Kind;
use super::change::Changed;
use super::extract::{Claim, What};
use super::past::{Gone, Wanted};
use super::project::{Found, Project, Role};
use super::survey::Claiming;
use super::words::{self, Presence, keys, presence};
use crate::freshness::{Anchor, Moves};
use crate::ports::Target;
use crate::{Context, Result, path};

/// Maximum moves that are followed from one path.
const MOST_MOVES: usize = 3;

/// What is known about a claim before the history is read.
pub(super) enum First {
    Resolves,
    Ambiguous,
    Uncheckable,
    /// It is missing if the history had it.
    Absent,
}

/// Judges claims by the project as it is.
pub(super) struct Judge<'a> {
    pub context: &'a Context<'a>,
    pub project: &'a Project,
    /// Where names are, by key.
    pub found: HashMap<String, Presence>,
    /// Several claims need the same commits.
    pub moves: RefCell<Moves<'a>>,
    /// The change that took things away, if not the history.
    pub change: Option<&'a Changed<'a>>,
}

impl Judge<'_> {
    pub(super) fn first(&self, page: &Claiming, claim: &Claim) -> Result<First> {
        let folder = path::folder(&page.file);
        Ok(match &claim.what {
            What::Here => First::Resolves,
            What::Unknown => First::Uncheckable,
            What::Defined(tool, name) if self.project.defines(*tool, name) => First::Resolves,
            What::Defined(..) => First::Absent,
            What::Path(named) => match self.project.find(folder, named) {
                Found::One(_) => First::Resolves,
                Found::Several => First::Ambiguous,
                Found::Nothing => self.absent_path(page, claim, named)?,
            },
            What::Symbol(file, name) => match self.project.find(folder, file) {
                Found::One(Some(at)) => self.symbol(at, name),
                Found::Several => First::Ambiguous,
                _ => self.absent_path(page, claim, file)?,
            },
            What::Names(names) => self.names(page, names),
        })
    }

    /// A path that leads nowhere. It is not known to be missing if code names it, because it may be made then.
    fn absent_path(&self, page: &Claiming, claim: &Claim, named: &str) -> Result<First> {
        let is_named_in_code = self.found.get(keys(named).as_str()).is_some_and(|found| found.in_code);
        if self.project.ignores(named) || (claim.kind != Kind::Link && is_named_in_code) {
            return Ok(First::Uncheckable);
        }
        for at in self.places(page, named) {
            // It is ignored, but there.
            if self.context.source.stat_source(&at).ok().flatten().is_some() {
                return Ok(First::Resolves);
            }
        }
        Ok(First::Absent)
    }

    /// The paths that a page may mean, from its folder and from the project.
    fn places(&self, page: &Claiming, named: &str) -> Vec<String> {
        let folders = [path::folder(&page.file), ""];
        folders.iter().filter_map(|folder| path::join(folder, named)).collect()
    }

    fn symbol(&self, file: usize, name: &str) -> First {
        let Some(file) = self.project.files.get(file).filter(|file| file.role == Role::Code) else {
            return First::Uncheckable;
        };
        let Ok(bytes) = self.context.source.read_source(&file.path) else { return First::Uncheckable };
        match self.context.symbols.find(&file.path, &bytes, &[name]).first() {
            Some(Target::Symbol(_)) => First::Resolves,
            Some(Target::Several(_)) => First::Ambiguous,
            Some(Target::Nothing(_)) => First::Absent,
            Some(Target::File(_)) | None => First::Uncheckable,
        }
    }

    /// The file that a claim about a symbol means, if it exists.
    pub(super) fn file_of(&self, page: &Claiming, file: &str) -> Option<&str> {
        match self.project.find(path::folder(&page.file), file) {
            Found::One(Some(at)) => self.project.files.get(at).map(|file| file.path.as_str()),
            _ => None,
        }
    }

    fn names(&self, page: &Claiming, names: &[String]) -> First {
        match () {
            () if names.iter().all(|name| self.presence(name).is_name) => First::Resolves,
            () if self.only_here(page, names).next().is_none() => First::Uncheckable,
            () => First::Absent,
        }
    }

    fn presence(&self, name: &str) -> Presence {
        self.found.get(name).copied().unwrap_or_default()
    }

    /// The names that no other file has.
    fn only_here<'n>(&self, page: &Claiming, names: &'n [String]) -> impl Iterator<Item = &'n String> {
        names.iter().filter(|name| !self.presence(name).is_outside(page.at))
    }

    /// Adds what the history may have had.
    pub(super) fn want(&self, page: &Claiming, claim: &Claim, wanted: &mut Wanted) {
        match &claim.what {
            What::Symbol(file, _) if self.file_of(page, file).is_some() => {}
            What::Path(named) | What::Symbol(named, _) => {
                self.ends(page, claim, named).iter().for_each(|end| wanted.path(end));
            }
            What::Defined(tool, name) => wanted.definition(*tool, name),
            What::Names(names) => self.only_here(page, names).for_each(|name| wanted.name(name)),
            What::Here | What::Unknown => {}
        }
    }

    /// The paths that a claim may mean. Those of links are whole, unless they are names of pages.
    fn ends(&self, page: &Claiming, claim: &Claim, named: &str) -> Vec<String> {
        let mut ends = self.places(page, named);
        if !named.starts_with("../") && (claim.kind != Kind::Link || !named.contains('/')) {
            ends.push(named.to_owned());
        }
        ends.dedup();
        ends
    }

    /// When the history took away what a claim needs.
    pub(super) fn gone(&self, page: &Claiming, claim: &Claim, wanted: &Wanted) -> Result<Option<Gone>> {
        let gone = match &claim.what {
            What::Symbol(named, name) if self.file_of(page, named).is_some() => {
                let Some(file) = self.file_of(page, named) else { return Ok(None) };
                if let Some(change) = self.change {
                    let gone = || Gone { file: file.to_owned(), ..Gone::default() };
                    return Ok(change.had_symbol(file, name).then(gone));
                }
                let revision = self.moves.borrow_mut().taken_away(Anchor { file, name })?;
                return Ok(revision.map(|revision| Gone {
                    revision: Some(revision),
                    file: file.to_owned(),
                    ..Gone::default()
                }));
            }
            What::Path(named) | What::Symbol(named, _) => {
                let gone = self.ends(page, claim, named).iter().find_map(|end| wanted.gone_path(end));
                // It may have been made again.
                let is_back =
                    |gone: &&Gone| self.context.source.stat_source(&gone.file).ok().flatten().is_some();
                gone.filter(|gone| !is_back(gone))
            }
            What::Defined(tool, name) => wanted.gone_definition(*tool, name),
            What::Names(names) => self.only_here(page, names).find_map(|name| wanted.gone_name(name)),
            What::Here | What::Unknown => None,
        };
        Ok(gone.cloned())
    }

    /// What a thing that is gone is now.
    pub(super) fn now(&self, page: &Claiming, claim: &Claim, gone: &Gone) -> Result<Option<String>> {
        if let What::Symbol(file, name) = &claim.what
            && let Some(file) = self.file_of(page, file)
        {
            let new = self.moves.borrow_mut().moved_to(&format!("{file}#{name}"), None)?;
            let new = new.map(|new| new.anchor);
            // The complete history may be newer than a change.
            let is_there = |anchor: &String| {
                let file = anchor.split('#').next().unwrap_or_default();
                self.context.source.stat_source(file).ok().flatten().is_some()
            };
            return Ok(new.filter(is_there));
        }
        if let What::Path(named) | What::Symbol(named, _) = &claim.what {
            return self.moved(named, gone);
        }
        // The most frequent one, if most agree.
        let total: usize = gone.instead.values().sum();
        let best = gone.instead.iter().max_by_key(|(_, count)| **count);
        let best = best.filter(|(_, count)| **count * 2 > total).map(|(instead, _)| instead.clone());
        let key = best.as_deref().map(words::key).filter(|key| !key.is_empty());
        let there = match (&claim.what, &best, key) {
            (What::Defined(tool, _), Some(name), _) => self.project.defines(*tool, name),
            (_, Some(_), Some(key)) => presence(self.context, &self.project.files, &[key])?
                .first()
                .is_some_and(|found| found.in_code),
            _ => false,
        };
        Ok(best.filter(|_| there))
    }

    /// Where a file went, or the folder that it was in.
    fn moved(&self, named: &str, gone: &Gone) -> Result<Option<String>> {
        let mut at = gone.file.clone();
        for _ in 0..MOST_MOVES {
            let moved = match self.change {
                Some(change) => change.moved_file(&at)?,
                None => self.context.history.renamed_to(&at)?.map(|moved| moved.path),
            };
            let Some(moved) = moved else { return Ok(None) };
            at = moved;
            if self.context.source.stat_source(&at)?.is_some() {
                let name = path::file_name(named);
                if path::file_name(&gone.file) == name || gone.file.ends_with(&format!("/{named}")) {
                    return Ok(Some(at));
                }
                // The rest of the path below the folder is the same.
                let below =
                    gone.file.rfind(&format!("{name}/")).and_then(|at| gone.file.get(at + name.len()..));
                return Ok(below.and_then(|below| at.strip_suffix(below)).map(str::to_owned));
            }
        }
        Ok(None)
    }
}
