//! The files of a project without those that an author must not see.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::path as paths;
use ubp_core::ports::{ContentHash, FileStat, Listing, PageElsewhere, PageFile, Source, WriteGuard};
use ubp_core::{Error, Result};

use super::records;

/// A source in which hidden files do not exist.
pub struct VisibleSource<S> {
    inner: S,
    rights: Arc<AuthorRights>,
    pages_dir: String,
    /// Whether a listed page and the file behind it are visible, for a state of the page.
    known: Mutex<HashMap<String, (FileStat, bool)>>,
}

impl<S: Source> VisibleSource<S> {
    pub(super) fn new(inner: S, rights: Arc<AuthorRights>, pages_dir: &str) -> Self {
        Self { inner, rights, pages_dir: pages_dir.to_owned(), known: Mutex::default() }
    }

    /// Whether a page or attachment is visible, by its name.
    fn names(&self, path: &str) -> bool {
        self.rights.page(path) > Right::Hide
    }

    /// The same, also by the name of the file that is read there: the path may be a symbolic link to it, or another
    /// spelling.
    fn shows(&self, path: &str) -> Result<bool> {
        match paths::join(&self.pages_dir, path) {
            Some(file) => Ok(self.names(path) && self.shows_real(&file)?),
            None => Ok(false),
        }
    }

    /// Whether a file of the project is visible.
    fn shows_file(&self, path: &str) -> Result<bool> {
        Ok(self.rights.file(path) > Right::Hide && self.shows_real(path)?)
    }

    fn shows_real(&self, path: &str) -> Result<bool> {
        match self.inner.real_source(path) {
            Ok(Some(real)) => Ok(self.rights.file(&real) > Right::Hide),
            // The call itself reports it.
            Ok(None) | Err(Error::OutsideProject { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Whether a listed page is visible.
    fn lists(&self, page: &PageFile) -> Result<bool> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((stat, shows)) = known.get(&page.path)
            && *stat == page.stat
        {
            return Ok(*shows);
        }
        let shows = self.shows(&page.path)?;
        known.insert(page.path.clone(), (page.stat, shows));
        Ok(shows)
    }

    /// Refuses to write where the author sees nothing, in the same words whether the file exists or not.
    fn require(&self, path: &str) -> Result<()> {
        if self.shows(path)? { Ok(()) } else { Err(self.rights.no_access(path)) }
    }
}

fn not_found(path: &str) -> Error {
    Error::io(path, io::ErrorKind::NotFound.into())
}

impl<S: Source> Source for VisibleSource<S> {
    fn list(&self) -> Result<Listing> {
        let Listing { pages, unreadable } = self.inner.list()?;
        let mut visible = Vec::with_capacity(pages.len());
        for page in pages {
            if self.lists(&page)? {
                visible.push(page);
            }
        }
        let unreadable = unreadable.into_iter().filter(|file| self.names(&file.path)).collect();
        Ok(Listing { pages: visible, unreadable })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        if self.shows(path)? { self.inner.stat(path) } else { Ok(None) }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        if self.shows(path)? { self.inner.read(path) } else { Err(not_found(path)) }
    }

    fn page_path(&self, absolute: &str) -> Option<String> {
        self.inner.page_path(absolute)
    }

    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        self.require(path)?;
        self.inner.write(path, bytes, expected)
    }

    fn check_writable(&self, path: &str) -> Result<()> {
        self.require(path)?;
        self.inner.check_writable(path)
    }

    fn create_attachment(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.require(path)?;
        self.inner.create_attachment(path, bytes)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        if self.shows_file(path)? { self.inner.stat_source(path) } else { Ok(None) }
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        if self.shows_file(path)? { self.inner.read_source(path) } else { Err(not_found(path)) }
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        let mut files = Vec::new();
        for file in self.inner.match_sources(globs)? {
            if self.shows_file(&file)? {
                files.push(file);
            }
        }
        Ok(files)
    }

    fn sized_sources(&self, globs: &[String]) -> Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for (file, size) in self.inner.sized_sources(globs)? {
            if self.shows_file(&file)? {
                files.push((file, size));
            }
        }
        Ok(files)
    }

    fn real_source(&self, path: &str) -> Result<Option<String>> {
        if self.shows_file(path)? { self.inner.real_source(path) } else { Ok(None) }
    }

    fn pages_elsewhere(&self, named: &[(String, String)]) -> Vec<Option<PageElsewhere>> {
        self.inner.pages_elsewhere(named)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let bytes = self.inner.read_state(name)?;
        Ok(bytes.and_then(|bytes| records::visible(&self.rights, name, bytes)))
    }

    fn proposal_files(&self) -> Result<Vec<String>> {
        let mut visible = Vec::new();
        for name in self.inner.proposal_files()? {
            if self.read_state(&name)?.is_some() {
                visible.push(name);
            }
        }
        Ok(visible)
    }

    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        self.inner.remove_proposal(name, expected)
    }

    fn state_lines(&self, name: &str, look: &mut dyn FnMut(&[u8])) -> Result<u64> {
        // The default of the port, over the visible lines.
        let bytes = self.read_state(name)?.unwrap_or_default();
        bytes.split(|&byte| byte == b'\n').for_each(look);
        Ok(bytes.len() as u64)
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _held = self.inner.lock()?;
        let whole = self.inner.read_state(name)?;
        let seen = whole.clone().and_then(|whole| records::visible(&self.rights, name, whole));
        let found = seen.as_deref().map(ContentHash::of);
        if found != expected {
            return Err(Error::conflict(format!(".ubp/{name}"), expected, found));
        }
        let merged = match &whole {
            Some(whole) => records::merged(&self.rights, name, whole, bytes)?,
            None => bytes.to_vec(),
        };
        self.inner.write_state(name, &merged, whole.as_deref().map(ContentHash::of))
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        self.inner.lock()
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        self.require(from)?;
        self.require(to)?;
        self.inner.rename(from, to, expected)
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        self.require(path)?;
        self.inner.discard(path, trash, expected)
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        self.require(path)?;
        self.inner.restore(trash, path, expected)
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        self.inner.append(name, lines)
    }

    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        self.inner.note(name, lines)
    }
}
