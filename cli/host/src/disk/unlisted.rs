//! What folders contain that listings leave out, and moving it as it is.

use std::fs;
use std::io;
use std::path::PathBuf;

use ubp_core::message;
use ubp_core::ports::{EntryKind, FolderEntry};
use ubp_core::{Error, Result, path as paths};

use super::moving::is_same_file;
use super::{DiskSource, confined, join, real_ancestor};
use crate::atomic;

impl DiskSource {
    /// As [`ubp_core::ports::Source::entries`].
    pub(super) fn all_entries(&self, folder: &str) -> Result<Option<Vec<FolderEntry>>> {
        let place = match folder {
            "" => self.pages.clone(),
            _ => match self.plain_place(folder) {
                // It is listed elsewhere, if at all.
                Err(Error::OutsideProject { .. }) if paths::is_inside(folder) => return Ok(None),
                place => place?,
            },
        };
        let failed = |error| Error::io(folder, error);
        match fs::symlink_metadata(&place) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Ok(None),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        }
        let mut found = Vec::new();
        for entry in fs::read_dir(&place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().into_string().map_err(|name| {
                let name = name.to_string_lossy();
                Error::invalid(message!("{folder}/{name}: the name is not valid Unicode", folder, name))
            })?;
            let kind = entry.file_type().map_err(failed)?;
            let kind = if kind.is_symlink() {
                let target = fs::read_link(entry.path()).map_err(failed)?;
                EntryKind::Link(target.to_string_lossy().into_owned())
            } else if kind.is_dir() {
                EntryKind::Folder
            } else {
                EntryKind::File
            };
            found.push(FolderEntry { name, kind });
        }
        found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(found))
    }

    /// As [`ubp_core::ports::Source::move_unlisted`], with the lock held.
    pub(super) fn move_whole(&self, from: &str, to: &str) -> Result<()> {
        let (source, target) = (self.plain_place(from)?, self.plain_place(to)?);
        fs::symlink_metadata(&source).map_err(|error| Error::io(from, error))?;
        // Another spelling of the same name, on a disk that ignores case.
        if is_same_file(&source, &target) && source != target {
            return fs::rename(&source, &target).map_err(|error| Error::io(to, error));
        }
        atomic::relocate_whole(&source, &target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::io(to, error),
            _ => Error::io(from, error),
        })
    }

    /// As [`ubp_core::ports::Source::remove_empty_folder`], with the lock held.
    pub(super) fn remove_folder(&self, folder: &str) -> Result<()> {
        match fs::remove_dir(self.plain_place(folder)?) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::DirectoryNotEmpty
                ) =>
            {
                Err(Error::io(folder, error))
            }
            _ => Ok(()),
        }
    }

    /// Where a path is on disk, which may not exist. Neither it nor a folder above it belongs to git or UBP, and no folder
    /// above it is a symbolic link.
    fn plain_place(&self, path: &str) -> Result<PathBuf> {
        confined(path, "pages")?;
        let outside = || Error::OutsideProject { path: path.into(), folder: "pages".into() };
        if !paths::is_normal(path) || paths::is_private(path) {
            return Err(outside());
        }
        let place = join(&self.pages, path);
        let above = place.parent().unwrap_or(&self.pages);
        match real_ancestor(above) {
            Ok((folder, real)) if folder == real => Ok(place),
            Ok(_) => Err(outside()),
            // A file is where a folder would be.
            Err(error) => Err(Error::io(path, error)),
        }
    }
}
