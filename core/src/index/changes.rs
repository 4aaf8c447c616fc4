//! Which pages changed lately. What a process derives from the index and keeps in memory is then updated for these pages,
//! instead of being derived again from all.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::connection::{counter, set_counter};
use super::statement::{all, run};
use super::vector_state;
use crate::Result;

/// Counts changes of pages and links.
pub(super) const GENERATION: &str = "generation";
/// Counts changes of vectors alone.
pub(super) const VECTOR_GENERATION: &str = "vector_generation";

/// Number of generations whose changes are remembered.
const REMEMBERED: i64 = 200;
/// Maximum number of changed pages in one generation; after more, everything is derived again.
const MOST: usize = 1_000;

/// What changed in a generation.
#[derive(Clone, Copy)]
pub(super) enum Changed<'a> {
    /// These pages, or their vectors: added, changed, moved or removed.
    Pages(&'a BTreeSet<i64>),
    /// Unknown, or too many to list.
    Anything,
}

impl<'a> Changed<'a> {
    /// These pages, unless all are settled at once.
    pub(super) fn of(pages: &'a BTreeSet<i64>, everything: bool) -> Self {
        if everything { Self::Anything } else { Self::Pages(pages) }
    }
}

/// Begins the next generation of `key`, in the transaction that made the change.
pub(super) fn bump(db: &Connection, key: &str, changed: Changed<'_>) -> Result<()> {
    vector_state::renew(db)?;
    let generation = counter(db, key)? + 1;
    set_counter(db, key, generation)?;
    match changed {
        Changed::Pages(pages) if pages.len() <= MOST => {
            for page in pages {
                let sql = "INSERT INTO changes(counter, generation, page) VALUES (?1, ?2, ?3)";
                run(db, sql, (key, generation, page))?;
            }
            let sql = "DELETE FROM changes WHERE counter = ?1 AND generation <= ?2";
            run(db, sql, (key, generation - REMEMBERED))
        }
        _ => {
            set_counter(db, &known_from(key), generation)?;
            run(db, "DELETE FROM changes WHERE counter = ?1", [key])
        }
    }
}

/// The pages that changed after `generation` of `key`; `None` if that is not known.
pub(super) fn since(db: &Connection, key: &str, generation: i64) -> Result<Option<BTreeSet<i64>>> {
    let now = counter(db, key)?;
    let is_known = generation >= (now - REMEMBERED).max(counter(db, &known_from(key))?) && generation <= now;
    if !is_known {
        return Ok(None);
    }
    let sql = "SELECT page FROM changes WHERE counter = ?1 AND generation > ?2";
    let pages: BTreeSet<i64> = all(db, sql, (key, generation))?;
    Ok(Some(pages).filter(|pages| pages.len() <= MOST))
}

/// Key of the first generation whose later changes are all listed.
fn known_from(key: &str) -> String {
    format!("{key}_known_from")
}

/// Forgets which pages changed, which only processes that keep the index open need.
pub(crate) fn forget(db: &Connection) -> Result<()> {
    for key in [GENERATION, VECTOR_GENERATION] {
        set_counter(db, &known_from(key), counter(db, key)?)?;
    }
    run(db, "DELETE FROM changes", [])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::Index;

    fn bumped(index: &Index, pages: &[i64]) {
        let pages = pages.iter().copied().collect();
        index.write(|db| bump(db, GENERATION, Changed::Pages(&pages))).unwrap();
    }

    fn known(index: &Index, generation: i64) -> Option<Vec<i64>> {
        let since = index.read(|db| since(db, GENERATION, generation)).unwrap();
        since.map(|pages| pages.into_iter().collect())
    }

    #[test]
    fn pages_changed_since_a_generation_are_listed() {
        let index = Index::in_memory().unwrap();
        bumped(&index, &[7]);
        bumped(&index, &[]);
        bumped(&index, &[3, 7]);
        assert_eq!(known(&index, 0), Some(vec![3, 7]));
        assert_eq!(known(&index, 1), Some(vec![3, 7]));
        assert_eq!(known(&index, 3), Some(Vec::new()));
        assert_eq!(known(&index, 4), None, "a generation that does not exist yet");
        assert_eq!(index.read(|db| since(db, VECTOR_GENERATION, 0)).unwrap(), Some(BTreeSet::new()));
    }

    #[test]
    fn what_is_not_listed_is_unknown() {
        let index = Index::in_memory().unwrap();
        bumped(&index, &[1]);
        index.write(|db| bump(db, GENERATION, Changed::Anything)).unwrap();
        bumped(&index, &[2]);
        assert_eq!((known(&index, 1), known(&index, 2)), (None, Some(vec![2])));
        let many: Vec<i64> = (0..=MOST as i64).collect();
        bumped(&index, &many);
        assert_eq!((known(&index, 3), known(&index, 4)), (None, Some(Vec::new())));
        bumped(&index, &many[1..]);
        assert_eq!(known(&index, 4).map(|pages| pages.len()), Some(MOST));
        bumped(&index, &[-1]);
        assert_eq!(known(&index, 4), None, "too many together");
    }

    #[test]
    fn only_the_last_generations_are_listed() {
        let index = Index::in_memory().unwrap();
        (0..REMEMBERED + 5).for_each(|page| bumped(&index, &[page]));
        assert_eq!((known(&index, 4), known(&index, 5).map(|pages| pages.len())), (None, Some(200)));
        let rows: i64 =
            index.read(|db| Ok(db.query_row("SELECT count(*) FROM changes", [], |row| row.get(0))?)).unwrap();
        assert_eq!(rows, REMEMBERED);
        index.write(|db| forget(db)).unwrap();
        assert_eq!((known(&index, 204), known(&index, 205)), (None, Some(Vec::new())));
    }
}
