//! What changed between two states of the index, whichever process changed it. A server notifies its clients of these
//! changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;

use super::Index;
use super::connection::{GENERATION, counter};
use super::refresh::Renamed;
use crate::Result;

/// The pages of the index at one moment, each with a fingerprint of its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    generation: i64,
    pages: BTreeMap<String, u64>,
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
        index.read(|db| Ok(Self { generation: counter(db, GENERATION)?, pages: marks(db)? }))
    }

    /// Whether pages or links may have changed since then; reads a single counter.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn is_outdated(&self, index: &Index) -> Result<bool> {
        index.read(|db| Ok(counter(db, GENERATION)? != self.generation))
    }

    /// Whether the index had no pages.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The changes from this snapshot to `later`.
    pub fn changes_to(&self, later: &Self) -> PageChanges {
        let mut changes = PageChanges::default();
        let mut gone: HashMap<u64, BTreeSet<&String>> = HashMap::new();
        for (path, mark) in &self.pages {
            match later.pages.get(path) {
                None => {
                    gone.entry(*mark).or_default().insert(path);
                }
                Some(other) if other != mark => changes.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        for (path, mark) in later.pages.iter().filter(|(path, _)| !self.pages.contains_key(*path)) {
            match gone.get_mut(mark).and_then(BTreeSet::pop_first) {
                Some(from) => changes.renamed.push(Renamed { from: from.clone(), to: path.clone() }),
                None => changes.added.push(path.clone()),
            }
        }
        changes.removed = gone.into_values().flatten().cloned().collect();
        changes.removed.sort_unstable();
        changes
    }
}

/// The first bytes of every page's hash, by path.
fn marks(db: &Connection) -> Result<BTreeMap<String, u64>> {
    let mut statement = db.prepare_cached("SELECT path, hash FROM pages")?;
    let rows = statement.query_map([], |row| {
        let hash: [u8; 32] = row.get(1)?;
        let mark = hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Ok((row.get(0)?, mark))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot<const N: usize>(pages: [(&str, u64); N]) -> Snapshot {
        let pages = pages.into_iter().map(|(path, mark)| (path.to_owned(), mark)).collect();
        Snapshot { generation: 0, pages }
    }

    #[test]
    fn added_changed_removed_and_renamed_pages_are_listed_separately() {
        let before = snapshot([("a.md", 1), ("b.md", 2), ("c.md", 3), ("d.md", 4)]);
        let after = snapshot([("a.md", 1), ("b.md", 20), ("e.md", 4), ("f.md", 6)]);
        let changes = before.changes_to(&after);
        assert_eq!(changes.added, ["f.md"]);
        assert_eq!(changes.changed, ["b.md"]);
        assert_eq!(changes.removed, ["c.md"]);
        assert_eq!(changes.renamed, [Renamed { from: "d.md".into(), to: "e.md".into() }]);
        assert!(before.changes_to(&before).is_empty());
    }

    #[test]
    fn pages_with_the_same_content_are_paired_one_to_one() {
        let before = snapshot([("a.md", 1), ("b.md", 1)]);
        let after = snapshot([("c.md", 1), ("d.md", 1), ("e.md", 1)]);
        let changes = before.changes_to(&after);
        assert_eq!((changes.renamed.len(), changes.added.len(), changes.removed.len()), (2, 1, 0));
        let back = after.changes_to(&before);
        assert_eq!((back.renamed.len(), back.added.len(), back.removed.len()), (2, 0, 1));
    }
}
