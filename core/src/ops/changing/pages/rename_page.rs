//! Changes the path or title of a page, and updates all links to it and from it.

use std::collections::HashMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::links;
use crate::message;
use crate::ops::edited::{self, Edited, Subject, chosen_path, free_path, usable_title};
use crate::ops::{Facts, Tool};
use crate::page::{Anchors, Linking, Page, decode, parse, slug};
use crate::show::{self, Span};
use crate::writing::links::{Edits, Follower, MovedSource, Moves, Places, Renaming, World, keys, spliced};
#[cfg(not(target_family = "wasm"))]
use crate::writing::renaming::pages_naming;
use crate::writing::titles::{self, has_title};
use crate::writing::{Change, Plan, Version, carry_out, expect};
use crate::{Error, Result, path, text};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Change a page's path or title, and update all links to it and from it.")
        .tool(Tool::Always)
        .command("mv")
        .idempotent()
        .required_of_agents(&["expected_hash"]);

/// The page, and its new name.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// Its new path relative to the pages folder; if it ends with `/`, the folder to move the page to.
    pub path: Option<String>,
    /// Its new title. The title in front matter and an equal first heading change, and the file name if it was made
    /// from the title.
    pub title: Option<String>,
    /// `content_hash` of the page as read; agents must pass it.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The renamed page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page, and all files that changed.
    #[serde(flatten)]
    pub edited: Edited,
    /// Its previous path.
    pub previous_path: String,
    /// Its previous title.
    pub previous_title: String,
}

/// The path of the page called `name`: path, id, title or alias.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`].
#[cfg(not(target_family = "wasm"))]
pub fn path_of(context: &Context<'_>, name: &str) -> Result<String> {
    context.refresh(false)?;
    Ok(Subject::find(context, name)?.version.path)
}

/// Renames the page.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] when the name cannot be used or a
/// link cannot be updated; [`Error::Conflict`], [`Error::ReadOnly`], [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if params.path.is_none() && params.title.is_none() {
        return Err(Error::invalid(message!("nothing to rename: pass `path`, `title` or both")));
    }
    // No other process may write between reading the links and rewriting them.
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let subject = Subject::find(context, &params.page)?;
    expect(context, params.expected_hash.as_deref(), &subject.version)?;
    let types = context.link_types();
    let old_path = subject.version.path.clone();
    let (old_text, _) = decode(subject.version.bytes.as_deref().unwrap_or_default());
    let parsed = parse(&old_text, &types);
    let title = params.title.as_deref().map(usable_title).transpose()?;
    let title = title.filter(|title| *title != subject.title);
    let new_path = match (&params.path, &title) {
        (Some(chosen), _) => chosen_path(context, chosen, Some(&old_path))?,
        (None, Some(title)) => path_for(context, &old_path, &subject.title, &parsed, title)?,
        (None, None) => old_path.clone(),
    };
    let new_title = title
        .clone()
        .unwrap_or_else(|| parsed.title.clone().unwrap_or_else(|| path::page_name(&new_path).to_owned()));
    let own = match &title {
        Some(title) => titles::edits(&new_path, &old_text, &subject.title, title, &types)?,
        None => Edits::new(),
    };
    let pages_dir = context.pages_dir();
    let mut renaming =
        Renaming { moves: Moves::of_page(pages_dir, &old_path, &new_path), ..Renaming::default() };
    let retitled = spliced(&old_text, &own).unwrap_or_default();
    if !own.is_empty() {
        renaming.places = Some(Places {
            page: subject.number,
            before: Anchors::of(&parsed),
            after: Anchors::of(&parse(&retitled, &types)),
            renamed: (subject.title.clone(), new_title.clone()),
        });
    }
    renaming.names.insert(subject.number, vec![(subject.title.clone(), new_title.clone())]);

    let (changes, bytes) = context.index.read(|db| {
        let before = World::load(db, context.source, pages_dir)?;
        let files = MovedSource::new(context.source, &renaming.moves);
        let mut after = before.with_files(&files);
        after.rename(subject.number, &new_path, &new_title, &subject.aliases);
        let replaced = HashMap::new();
        let mut follower = Follower { before, after, renaming: &renaming, types: &types, replaced };
        let mut names = keys(&old_path, &subject.title, &subject.aliases);
        names.extend(keys(&new_path, &new_title, &subject.aliases));

        let was = Linking::of(&old_text, &types);
        let edits = follower.edits(subject.number, &old_text, was, &own)?;
        let own = spliced(&old_text, &edits).unwrap_or_else(|| old_text.to_string());
        // A page that is not UTF-8 is moved unchanged.
        let unread = std::str::from_utf8(subject.version.bytes.as_deref().unwrap_or_default()).is_err();
        if unread && own != old_text {
            subject.text()?;
        }
        let bytes = if unread { subject.version.bytes.clone().unwrap_or_default() } else { own.into_bytes() };
        let mut changes = vec![Change::relocate(subject.version.clone(), new_path.clone(), bytes.clone())];
        for page in linking(db, &names, &renaming)?.into_iter().filter(|page| *page != subject.number) {
            context.cancel.check()?;
            let Some(path) = follower.before.path(page).map(str::to_owned) else { continue };
            let version = Version::read(context.source, &path)?;
            let (text, _) = decode(version.bytes.as_deref().unwrap_or_default());
            let rewritten = follower.rewritten(page, &text)?;
            if rewritten.is_some()
                && std::str::from_utf8(version.bytes.as_deref().unwrap_or_default()).is_err()
            {
                return Err(Error::invalid(message!(
                    "{path}: links to the page and is not UTF-8; save it as UTF-8 first",
                    path
                )));
            }
            if let Some(rewritten) = rewritten {
                changes.push(Change::edit(version, rewritten.into_bytes()));
            }
        }
        Ok((changes, bytes))
    })?;
    let written = carry_out(context, Plan::new("rename_page", changes), params.dry_run)?;
    drop(held);
    Ok(Output {
        edited: edited::answer(context, &new_path, &bytes, written, params.dry_run)?,
        previous_path: old_path,
        previous_title: subject.title,
    })
}

