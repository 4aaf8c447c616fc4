//! What anchors lead to, and how that differs from what was reviewed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::anchors::Anchor;
use super::lock::Content;
use super::{Sources, StaleReason};
use crate::ports::{SymbolHashes, Target};
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
