//! The answer of every operation that writes a page.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::questions::names;
use crate::index::questions::pages::{self, PageRow};
use crate::index::{derived_id, prepare};
use crate::message;
use crate::ops::page::{PageFields, without_fraction};
use crate::ops::read_page::not_utf8;
use crate::ops::written::WriteReport;
use crate::ports::{ContentHash, FileStat, PageFile};
use crate::show::Page;
use crate::writing::{Version, Written};
use crate::{Caller, Context};
use crate::{Error, Result, path, text};

/// A page after an edit, or as it would be after it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Edited {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// SHA-256 of the file after the edit, for the next `expected_hash`.
    pub content_hash: String,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// The answer about the page at `path`, whose file then holds `bytes`.
pub(crate) fn answer(
    context: &Context<'_>,
    path: &str,
    bytes: &[u8],
    written: Written,
    dry_run: bool,
) -> Result<Edited> {
    let moved_from =
        written.changed.iter().find(|file| file.filepath == path).and_then(|file| file.moved_from.clone());
    let is_unwritten = dry_run || written.proposal.is_some();
    let before = moved_from.filter(|_| is_unwritten).unwrap_or_else(|| path.to_owned());
    let mut written = written;
    let known =
        if is_unwritten || written.index_error.is_some() { None } else { Some(fields(context, path)) };
    let page = match known {
        Some(Ok(page)) => page,
        Some(Err(error)) => {
            written.index_error = Some(error.message());
            preview(context, &before, path, bytes)?
        }
        None => preview(context, &before, path, bytes)?,
    };
    Ok(Edited {
        page,
        content_hash: ContentHash::of(bytes).to_string(),
        written: WriteReport::of(context, written, dry_run),
    })
}

fn fields(context: &Context<'_>, path: &str) -> Result<PageFields> {
    let fields = match context.index.read(|db| pages::at(db, path))? {
        Some(number) => context.page_fields(&[number])?.remove(&number),
        None => None,
    };
    fields.ok_or_else(|| Error::Internal(format!("{path} was written but is not in the index")))
}

/// What the index would say about the page after the edit; the page is still at `before`.
fn preview(context: &Context<'_>, before: &str, path: &str, bytes: &[u8]) -> Result<PageFields> {
    let known = context.source.stat(before)?;
    let stat = FileStat {
        size: bytes.len() as u64,
        modified: known.map_or_else(|| context.clock.now(), |stat| stat.modified),
        fingerprint: 0,
    };
    let file = PageFile { path: path.to_owned(), stat };
    let page = prepare(file, bytes, ContentHash::of(bytes), &context.link_types(), false);
    let indexed = if known.is_some() { fields(context, before).ok() } else { None };
    Ok(PageFields {
        doc_id: page.own_id.unwrap_or_else(|| derived_id(path)),
        filepath: path.to_owned(),
        title: page.title,
        doc_type: page.doc_type,
        created_at: without_fraction(page.created_at),
        updated_at: without_fraction(page.updated_at),
        staleness: indexed.map(|fields| fields.staleness).unwrap_or_default(),
    })
}

/// A page to edit.
pub(crate) struct Subject {
    pub number: i64,
    pub version: Version,
    pub title: String,
    pub aliases: Vec<String>,
}

impl Subject {
    /// The page called `name`, as it is on disk.
    pub(crate) fn find(context: &Context<'_>, name: &str) -> Result<Self> {
        let (number, path, title, aliases) = context.index.read(|db| {
            let number = crate::ops::page::PageName { page: Some(name), ..Default::default() }.require(db)?;
            let PageRow { path, title, .. } = pages::row(db, number)?;
            Ok((number, path, title, names::aliases(db, number)?))
        })?;
        Ok(Self { number, version: Version::read(context.source, &path)?, title, aliases })
    }

    /// Its text.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if it is not UTF-8, because editing it would damage it.
    pub(crate) fn text(&self) -> Result<&str> {
        let text = self.version.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.ok_or_else(|| not_utf8(&self.version.path))
    }
}

