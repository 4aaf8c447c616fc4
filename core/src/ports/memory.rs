//! Ports in memory, for tests and for the browser.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Cache, CachedBytes, Clock, ContentHash, FileStat, Listing, PageFile, Source, WriteGuard, is_cache_name,
};
#[cfg(not(target_family = "wasm"))]
use super::{EntryKind, FolderEntry};
use crate::{Error, Result};

#[derive(Debug, Clone)]
struct Entry {
    bytes: Vec<u8>,
    modified: Timestamp,
    version: u64,
}

impl Entry {
    fn stat(&self) -> FileStat {
        FileStat { size: self.bytes.len() as u64, modified: self.modified, fingerprint: self.version }
    }
}

/// A reentrant lock for writing.
#[derive(Debug, Default)]
struct Turns {
    holder: Mutex<Option<(ThreadId, usize)>>,
    free: Condvar,
}

struct Turn<'a>(&'a Turns);

impl WriteGuard for Turn<'_> {}

impl Turns {
    fn take(&self) -> Turn<'_> {
        let me = std::thread::current().id();
        let mut holder = lock(&self.holder);
        loop {
            match &mut *holder {
                None => *holder = Some((me, 1)),
                Some((thread, depth)) if *thread == me => *depth += 1,
                Some(_) => {
                    holder = self.free.wait(holder).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            }
            return Turn(self);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut holder = lock(&self.0.holder);
        match &mut *holder {
            Some((_, depth)) if *depth > 1 => *depth -= 1,
            _ => *holder = None,
        }
        self.0.free.notify_one();
    }
}

/// Pages and sources in memory.
#[derive(Debug, Default)]
pub struct MemorySource {
    pages: Mutex<BTreeMap<String, Entry>>,
    sources: Mutex<BTreeMap<String, Entry>>,
    states: Mutex<BTreeMap<String, Vec<u8>>>,
    trash: Mutex<BTreeMap<String, Entry>>,
    writers: Turns,
    writes: AtomicU64,
    /// The pages folder, relative to the project, where attachments are.
    pages_dir: String,
}

impl MemorySource {
    /// The same source with the pages folder `pages_dir`, relative to the project.
    #[must_use]
    pub fn in_folder(self, pages_dir: &str) -> Self {
        Self { pages_dir: pages_dir.into(), ..self }
    }

    /// Where an attachment is in the project.
    fn attachment(&self, path: &str) -> String {
        crate::path::join(&self.pages_dir, path).unwrap_or_default()
    }

    /// A source with these pages, all modified at the epoch.
    pub fn with_pages<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let source = Self::default();
        for (path, text) in pages {
            source.put(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
        }
        source
    }

    /// Sets a page's content without checks.
    pub fn put(&self, path: &str, bytes: &[u8], modified: Timestamp) {
        let version = self.next_version();
        lock(&self.pages).insert(path.into(), Entry { bytes: bytes.into(), modified, version });
    }

    /// Sets a source file's content without checks.
    pub fn put_source(&self, path: &str, bytes: &[u8], modified: Timestamp) {
        let version = self.next_version();
        lock(&self.sources).insert(path.into(), Entry { bytes: bytes.into(), modified, version });
    }

    /// Removes a page.
    pub fn remove(&self, path: &str) {
        lock(&self.pages).remove(path);
    }

    /// Removes a source file.
    pub fn remove_source(&self, path: &str) {
        lock(&self.sources).remove(path);
    }

    /// Paths of the files in the trash.
    pub fn trash(&self) -> Vec<String> {
        lock(&self.trash).keys().cloned().collect()
    }

    fn next_version(&self) -> u64 {
        self.writes.fetch_add(1, Ordering::Relaxed) + 1
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn confined(path: &str, folder: &str) -> Result<()> {
    crate::path::is_inside(path)
        .then_some(())
        .ok_or_else(|| Error::OutsideProject { path: path.into(), folder: folder.into() })
}

fn not_found(path: &str) -> Error {
    Error::io(path, io::ErrorKind::NotFound.into())
}

impl Source for MemorySource {
    fn list(&self) -> Result<Listing> {
        let pages = lock(&self.pages)
            .iter()
            .map(|(path, entry)| PageFile { path: path.clone(), stat: entry.stat() })
            .collect();
        Ok(Listing { pages, unreadable: Vec::new() })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "pages")?;
        Ok(lock(&self.pages).get(path).map(Entry::stat))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "pages")?;
        lock(&self.pages).get(path).map(|entry| entry.bytes.clone()).ok_or_else(|| not_found(path))
    }

    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        confined(path, "pages")?;
        if !crate::path::can_be_page(path) {
            return Err(Error::not_a_page(path));
        }
        let version = self.next_version();
        let _turn = self.writers.take();
        let mut pages = lock(&self.pages);
        let found = pages.get(path).map(|entry| ContentHash::of(&entry.bytes));
        if found != expected {
            return Err(Error::conflict(path, expected, found));
        }
        let modified = pages.get(path).map_or(Timestamp::UNIX_EPOCH, |entry| entry.modified);
        pages.insert(path.into(), Entry { bytes: bytes.into(), modified, version });
        Ok(())
    }

