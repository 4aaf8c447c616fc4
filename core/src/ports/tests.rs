//! The in-memory ports and test doubles pass the conformance suites.

use jiff::Timestamp;

use crate::ports::{
    FixedClock, History, MemoryCache, MemoryHistory, MemorySource, NoHistory, Source, SourceChange,
};
use crate::testing::conformance::{
    Repository, SourceFixture, cache, clock, embedder, history, source, without_history,
};
use crate::testing::{FaultySource, HashEmbedder};

struct Fixture<S>(S, fn(&S) -> &MemorySource);

impl<S: Source> SourceFixture for Fixture<S> {
    fn source(&self) -> &dyn Source {
        &self.0
    }

    fn put_page(&self, path: &str, bytes: &[u8]) {
        self.1(&self.0).put(path, bytes, Timestamp::UNIX_EPOCH);
    }

    fn put_source(&self, path: &str, bytes: &[u8]) {
        self.1(&self.0).put_source(path, bytes, Timestamp::UNIX_EPOCH);
    }

    fn remove_page(&self, path: &str) {
        self.1(&self.0).remove(path);
    }
}

#[test]
fn memory_source() {
    source(|| Fixture(MemorySource::default(), |source| source));
}

#[test]
fn faulty_source_without_faults() {
    source(|| Fixture(FaultySource::new(MemorySource::default()), FaultySource::inner));
}

#[test]
fn memory_cache() {
    cache(MemoryCache::default);
}

#[derive(Default)]
struct Told(MemoryHistory);

impl Repository for Told {
    fn history(&self) -> &dyn History {
        &self.0
    }

    fn commit(&mut self, files: &[(&str, &str)], time: Timestamp) {
        let id = format!("{:040x}", time.as_second());
        let files: Vec<(&str, Option<&str>)> =
            files.iter().map(|(path, text)| (*path, Some(*text))).collect();
        self.0.record(&id, time, &files);
    }

    fn edit(&mut self, path: &str, _text: &str) {
        self.0.set(path, SourceChange::Uncommitted);
    }
}

#[test]
fn memory_history() {
    history(&mut Told::default());
}

#[test]
fn no_history() {
    without_history(&NoHistory);
    without_history(&MemoryHistory::default());
}

#[test]
fn fixed_clock() {
    clock(&FixedClock::at("2026-11-21T10:00:00Z".parse().unwrap()));
}

#[test]
fn hash_embedder() {
    embedder(&HashEmbedder::default());
}
