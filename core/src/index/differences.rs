//! Which files differ from the index: all of them, or only those of pages that are known to have changed. In a large
//! project, looking at all files takes most of the time of a refresh.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use super::statement::{self, Columns, all, any, first};
use crate::Result;
use crate::ports::{ContentHash, FileStat, Listing, PageFile, Source, Unreadable};

/// The state of a page's file when it was indexed.
#[derive(PartialEq, Eq)]
pub(super) struct Known {
    pub(super) stat: StatRow,
    pub(super) hash: ContentHash,
}

/// Size, modification time in nanoseconds, and fingerprint.
type StatRow = (u64, i64, u64);

/// What a refresh has to do.
#[derive(Default)]
pub(super) struct Differences {
    /// The indexed state of the pages below.
    pub known: HashMap<String, Known>,
    /// Files that differ from the index, or are not in it, by path.
    pub due: Vec<PageFile>,
    /// Pages of the index without a file.
    pub gone: BTreeSet<String>,
    /// Files and folders that could not be listed.
    pub unreadable: Vec<Unreadable>,
}

/// Compares all files with `indexed`, which has to be read before the files are listed. If another process writes in
/// between, the index then turns out to be newer than what was read, which the writer detects. In the other order, new
/// pages would look deleted.
pub(super) fn differences(indexed: Vec<(String, Known)>, listing: Listing) -> Differences {
    let mut found = Differences { unreadable: listing.unreadable, ..Differences::default() };
    let mut files = listing.pages;
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut gone = Vec::new();
    let mut indexed = indexed.into_iter().peekable();
    for file in files {
        while let Some(before) = indexed.next_if(|(path, _)| *path < file.path) {
            gone.push(before);
        }
        match indexed.next_if(|(path, _)| *path == file.path) {
            Some((_, known)) if known.stat == stat_row(file.stat) => {}
            known => {
                found.known.extend(known);
                found.due.push(file);
            }
        }
    }
    // A page that cannot be listed at the moment is not deleted: the index keeps its content.
    let unreadable: BTreeSet<&str> = found.unreadable.iter().map(|entry| entry.path.as_str()).collect();
    for (path, known) in gone.into_iter().chain(indexed) {
        if !path_and_folders(&path).any(|part| unreadable.contains(part)) {
            found.gone.insert(path.clone());
            found.known.insert(path, known);
        }
    }
    found
}

/// Path and file of every page, by path.
pub(super) fn indexed(db: &Connection) -> Result<Vec<(String, Known)>> {
    all(
        db,
        "SELECT path, size, modified, fingerprint, hash FROM pages CROSS JOIN page_files USING (page) ORDER BY path",
        [],
    )
}

fn path_and_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}

/// The indexed state and the files of these pages. `None` if all pages have to be compared: a page that was added or
/// removed may have moved, and one with the same text as another may be a link to the same file.
pub(super) fn alone(db: &Connection, source: &dyn Source, paths: &[String]) -> Result<Option<Differences>> {
    let mut found = Differences::default();
    for path in paths {
        let before = known_page(db, path)?;
        // The index is read before the file, as in every comparison: what is known must not be newer than what is
        // listed.
        let Ok(stat) = source.stat(path) else { return Ok(None) };
        match (before, stat) {
            (None, None) => {}
            (Some(_), None) => return Ok(None),
            (None, Some(stat)) => {
                let Ok(bytes) = source.read(path) else { return Ok(None) };
                if has_page(db, ContentHash::of(&bytes), path)? {
                    return Ok(None);
                }
                found.due.push(PageFile { path: path.clone(), stat });
            }
            (Some(before), Some(stat)) if before.stat != stat_row(stat) => {
                if has_page(db, before.hash, path)? {
                    return Ok(None);
                }
                found.known.insert(path.clone(), before);
                found.due.push(PageFile { path: path.clone(), stat });
            }
            (Some(_), Some(_)) => {}
        }
    }
    found.due.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.due.dedup_by(|a, b| a.path == b.path);
    Ok(Some(found))
}

pub(super) fn stat_row(stat: FileStat) -> StatRow {
    (stat.size, i64::try_from(stat.modified.as_nanosecond()).unwrap_or(0), stat.fingerprint)
}

impl statement::Read<'_> for Known {
    fn read(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let (size, modified, fingerprint): (i64, i64, i64) = columns.read()?;
        let stat = (size.cast_unsigned(), modified, fingerprint.cast_unsigned());
        Ok(Self { stat, hash: ContentHash(columns.read()?) })
    }
}

pub(super) fn known_page(db: &Connection, path: &str) -> Result<Option<Known>> {
    let sql =
        "SELECT size, modified, fingerprint, hash FROM pages JOIN page_files USING (page) WHERE path = ?1";
    first(db, sql, [path])
}

/// Whether a page other than `path` has this hash.
fn has_page(db: &Connection, hash: ContentHash, path: &str) -> Result<bool> {
    any(db, "SELECT 1 FROM pages WHERE hash = ?1 AND path <> ?2", (hash.0, path))
}