    fn create_attachment(&self, path: &str, bytes: &[u8]) -> Result<()> {
        confined(path, "pages")?;
        if !crate::path::can_be_attachment(path) {
            return Err(Error::not_an_attachment(path));
        }
        let version = self.next_version();
        let _turn = self.writers.take();
        let mut sources = lock(&self.sources);
        let place = self.attachment(path);
        if let Some(there) = sources.get(&place) {
            return Err(Error::conflict(path, None, Some(ContentHash::of(&there.bytes))));
        }
        sources.insert(place, Entry { bytes: bytes.into(), modified: Timestamp::UNIX_EPOCH, version });
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn replace_attachment(&self, path: &str, bytes: &[u8], expected: ContentHash) -> Result<()> {
        confined(path, "pages")?;
        let version = self.next_version();
        let _turn = self.writers.take();
        let (mut sources, place) = (lock(&self.sources), self.attachment(path));
        let entry = taken(&sources, &place, expected)?;
        sources.insert(place, Entry { bytes: bytes.into(), version, ..entry });
        Ok(())
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "project")?;
        Ok(lock(&self.sources).get(path).map(Entry::stat))
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "project")?;
        lock(&self.sources).get(path).map(|entry| entry.bytes.clone()).ok_or_else(|| not_found(path))
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        let set = crate::globs::Globs::new(globs)?;
        Ok(lock(&self.sources).keys().filter(|path| set.is_match(path)).cloned().collect())
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        crate::path::require_state_file(name)?;
        Ok(lock(&self.states).get(name).cloned())
    }

    fn proposal_files(&self) -> Result<Vec<String>> {
        let states = lock(&self.states);
        Ok(states.keys().filter(|name| crate::path::is_proposal_file(name)).cloned().collect())
    }

    #[cfg(not(target_family = "wasm"))]
    fn session_files(&self) -> Result<Vec<String>> {
        let states = lock(&self.states);
        Ok(states.keys().filter(|name| crate::path::session_of_file(name).is_some()).cloned().collect())
    }

    #[cfg(not(target_family = "wasm"))]
    fn remove_session(&self, name: &str) -> Result<()> {
        crate::path::require_session_file(name)?;
        let _turn = self.writers.take();
        lock(&self.states).remove(name);
        Ok(())
    }

    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        crate::path::require_proposal_file(name)?;
        let _turn = self.writers.take();
        let mut states = lock(&self.states);
        let found = states.get(name).map(|bytes| ContentHash::of(bytes));
        if found != Some(expected) {
            return Err(Error::conflict(name, Some(expected), found));
        }
        states.remove(name);
        Ok(())
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        crate::path::require_state_file(name)?;
        let _turn = self.writers.take();
        let mut states = lock(&self.states);
        let found = states.get(name).map(|bytes| ContentHash::of(bytes));
        if found != expected {
            return Err(Error::conflict(name, expected, found));
        }
        states.insert(name.into(), bytes.into());
        Ok(())
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        Ok(Box::new(self.writers.take()))
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        confined(from, "pages")?;
        confined(to, "pages")?;
        let is_page = crate::path::is_page(from);
        if is_page && !crate::path::can_be_page(to) {
            return Err(Error::not_a_page(to));
        }
        if !is_page && !crate::path::can_be_attachment(to) {
            return Err(Error::not_an_attachment(to));
        }
        let version = self.next_version();
        let _turn = self.writers.take();
        let place = |path: &str| if is_page { path.to_owned() } else { self.attachment(path) };
        let mut files = lock(if is_page { &self.pages } else { &self.sources });
        let entry = taken(&files, &place(from), expected)?;
        if let Some(there) = files.get(&place(to)) {
            return Err(Error::conflict(to, None, Some(ContentHash::of(&there.bytes))));
        }
        files.remove(&place(from));
        files.insert(place(to), Entry { version, ..entry });
        Ok(())
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        confined(path, "pages")?;
        crate::path::require_in_trash(trash)?;
        let _turn = self.writers.take();
        let is_page = crate::path::is_page(path);
        let place = if is_page { path.to_owned() } else { self.attachment(path) };
        let mut files = lock(if is_page { &self.pages } else { &self.sources });
        let mut bin = lock(&self.trash);
        let entry = taken(&files, &place, expected)?;
        if let Some(there) = bin.get(trash) {
            return Err(Error::conflict(trash, None, Some(ContentHash::of(&there.bytes))));
        }
        files.remove(&place);
        bin.insert(trash.into(), entry);
        Ok(())
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        confined(path, "pages")?;
        crate::path::require_in_trash(trash)?;
        let is_page = crate::path::can_be_page(path);
        if !is_page && !crate::path::can_be_attachment(path) {
            return Err(Error::not_a_page(path));
        }
        let version = self.next_version();
        let _turn = self.writers.take();
        let place = if is_page { path.to_owned() } else { self.attachment(path) };
        let mut files = lock(if is_page { &self.pages } else { &self.sources });
        let mut bin = lock(&self.trash);
        if !bin.contains_key(trash) {
            return Err(not_found(trash));
        }
        let entry = taken(&bin, trash, expected)?;
        if let Some(there) = files.get(&place) {
            return Err(Error::conflict(path, None, Some(ContentHash::of(&there.bytes))));
        }
        bin.remove(trash);
        files.insert(place, Entry { version, ..entry });
        Ok(())
    }

    #[cfg(not(target_family = "wasm"))]
    fn entries(&self, folder: &str) -> Result<Option<Vec<FolderEntry>>> {
        let mut found = BTreeMap::new();
        let mut add = |path: &str| {
            let inside =
                if folder.is_empty() { Some(path) } else { path.strip_prefix(&format!("{folder}/")) };
            match inside.map(|inside| inside.split_once('/').ok_or(inside)) {
                Some(Ok((name, _))) => drop(found.insert(name.to_owned(), EntryKind::Folder)),
                Some(Err(name)) => drop(found.insert(name.to_owned(), EntryKind::File)),
                None => {}
            }
        };
        lock(&self.pages).keys().for_each(|page| add(page));
        let below = self.attachment("");
        let is_below = |file: &&String| crate::path::is_below(file, &below);
        for file in lock(&self.sources).keys().filter(is_below) {
            add(file.get(below.len()..).unwrap_or_default().trim_start_matches('/'));
        }
        let entries = found.into_iter().map(|(name, kind)| FolderEntry { name, kind }).collect::<Vec<_>>();
        Ok(Some(entries).filter(|entries| folder.is_empty() || !entries.is_empty()))
    }

    #[cfg(not(target_family = "wasm"))]
    fn move_unlisted(&self, from: &str, to: &str) -> Result<()> {
        confined(from, "pages")?;
        confined(to, "pages")?;
        let _turn = self.writers.take();
        let (from_file, to_file) = (self.attachment(from), self.attachment(to));
        let mut files = lock(&self.sources);
        let below =
            |path: &str| files.keys().filter(|file| crate::path::is_below(file, path)).cloned().collect();
        let (moved, there): (Vec<String>, Vec<String>) = (below(&from_file), below(&to_file));
        if moved.is_empty() {
            return Err(not_found(from));
        }
        if !there.is_empty() {
            return Err(Error::io(to, io::ErrorKind::AlreadyExists.into()));
        }
        for file in moved {
            if let Some(entry) = files.remove(&file) {
                files.insert(format!("{to_file}{}", &file[from_file.len()..]), entry);
            }
        }
        Ok(())
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        crate::path::require_record_file(name)?;
        let _turn = self.writers.take();
        let mut states = lock(&self.states);
        let record = states.entry(name.into()).or_default();
        if !record.is_empty() && !record.ends_with(b"\n") {
            record.push(b'\n');
        }
        record.extend_from_slice(lines);
        Ok(())
    }

    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        crate::path::require_note_file(name)?;
        lock(&self.states).entry(name.into()).or_default().extend_from_slice(lines);
        Ok(())
    }
}