/// The pages, by path, with links or references that the rename may concern.
fn linking(db: &Connection, names: &[String], renaming: &Renaming) -> Result<Vec<i64>> {
    let pages = links::concerned(db, names)?;
    #[cfg(not(target_family = "wasm"))]
    let pages = {
        let named = pages_naming(db, &renaming.moves)?;
        let mut pages = pages;
        pages.extend(named.into_iter().filter(|page| !pages.contains(page)).collect::<Vec<_>>());
        pages
    };
    #[cfg(target_family = "wasm")]
    let _ = renaming;
    Ok(pages)
}

/// The path under the new title: changed only if the file name was made from the old title.
pub(crate) fn path_for(
    context: &Context<'_>,
    old_path: &str,
    old_title: &str,
    page: &Page,
    title: &str,
) -> Result<String> {
    let stem = path::page_name(old_path);
    let by_title = path::file_name_for(old_title);
    let named_only_by_file = !has_title(page) && page.title.is_none();
    let name = if stem == by_title || named_only_by_file {
        path::file_name_for(title)
    } else if stem == slug(old_title) {
        slug(title)
    } else if text::fold_key(stem) == text::fold_key(&by_title) {
        path::file_name_for(title)
    } else {
        return Ok(old_path.to_owned());
    };
    free_path(context, path::folder(old_path), &name, Some(old_path))
}

/// Shows the page's new name, and the pages whose links were rewritten.
pub fn show(output: &Output, page: &mut dyn show::Page) {
    let edited = &output.edited;
    if edited.show_unwritten(page) {
        return;
    }
    let (from, to) = (&output.previous_path, &edited.page.filepath);
    if edited.written.changed.is_empty() {
        page.line(&[Span::said(&message!("Nothing to change"))]);
    } else if from == to {
        let titles =
            [Span::Text(&output.previous_title), Span::Text(" -> "), Span::Strong(&edited.page.title)];
        page.line(&[&[Span::Path(to), Span::Text(": ")], &titles[..]].concat());
    } else {
        page.line(&[Span::Path(from), Span::Text(" -> "), Span::Path(to)]);
    }
    for file in edited.written.changed.iter().filter(|file| file.filepath != *to) {
        page.item(&[Span::said(&message!("links rewritten in {path}", path = Span::Path(&file.filepath)))]);
        page.content_hash(file.content_hash.as_deref().unwrap_or_default());
    }
    edited.show_end(page);
}
