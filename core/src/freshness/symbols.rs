//! What anchors lead to, how that differs from what was reviewed, and where it went.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::anchors::Anchor;
use super::lock::Content;
use super::{Sources, StaleReason};
use crate::ports::{Commit, Revision, Symbol, SymbolHashes, Target};
use crate::threads::on_each_core;
use crate::{Context, Result};

/// What the anchors of files lead to. Each file is read once, for all of its anchors.
pub struct Targets<'a> {
    names: BTreeMap<&'a str, BTreeSet<&'a str>>,
    read: HashMap<&'a str, HashMap<&'a str, Target>>,
}

impl<'a> Targets<'a> {
    /// For these anchors.
    pub fn of(anchors: impl IntoIterator<Item = Anchor<'a>>) -> Self {
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for anchor in anchors {
            names.entry(anchor.file).or_default().insert(anchor.name);
        }
        Self { names, read: HashMap::new() }
    }

    /// For all anchors among `sources`.
    pub fn of_all(sources: &'a Sources) -> Self {
        Self::of(sources.anchors())
    }

    /// Reads these files on all cores.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn read(&mut self, context: &Context<'_>, files: &BTreeSet<&'a str>) -> Result<()> {
        let Context { source, symbols, cancel, .. } = *context;
        let waiting: Vec<(&str, &BTreeSet<&str>)> = self
            .names
            .iter()
            .filter(|(file, _)| files.contains(*file))
            .map(|(file, names)| (*file, names))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut read = Vec::new();
            while let Some((file, names)) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) {
                cancel.check()?;
                let names: Vec<&str> = names.iter().copied().collect();
                let Ok(bytes) = source.read_source(file) else { continue };
                let found = symbols.find(file, &bytes, &names);
                read.push((*file, names.into_iter().zip(found).collect()));
            }
            Ok(read)
        };
        for read in on_each_core(work).into_iter().collect::<Result<Vec<_>>>()? {
            self.read.extend(read);
        }
        Ok(())
    }

    /// What the anchor leads to; `None` if the file cannot be read.
    pub fn target(&mut self, context: &Context<'_>, anchor: Anchor<'a>) -> Option<&Target> {
        if !self.read.contains_key(anchor.file) {
            let names: Vec<&str> = self.names.get(anchor.file)?.iter().copied().collect();
            let bytes = context.source.read_source(anchor.file).ok()?;
            let found = context.symbols.find(anchor.file, &bytes, &names);
            self.read.insert(anchor.file, names.into_iter().zip(found).collect());
        }
        self.read.get(anchor.file)?.get(anchor.name)
    }
}

/// The hashes that a review of the anchor records; `None` if it leads nowhere.
pub fn hashes(target: &Target) -> Option<SymbolHashes> {
    match target {
        Target::Symbol(symbol) => Some(symbol.hashes.clone()),
        Target::File(file) => Some(match &file.words {
            Some(words) => SymbolHashes { tokens: words.clone(), signature: words.clone() },
            None => SymbolHashes::unknown(),
        }),
        Target::Several(_) => Some(SymbolHashes::unknown()),
        Target::Nothing(_) => None,
    }
}

/// How what the anchor leads to differs from what was reviewed, in a file that differs; `None` if at most comments and
/// layout do.
pub fn difference(target: &Target, reviewed: &[Content]) -> Option<StaleReason> {
    let known: Vec<&SymbolHashes> = reviewed
        .iter()
        .filter_map(|content| content.symbol.as_ref())
        .filter(|hashes| hashes.are_known())
        .collect();
    let is_same = |tokens: &str| known.iter().any(|hashes| hashes.tokens == tokens);
    match target {
        Target::Symbol(symbol) if is_same(&symbol.hashes.tokens) => None,
        Target::Symbol(_) if known.is_empty() => Some(StaleReason::Changed),
        Target::Symbol(symbol) => {
            let has_same_contract = known.iter().any(|hashes| hashes.signature == symbol.hashes.signature);
            Some(if has_same_contract { StaleReason::BodyChanged } else { StaleReason::ContractChanged })
        }
        Target::Several(symbols) if symbols.iter().any(|symbol| is_same(&symbol.hashes.tokens)) => None,
        Target::File(file) if file.words.as_deref().is_some_and(is_same) => None,
        Target::Several(_) | Target::File(_) => Some(StaleReason::Changed),
        Target::Nothing(_) => Some(StaleReason::Missing),
    }
}

