//! Publishing a project: a view of its public pages without a trace of the others, an
//! index of that view, and static pages. Everything is built from the public texts, so that nothing
//! unpublished has to be removed afterwards.
//!
//! **Invariants**
//! - Nothing of an unpublished page is in a site, except vectors of texts that are also public
//!   (`tests/tests/export/secrets.rs` searches every byte of every file for secrets, in each Unicode form and as
//!   terms).
//! - A table is published only if `TABLES` lists it (checked when a site is built, and in
//!   `tests.rs`).
//! - The same pages give the same bytes (`tests.rs`), and no link of a site is broken
//!   (`tests/tests/export/links.rs`).

mod around;
mod database;
#[cfg(not(target_family = "wasm"))]
mod projects;
mod publicity;
mod rewrite;
mod settings;
mod site;
mod source;
mod template;
#[cfg(test)]
mod tests;
mod vectors;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use database::{DatabaseReport, TABLES, settings_of_site};
#[cfg(not(target_family = "wasm"))]
pub use projects::{ProjectLink, projects_page};
pub use publicity::{default_for, is_public};
pub use settings::{Folders, GuestOf, InHub, Semantic, SiteSettings};
pub use site::{LONE_STYLE, MANIFEST, Site, SiteFile};
pub use source::PublicSource;
pub use template::{Template, policy};

use crate::Context;
use crate::freshness::{self, Assessment, DeclaredPage, StaleReason};
use crate::globs::Globs;
use crate::graph::resolve::Destination;
use crate::index::questions::pages;
use crate::manifest::Manifest;
use crate::page::{self, LinkKind, LinkTypes, Value};
use crate::ports::{FileStat, SourceChange};
use crate::writing::links::World;
use crate::{Result, path};

use source::{FINGERPRINT, Files};
use words::{own_language, words};

/// The public part of a project.
pub struct Publication<'a> {
    context: &'a Context<'a>,
    source: PublicSource<'a>,
    manifest: Manifest,
    /// Freshness of public pages that name sources, by path.
    verdicts: BTreeMap<String, Assessment>,
    /// Paths of pages that are not published because of their front matter or the project's default.
    pub unpublished: Vec<String>,
    /// Paths of pages that are not published because links to unpublished pages cannot be removed from them.
    pub left_out: Vec<String>,
}

/// A page that may be published.
struct Candidate {
    number: i64,
    path: String,
    bytes: Vec<u8>,
    text: String,
}

impl<'a> Publication<'a> {
    /// Selects and prepares the public pages. `without` are paths, relative to the project, of files and folders to
    /// exclude, such as earlier exports.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if a page cannot be read, [`crate::Error::Database`], [`crate::Error::Cancelled`].
    pub fn new(context: &'a Context<'a>, without: &[String]) -> Result<Self> {
        let types = context.link_types();
        let (candidates, unpublished) = candidates(context)?;
        let mut world = context.index.read(|db| World::load(db, context.source, context.pages_dir()))?;
        let page_count = context.index.read(pages::count)?;
        let mut public: BTreeSet<i64> = candidates.iter().map(|page| page.number).collect();
        let site_language = context.manifest.export.language.as_deref();
        let mut left_out = Vec::new();
        let texts = loop {
            let mut texts = BTreeMap::new();
            let before = public.len();
            for page in &candidates {
                context.cancel.check()?;
                if !public.contains(&page.number) {
                    continue;
                }
                if page_count == public.len() {
                    texts.insert(page.path.clone(), page.bytes.clone());
                    continue;
                }
                // A link that cannot be resolved might lead to any page: treat it as hidden.
                let mut hidden = |kind: LinkKind, target: &str| match world.resolve(kind, target, page.number)
                {
                    Ok(Destination::Page { page, .. }) => !public.contains(&page),
                    Ok(_) => false,
                    Err(_) => true,
                };
                let language = language_of(&page.text, &types);
                let phrase = words(language.as_deref().or(site_language)).unpublished;
                match rewrite::without_links(&page.text, &types, phrase, &mut hidden) {
                    Some(text) if text == page.text => {
                        texts.insert(page.path.clone(), page.bytes.clone());
                    }
                    Some(text) => {
                        texts.insert(page.path.clone(), text.into_bytes());
                    }
                    None => {
                        left_out.push(page.path.clone());
                        public.remove(&page.number);
                    }
                }
            }
            // Other pages may link to the pages that were left out, so repeat until none is.
            if public.len() == before {
                break texts;
            }
        };
        let pages_dir = context.pages_dir();
        let project_path = |page: &str| path::join(pages_dir, page).unwrap_or_default();
        let kept_back = unpublished.iter().chain(&left_out).map(|page| project_path(page));
        let without: BTreeSet<String> = without.iter().cloned().chain(kept_back).collect();
        let days = days(context, texts.keys().map(|page| (page.as_str(), project_path(page))))?;
        let pages = texts.into_iter().map(|(page, bytes)| {
            let modified = days.get(&page).copied().unwrap_or_default();
            let stat = FileStat { size: bytes.len() as u64, modified, fingerprint: FINGERPRINT };
            (page, (stat, bytes))
        });
        let source = PublicSource::new(pages.collect(), Files::Project { source: context.source, without });
        let verdicts = verdicts(context, &public)?;
        Ok(Self { context, source, manifest: context.manifest.published(), verdicts, unpublished, left_out })
    }

