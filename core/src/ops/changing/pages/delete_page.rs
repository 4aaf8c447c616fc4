//! Moves a page to the trash, and reports which links break.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::resolve::Destination;
use crate::index::questions::links;
use crate::message;
use crate::ops::edited::Subject;
use crate::ops::page::PageFields;
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
use crate::page::{LinkTypes, Site, decode, sites};
use crate::show::{Page, Span, counted};
use crate::writing::links::{World, keys, spliced};
use crate::writing::{Change, Plan, Version, carry_out, expect};
use crate::{Caller, Context};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::destroying("Move a page to the trash; the answer names the links that break.")
        .tool(Tool::Always)
        .command("rm")
        .idempotent()
        .required_of_agents(&["confirm", "expected_hash"]);

/// The page to delete.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// Replace links to the page by their display text.
    #[serde(default)]
    pub unlink: bool,
    /// Confirms the deletion; agents must pass true.
    #[serde(default)]
    pub confirm: bool,
    /// `content_hash` of the page as read; agents must pass it.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The deleted page and the links to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page before the deletion.
    #[serde(flatten)]
    pub page: PageFields,
    /// SHA-256 of its file.
    pub content_hash: String,
    /// Its path in `.ubp/trash/`.
    pub trash: Option<String>,
    /// Links to the page; with `unlink`, they are plain text now.
    pub links: Vec<LostLink>,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// A link to the deleted page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostLink {
    /// Path of the linking page.
    pub filepath: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its target as written.
    pub target: String,
    /// Path of another page with that name, to which it leads now.
    pub leads_to: Option<String>,
}

/// Moves the page to the trash.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`], [`Error::Conflict`],
/// [`Error::ReadOnly`], [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if context.caller == Caller::Agent && !params.confirm && !params.dry_run {
        return Err(Error::invalid(message!("`confirm` is missing: pass true to delete the page")));
    }
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let subject = Subject::find(context, &params.page)?;
    expect(context, params.expected_hash.as_deref(), &subject.version)?;
    let page = context.page_fields(&[subject.number])?.remove(&subject.number);
    let page = page.ok_or_else(|| Error::Internal("the page is not in the index".into()))?;
    let types = context.link_types();
    let (links, edits) = context.index.read(|db| {
        let pages_dir = context.pages_dir();
        let mut before = World::load(db, context.source, pages_dir)?;
        let mut after = World::load(db, context.source, pages_dir)?;
        after.remove(subject.number);
        let names = keys(&subject.version.path, &subject.title, &subject.aliases);
        let (mut links, mut edits) = (Vec::new(), Vec::new());
        for number in links::concerned(db, &names)?.into_iter().filter(|number| *number != subject.number) {
            context.cancel.check()?;
            let Some(path) = before.path(number).map(str::to_owned) else { continue };
            let version = Version::read(context.source, &path)?;
            let (text, _) = decode(version.bytes.as_deref().unwrap_or_default());
            let mut lost = Vec::new();
            for site in sites(&text, &types) {
                let led = before.resolve(site.kind, &site.target, number)?;
                if !matches!(led, Destination::Page { page, .. } if page == subject.number) {
                    continue;
                }
                let leads_to = match after.resolve(site.kind, &site.target, number)? {
                    Destination::Page { page, .. } => after.path(page).map(str::to_owned),
                    _ => None,
                };
                let (filepath, target) = (path.clone(), site.target.clone());
                links.push(LostLink { filepath, line: site.line, target, leads_to });
                lost.push(site);
            }
            if params.unlink && !lost.is_empty() {
                edits.push(unlinked(version, &lost, &types)?);
            }
        }
        links.sort_by(|a, b| (&a.filepath, a.line).cmp(&(&b.filepath, b.line)));
        Ok((links, edits))
    })?;
    let content_hash = subject.version.hash.to_string();
    let mut changes = edits;
    changes.push(Change::delete(subject.version));
    let written = carry_out(context, Plan::new("delete_page", changes), params.dry_run)?;
    drop(held);
    let trash = written.changed.iter().find_map(|file| file.trash.clone()).filter(|_| !params.dry_run);
    Ok(Output {
        page,
        content_hash,
        trash,
        links,
        written: WriteReport::of(context, written, params.dry_run),
    })
}

