//! A source whose files fail on demand, to test disk errors without a faulty disk.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use ubp_core::message;
use ubp_core::ports::{ContentHash, FileStat, FolderEntry, Listing, Source, Unreadable, WriteGuard};
use ubp_core::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    List,
    Read,
    Write,
}

/// A source with injected errors on chosen paths. Read errors apply to pages and source files; file states and listings
/// are not affected.
#[derive(Debug, Default)]
pub struct FaultySource<S> {
    inner: S,
    faults: Mutex<BTreeMap<(Access, String), io::ErrorKind>>,
}

impl<S: Source> FaultySource<S> {
    /// `inner` without errors.
    pub fn new(inner: S) -> Self {
        Self { inner, faults: Mutex::default() }
    }

    /// The source without errors.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Makes reads of `path` fail.
    pub fn break_read(&self, path: &str, kind: io::ErrorKind) {
        self.set(Access::Read, path, kind);
    }

    /// Makes writes of `path` fail and leave the page unchanged.
    pub fn break_write(&self, path: &str, kind: io::ErrorKind) {
        self.set(Access::Write, path, kind);
    }

    /// Makes listings skip `path` and report it.
    pub fn break_list(&self, path: &str, kind: io::ErrorKind) {
        self.set(Access::List, path, kind);
    }

    /// Removes all errors.
    pub fn mend(&self) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn set(&self, access: Access, path: &str, kind: io::ErrorKind) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.insert((access, path.into()), kind);
    }

    fn fault(&self, access: Access, path: &str) -> Option<io::Error> {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.get(&(access, path.to_string())).map(|&kind| kind.into())
    }

    fn check(&self, access: Access, path: &str) -> Result<()> {
        self.fault(access, path).map_or(Ok(()), |error| Err(Error::io(path, error)))
    }
}

impl<S: Source> Source for FaultySource<S> {
    fn list(&self) -> Result<Listing> {
        let mut listing = self.inner.list()?;
        let unreadable = &mut listing.unreadable;
        listing.pages.retain(|page| match self.fault(Access::List, &page.path) {
            Some(error) => {
                unreadable.push(Unreadable { path: page.path.clone(), reason: message!("{error}", error) });
                false
            }
            None => true,
        });
        Ok(listing)
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        self.inner.stat(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.check(Access::Read, path)?;
        self.inner.read(path)
    }

    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.write(path, bytes, expected)
    }

    fn create_attachment(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.create_attachment(path, bytes)
    }

    fn replace_attachment(&self, path: &str, bytes: &[u8], expected: ContentHash) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.replace_attachment(path, bytes, expected)
    }

    fn check_writable(&self, path: &str) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.check_writable(path)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        self.inner.stat_source(path)
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        self.check(Access::Read, path)?;
        self.inner.read_source(path)
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        self.inner.match_sources(globs)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.check(Access::Read, name)?;
        self.inner.read_state(name)
    }

    fn proposal_files(&self) -> Result<Vec<String>> {
        self.inner.proposal_files()
    }

    fn session_files(&self) -> Result<Vec<String>> {
        self.inner.session_files()
    }

    fn remove_session(&self, name: &str) -> Result<()> {
        self.check(Access::Write, name)?;
        self.inner.remove_session(name)
    }

    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        self.check(Access::Write, name)?;
        self.inner.remove_proposal(name, expected)
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        self.check(Access::Write, name)?;
        self.inner.write_state(name, bytes, expected)
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        self.inner.lock()
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        self.check(Access::Write, from)?;
        self.check(Access::Write, to)?;
        self.inner.rename(from, to, expected)
    }

    fn entries(&self, folder: &str) -> Result<Option<Vec<FolderEntry>>> {
        self.inner.entries(folder)
    }

    fn move_unlisted(&self, from: &str, to: &str) -> Result<()> {
        self.check(Access::Write, from)?;
        self.check(Access::Write, to)?;
        self.inner.move_unlisted(from, to)
    }

    fn remove_empty_folder(&self, folder: &str) -> Result<()> {
        self.inner.remove_empty_folder(folder)
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.discard(path, trash, expected)
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        self.check(Access::Write, path)?;
        self.inner.restore(trash, path, expected)
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        self.check(Access::Write, name)?;
        self.inner.append(name, lines)
    }

    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        self.check(Access::Write, name)?;
        self.inner.note(name, lines)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ubp_core::hint::Commands;
    use ubp_core::ports::MemorySource;

    #[test]
    fn only_paths_with_injected_errors_fail_until_the_errors_are_removed() {
        let source = FaultySource::new(MemorySource::with_pages([("a.md", "a"), ("b.md", "b")]));
        source.break_read("a.md", io::ErrorKind::PermissionDenied);
        source.break_write("b.md", io::ErrorKind::StorageFull);
        source.break_list("b.md", io::ErrorKind::Other);

        assert_eq!(source.read("a.md").unwrap_err().code(), "io");
        assert_eq!(source.read("b.md").unwrap(), b"b");
        let hash = Some(ContentHash::of(b"b"));
        let error = source.write("b.md", b"new", hash).unwrap_err();
        assert!(error.hint().unwrap().told(&Commands).contains("disk space"));
        assert_eq!(source.read("b.md").unwrap(), b"b");
        let listing = source.list().unwrap();
        assert_eq!(listing.pages.len(), 1);
        assert_eq!(listing.unreadable[0].path, "b.md");

        source.mend();
        source.write("b.md", b"new", hash).unwrap();
        assert_eq!(source.inner().read("b.md").unwrap(), b"new");
        assert_eq!(source.list().unwrap().pages.len(), 2);
    }
}
