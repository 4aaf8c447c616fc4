//! Moves pages, folders and attachments, and updates all links to them and from them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drafts::Drafts;
use crate::message;
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
use crate::ports::ContentHash;
use crate::show::{self, Span, counted};
use crate::writing::links::spliced;
use crate::writing::renaming::{Move, moving};
use crate::writing::unlisted::Unlisted;
use crate::writing::{Change, Plan, Version, carry_out};
use crate::{Context, Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Move pages, folders and attachments, and update all links to them and from them.")
        .tool(Tool::Never)
        .command("mv")
        .idempotent();

/// The files, and where they go.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Pages, folders and other files, with their new paths.
    pub moves: Vec<Moved>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// A file or folder that moves. Paths are relative to the pages folder.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// The path that it has.
    pub from: String,
    /// The path that it gets.
    pub to: String,
}

/// What moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages that moved, by their former path.
    pub pages: Vec<Moved>,
    /// Other files that moved, by their former path.
    pub files: Vec<Moved>,
    /// What else moved with folders, by its former path: files, folders and links that are hidden or ignored, and folders
    /// without files.
    pub unlisted: Vec<Moved>,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Moves the files.
///
/// # Errors
/// [`Error::InvalidParams`] if there is nothing to move, a path is taken, or a link cannot be updated: with the file and
/// line of the link; [`Error::OutsideProject`], [`Error::Conflict`], [`Error::ReadOnly`], [`Error::Io`]. On error, nothing
/// is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    // No other process may write between reading the links and rewriting them.
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let dir = context.pages_dir();
    let in_project = |written: &str| {
        let outside = || Error::OutsideProject { path: written.to_owned(), folder: "pages".into() };
        let path = path::join("", written).filter(|path| path::is_inside(path) && !written.starts_with('/'));
        path.and_then(|path| path::join(dir, &path)).ok_or_else(outside)
    };
    let moves = params
        .moves
        .iter()
        .map(|Moved { from, to }| Ok(Move { from: in_project(from)?, to: in_project(to)? }));
    let moves = moves.collect::<Result<Vec<_>>>()?;
    // Both are below the pages folder.
    let below = |file: &str| match dir {
        "" => file.to_owned(),
        dir => file.strip_prefix(dir).unwrap_or(file).trim_start_matches('/').to_owned(),
    };
    let mut planned = moving::plan(context, &moves, &Drafts::default())?;
    if let Some(page) = planned.leaving.first() {
        return Err(Error::invalid(message!(
            "'{page}' would not be a page any more; move it to a path below the pages folder that ends in .md",
            page
        )));
    }
    let folders: Vec<(String, String)> =
        moves.iter().map(|Move { from, to }| (below(from), below(to))).collect();
    if let Some((folder, _)) = folders.iter().find(|(from, to)| from != to && has_templates(context, from)) {
        return Err(Error::invalid(message!(
            "the templates are in '{folder}'; move them yourself, and set `templates_dir` in .ubp/manifest.json",
            folder
        )));
    }
    // Files that can be neither pages nor attachments move with their folder.
    planned.files.retain(|(from, _)| {
        let file = below(from);
        path::can_be_attachment(&file) || folders.iter().any(|(from, _)| *from == file)
    });
    let one_by_one: BTreeSet<String> = planned
        .pages
        .iter()
        .map(|(from, _)| from.clone())
        .chain(planned.files.iter().map(|(from, _)| below(from)))
        .collect();
    let unlisted = Unlisted::of(context.source, &folders, &one_by_one)?;
    if one_by_one.is_empty() && unlisted.files.is_empty() {
        let from: Vec<&str> = params.moves.iter().map(|one| one.from.as_str()).collect();
        return Err(Error::invalid(message!(
            "nothing to move: there is no page or file at {from}",
            from = from.join(", ")
        )));
    }
    let mut edits: HashMap<String, _> =
        planned.edits.into_iter().map(|page| (page.path, page.edits)).collect();
    let mut changes = Vec::new();
    for (from, to) in in_order(&planned.pages)? {
        let version = Version::read(context.source, from)?;
        let bytes = edited(&version, edits.remove(from).as_deref())?;
        changes.push(Change::relocate(version, to.clone(), bytes));
    }
    let files: Vec<(String, String)> =
        planned.files.iter().map(|(from, to)| (below(from), below(to))).collect();
    for (was, is) in in_order(&files)? {
        let (was, is) = (was.clone(), is.clone());
        let from = path::join(dir, &was).unwrap_or_default();
        let hash = ContentHash::of(&context.source.read_source(&from)?);
        let version = |path: String| Version { path, hash, bytes: None };
        changes.push(Change::moving(version(was), version(is)));
    }
    let rest: BTreeMap<String, _> = edits.into_iter().collect();
    for (page, edits) in rest {
        let version = Version::read(context.source, &page)?;
        let bytes = edited(&version, Some(&edits))?;
        changes.push(Change::edit(version, bytes));
    }
    let others = unlisted.files.clone();
    let plan = Plan::new("move_files", changes).moving(unlisted);
    let written = carry_out(context, plan, params.dry_run)?;
    drop(held);
    let pairs =
        |pairs: Vec<(String, String)>| pairs.into_iter().map(|(from, to)| Moved { from, to }).collect();
    Ok(Output {
        pages: pairs(planned.pages),
        files: pairs(files),
        unlisted: pairs(others),
        written: WriteReport::of(context, written, params.dry_run),
    })
}

