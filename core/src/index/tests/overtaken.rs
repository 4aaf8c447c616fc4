//! Two processes that update the index at the same time: the newer state of the files wins, whichever process writes
//! last.

use std::sync::Mutex;

use jiff::Timestamp;

use super::{Project, dump};
use crate::index::questions::pages;
use crate::index::{Index, RefreshOptions, RefreshReport, refresh};
use crate::page::LinkTypes;
use crate::ports::{ContentHash, FileStat, FixedClock, Listing, MemorySource, Source, WriteGuard};
use crate::progress::{Cancel, Silent};
use crate::{Error, Result};

type Meanwhile<'a> = Box<dyn FnOnce() + Send + 'a>;

/// A source that runs a callback during its first read, after its first listing, or when first asked for a code file.
struct Interrupted<'a> {
    source: &'a MemorySource,
    on_list: Mutex<Option<Meanwhile<'a>>>,
    on_read: Mutex<Option<Meanwhile<'a>>>,
    on_code: Mutex<Option<Meanwhile<'a>>>,
}

impl<'a> Interrupted<'a> {
    fn never(source: &'a MemorySource) -> Self {
        Self { source, on_list: Mutex::default(), on_read: Mutex::default(), on_code: Mutex::default() }
    }

    fn reading(source: &'a MemorySource, meanwhile: impl FnOnce() + Send + 'a) -> Self {
        Self { on_read: Mutex::new(Some(Box::new(meanwhile))), ..Self::never(source) }
    }

    fn listing(source: &'a MemorySource, meanwhile: impl FnOnce() + Send + 'a) -> Self {
        Self { on_list: Mutex::new(Some(Box::new(meanwhile))), ..Self::never(source) }
    }

    fn linking(source: &'a MemorySource, meanwhile: impl FnOnce() + Send + 'a) -> Self {
        Self { on_code: Mutex::new(Some(Box::new(meanwhile))), ..Self::never(source) }
    }
}

impl Source for Interrupted<'_> {
    fn list(&self) -> Result<Listing> {
        let listing = self.source.list();
        if let Some(meanwhile) = self.on_list.lock().unwrap().take() {
            meanwhile();
        }
        listing
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        self.source.stat(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let bytes = self.source.read(path);
        if let Some(meanwhile) = self.on_read.lock().unwrap().take() {
            meanwhile();
        }
        bytes
    }

    fn write(&self, path: &str, _bytes: &[u8], _expected: Option<ContentHash>) -> Result<()> {
        Err(Error::not_a_page(path))
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        if let Some(meanwhile) = self.on_code.lock().unwrap().take() {
            meanwhile();
        }
        self.source.stat_source(path)
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        self.source.read_source(path)
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        self.source.match_sources(globs)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.source.read_state(name)
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        self.source.write_state(name, bytes, expected)
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        self.source.lock()
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        self.source.rename(from, to, expected)
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        self.source.discard(path, trash, expected)
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        self.source.restore(trash, path, expected)
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        self.source.append(name, lines)
    }
}

fn take_in(index: &Index, source: &dyn Source) -> RefreshReport {
    let link_types = LinkTypes::default();
    let options = RefreshOptions {
        pages_dir: "pages",
        link_types: &link_types,
        from_nothing: false,
        full_text: true,
        in_order: false,
        only: None,
    };
    let clock = FixedClock::at(Timestamp::from_second(1_000_000).unwrap());
    refresh(index, source, &clock, &options, &Silent, &Cancel::default()).unwrap()
}

fn put(source: &MemorySource, path: &str, text: &str) {
    source.put(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
}

/// The content of an index built without interruption.
fn clean(source: &MemorySource) -> Vec<String> {
    let index = Index::in_memory().unwrap();
    take_in(&index, source);
    dump(&index)
}

#[test]
fn an_older_text_never_replaces_a_newer_one() {
    for known in [false, true] {
        let source = MemorySource::with_pages([("b.md", "[[a]]")]);
        let index = Index::in_memory().unwrap();
        if known {
            put(&source, "a.md", "first");
        }
        take_in(&index, &source);
        put(&source, "a.md", "second");
        let slow = Interrupted::reading(&source, || {
            put(&source, "a.md", "third [[b]]");
            take_in(&index, &source);
        });
        take_in(&index, &slow);
        assert_eq!(dump(&index), clean(&source), "{known}");
    }
}

#[test]
fn a_deleted_page_that_was_created_again_is_not_removed() {
    let source = MemorySource::with_pages([("a.md", "text"), ("b.md", "[[a]]")]);
    let index = Index::in_memory().unwrap();
    take_in(&index, &source);
    source.remove("a.md");
    let slow = Interrupted::listing(&source, || {
        put(&source, "a.md", "back");
        take_in(&index, &source);
    });
    take_in(&index, &slow);
    assert_eq!(dump(&index), clean(&source));
}

#[test]
fn a_page_deleted_during_a_refresh_is_removed_and_not_reported_as_unreadable() {
    let source = MemorySource::with_pages([("a.md", "text"), ("b.md", "[[a]]")]);
    let index = Index::in_memory().unwrap();
    take_in(&index, &source);
    put(&source, "a.md", "new text");
    let report = take_in(&index, &Interrupted::listing(&source, || source.remove("a.md")));
    assert_eq!((report.removed, report.unreadable), (vec!["a.md".to_owned()], vec![]));
    assert_eq!(dump(&index), clean(&source));
}

#[test]
fn a_page_whose_former_path_is_in_use_again_is_not_a_rename() {
    let source = MemorySource::with_pages([("a.md", "same"), ("b.md", "[[a]]")]);
    let index = Index::in_memory().unwrap();
    take_in(&index, &source);
    source.remove("a.md");
    put(&source, "c.md", "same");
    let slow = Interrupted::reading(&source, || {
        put(&source, "a.md", "another");
        take_in(&index, &source);
    });
    take_in(&index, &slow);
    assert_eq!(dump(&index), clean(&source));
}

#[test]
fn two_processes_that_saw_the_same_state_both_write_it() {
    let project = Project::with_pages([("a.md", "text")]);
    project.put("a.md", "new text");
    let slow = Interrupted::reading(&project.source, || {
        project.update();
    });
    take_in(&project.index, &slow);
    assert_eq!(project.dump(), project.rebuilt());
}

#[test]
fn a_few_pages_appear_in_one_transaction_with_their_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let (index, reader) = (Index::open(&path).unwrap().0, Index::open(&path).unwrap().0);
    let source = MemorySource::with_pages([("a.md", "see [[src/login.rs]]")]);
    let seen = Mutex::new(None);
    let source = Interrupted::linking(&source, || {
        *seen.lock().unwrap() = Some(reader.read(|db| pages::at(db, "a.md")).unwrap());
    });
    take_in(&index, &source);
    assert_eq!(*seen.lock().unwrap(), Some(None));
    assert!(reader.read(|db| pages::at(db, "a.md")).unwrap().is_some());
}
