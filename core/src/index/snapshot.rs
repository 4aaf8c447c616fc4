//! What changed between two states of the index, whichever process changed it. A server notifies its clients of these
//! changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rusqlite::Connection;

use super::Index;
use super::changes::{GENERATION, since};
use super::connection::counter;
use super::questions::pages;
use super::refresh::Renamed;
use crate::Result;

/// Path of a page and a fingerprint of its content.
type State = (Box<str>, u64);

/// The pages of the index at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Identifies the open index, because generations of another one are unrelated.
    index: Arc<()>,
    generation: i64,
    pages: HashMap<i64, State>,
}

/// Differences between two snapshots, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageChanges {
    /// Paths of new pages.
    pub added: Vec<String>,
    /// Paths of pages with new content.
    pub changed: Vec<String>,
    /// Paths of deleted pages.
    pub removed: Vec<String>,
    /// Pages that moved with unchanged content.
    pub renamed: Vec<Renamed>,
}

impl PageChanges {
    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty() && self.renamed.is_empty()
    }
}

impl Snapshot {
    /// The current pages of the index.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(index: &Index) -> Result<Self> {
        index.read(|db| {
            Ok(Self { index: index.own.clone(), generation: counter(db, GENERATION)?, pages: states(db)? })
        })
    }

    /// Whether pages or links may have changed since then; reads a single counter.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn is_outdated(&self, index: &Index) -> Result<bool> {
        Ok(!self.is_of(index) || index.read(|db| counter(db, GENERATION))? != self.generation)
    }

    fn is_of(&self, index: &Index) -> bool {
        Arc::ptr_eq(&self.index, &index.own)
    }

    /// Makes this the snapshot of the current state, and returns the changes since the former one.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn update(&mut self, index: &Index) -> Result<PageChanges> {
        let few = index.read(|db| {
            let changed = if self.is_of(index) { since(db, GENERATION, self.generation)? } else { None };
            let Some(changed) = changed else { return Ok(None) };
            let states = changed.into_iter().map(|page| Ok((page, state(db, page)?)));
            Ok(Some((counter(db, GENERATION)?, states.collect::<Result<HashMap<_, _>>>()?)))
        })?;
        let (generation, states) = match few {
            Some(few) => few,
            None => {
                let later = Self::of(index)?;
                let gone = self.pages.keys().filter(|page| !later.pages.contains_key(page));
                let mut states: HashMap<i64, Option<State>> = gone.map(|page| (*page, None)).collect();
                states.extend(later.pages.into_iter().map(|(page, state)| (page, Some(state))));
                (later.generation, states)
            }
        };
        (self.index, self.generation) = (index.own.clone(), generation);
        Ok(self.replace(states))
    }

    #[cfg(test)]
    pub(super) fn by_path(&self) -> BTreeMap<Box<str>, u64> {
        self.pages.values().cloned().collect()
    }

    /// Sets the state of these pages; `None` removes one.
    fn replace(&mut self, states: HashMap<i64, Option<State>>) -> PageChanges {
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        for (page, now) in states {
            let known = match &now {
                Some(now) => self.pages.insert(page, now.clone()),
                None => self.pages.remove(&page),
            };
            if known != now {
                before.extend(known);
                after.extend(now);
            }
        }
        differences(&before, &after)
    }
}

pub(super) fn differences(before: &BTreeMap<Box<str>, u64>, after: &BTreeMap<Box<str>, u64>) -> PageChanges {
    let mut changes = PageChanges::default();
    let mut gone: HashMap<u64, BTreeSet<&str>> = HashMap::new();
    for (path, mark) in before {
        match after.get(path) {
            None => {
                gone.entry(*mark).or_default().insert(path);
            }
            Some(other) if other != mark => changes.changed.push(path.to_string()),
            Some(_) => {}
        }
    }
    for (path, mark) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        match gone.get_mut(mark).and_then(BTreeSet::pop_first) {
            Some(from) => changes.renamed.push(Renamed { from: from.into(), to: path.to_string() }),
            None => changes.added.push(path.to_string()),
        }
    }
    changes.removed = gone.into_values().flatten().map(str::to_owned).collect();
    changes.removed.sort_unstable();
    changes
}

fn state(db: &Connection, page: i64) -> Result<Option<State>> {
    let facts = pages::path_and_hash(db, page)?;
    Ok(facts.map(|(path, hash)| (path.into_boxed_str(), first_bytes(hash))))
}

fn states(db: &Connection) -> Result<HashMap<i64, State>> {
    let mut states = HashMap::new();
    pages::each_hash(db, |page, path, hash| {
        states.insert(page, (path.into(), first_bytes(hash)));
    })?;
    Ok(states)
}

fn first_bytes(hash: [u8; 32]) -> u64 {
    hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states<const N: usize>(pages: [(&str, u64); N]) -> BTreeMap<Box<str>, u64> {
        pages.into_iter().map(|(path, mark)| (path.into(), mark)).collect()
    }

    #[test]
    fn added_changed_removed_and_renamed_pages_are_listed_separately() {
        let before = states([("a.md", 1), ("b.md", 2), ("c.md", 3), ("d.md", 4)]);
        let after = states([("a.md", 1), ("b.md", 20), ("e.md", 4), ("f.md", 6)]);
        let changes = differences(&before, &after);
        assert_eq!(changes.added, ["f.md"]);
        assert_eq!(changes.changed, ["b.md"]);
        assert_eq!(changes.removed, ["c.md"]);
        assert_eq!(changes.renamed, [Renamed { from: "d.md".into(), to: "e.md".into() }]);
        assert!(differences(&before, &before).is_empty());
    }

    #[test]
    fn pages_with_the_same_content_are_paired_one_to_one() {
        let before = states([("a.md", 1), ("b.md", 1)]);
        let after = states([("c.md", 1), ("d.md", 1), ("e.md", 1)]);
        let changes = differences(&before, &after);
        assert_eq!((changes.renamed.len(), changes.added.len(), changes.removed.len()), (2, 1, 0));
        let back = differences(&after, &before);
        assert_eq!((back.renamed.len(), back.added.len(), back.removed.len()), (2, 0, 1));
    }
}
