//! Indexes pages and, if the project wants it, completes their front matter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::freshness;
use crate::index::questions::links;
use crate::manifest::FrontMatterMode;
use crate::message;
use crate::ops::Facts;
use crate::ops::page::{self, PageName};
use crate::ops::rebuild;
use crate::page::{LinkTypes, Value, decode, parse, set_fields};
use crate::ports::{ContentHash, Listing, SourceChange};
use crate::show::Page;
#[cfg(not(target_family = "wasm"))]
use crate::writing::rights;
use crate::writing::{Change, Version, edits, names};
use crate::{Error, Result, path};

pub use crate::ops::rebuild::Output;

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Bring the index up to date, including vectors; complete front matter if it is managed.")
        .command("add")
        .idempotent();

/// The pages.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The pages, each by path, id, title or alias (default: all pages).
    #[serde(default)]
    pub pages: Vec<String>,
    /// Also create an empty page for every broken link on these pages.
    #[serde(default)]
    pub create_missing: bool,
}

/// Indexes the pages.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`] for a file that is not a page,
/// [`Error::NameTaken`] if links would then lead to a page to create, [`Error::OutsideProject`], [`Error::Io`],
/// [`Error::Model`], [`Error::Database`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let listing = context.source.list()?;
    let wanted = wanted(context, &params.pages, &listing)?;
    let mut written = Vec::new();
    if context.manifest.frontmatter == FrontMatterMode::Managed {
        written = complete(context, &wanted)?;
    }
    let mut report = context.refresh(false)?;
    if params.create_missing {
        let created = create_missing(context, &wanted)?;
        if !created.is_empty() {
            let after = context.refresh(false)?;
            report.added.extend(after.added);
            report.added.sort_unstable();
            written.extend(created);
        }
    }
    written.sort_unstable();
    let vectors = context.embed(None)?;
    rebuild::output(context, report, vectors, written)
}

fn wanted(context: &Context<'_>, pages: &[String], listing: &Listing) -> Result<Vec<String>> {
    if pages.is_empty() {
        return Ok(listing.pages.iter().map(|file| file.path.clone()).collect());
    }
    let listed = |name: &String| {
        let readings = page::readings(context.pages_dir(), name);
        let there = readings.into_iter().find(|path| listing.pages.iter().any(|file| file.path == *path));
        if let Some(path) = there {
            return Ok(path);
        }
        let called = PageName { page: Some(name), ..PageName::default() };
        let called = context.index.read(|db| called.require(db).and_then(|page| page::path_of(db, page)));
        called.map_err(|error| {
            if let Err(unusable) = context.source.stat(name) {
                return unusable;
            }
            let file = path::join(context.pages_dir(), name).map(|file| context.source.stat_source(&file));
            match file {
                Some(Ok(Some(_))) => Error::invalid(message!("{name}: not a page of this project: pages are files that end in .md or .markdown and are not ignored", name)),
                _ => error,
            }
        })
    };
    pages.iter().map(listed).collect()
}

/// A page with incomplete front matter.
struct Incomplete {
    path: String,
    hash: ContentHash,
    /// The missing fields, in the order in which they are added.
    fields: Vec<(&'static str, String)>,
}

impl Incomplete {
    /// Finds the missing fields; times are left empty. `None` if none is missing or the page cannot be edited
    /// safely.
    fn of(context: &Context<'_>, page: &str) -> Option<Self> {
        // Unreadable files are reported when the index is refreshed.
        let bytes = context.source.read(page).ok()?;
        // Only UTF-8 can be edited without damage.
        std::str::from_utf8(&bytes).ok()?;
        let (decoded, _) = decode(&bytes);
        let parsed = parse(&decoded, &LinkTypes::default());
        if parsed.diagnostics.iter().any(|diagnostic| diagnostic.code.starts_with("front_matter")) {
            return None;
        }
        let is_missing = |key: &&str| match parsed.front_matter.get(key) {
            Some(Value::Text(text)) => text.trim().is_empty(),
            Some(_) => false,
            None => true,
        };
        let value = |key: &str| match key {
            "id" => context.clock.new_id().to_string(),
            "title" => parsed.title.clone().unwrap_or_else(|| path::page_name(page).to_owned()),
            _ => String::new(),
        };
        let keys = ["id", "title", "created_at", "updated_at"].into_iter().filter(is_missing);
        let fields: Vec<(&str, String)> = keys.map(|key| (key, value(key))).collect();
        (!fields.is_empty()).then(|| Self { path: page.to_owned(), hash: ContentHash::of(&bytes), fields })
    }