/// The page with these links replaced by their display text.
fn unlinked(version: Version, lost: &[Site], types: &LinkTypes) -> Result<Change> {
    let bytes = version.bytes.clone().unwrap_or_default();
    let path = &version.path;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(Error::invalid(message!("{path}: not UTF-8; save it as UTF-8 first", path)));
    };
    let before = sites(text, types);
    if let Some(definition) = lost.iter().find(|site| site.definition) {
        return Err(Error::invalid(message!(
            "{path}:{line}: links with a definition cannot be turned into text; do that by hand first",
            path,
            line = definition.line
        )));
    }
    let mut splices: Vec<(Range<usize>, String)> = lost
        .iter()
        .filter_map(|site| {
            let shown = site.shown.clone().unwrap_or_else(|| site.range.clone());
            Some((site.whole.clone(), text.get(shown)?.to_owned()))
        })
        .collect();
    splices.sort_by_key(|(range, _)| range.start);
    let edited =
        spliced(text, &splices).filter(|edited| sites(edited, types).len() + lost.len() == before.len());
    let edited = edited.ok_or_else(|| {
        Error::invalid(message!(
            "{path}: its links cannot be turned into text safely; do that by hand first",
            path
        ))
    })?;
    Ok(Change::edit(version, edited.into_bytes()))
}

/// Shows the page's path in the trash, and what happened to the links to it.
pub fn show(output: &Output, page: &mut dyn Page) {
    output.written.show_unwritten("", page);
    if let Some(trash) = &output.trash {
        let place = format!(".ubp/trash/{trash}");
        page.line(&[Span::said(&message!(
            "{path} moved to {place}",
            path = Span::Path(&output.page.filepath),
            place
        ))]);
    }
    let is_dry = output.written.is_unwritten();
    let mut left = 0;
    for links in output.links.chunk_by(|a, b| a.filepath == b.filepath) {
        // Other pages are edited only with `unlink`.
        let edited = output
            .written
            .changed
            .iter()
            .find(|file| links.iter().any(|link| link.filepath == file.filepath));
        for link in links {
            let place = Span::Place(&link.filepath, link.line);
            let target = Span::Text(&link.target);
            let told = match (edited, &link.leads_to, is_dry) {
                (Some(_), _, false) => {
                    message!("{place}: the link to '{target}' is plain text now", place, target)
                }
                (Some(_), _, true) => {
                    message!("{place}: the link to '{target}' would become plain text", place, target)
                }
                (None, Some(other), false) => message!(
                    "{place}: the link to '{target}' now leads to {other}",
                    place,
                    target,
                    other = Span::Path(other)
                ),
                (None, Some(other), true) => message!(
                    "{place}: the link to '{target}' would lead to {other}",
                    place,
                    target,
                    other = Span::Path(other)
                ),
                (None, None, false) => {
                    message!("{place}: the link to '{target}' is broken now", place, target)
                }
                (None, None, true) => {
                    message!("{place}: the link to '{target}' would be broken", place, target)
                }
            };
            match edited {
                Some(_) => page.item(&[Span::said(&told)]),
                None => page.warn(&[Span::said(&told)]),
            }
        }
        match edited {
            Some(file) if !output.written.is_unwritten() => {
                page.content_hash(file.content_hash.as_deref().unwrap_or_default());
            }
            Some(_) => {}
            None => left += links.len(),
        }
    }
    if left > 0 {
        let links = counted(left, "link still names", "links still name");
        page.note(&[Span::said(&message!(
            "{links} the page; the option `unlink` turns such links into plain text",
            links
        ))]);
    }
    if output.written.proposal.is_none() {
        output.written.show_end("", page);
    }
}