/// A free path in `folder` for a page called `name`, numbered if a page or file has that path, ignoring case. `own`
/// is the page's current path.
pub(crate) fn free_path(
    context: &Context<'_>,
    folder: &str,
    name: &str,
    own: Option<&str>,
) -> Result<String> {
    let listing = context.source.list()?;
    let taken: std::collections::HashSet<String> = listing
        .pages
        .iter()
        .filter(|file| Some(file.path.as_str()) != own)
        .map(|file| text::fold_key(&file.path))
        .collect();
    let extension = own.and_then(|own| own.strip_prefix(path::without_page_extension(own)));
    let extension = extension.filter(|extension| !extension.is_empty()).unwrap_or(".md");
    let place = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let mut path = place(format!("{name}{extension}"));
    let mut number = 2;
    while taken.contains(&text::fold_key(&path)) {
        path = place(format!("{name} {number}{extension}"));
        number += 1;
    }
    if path::can_be_page(&path) { Ok(path) } else { Err(Error::not_a_page(&path)) }
}

/// `chosen`, a path below the pages folder. Agents see the project from its root, where the path of a page begins with
/// that folder: it is left out, unless the pages folder has a folder of the same name.
pub(crate) fn below_pages(context: &Context<'_>, chosen: &str) -> Result<String> {
    let folder = context.pages_dir();
    let below = chosen.strip_prefix(folder).filter(|below| below.is_empty() || below.starts_with('/'));
    let Some(below) = below.filter(|_| context.caller == Caller::Agent && !folder.is_empty()) else {
        return Ok(chosen.to_owned());
    };
    let inner = format!("{folder}/");
    let has_inner = context.source.list()?.pages.iter().any(|page| page.path.starts_with(&inner));
    Ok(if has_inner { chosen } else { below.trim_start_matches('/') }.to_owned())
}

/// Normalises a path chosen by the user; `extension` is added if the path does not end like a page's.
///
/// # Errors
/// [`Error::InvalidParams`], [`Error::OutsideProject`], or [`Error::InvalidParams`] if a page already has this
/// path, ignoring case.
pub(crate) fn chosen_path(context: &Context<'_>, chosen: &str, own: Option<&str>) -> Result<String> {
    let mut chosen = below_pages(context, chosen.trim().trim_start_matches("./"))?;
    if let (true, Some(own)) = (chosen.ends_with('/'), own) {
        chosen.push_str(path::file_name(own));
    }
    if !path::is_page(&chosen) {
        chosen.push_str(".md");
    }
    if !path::is_inside(&chosen) {
        return Err(Error::OutsideProject { path: chosen, folder: "pages".into() });
    }
    if !path::can_be_page(&chosen) {
        return Err(Error::not_a_page(&chosen));
    }
    let key = text::fold_key(&chosen);
    let listing = context.source.list()?;
    let there = listing
        .pages
        .iter()
        .find(|file| Some(file.path.as_str()) != own && text::fold_key(&file.path) == key);
    match there {
        Some(there) => Err(Error::invalid(message!(
            "the page {path} already exists; choose another path, or edit that page",
            path = there.path
        ))),
        None => Ok(chosen),
    }
}

/// A title on one line, checked.
pub(crate) fn usable_title(title: &str) -> Result<String> {
    let title = title.trim();
    if title.is_empty() || title.chars().any(char::is_control) || title.chars().count() > 200 {
        return Err(Error::invalid(message!("`title` must be one line of 1 to 200 characters")));
    }
    // A file cannot have such a name.
    if title.chars().all(|c| c == '.' || c.is_whitespace()) {
        return Err(Error::invalid(message!("a page cannot be called '{title}'", title)));
    }
    Ok(title.to_owned())
}

impl Edited {
    /// Shows what would change, for a dry run or a proposal. Returns whether this is one.
    pub(crate) fn show_unwritten(&self, page: &mut dyn Page) -> bool {
        self.written.show_unwritten(&self.content_hash, page)
    }

    /// Shows the end of the answer to a change of this page.
    pub(crate) fn show_end(&self, page: &mut dyn Page) {
        self.written.show_end(&self.content_hash, page);
    }
}
