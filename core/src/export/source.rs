//! The published part of a project as a source: its public pages, and those of its other files that may be
//! shown. It is read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use jiff::Timestamp;
use rusqlite::Connection;

use crate::globs::Globs;
use crate::index::questions::sites;
use crate::ports::{FileStat, Listing, PageFile, Source};
use crate::{Error, Result, path};

/// The files other than pages.
pub(super) enum Files<'a> {
    /// The files of a project except for `without`: files, and folders with their content.
    Project { source: &'a dyn Source, without: BTreeSet<String> },
    /// The files that a site shows, with their sizes in bytes. Only the site's host has their content.
    Shown(BTreeMap<String, u64>),
}

/// Public pages with their texts, and the files that they show.
pub struct PublicSource<'a> {
    pages: BTreeMap<String, (FileStat, Vec<u8>)>,
    files: Files<'a>,
}

impl<'a> PublicSource<'a> {
    pub(super) fn new(pages: BTreeMap<String, (FileStat, Vec<u8>)>, files: Files<'a>) -> Self {
        Self { pages, files }
    }

    /// The pages and their texts, by path.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.pages.iter().map(|(path, (_, bytes))| (path.as_str(), bytes.as_slice()))
    }
}

impl PublicSource<'static> {
    /// The source of a site's database.
    ///
    /// # Errors
    /// [`Error::Database`], also for a database that is not that of a site.
    pub fn of_site(db: &Connection) -> Result<Self> {
        let pages = sites::files(db)?.into_iter().map(|(path, nanoseconds, bytes)| {
            let modified = Timestamp::from_nanosecond(i128::from(nanoseconds)).unwrap_or_default();
            let stat = FileStat { size: bytes.len() as u64, modified, fingerprint: FINGERPRINT };
            (path, (stat, bytes))
        });
        let shown = sites::attachments(db)?.into_iter().map(|(path, size)| (path, size.unsigned_abs()));
        Ok(Self::new(pages.collect(), Files::Shown(shown.collect())))
    }
}

/// Marks a file's state as reliable. Without a fingerprint, recent modification times would be doubted.
pub(super) const FINGERPRINT: u64 = 1;

fn confined(path: &str, folder: &str) -> Result<()> {
    path::is_inside(path)
        .then_some(())
        .ok_or_else(|| Error::OutsideProject { path: path.into(), folder: folder.into() })
}

fn not_found(path: &str) -> Error {
    Error::io(path, io::ErrorKind::NotFound.into())
}

/// Whether `without` contains the file or a folder above it.
fn is_without(without: &BTreeSet<String>, file: &str) -> bool {
    let mut above = file;
    loop {
        if without.contains(above) {
            return true;
        }
        match above.rsplit_once('/') {
            Some((folder, _)) => above = folder,
            None => return false,
        }
    }
}

impl Source for PublicSource<'_> {
    fn list(&self) -> Result<Listing> {
        let pages = self.pages.iter().map(|(path, (stat, _))| PageFile { path: path.clone(), stat: *stat });
        Ok(Listing { pages: pages.collect(), unreadable: Vec::new() })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "pages")?;
        Ok(self.pages.get(path).map(|(stat, _)| *stat))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "pages")?;
        self.pages.get(path).map(|(_, bytes)| bytes.clone()).ok_or_else(|| not_found(path))
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "project")?;
        match &self.files {
            Files::Project { without, .. } if is_without(without, path) => Ok(None),
            Files::Project { source, .. } => source.stat_source(path),
            Files::Shown(shown) => Ok(shown.get(path).map(|&size| FileStat {
                size,
                modified: Timestamp::UNIX_EPOCH,
                fingerprint: FINGERPRINT,
            })),
        }
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "project")?;
        match &self.files {
            Files::Project { source, without } if !is_without(without, path) => source.read_source(path),
            _ => Err(not_found(path)),
        }
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        match &self.files {
            Files::Project { source, without } => {
                let mut found = source.match_sources(globs)?;
                found.retain(|file| !is_without(without, file));
                Ok(found)
            }
            Files::Shown(shown) => {
                let set = Globs::new(globs)?;
                Ok(shown.keys().filter(|file| set.is_match(file)).cloned().collect())
            }
        }
    }

    /// Reviews, decisions and the audit log are not published.
    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        path::require_state_file(name)?;
        Ok(None)
    }
}
