//! A project in memory, and pushing it.

use std::collections::HashMap;

use jiff::Timestamp;
use ubp_core::index::Index;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::ports::{FixedClock, MemorySource, NoHistory, NoSymbols};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, Result};
use ubp_postgres::{Commit, Database, Push, Pushed, Relation, push};
use ubp_testing::HashEmbedder;

/// A project with an index and vectors.
pub struct Project {
    pub index: Index,
    pub embedder: HashEmbedder,
    source: MemorySource,
    clock: FixedClock,
    manifest: Manifest,
    pub name: String,
    /// Number of its commit, which is also its time.
    pub commit: i64,
}

impl Project {
    pub fn new<'a>(name: &str, pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let project = Self {
            index: Index::in_memory().unwrap(),
            embedder: HashEmbedder::default(),
            source: MemorySource::with_pages(pages),
            clock: FixedClock::at(now),
            manifest: Manifest::default_for("pages", FrontMatterMode::Preserved, now).unwrap(),
            name: name.into(),
            commit: 1,
        };
        project.update();
        project
    }

    /// The same with vectors of another model.
    pub fn with_model(mut self, name: &str) -> Self {
        self.embedder = HashEmbedder::named(name);
        self.update();
        self
    }

    /// Writes a page, and updates the index.
    pub fn put(&mut self, path: &str, text: &str) {
        self.source.put(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
        self.update();
        self.commit += 1;
    }

    /// Deletes a page, and updates the index.
    pub fn remove(&mut self, path: &str) {
        self.source.remove(path);
        self.update();
        self.commit += 1;
    }

    fn update(&self) {
        self.with(|context| {
            context.refresh(false).unwrap();
            context.embed(None).unwrap();
        });
    }

    /// The answer of an operation.
    pub fn ask(&self, operation: &str, params: serde_json::Value) -> serde_json::Value {
        self.with(|context| context.call(operation, params).unwrap())
    }

    fn with<T>(&self, work: impl FnOnce(&Context<'_>) -> T) -> T {
        let cancel = Cancel::default();
        let context = Context {
            index: self.index.view(),
            source: &self.source,
            history: &NoHistory,
            symbols: &NoSymbols,
            clock: &self.clock,
            embedder: Some(&self.embedder),
            manifest: &self.manifest,
            refreshed: true,
            caller: Caller::Person,
            agent: None,
            proposing: None,
            rights: None,
            typing: None,
            witness: None,
            reader: None,
            progress: &Silent,
            cancel: &cancel,
        };
        work(&context)
    }

    pub async fn push(&self, database: &Database) -> Result<Pushed> {
        self.push_with(database, false, false).await
    }

    pub async fn push_with(&self, database: &Database, force: bool, dry_run: bool) -> Result<Pushed> {
        let relation = |known: &str| {
            Ok(match known.parse::<i64>().unwrap().cmp(&self.commit) {
                std::cmp::Ordering::Less => Relation::Newer,
                _ => Relation::Older,
            })
        };
        let request = Push {
            project: &self.name,
            title: &self.name,
            tags: None,
            commit: Commit { id: self.commit.to_string(), time: self.commit },
            relation: &relation,
            force,
            dry_run,
            freshness: &HashMap::new(),
        };
        push(database, self.index.view(), &request, &Silent, &Cancel::default()).await
    }
}