/// Whether the folder has the templates of the project in it.
fn has_templates(context: &Context<'_>, folder: &str) -> bool {
    context.manifest.templates_among_pages().is_some_and(|templates| path::is_below(templates, folder))
}

/// The bytes of a page after its edits. A page without any may have another encoding.
pub(super) fn edited(
    version: &Version,
    edits: Option<&[(std::ops::Range<usize>, String)]>,
) -> Result<Vec<u8>> {
    let bytes = version.bytes.clone().unwrap_or_default();
    let Some(edits) = edits else { return Ok(bytes) };
    let text = version.text().and_then(|text| spliced(text, edits));
    text.map(String::into_bytes).ok_or_else(|| crate::ops::read_page::not_utf8(&version.path))
}

/// The moves in an order in which each path is free when a file gets it.
fn in_order(moves: &[(String, String)]) -> Result<Vec<&(String, String)>> {
    let mut waiting: Vec<&(String, String)> = moves.iter().collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let taken: HashSet<&str> = waiting.iter().map(|(from, _)| from.as_str()).collect();
        let is_free = |one: &(String, String)| one.0 == one.1 || !taken.contains(one.1.as_str());
        let free: Vec<&(String, String)> = waiting.iter().copied().filter(|one| is_free(one)).collect();
        let rest: Vec<&(String, String)> = waiting.iter().copied().filter(|one| !is_free(one)).collect();
        if let (true, Some((from, to))) = (free.is_empty(), rest.first()) {
            return Err(Error::invalid(message!(
                "'{from}' and '{to}' cannot swap their paths in one step; move one of them to another path first",
                from,
                to
            )));
        }
        ordered.extend(free);
        waiting = rest;
    }
    Ok(ordered)
}

/// Shows what moved, and the pages whose links were rewritten.
pub fn show(output: &Output, page: &mut dyn show::Page) {
    let written = &output.written;
    if written.show_unwritten("", page) {
        return;
    }
    for Moved { from, to } in output.pages.iter().chain(&output.files).chain(&output.unlisted) {
        page.line(&[Span::Path(from), Span::Text(" -> "), Span::Path(to)]);
    }
    let rewritten: Vec<_> = written.changed.iter().filter(|file| file.moved_from.is_none()).collect();
    for file in &rewritten {
        page.item(&[Span::said(&message!("links rewritten in {path}", path = Span::Path(&file.filepath)))]);
    }
    let moved = counted(output.pages.len() + output.files.len() + output.unlisted.len(), "file", "files");
    page.note(&[Span::said(&message!("{moved} moved", moved))]);
    written.show_end("", page);
}
