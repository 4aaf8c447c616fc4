//! The index compared with the files: after any changes, it equals a rebuilt index.
#![allow(clippy::unwrap_used)]

use jiff::Timestamp;
use rusqlite::Connection;

use super::{EmbedReport, Index, RefreshOptions, RefreshReport, embed_pending, refresh};
use crate::Result;
use crate::manifest::{FrontMatterMode, Manifest};
use crate::page::LinkTypes;
use crate::ports::{FixedClock, MemorySource, NoHistory, NoSymbols, Source};
use crate::progress::{Cancel, Silent};
use crate::search::{Match, matches};
use crate::testing::HashEmbedder;
use crate::text::Query;
use crate::{Caller, Context};

mod dump;
mod faults;
mod links;
mod overtaken;
mod rebuild;
mod received;

pub(crate) use dump::dump;

/// A project in memory, with an embedder that needs no model.
pub(crate) struct Project<S = MemorySource> {
    pub source: S,
    pub index: Index,
    pub clock: FixedClock,
    pub embedder: HashEmbedder,
    pub manifest: Manifest,
    cancel: Cancel,
}

impl Project {
    /// A project with these pages, indexed and embedded.
    pub(crate) fn with_pages<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let project = Self::over(MemorySource::with_pages(pages));
        project.update();
        project
    }

    /// Writes a page; all pages get the same modification time.
    pub(crate) fn put(&self, path: &str, text: &str) {
        self.source.put(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
    }
}

impl<S: Source> Project<S> {
    /// A project over `source` with an empty index.
    pub(crate) fn over(source: S) -> Self {
        let now = Timestamp::from_second(1_000_000).unwrap();
        Self {
            source,
            index: Index::in_memory().unwrap(),
            clock: FixedClock::at(now),
            embedder: HashEmbedder::default(),
            manifest: Manifest::default_for("pages", FrontMatterMode::Preserved, now).unwrap(),
            cancel: Cancel::default(),
        }
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context {
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
            #[cfg(not(target_family = "wasm"))]
            proposing: None,
            rights: None,
            typing: None,
            witness: None,
            reader: None,
            progress: &Silent,
            cancel: &self.cancel,
        }
    }

    pub(crate) fn refresh(&self) -> RefreshReport {
        self.refresh_into(&self.index).unwrap()
    }

    /// Refreshes with only these pages to compare.
    pub(crate) fn refresh_pages(&self, paths: &[String]) -> RefreshReport {
        self.refresh_some(&self.index, Some(paths)).unwrap()
    }

    pub(crate) fn refresh_into(&self, index: &Index) -> Result<RefreshReport> {
        self.refresh_some(index, None)
    }

    fn refresh_some(&self, index: &Index, only: Option<&[String]>) -> Result<RefreshReport> {
        let link_types = LinkTypes::default();
        let options = RefreshOptions {
            pages_dir: "pages",
            link_types: &link_types,
            from_nothing: false,
            full_text: true,
            in_order: false,
            only,
        };
        refresh(index, &self.source, &self.clock, &options, &Silent, &self.cancel)
    }

    pub(crate) fn embed(&self) -> EmbedReport {
        embed_pending(&self.index, &self.embedder, &self.clock, None, &Silent, &self.cancel).unwrap()
    }

    /// Updates text, graph and vectors.
    pub(crate) fn update(&self) -> RefreshReport {
        let report = self.refresh();
        self.embed();
        report
    }

    /// The content of an index rebuilt from the same files.
    pub(crate) fn rebuilt(&self) -> Vec<String> {
        let fresh = Index::in_memory().unwrap();
        self.refresh_into(&fresh).unwrap();
        embed_pending(&fresh, &self.embedder, &self.clock, None, &Silent, &self.cancel).unwrap();
        dump(&fresh)
    }

    pub(crate) fn dump(&self) -> Vec<String> {
        dump(&self.index)
    }
}

#[test]
fn queries_do_not_wait_for_the_tokenization_of_a_very_long_section() {
    let project = Project::over(MemorySource::with_pages([("a.md", "short\n")]));
    project.put("long.md", &(0..20_000).map(|n| format!("word{n} ")).collect::<String>());
    project.refresh();
    let embed = |deadline| {
        let (index, clock) = (&project.index, &project.clock);
        embed_pending(index, &project.embedder, clock, deadline, &Silent, &project.cancel).unwrap()
    };
    assert_eq!(embed(Some(u64::MAX)).pending, 1);
    let whole = embed(None);
    assert!(whole.pending == 0 && whole.embedded > 100, "{whole:?}");
}

/// Sections found for `query`, as `path#section bm25`.
fn found(index: &Index, db: &Connection, query: &str) -> Vec<String> {
    let matches = matches(db, &Query::parse(query), 50, 1, None, index).unwrap();
    let mut lines: Vec<String> = matches
        .iter()
        .map(|&Match { section, bm25, .. }| {
            let (path, id): (String, String) = db
                .query_row(
                    "SELECT path, section_id FROM sections JOIN pages USING (page) WHERE section = ?1",
                    [section],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .unwrap();
            format!("{path}#{id} {bm25:.6}")
        })
        .collect();
    lines.sort_unstable();
    lines
}
