//! What of a project is given to everybody: a view of its public pages without a trace of the others, an
//! index of that view, and static pages. Everything is made anew from the public texts, so that nothing
//! unpublished has to be taken out of anything.
//!
//! **Invariants**
//! - Nothing of an unpublished page is in a site, except vectors of texts that are public too
//!   (`tests/tests/export/secrets.rs` looks for secrets in every byte of every file, in each Unicode form and as
//!   terms).
//! - A table that nobody decided upon is not published (`TABLES` is checked when a site is made, and in
//!   `tests.rs`).
//! - The same pages give the same bytes (`tests.rs`), and every link of a site leads somewhere
//!   (`tests/tests/export/links.rs`).

mod database;
mod publicity;
mod rewrite;
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
pub use publicity::{default_for, is_public};
pub use rewrite::UNPUBLISHED;
pub use site::{Semantic, Site, SiteFile, SiteSettings};
pub use source::PublicSource;
pub use template::Template;

use crate::Context;
use crate::freshness::{self, Assessment};
use crate::graph::resolve::Destination;
use crate::index::questions::pages;
use crate::manifest::Manifest;
use crate::page::{self, LinkKind};
use crate::ports::{FileStat, SourceChange};
use crate::writing::links::World;
use crate::{Result, path};

use source::{FINGERPRINT, Files};

/// The public part of a project.
pub struct Publication<'a> {
    context: &'a Context<'a>,
    source: PublicSource<'a>,
    manifest: Manifest,
    /// Freshness of public pages that name sources, by path.
    verdicts: BTreeMap<String, Assessment>,
    /// Paths of pages that are kept back because their front matter, or the project's default, says so.
    pub unpublished: Vec<String>,
    /// Paths of pages that are kept back because links in them to unpublished pages could not be taken out.
    pub left_out: Vec<String>,
}

/// A page on its way to the public.
struct Candidate {
    number: i64,
    path: String,
    bytes: Vec<u8>,
    text: String,
}

impl<'a> Publication<'a> {
    /// Chooses and prepares what is public. `without` are paths, relative to the project, of files and folders that
    /// are no part of it, such as earlier exports.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when a page cannot be read, [`crate::Error::Database`], [`crate::Error::Cancelled`].
    pub fn new(context: &'a Context<'a>, without: &[String]) -> Result<Self> {
        let types = context.link_types();
        let (candidates, unpublished) = candidates(context)?;
        let mut world = context.index.read(|db| World::load(db, context.source, context.pages_dir()))?;
        let page_count = context.index.read(pages::count)?;
        let mut public: BTreeSet<i64> = candidates.iter().map(|page| page.number).collect();
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
                // A link whose target cannot be made out might lead anywhere: errors count as hidden.
                let mut hidden = |kind: LinkKind, target: &str| match world.resolve(kind, target, page.number)
                {
                    Ok(Destination::Page { page, .. }) => !public.contains(&page),
                    Ok(_) => false,
                    Err(_) => true,
                };
                match rewrite::without_links(&page.text, &types, &mut hidden) {
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
            // Others may link to what was left out.
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

    /// How many pages are public.
    pub fn page_count(&self) -> usize {
        self.source.texts().count()
    }
}

/// Every page of the index with its text, and the paths of those that are not public.
fn candidates(context: &Context<'_>) -> Result<(Vec<Candidate>, Vec<String>)> {
    let types = context.link_types();
    let pages: Vec<(i64, String)> = context.index.read(pages::paths)?;
    let mut candidates = Vec::new();
    let mut unpublished = Vec::new();
    for (number, path) in pages {
        context.cancel.check()?;
        let Ok(bytes) = context.source.read(&path) else {
            // What it says now cannot be known.
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

/// The day on which each page changed last: when somebody works is nobody's business.
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

/// What is known of the freshness of public pages, without names that their texts do not hold and without hours.
fn verdicts(context: &Context<'_>, public: &BTreeSet<i64>) -> Result<BTreeMap<String, Assessment>> {
    let pages: Vec<i64> = public.iter().copied().collect();
    let declared = context.index.read(|db| freshness::declared(db, Some(&pages)))?;
    let mut verdicts = BTreeMap::new();
    for (number, mut assessment) in freshness::assess(context, Some(&pages))? {
        let Some(page) = declared.get(&number) else { continue };
        for stale in &mut assessment.stale_refs {
            if !page.sources.contains(&stale.file_path) {
                // It was found through a folder or a pattern, which is what the page says.
                stale.file_path = page
                    .sources
                    .iter()
                    .find(|source| stands_for(source, &stale.file_path))
                    .cloned()
                    .unwrap_or_default();
            }
            stale.renamed_to = None;
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
        verdicts.insert(page.path.clone(), assessment);
    }
    Ok(verdicts)
}

fn stands_for(source: &str, file: &str) -> bool {
    let folder = source.trim_end_matches('/');
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        || path::glob_set(&[source.to_owned()]).is_ok_and(|set| set.is_match(file))
}