/// Maximum versions of a file that are searched for a symbol that is gone.
const MOST_VERSIONS: usize = 20;

/// Maximum files that are searched for where it went.
pub(super) const MOST_FILES: usize = 500;

/// Where the symbol of an anchor that leads nowhere went: the anchor of the only symbol that says the same and is new.
/// Only its body is compared if nothing else is the same. `reviewed` is used if version control does not know the symbol.
///
/// # Errors
/// [`crate::Error::Io`] when version control fails, [`crate::Error::Cancelled`].
pub fn moved_to(
    context: &Context<'_>,
    named: &str,
    reviewed: Option<&SymbolHashes>,
) -> Result<Option<String>> {
    let anchor = Anchor::of(context.source, named)?.or_else(|| Anchor::of_deleted(named));
    let Some(anchor) = anchor.filter(|anchor| context.symbols.knows(anchor.file)) else { return Ok(None) };
    let last = last_version(context, anchor)?;
    let (tokens, body) = match (&last, reviewed) {
        (Some((_, symbol)), _) => (symbol.hashes.tokens.as_str(), symbol.body.as_deref()),
        (None, Some(hashes)) if hashes.are_known() => (hashes.tokens.as_str(), None),
        (None, _) => return Ok(None),
    };
    let (mut same, mut same_body) = (Vec::new(), Vec::new());
    for file in candidates(context, anchor, last.as_ref().map(|(commit, _)| commit))? {
        context.cancel.check()?;
        let Ok(bytes) = context.source.read_source(&file) else { continue };
        let mut found = context.symbols.all(&file, &bytes);
        found.retain(|symbol| {
            symbol.hashes.tokens == tokens || (body.is_some() && symbol.body.as_deref() == body)
        });
        if let (Some((commit, _)), false) = (&last, found.is_empty()) {
            let before = context.history.read_at(&commit.id, &file)?.unwrap_or_default();
            let before = context.symbols.all(&file, &before);
            found.retain(|symbol| before.iter().all(|old| old.name != symbol.name));
        }
        for symbol in found {
            let list = if symbol.hashes.tokens == tokens { &mut same } else { &mut same_body };
            list.push(format!("{file}#{}", symbol.name));
        }
    }
    let list = if same.is_empty() { same_body } else { same };
    Ok(<[String; 1]>::try_from(list).ok().map(|[only]| only))
}

/// The commit that took away the symbol of a file that still exists; `None` if no earlier one had it, or that commit is not
/// known.
///
/// # Errors
/// As [`moved_to`].
pub fn taken_away(context: &Context<'_>, anchor: Anchor<'_>) -> Result<Option<Revision>> {
    let Some((last, _)) = last_version(context, anchor)? else { return Ok(None) };
    let revisions = context.history.revisions(anchor.file, MOST_VERSIONS)?;
    Ok(revisions.into_iter().take_while(|revision| revision.commit != last).last())
}

/// The newest commit that has the symbol, and the symbol in it.
fn last_version(context: &Context<'_>, anchor: Anchor<'_>) -> Result<Option<(Commit, Symbol)>> {
    for revision in context.history.revisions(anchor.file, MOST_VERSIONS)? {
        context.cancel.check()?;
        let Some(bytes) = context.history.read_at(&revision.commit.id, anchor.file)? else { continue };
        let found = context.symbols.find(anchor.file, &bytes, &[anchor.name]);
        if let Some(Target::Symbol(symbol)) = found.into_iter().next() {
            return Ok(Some((revision.commit, symbol)));
        }
    }
    Ok(None)
}

/// The files that may contain the symbol now, the likeliest first: those that changed since `commit`, or without one all.
fn candidates(context: &Context<'_>, anchor: Anchor<'_>, commit: Option<&Commit>) -> Result<Vec<String>> {
    let others: Vec<String> = match commit {
        Some(commit) => context.history.changed_since(&commit.id)?.into_iter().collect(),
        None => context.source.match_sources(&["**".to_owned()])?,
    };
    let mut files: Vec<String> =
        others.into_iter().filter(|file| file != anchor.file && context.symbols.knows(file)).collect();
    let folder = crate::path::folder(anchor.file);
    files.sort_by_key(|file| crate::graph::resolve::distance(folder, crate::path::folder(file)));
    files.insert(0, anchor.file.to_owned());
    files.truncate(MOST_FILES);
    Ok(files)
}