    /// The page before and after completion, the former without its text.
    fn completed(&self, context: &Context<'_>) -> Result<(Version, Version)> {
        let page = Version::read(context.source, &self.path)?;
        if page.hash != self.hash {
            return Err(Error::conflict(&self.path, Some(self.hash), Some(page.hash)));
        }
        let text =
            page.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let fields: Vec<(&str, &str)> =
            self.fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let text = set_fields(&self.path, text, &fields)?;
        let after = Version::new(self.path.clone(), text.into_bytes());
        Ok((Version { bytes: None, ..page }, after))
    }
}

/// Adds missing `id`, `title`, `created_at` and `updated_at`. Returns the pages that were written. Their freshness
/// does not change.
fn complete(context: &Context<'_>, pages: &[String]) -> Result<Vec<String>> {
    let mut incomplete: Vec<Incomplete> =
        pages.iter().filter_map(|page| Incomplete::of(context, page)).collect();
    #[cfg(not(target_family = "wasm"))]
    incomplete.retain(|one| rights::require_apply(context, &one.path).is_ok());
    if incomplete.is_empty() {
        return Ok(Vec::new());
    }
    // The sources of a page come from the index.
    context.refresh(false)?;
    let paths: Vec<&str> = incomplete.iter().map(|one| one.path.as_str()).collect();
    let edited = freshness::last_edits(context, &paths)?;
    let file = |page: &str| path::join(context.pages_dir(), page).unwrap_or_default();
    let files: Vec<String> = paths.iter().map(|page| file(page)).collect();
    let (first, last) = (context.history.first_commits(&files)?, context.history.last_changes(&files)?);
    for one in &mut incomplete {
        let modified =
            context.source.stat(&one.path)?.map_or_else(|| context.clock.now(), |stat| stat.modified);
        let updated = match last.get(&file(&one.path)) {
            Some(SourceChange::Committed(commit)) => commit.time,
            _ => modified,
        };
        let created = first.get(&file(&one.path)).copied().unwrap_or(updated);
        for (key, value) in &mut one.fields {
            match *key {
                "created_at" => *value = page::to_the_second(created),
                "updated_at" => *value = page::to_the_second(updated),
                _ => {}
            }
        }
    }
    let _held = context.source.lock()?;
    let completed: Vec<(Version, Version)> =
        incomplete.iter().map(|one| one.completed(context)).collect::<Result<_>>()?;
    let noted =
        completed.iter().filter_map(|(before, after)| Some((Some(before), after, *edited.get(&after.path)?)));
    edits::record(context, noted, false)?;
    for (before, after) in &completed {
        let bytes = after.bytes.as_deref().unwrap_or_default();
        context.source.write(&after.path, bytes, Some(before.hash))?;
    }
    Ok(completed.into_iter().map(|(_, after)| after.path).collect())
}

/// Creates a page for every broken wikilink on `pages`; returns the new paths.
fn create_missing(context: &Context<'_>, pages: &[String]) -> Result<Vec<String>> {
    let mut targets = context.index.read(|db| links::wanted_by(db, pages))?;
    targets
        .iter_mut()
        .for_each(|target| *target = target.split('#').next().unwrap_or_default().trim().to_owned());
    targets.retain(|target| !target.is_empty());
    targets.sort_unstable();
    targets.dedup();
    let mut missing = Vec::new();
    for target in targets {
        let title = path::page_name(&target);
        let Some(folder) = path::join("", path::folder(&target)) else { continue };
        let name = path::file_name_for(title);
        let file = if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") };
        if context.source.stat(&file)?.is_some() {
            continue;
        }
        missing.push(Change::create(Version::new(file, page::new_page_text(context, title).into_bytes())));
    }
    #[cfg(not(target_family = "wasm"))]
    for page in missing.iter().filter_map(|change| change.after.as_ref()) {
        rights::require_apply(context, &page.path)?;
    }
    let taken = names::taken(context, &missing)?;
    if !taken.links.is_empty() {
        return Err(names::moving(&taken));
    }
    let mut created = Vec::new();
    for page in missing.into_iter().filter_map(|change| change.after) {
        context.source.write(&page.path, page.bytes.as_deref().unwrap_or_default(), None)?;
        created.push(page.path);
    }
    Ok(created)
}

/// Shows what is new in the index.
pub fn show(output: &Output, page: &mut dyn Page) {
    rebuild::show_indexed(output, page);
}