/// The file at `path`, if it has the hash `expected`.
fn taken(files: &BTreeMap<String, Entry>, path: &str, expected: ContentHash) -> Result<Entry> {
    let entry = files.get(path);
    let found = entry.map(|entry| ContentHash::of(&entry.bytes));
    match entry {
        Some(entry) if found == Some(expected) => Ok(entry.clone()),
        _ => Err(Error::conflict(path, Some(expected), found)),
    }
}

/// A clock that always shows the same time, with consecutive identifiers.
#[derive(Debug)]
pub struct FixedClock {
    now: Timestamp,
    ids: AtomicU64,
}

impl FixedClock {
    /// A clock that always returns `now`.
    pub fn at(now: Timestamp) -> Self {
        Self { now, ids: AtomicU64::new(0) }
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn monotonic_micros(&self) -> u64 {
        0
    }

    fn new_id(&self) -> Uuid {
        let count = self.ids.fetch_add(1, Ordering::Relaxed);
        let millis = u64::try_from(self.now.as_millisecond()).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(
            millis,
            &[&[0; 2][..], &count.to_be_bytes()].concat().try_into().unwrap_or([0; 10]),
        )
        .into_uuid()
    }
}

/// A cache that exists as long as this value.
#[derive(Debug, Default)]
pub struct MemoryCache(Mutex<BTreeMap<String, Arc<Vec<u8>>>>);

impl Cache for MemoryCache {
    fn get(&self, name: &str) -> Option<CachedBytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(name).map(|bytes| bytes.clone() as CachedBytes)
    }

    fn put(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
    ) -> Option<CachedBytes> {
        if !is_cache_name(name) {
            return None;
        }
        let mut bytes = Vec::new();
        write(&mut bytes).ok()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.entry(name.into()).or_insert_with(|| Arc::new(bytes)).clone() as CachedBytes)
    }
}
