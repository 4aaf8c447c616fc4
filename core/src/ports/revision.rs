//! A project at a commit: read-only files, and a history that ends at the commit.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::{CommittedFile, ContentHash, FileStat, History, Listing, PageFile, Source, SourceChange};
use crate::globs::Globs;
use crate::{Error, Result, path, word};

/// File contents from a history, by content hash; commits with common files share them.
#[derive(Debug, Default)]
pub struct Blobs(Mutex<HashMap<String, Arc<[u8]>>>);

impl Blobs {
    fn get(&self, id: &str) -> Option<Arc<[u8]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    fn put(&self, id: &str, bytes: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.into(), bytes.into());
    }
}

/// The files of a project at a commit.
pub struct RevisionSource<'a> {
    history: &'a dyn History,
    blobs: &'a Blobs,
    files: BTreeMap<String, CommittedFile>,
    pages_dir: String,
    templates: Option<String>,
}

impl<'a> RevisionSource<'a> {
    /// `files` is the result of [`History::files_at`]; `pages_dir` is relative to the project, and empty if it is the
    /// project itself.
    pub fn new(
        history: &'a dyn History,
        blobs: &'a Blobs,
        files: BTreeMap<String, CommittedFile>,
        pages_dir: &str,
    ) -> Self {
        Self { history, blobs, files, pages_dir: pages_dir.into(), templates: None }
    }

    /// The same, but files in `folder`, relative to the pages folder, are templates.
    #[must_use]
    pub fn with_templates_in(self, folder: Option<&str>) -> Self {
        Self { templates: folder.map(str::to_owned), ..self }
    }

    fn can_be_page(&self, page: &str) -> bool {
        let is_template = |folder: &str| path::is_below(page, folder);
        path::can_be_page(page) && !self.templates.as_deref().is_some_and(is_template)
    }

    /// Every file of the project.
    pub fn files(&self) -> &BTreeMap<String, CommittedFile> {
        &self.files
    }

    /// Reads these files of the project in one step, which is faster than one by one.
    ///
    /// # Errors
    /// As [`History::contents`].
    pub fn load<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Result<()> {
        let mut wanted: Vec<(&str, &str)> = paths
            .into_iter()
            .filter_map(|path| self.files.get_key_value(path))
            .map(|(path, file)| (path.as_str(), file.id.as_str()))
            .filter(|(_, id)| self.blobs.get(id).is_none())
            .collect();
        wanted.sort_unstable_by_key(|&(_, id)| id);
        wanted.dedup_by_key(|&mut (_, id)| id);
        for (bytes, (_, id)) in self.history.contents(&wanted)?.into_iter().zip(&wanted) {
            if let Some(bytes) = bytes {
                self.blobs.put(id, bytes);
            }
        }
        Ok(())
    }

    /// Reads all pages in one step.
    ///
    /// # Errors
    /// As [`History::contents`].
    pub fn load_pages(&self) -> Result<()> {
        self.load(self.pages().map(|(_, path, _)| path))
    }

    /// Path relative to the pages folder, path relative to the project, and file of every page.
    fn pages(&self) -> impl Iterator<Item = (&str, &str, &CommittedFile)> {
        self.files.iter().filter_map(|(path, file)| {
            let page = self.below_pages(path)?;
            // Ignore rules that match the pages folder itself do not apply to its pages.
            let ignored = file.ignored.as_deref().is_some_and(|place| self.below_pages(place).is_some());
            (self.can_be_page(page) && !ignored).then_some((page, path.as_str(), file))
        })
    }

    fn below_pages<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.pages_dir.is_empty() {
            return Some(path);
        }
        path.strip_prefix(&self.pages_dir)?.strip_prefix('/')
    }

    fn page(&self, page: &str) -> Option<(String, &CommittedFile)> {
        let path = path::join(&self.pages_dir, page)?;
        let file = self.files.get(&path)?;
        let ignored = file.ignored.as_deref().is_some_and(|place| self.below_pages(place).is_some());
        (self.can_be_page(page) && !ignored).then_some((path, file))
    }

    fn source(&self, path: &str) -> Option<&CommittedFile> {
        self.files.get(path).filter(|_| !path::is_private(path))
    }

    fn bytes(&self, path: &str, file: &CommittedFile) -> Result<Vec<u8>> {
        if self.blobs.get(&file.id).is_none() {
            self.load([path])?;
        }
        self.blobs.get(&file.id).map(|bytes| bytes.to_vec()).ok_or_else(|| {
            let words = word!("its content at that commit is not on this machine");
            Error::io(path, io::Error::new(io::ErrorKind::NotFound, words))
        })
    }
}

fn state(file: &CommittedFile) -> FileStat {
    let digest = ContentHash::of(file.id.as_bytes());
    let fingerprint = digest.0.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
    FileStat { size: file.size, modified: Timestamp::UNIX_EPOCH, fingerprint }
}

fn confined(path: &str, folder: &str) -> Result<()> {
    path::is_inside(path)
        .then_some(())
        .ok_or_else(|| Error::OutsideProject { path: path.into(), folder: folder.into() })
}

fn not_found(path: &str) -> Error {
    Error::io(path, io::ErrorKind::NotFound.into())
}

impl Source for RevisionSource<'_> {
    fn list(&self) -> Result<Listing> {
        let mut pages: Vec<PageFile> =
            self.pages().map(|(page, _, file)| PageFile { path: page.into(), stat: state(file) }).collect();
        pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(Listing { pages, unreadable: Vec::new() })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "pages")?;
        Ok(self.page(path).map(|(_, file)| state(file)))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "pages")?;
        let (path, file) = self.page(path).ok_or_else(|| not_found(path))?;
        self.bytes(&path, file)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "project")?;
        Ok(self.source(path).map(state))
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "project")?;
        let file = self.source(path).ok_or_else(|| not_found(path))?;
        self.bytes(path, file)
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        let set = Globs::new(globs)?;
        let files = self.files.iter().filter(|(path, file)| {
            file.ignored.is_none() && path::is_listed_source(path) && set.is_match(path)
        });
        Ok(files.map(|(path, _)| path.clone()).collect())
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        path::require_state_file(name)?;
        let path = format!(".ubp/{name}");
        self.files.get(&path).map(|file| self.bytes(&path, file)).transpose()
    }
}

/// A history that ends with a commit.
pub struct RevisionHistory<'a> {
    /// The complete history.
    pub history: &'a dyn History,
    /// Full hash of the last commit.
    pub commit: &'a str,
}

impl History for RevisionHistory<'_> {
    fn head(&self) -> Result<Option<String>> {
        Ok(Some(self.commit.into()))
    }

    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.history.last_changes_at(self.commit, paths)
    }
}

#[cfg(test)]
mod tests;