    /// Number of public pages.
    pub fn page_count(&self) -> usize {
        self.source.texts().count()
    }
}

/// The language that a page names in its front matter.
fn language_of(text: &str, types: &LinkTypes) -> Option<String> {
    let front_matter = page::parse(text, types).front_matter;
    own_language(|key| match front_matter.get(key) {
        Some(Value::Text(tag)) => Some(tag.as_str()),
        _ => None,
    })
}

/// Every page that may be published with its text, and the paths of those that may not.
fn candidates(context: &Context<'_>) -> Result<(Vec<Candidate>, Vec<String>)> {
    let types = context.link_types();
    let pages: Vec<(i64, String)> = context.index.read(pages::paths)?;
    let mut candidates = Vec::new();
    let mut unpublished = Vec::new();
    for (number, path) in pages {
        context.cancel.check()?;
        let Ok(bytes) = context.source.read(&path) else {
            // Its current text is unknown.
            unpublished.push(path);
            continue;
        };
        let text = page::decode(&bytes).0;
        let page = page::parse(&text, &types);
        if is_public(&page, &text, default_for(&path, &page, context.manifest.export.default)) {
            candidates.push(Candidate { number, path, text: text.into_owned(), bytes });
        } else {
            unpublished.push(path);
        }
    }
    Ok((candidates, unpublished))
}

/// The day on which each page last changed. The time of day is private.
fn days<'p>(
    context: &Context<'_>,
    pages: impl Iterator<Item = (&'p str, String)>,
) -> Result<BTreeMap<String, Timestamp>> {
    let pages: Vec<(&str, String)> = pages.collect();
    let files: Vec<String> = pages.iter().map(|(_, file)| file.clone()).collect();
    let changes = context.history.last_changes(&files)?;
    let mut days = BTreeMap::new();
    for (page, file) in pages {
        let time = match changes.get(&file) {
            Some(SourceChange::Committed(commit)) => Some(commit.time),
            _ => context.source.stat(page)?.map(|stat| stat.modified),
        };
        if let Some(time) = time {
            days.insert(page.to_owned(), day(time));
        }
    }
    Ok(days)
}

fn day(time: Timestamp) -> Timestamp {
    let date = time.to_zoned(TimeZone::UTC).date();
    date.to_zoned(TimeZone::UTC).map_or(time, |start| start.timestamp())
}

/// The freshness of public pages, without times of day and without paths that the pages do not name.
fn verdicts(context: &Context<'_>, public: &BTreeSet<i64>) -> Result<BTreeMap<String, Assessment>> {
    let pages: Vec<i64> = public.iter().copied().collect();
    let declared = context.index.read(|db| freshness::declared(db, Some(&pages)))?;
    let mut verdicts = BTreeMap::new();
    for (number, mut assessment) in freshness::assess(context, Some(&pages))? {
        let nothing = DeclaredPage::default();
        let page = declared.get(&number).unwrap_or(&nothing);
        for stale in &mut assessment.stale_refs {
            if stale.reason != StaleReason::Expired && !page.sources.contains(&stale.file_path) {
                // The page names a folder or a pattern instead of the file: publish that.
                stale.file_path = page
                    .sources
                    .iter()
                    .find(|source| stands_for(source, &stale.file_path))
                    .cloned()
                    .unwrap_or_default();
            }
            stale.renamed_to = None;
            stale.confidence = None;
            let time = stale.last_modified.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
            stale.last_modified = time.map(|time| day(time).to_string());
        }
        assessment.stale_refs.retain(|stale| !stale.file_path.is_empty());
        assessment.stale_refs.sort_by(|a, b| {
            (&a.file_path, &b.last_modified, a.reason as u8).cmp(&(
                &b.file_path,
                &a.last_modified,
                b.reason as u8,
            ))
        });
        assessment.stale_refs.dedup_by(|later, first| later.file_path == first.file_path);
        let path = match declared.get(&number) {
            Some(page) => page.path.clone(),
            None => context.index.read(|db| pages::path(db, number))?,
        };
        verdicts.insert(path, assessment);
    }
    Ok(verdicts)
}

fn stands_for(source: &str, file: &str) -> bool {
    let folder = source.trim_end_matches('/');
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        || Globs::new(&[source]).is_ok_and(|set| set.is_match(file))
}
