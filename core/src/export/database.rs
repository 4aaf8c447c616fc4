//! The database of a site: an index built from the public texts, with the data that a browser cannot request
//! from the project.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;

use super::Publication;
use super::vectors::Known;
use crate::Context;
use crate::freshness;
use crate::graph::resolve;
use crate::index::questions::{fulltext, pages, sites, vectors};
use crate::index::{Index, RefreshOptions, embed_pending, forget_changes, refresh, settle_chunk_size};
use crate::manifest::{MANIFEST_PATH, Manifest};
use crate::page::{self, LinkKind, LinkTypes};
use crate::ports::{Embedder, NoHistory, Source as _};
use crate::render::{Attachments, addresses_in_html, url};
use crate::{Error, Result};

/// Every table that the database of a site may contain. When a table is added to the index, decide here whether it
/// is public.
pub const TABLES: [&str; 35] = [
    "aliases",
    "anchors",
    "attachments",
    "changes",
    "documents",
    "expiries",
    "files",
    "fulltext",
    "fulltext_config",
    "fulltext_data",
    "fulltext_docsize",
    "fulltext_idx",
    "link_keys",
    "links",
    "meta",
    "models",
    "name_words",
    "name_words_config",
    "name_words_data",
    "name_words_docsize",
    "name_words_idx",
    "names",
    "page_files",
    "pages",
    "passages",
    "section_vectors",
    "sections",
    "site",
    "source_refs",
    "tags",
    "title_terms",
    "vectors",
    "verdicts",
    "vocabulary",
    "vocabulary_in_rows",
];

/// The result of building the index of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseReport {
    /// Number of sections with vectors for semantic search.
    pub vectors: usize,
    /// Number of texts that the model had to embed because the project's index has no vector for them.
    pub computed: usize,
    /// Files of the site with the attachments, by the attachments' paths in the project.
    pub attachments: BTreeMap<String, String>,
}

/// The settings of a site; `None` for an index that is not that of a site.
///
/// # Errors
/// [`Error::Database`], and [`Error::Manifest`] for settings that this version cannot use.
pub fn settings_of_site(db: &Connection) -> Result<Option<Manifest>> {
    if !sites::has_table(db, "site")? {
        return Ok(None);
    }
    Manifest::parse(&sites::manifest(db)?, MANIFEST_PATH).map(Some)
}

impl Publication<'_> {
    /// Builds the index of the site in memory. With `embedder` it supports semantic search. `version` is that of
    /// the program.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Io`], [`Error::Model`], [`Error::Cancelled`].
    pub fn index(&self, embedder: Option<&dyn Embedder>, version: &str) -> Result<(Index, DatabaseReport)> {
        let context = self.context;
        let index = Index::in_memory()?;
        let link_types = context.link_types();
        let options = RefreshOptions {
            pages_dir: context.pages_dir(),
            link_types: &link_types,
            from_nothing: false,
            full_text: true,
            in_order: true,
            only: None,
        };
        settle_chunk_size(&index, context.manifest.documents.chunk_size)?;
        refresh(&index, &self.source, context.clock, &options, context.progress, context.cancel)?;
        let mut report = DatabaseReport::default();
        if let Some(embedder) = embedder {
            let known = Known { index: context.index.index(), embedder, computed: AtomicUsize::new(0) };
            embed_pending(&index, &known, context.clock, None, context.progress, context.cancel)?;
            report.computed = known.computed.load(Ordering::Relaxed);
            report.vectors = index.read(vectors::section_count)?;
        }
        report.attachments = self.attachments(&link_types)?;
        let head = context.history.head()?;
        index.write(|db| {
            sites::create(db)?;
            self.fill(db, &report.attachments)?;
            let manifest = self.manifest.to_json();
            let facts = [("manifest", Some(manifest)), ("version", Some(version.into())), ("commit", head)];
            for (key, value) in facts {
                if let Some(value) = value {
                    sites::put_fact(db, key, &value)?;
                }
            }
            fulltext::optimize(db)?;
            forget_changes(db)?;
            require_known_tables(db)
        })?;
        Ok((index, report))
    }

    /// Writes the index of the site to `path`, which must not exist, as a single file.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn write_database(&self, index: &Index, path: &Path) -> Result<()> {
        index.write_copy(path)
    }

    /// The context for operations on the index of the site. A browser has no version control.
    pub(super) fn context<'c>(&'c self, index: &'c Index) -> Context<'c> {
        Context {
            index: index.view(),
            source: &self.source,
            history: &NoHistory,
            manifest: &self.manifest,
            embedder: None,
            ..*self.context
        }
    }

    fn fill(&self, db: &Connection, attachments: &BTreeMap<String, String>) -> Result<()> {
        for (path, bytes) in self.source.texts() {
            sites::put_file(db, path, bytes)?;
        }
        for path in attachments.keys() {
            let size = self.source.stat_source(path)?.map_or(0, |stat| stat.size);
            sites::put_attachment(db, path, size.cast_signed())?;
        }
        for (path, assessment) in &self.verdicts {
            let page = pages::at(db, path)?;
            let page =
                page.ok_or_else(|| Error::Internal(format!("{path} is not in the index of the site")))?;
            freshness::put_verdict(db, page, assessment)?;
        }
        Ok(())
    }

    /// The attachments that public pages show or link to, with the files of the site that contain them.
    fn attachments(&self, types: &LinkTypes) -> Result<BTreeMap<String, String>> {
        let pages_dir = self.context.pages_dir();
        let known = Attachments::new(&self.source, pages_dir);
        let mut found = BTreeMap::new();
        let mut show = |kind, target: &str, path: &str| -> Result<()> {
            if let Some(file) = known.find(kind, target, path)? {
                let shown = url::attachment_file(&file, pages_dir);
                found.insert(file, shown);
            }
            Ok(())
        };
        for (path, bytes) in self.source.texts() {
            let text = page::decode(bytes).0;
            for address in addresses_in_html(&text) {
                if let Some(target) = page::parse_destination(&address) {
                    show(LinkKind::Markdown, &target, path)?;
                }
            }
            for site in page::sites(&text, types) {
                let name = site.target.split('#').next().unwrap_or(&site.target).trim();
                let may_be = resolve::is_attachment(name) || resolve::is_attachment(&site.target);
                if may_be && site.kind != LinkKind::FrontMatter {
                    show(site.kind, &site.target, path)?;
                }
            }
        }
        Ok(found)
    }
}

fn require_known_tables(db: &Connection) -> Result<()> {
    for name in sites::tables(db)? {
        if !TABLES.contains(&name.as_str()) {
            return Err(Error::Internal(format!("whether to publish the table {name} is undecided")));
        }
    }
    Ok(())
}
