//! Comparing only the pages that are known to have changed. In a large project, listing all files takes most of the
//! time of a refresh.

use std::collections::HashMap;

use rusqlite::Connection;

use super::refresh::{Known, stat_row};
use super::statement::{any, first};
use crate::Result;
use crate::ports::{ContentHash, Listing, PageFile, Source};

/// The indexed state and the files of these pages. `None` if all pages have to be compared: a page that was added or
/// removed may have moved, and one with the same text as another may be a link to the same file.
pub(super) fn alone(
    db: &Connection,
    source: &dyn Source,
    paths: &[String],
) -> Result<Option<(HashMap<String, Known>, Listing)>> {
    let mut known = HashMap::new();
    let mut listing = Listing::default();
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
                listing.pages.push(PageFile { path: path.clone(), stat });
            }
            (Some(before), Some(stat)) => {
                if before.stat != stat_row(stat) && has_page(db, before.hash, path)? {
                    return Ok(None);
                }
                known.insert(path.clone(), before);
                listing.pages.push(PageFile { path: path.clone(), stat });
            }
        }
    }
    listing.pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.pages.dedup_by(|a, b| a.path == b.path);
    Ok(Some((known, listing)))
}

pub(super) fn known_page(db: &Connection, path: &str) -> Result<Option<Known>> {
    first(db, "SELECT size, modified, fingerprint, hash FROM pages WHERE path = ?1", [path])
}

/// Whether a page other than `path` has this hash.
fn has_page(db: &Connection, hash: ContentHash, path: &str) -> Result<bool> {
    any(db, "SELECT 1 FROM pages WHERE hash = ?1 AND path <> ?2", (hash.0, path))
}
