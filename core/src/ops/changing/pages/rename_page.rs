//! Changes the path or title of a page, and updates all links to it and from it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::index::questions::links;
use crate::message;
use crate::ops::edited::{self, Edited, Subject, chosen_path, free_path, usable_title};
use crate::ops::{Facts, Tool};
use crate::page::{LinkTypes, Page, Value, decode, parse, set_fields, slug};
use crate::show::{self, Span};
use crate::writing::links::{Follower, Renaming, World, keys, spliced};
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
        (None, Some(title)) => path_for(context, &subject, &parsed, title)?,
        (None, None) => old_path.clone(),
    };
    let heading = title.as_ref().and_then(|title| first_heading(&parsed, &subject.title, title));
    let new_title = title
        .clone()
        .unwrap_or_else(|| parsed.title.clone().unwrap_or_else(|| path::page_name(&new_path).to_owned()));
    let renaming =
        Renaming { page: subject.number, titles: (subject.title.clone(), new_title.clone()), heading };

    let (changes, bytes) = context.index.read(|db| {
        let pages_dir = context.pages_dir();
        let before = World::load(db, context.source, pages_dir)?;
        let mut after = World::load(db, context.source, pages_dir)?;
        after.rename(subject.number, &new_path, &new_title, &subject.aliases);
        let replaced = HashMap::new();
        let mut follower = Follower { before, after, renaming: &renaming, types: &types, replaced };
        let mut names = keys(&old_path, &subject.title, &subject.aliases);
        names.extend(keys(&new_path, &new_title, &subject.aliases));

        let followed = follower.rewritten(subject.number, &old_text)?;
        let mut own = followed.clone().unwrap_or_else(|| old_text.to_string());
        if let Some(title) = &title {
            own = retitled(&new_path, &own, &subject.title, title, &renaming, &types)?;
            follower.check(subject.number, &old_text, &own)?;
        }
        // A page that is not UTF-8 is moved unchanged.
        let unread = std::str::from_utf8(subject.version.bytes.as_deref().unwrap_or_default()).is_err();
        if unread && own != old_text {
            subject.text()?;
        }
        let bytes = if unread { subject.version.bytes.clone().unwrap_or_default() } else { own.into_bytes() };
        let mut changes = vec![Change::relocate(subject.version.clone(), new_path.clone(), bytes.clone())];
        for page in links::concerned(db, &names)?.into_iter().filter(|page| *page != subject.number) {
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

fn has_title(page: &Page) -> bool {
    matches!(page.front_matter.get("title"), Some(Value::Text(title)) if !title.trim().is_empty())
}

/// The first level-1 heading before and after, if it equals the title.
fn first_heading(page: &Page, old: &str, new: &str) -> Option<(String, String)> {
    let heading = &page.sections.iter().find(|section| section.level == 1)?.heading;
    (text::fold_key(heading) == text::fold_key(old)).then(|| (heading.clone(), new.to_owned()))
}

/// The path under the new title: changed only if the file name was made from the old title.
fn path_for(context: &Context<'_>, subject: &Subject, page: &Page, title: &str) -> Result<String> {
    let old_path = &subject.version.path;
    let stem = path::page_name(old_path);
    let by_title = path::file_name_for(&subject.title);
    let named_only_by_file = !has_title(page) && page.title.is_none();
    let name = if stem == by_title || named_only_by_file {
        path::file_name_for(title)
    } else if stem == slug(&subject.title) {
        slug(title)
    } else if text::fold_key(stem) == text::fold_key(&by_title) {
        path::file_name_for(title)
    } else {
        return Ok(old_path.clone());
    };
    free_path(context, path::folder(old_path), &name, Some(old_path))
}

/// The page's text with its title changed wherever it is set.
fn retitled(
    path: &str,
    old: &str,
    was: &str,
    title: &str,
    renaming: &Renaming,
    types: &LinkTypes,
) -> Result<String> {
    let mut edited = old.to_owned();
    let page = parse(&edited, types);
    let nowhere = page.title.is_none() && path::page_name(path) != title;
    if has_title(&page) || nowhere {
        edited = set_fields(path, &edited, &[("title", title)])?;
    }
    if let Some((heading, _)) = &renaming.heading {
        let page = parse(&edited, types);
        let section = page.sections.iter().find(|section| section.level == 1);
        let place = section.and_then(|section| {
            let source = edited.get(section.range.clone())?;
            let at = section.range.start + source.find(heading.as_str())?;
            Some(at..at + heading.len())
        });
        let renamed = place.and_then(|place| spliced(&edited, &[(place, title.to_owned())])).filter(|text| {
            let first = parse(text, types).sections.into_iter().find(|section| section.level == 1);
            first.is_some_and(|section| text::fold_key(&section.heading) == text::fold_key(title))
        });
        edited = renamed.ok_or_else(|| {
            Error::invalid(message!(
                "{path}: the heading '{heading}' cannot be changed to '{title}'; edit it by hand",
                path,
                heading,
                title
            ))
        })?;
    }
    let now = parse(&edited, types).title.unwrap_or_else(|| path::page_name(path).to_owned());
    if text::fold_key(&now) == text::fold_key(title) {
        Ok(edited)
    } else {
        Err(Error::invalid(message!(
            "{path}: the title would be '{now}' and not '{title}'; '{was}' is set elsewhere",
            path,
            now,
            title,
            was
        )))
    }
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
