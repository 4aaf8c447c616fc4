//! Taking pages into the index, and, where the project wants it, completing their front matter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::links;
use crate::manifest::FrontMatterMode;
use crate::ops::Facts;
use crate::ops::page;
use crate::ops::rebuild;
use crate::page::{LinkTypes, Value, decode, parse, set_fields};
use crate::ports::{ContentHash, Listing};
use crate::show::Page;
use crate::{Error, Result, path};

pub use crate::ops::rebuild::Output;

/// What surfaces know of it.
pub const FACTS: Facts = Facts::writing(
    "Bring the index up to date, vectors included; complete front matter where it is managed.",
)
.command("add")
.idempotent();

/// Which pages.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Paths of pages relative to the pages folder; all pages when empty.
    #[serde(default)]
    pub pages: Vec<String>,
    /// Also create an empty page for every link on these pages that leads nowhere.
    #[serde(default)]
    pub create_missing: bool,
}

/// Adds the pages.
///
/// # Errors
/// [`Error::InvalidParams`] for a path that is no page, [`Error::OutsideProject`], [`Error::Io`],
/// [`Error::Model`], [`Error::Database`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let listing = context.source.list()?;
    let wanted = wanted(context, &params.pages, &listing)?;
    let mut written = Vec::new();
    if context.manifest.frontmatter == FrontMatterMode::Managed {
        for page in &wanted {
            if complete(context, page)? {
                written.push(page.clone());
            }
        }
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
    for page in pages {
        context.source.stat(page)?;
        if !listing.pages.iter().any(|file| file.path == *page) {
            return Err(Error::invalid(format!(
                "{page}: not a page of this project: pages are files that end in .md or .markdown and are not ignored"
            )));
        }
    }
    Ok(pages.to_vec())
}

/// Adds what is missing of `id`, `title`, `created_at` and `updated_at`. Returns whether the file
/// was written.
fn complete(context: &Context<'_>, page: &str) -> Result<bool> {
    let Ok(bytes) = context.source.read(page) else {
        // Reported when the index is refreshed.
        return Ok(false);
    };
    // Only text that comes back byte for byte can be edited without harm.
    let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(false) };
    let (decoded, _) = decode(&bytes);
    let parsed = parse(&decoded, &LinkTypes::default());
    if parsed.diagnostics.iter().any(|diagnostic| diagnostic.code.starts_with("front_matter")) {
        return Ok(false);
    }
    let stat = context.source.stat(page)?;
    let modified = page::to_the_second(stat.map_or_else(|| context.clock.now(), |stat| stat.modified));
    let title = parsed.title.clone().unwrap_or_else(|| path::page_name(page).to_owned());
    let id = context.clock.new_id().to_string();
    let has = |key: &str| match parsed.front_matter.get(key) {
        Some(Value::Text(text)) => !text.trim().is_empty(),
        Some(_) => true,
        None => false,
    };
    let missing: Vec<(&str, &str)> =
        [("id", id.as_str()), ("title", &title), ("created_at", &modified), ("updated_at", &modified)]
            .into_iter()
            .filter(|(key, _)| !has(key))
            .collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let edited = set_fields(page, text, &missing)?;
    context.source.write(page, edited.as_bytes(), Some(ContentHash::of(&bytes)))?;
    Ok(true)
}

/// Creates a page for every wikilink on `pages` that leads nowhere; returns the new paths.
fn create_missing(context: &Context<'_>, pages: &[String]) -> Result<Vec<String>> {
    let mut targets = context.index.read(|db| links::wanted_by(db, pages))?;
    targets
        .iter_mut()
        .for_each(|target| *target = target.split('#').next().unwrap_or_default().trim().to_owned());
    targets.retain(|target| !target.is_empty());
    targets.sort_unstable();
    targets.dedup();
    let mut created = Vec::new();
    for target in targets {
        let title = path::page_name(&target);
        let Some(folder) = path::join("", path::folder(&target)) else { continue };
        let name = path::file_name_for(title);
        let file = if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") };
        if context.source.stat(&file)?.is_some() {
            continue;
        }
        context.source.write(&file, page::new_page_text(context, title).as_bytes(), None)?;
        created.push(file);
    }
    Ok(created)
}

/// Tells what is new in the index.
pub fn show(output: &Output, page: &mut dyn Page) {
    rebuild::show_report("Indexed: ", output, page);
}
