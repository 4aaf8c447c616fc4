//! Moves pages and attachments: to another path, to the trash and back. Never overwrites a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::message;
use ubp_core::ports::ContentHash;
use ubp_core::{Error, Result, path as paths};

use super::{DiskSource, confined, found_at, not_found};
use crate::atomic;

impl DiskSource {
    /// As [`ubp_core::ports::Source::rename`], with the lock held.
    pub(super) fn move_page(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        let source = self.movable(from, expected)?;
        let is_page = paths::is_page(from);
        let target = if is_page { self.destination(to)? } else { self.attachment_destination(to)? };
        // On a case-insensitive disk, a page blocks its own new spelling.
        let same = is_same_file(&source, &target);
        if let (false, Some(there)) = (same, found_at(&target, to)?) {
            return Err(Error::conflict(to, None, Some(there)));
        }
        if same && from == to {
            return Ok(());
        }
        let moved = if same { fs::rename(&source, &target) } else { atomic::relocate(&source, &target) };
        moved.map_err(|error| taken_or(error, to, &target))
    }

    /// As [`ubp_core::ports::Source::discard`], with the lock held.
    pub(super) fn discard_page(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        let target = self.in_trash(trash)?;
        let source = self.movable(path, expected)?;
        atomic::relocate(&source, &target).map_err(|error| taken_or(error, trash, &target))
    }

    /// As [`ubp_core::ports::Source::restore`], with the lock held.
    pub(super) fn restore_page(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        let source = self.in_trash(trash)?;
        let is_page = paths::is_page(path);
        let target = if is_page { self.destination(path)? } else { self.attachment_destination(path)? };
        let found = found_at(&source, trash)?.ok_or_else(|| not_found(trash))?;
        if found != expected {
            return Err(Error::conflict(trash, Some(expected), Some(found)));
        }
        if let Some(there) = found_at(&target, path)? {
            return Err(Error::conflict(path, None, Some(there)));
        }
        atomic::relocate(&source, &target).map_err(|error| taken_or(error, path, &target))?;
        // Remove empty folders.
        let top = self.root.join(".ubp/trash");
        for folder in source.ancestors().skip(1).take_while(|folder| *folder != top) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The real path of the page or attachment at `path`, if it has the expected hash and can be moved.
    fn movable(&self, path: &str, expected: ContentHash) -> Result<PathBuf> {
        confined(path, "pages")?;
        let missing = || Error::conflict(path, Some(expected), None);
        let (real, lexical) = if paths::is_page(path) {
            (self.resolve(path)?.ok_or_else(missing)?.0, self.destination(path)?)
        } else {
            let real = self.attachment_destination(path)?;
            (real.clone(), real)
        };
        if lexical != real || fs::symlink_metadata(&real).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(is_link(path));
        }
        let at_name = super::join(&self.pages, path);
        if fs::symlink_metadata(&at_name).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(is_link(path));
        }
        let found = found_at(&real, path)?;
        if found != Some(expected) {
            return Err(Error::conflict(path, Some(expected), found));
        }
        Ok(real)
    }

    fn in_trash(&self, trash: &str) -> Result<PathBuf> {
        paths::require_in_trash(trash)?;
        let outside =
            || Error::OutsideProject { path: format!(".ubp/trash/{trash}"), folder: "project".into() };
        let mut place = self.root.join(".ubp");
        for part in std::iter::once("trash").chain(trash.split('/')) {
            if fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(outside());
            }
            place.push(part);
        }
        if fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(outside());
        }
        Ok(place)
    }
}

fn is_link(path: &str) -> Error {
    Error::invalid(message!(
        "'{path}' is a symbolic link; move or delete it yourself, or use the path of its target",
        path
    ))
}

fn taken_or(error: io::Error, path: &str, target: &Path) -> Error {
    match (error.kind(), found_at(target, path)) {
        (io::ErrorKind::AlreadyExists, Ok(found @ Some(_))) => Error::conflict(path, None, found),
        _ => Error::io(path, error),
    }
}

#[cfg(unix)]
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path| fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    // Hard links are two pages with two folder entries; two spellings of one name share an entry.
    let one_entry = a.parent() != b.parent() || !lists(a, b);
    one_entry && matches!((id(a), id(b)), (Ok(a), Ok(b)) if a == b) && folds_alike(a, b)
}

#[cfg(not(unix))]
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path| fs::canonicalize(path);
    matches!((real(a), real(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether their folder lists both names.
#[cfg(unix)]
fn lists(a: &Path, b: &Path) -> bool {
    let Some(entries) = a.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return false };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    [a, b]
        .into_iter()
        .all(|path| path.file_name().is_some_and(|name| names.iter().any(|found| found == name)))
        && a != b
}

#[cfg(unix)]
fn folds_alike(a: &Path, b: &Path) -> bool {
    let fold = |path: &Path| ubp_core::text::fold_key(&path.to_string_lossy());
    fold(a) == fold(b)
}
