//! Renames a heading, a named block, an alias or a tag, and updates all links that name it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::move_files::edited;
use crate::drafts::Drafts;
use crate::freshness::{REVIEW_LOCK, ReviewLock};
use crate::message;
use crate::ops::edited::Subject;
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
use crate::page::{Anchors, decode, parse};
use crate::show::{self, Span};
use crate::writing::renaming::{LeftName, PageEdits, Renamed, naming, tags};
use crate::writing::{Change, Plan, RecordChange, Version, carry_out, expect};
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Rename a heading, block, alias or tag, and update all links that name it.")
        .tool(Tool::Never)
        .command("mv");

/// What to rename. Exactly one of `heading`, `block`, `alias` and `tag`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page of the heading, block or alias: path, id, title or alias.
    pub page: Option<String>,
    /// A heading as in a link: its text, with headings above it divided by `#`, or the id of its section.
    pub heading: Option<String>,
    /// The name of a block, without `^`.
    pub block: Option<String>,
    /// An alias in the front matter of the page.
    pub alias: Option<String>,
    /// A tag, without `#`, on all pages; tags below it follow.
    pub tag: Option<String>,
    /// The new name.
    pub new: String,
    /// `content_hash` of the page as read.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// What was renamed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Path of the page of the heading, block or alias, relative to the pages folder.
    pub filepath: Option<String>,
    /// The former name.
    pub previous: String,
    /// The new name.
    pub new: String,
    /// Lines of queries, bases and templates that may name the tag, and were not changed.
    pub left: Vec<LeftName>,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Renames it.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] if there is nothing with this name, the new
/// one cannot be used, or a link cannot be updated: with its file and line; [`Error::Conflict`], [`Error::ReadOnly`],
/// [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let drafts = Drafts::default();
    let (filepath, previous, planned, left) = match chosen(context, &params)? {
        Chosen::Tag(tag) => {
            let tags::Planned { edits, left } = tags::plan(context, &tag, &params.new, &drafts)?;
            (None, tag, naming::Planned { edits, anchors: Default::default() }, left)
        }
        Chosen::OnPage(path, previous, renamed) => {
            (Some(path), previous, naming::plan(context, &renamed, &drafts)?, Vec::new())
        }
    };
    let mut changes = Vec::new();
    for PageEdits { path, edits } in &planned.edits {
        let Some(version) = Version::find(context.source, context.pages_dir(), path)? else { continue };
        let bytes = edited(&version, Some(edits))?;
        changes.push(Change::edit(version, bytes));
    }
    let mut plan = Plan::new("rename", changes);
    let lock = ReviewLock::load(context.source, |_| true)?;
    let (removed, added) = lock.with_sources_renamed(&planned.anchors);
    if !removed.is_empty() {
        plan = plan.recording(RecordChange::of_lines(REVIEW_LOCK, removed, added));
    }
    let written = carry_out(context, plan, params.dry_run)?;
    drop(held);
    let written = WriteReport::of(context, written, params.dry_run);
    let mark = match (&params.tag, &params.block) {
        (Some(_), _) => "#",
        (_, Some(_)) => "^",
        _ => "",
    };
    let new = params.new.trim();
    let new = new.strip_prefix(mark).unwrap_or(new).to_owned();
    Ok(Output { filepath, previous, new, left, written })
}

enum Chosen {
    Tag(String),
    /// The page, what it is called, and the rename.
    OnPage(String, String, Renamed),
}

fn chosen(context: &Context<'_>, params: &Params) -> Result<Chosen> {
    let new = params.new.clone();
    let which = [&params.heading, &params.block, &params.alias, &params.tag];
    if which.iter().filter(|one| one.is_some()).count() != 1 {
        return Err(Error::invalid(message!("pass exactly one of `heading`, `block`, `alias` and `tag`")));
    }
    if let Some(tag) = &params.tag {
        return Ok(Chosen::Tag(tag.trim().trim_start_matches('#').to_owned()));
    }
    let page = params.page.as_deref().ok_or_else(|| Error::invalid(message!("`page` is missing")))?;
    let subject = Subject::find(context, page)?;
    expect(context, params.expected_hash.as_deref(), &subject.version)?;
    let path = subject.version.path.clone();
    if let Some(block) = &params.block {
        let name = block.trim().trim_start_matches('^').to_owned();
        let renamed = Renamed::Block { path: path.clone(), name: name.clone(), new };
        return Ok(Chosen::OnPage(path, name, renamed));
    }
    if let Some(old) = &params.alias {
        let renamed = Renamed::Alias { path: path.clone(), old: old.clone(), new };
        return Ok(Chosen::OnPage(path, old.clone(), renamed));
    }
    let heading = params.heading.as_deref().unwrap_or_default();
    let (text, _) = decode(subject.version.bytes.as_deref().unwrap_or_default());
    let parsed = parse(&text, &context.link_types());
    let found = Anchors::of(&parsed).heading(heading.trim().trim_start_matches('#'));
    let section = found.and_then(|at| parsed.sections.iter().filter(|section| section.level > 0).nth(at));
    let section = section
        .ok_or_else(|| Error::invalid(message!("{path} has no heading '{heading}'", path, heading)))?;
    let (line, previous) = (section.lines.0, section.heading.clone());
    Ok(Chosen::OnPage(path.clone(), previous, Renamed::Heading { path, line, new }))
}

/// Shows the new name, and the pages that changed.
pub fn show(output: &Output, page: &mut dyn show::Page) {
    let written = &output.written;
    if written.show_unwritten("", page) {
        show_left(output, page);
        return;
    }
    if written.changed.is_empty() {
        page.line(&[Span::said(&message!("Nothing to change"))]);
    } else {
        let names = [Span::Text(&output.previous), Span::Text(" -> "), Span::Strong(&output.new)];
        page.line(&names);
    }
    let own = output.filepath.as_deref();
    for file in written.changed.iter().filter(|file| Some(file.filepath.as_str()) != own) {
        page.item(&[Span::said(&message!("links rewritten in {path}", path = Span::Path(&file.filepath)))]);
    }
    show_left(output, page);
    written.show_end("", page);
}

fn show_left(output: &Output, page: &mut dyn show::Page) {
    for LeftName { file, line } in &output.left {
        let place = format!("{file}:{line}");
        page.warn(&[Span::said(&message!(
            "{place} may name the tag, and was not changed",
            place = Span::Path(&place)
        ))]);
    }
}
