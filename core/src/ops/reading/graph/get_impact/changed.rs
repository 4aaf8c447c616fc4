//! What changes: a page, a file that pages describe, or a folder.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::Params;
use super::spread::{Changes, Naming, naming};
use crate::Context;
use crate::globs;
use crate::graph::impact::SOURCE_REFS;
use crate::index::questions::{pages, sources};
use crate::message;
use crate::ops::page::{Found, PageName, look_up};
use crate::{Error, Result, path};

/// What a request names.
pub(super) enum Subject {
    /// A page, by its number.
    Page(i64),
    /// A source file, relative to the project.
    File(String),
    /// A folder, relative to the project.
    Folder(String),
}

/// Finds what `params` name.
pub(super) fn find(context: &Context<'_>, params: &Params) -> Result<(Subject, Changes)> {
    let name = PageName::of(&params.page, &params.filepath, &None, &params.page_id);
    let page_is_named = name.page.is_some() || name.filepath.is_some() || name.id.is_some();
    match (&params.file, &params.page) {
        (Some(_), _) if page_is_named => Err(Error::invalid(message!("pass `page` or `file`, not both"))),
        (Some(file), _) => {
            let normal = path::join("", file)
                .ok_or_else(|| Error::OutsideProject { path: file.clone(), folder: "project".into() })?;
            known_place(context, &normal)?.ok_or_else(|| no_file(&normal))
        }
        (None, Some(page)) if name.filepath.is_none() && name.id.is_none() => {
            if context.index.read(|db| look_up(db, page))? == Found::Nothing
                && let Some(normal) = path::join("", page).filter(|normal| !normal.is_empty())
            {
                match known_place(context, &normal)? {
                    Some(found) => return Ok(found),
                    None if is_written_as_file(&normal) => return Err(no_file(&normal)),
                    None => {}
                }
            }
            context.index.read(|db| name.require(db)).map(one_page)
        }
        _ if page_is_named => context.index.read(|db| name.require(db)).map(one_page),
        _ => Err(Error::invalid(message!(
            "`page` is missing: a path, id, title or alias, or the path of a source file"
        ))),
    }
}

/// Whether an unknown page name must be meant as a source file.
fn is_written_as_file(name: &str) -> bool {
    name.contains('/') && path::file_name(name).contains('.') && !path::is_page(name)
}

fn no_file(file: &str) -> Error {
    Error::invalid(message!(
        "unknown file or folder '{file}', and no page names it; pass its path relative to the project's folder",
        file
    ))
}

fn one_page(number: i64) -> (Subject, Changes) {
    (Subject::Page(number), Changes { pages: vec![number], ..Changes::default() })
}

/// The file, folder or page at `place`; a file or folder that does not exist must be named by a page.
fn known_place(context: &Context<'_>, place: &str) -> Result<Option<(Subject, Changes)>> {
    if let Some(page_path) = below(context.pages_dir(), place)
        && let Some(number) = context.index.read(|db| pages::at(db, page_path))?
    {
        return Ok(Some(one_page(number)));
    }
    let is_file = !place.is_empty() && context.source.stat_source(place)?.is_some();
    if !is_file && let Some(found) = folder(context, place)? {
        return Ok(Some(found));
    }
    let (naming, _) = context.index.read(|db| naming(db, &BTreeSet::from([place.to_owned()])))?;
    if naming.is_empty() && !is_file {
        return Ok(None);
    }
    Ok(Some((Subject::File(place.to_owned()), Changes { pages: Vec::new(), naming })))
}

/// The folder at `place`, if it contains pages or sources: all of them change.
fn folder(context: &Context<'_>, place: &str) -> Result<Option<(Subject, Changes)>> {
    let inside = |path: &str| place.is_empty() || below(place, path).is_some();
    let mut pages = context.index.read(pages::paths)?;
    pages.retain(|(_, page)| path::join(context.pages_dir(), page).is_some_and(|path| inside(&path)));
    let pages: Vec<i64> = pages.into_iter().map(|(page, _)| page).collect();
    let glob = if place.is_empty() { "**".into() } else { format!("{}/**", globs::escaped(place)) };
    let files: BTreeSet<String> = context.source.match_sources(&[glob])?.into_iter().collect();
    // Names in pages count even if the folder no longer exists.
    let (mut naming, _) = context.index.read(|db| naming(db, &files))?;
    naming.extend(context.index.read(|db| naming_below(db, place))?);
    if pages.is_empty() && files.is_empty() && naming.is_empty() {
        return Ok(None);
    }
    Ok(Some((Subject::Folder(place.to_owned()), Changes { pages, naming })))
}

/// Pages that name a file in a folder that no longer exists.
fn naming_below(db: &Connection, folder: &str) -> Result<BTreeMap<i64, Naming>> {
    let mut found = BTreeMap::new();
    for (page, file) in sources::in_front_matter(db)? {
        if below(folder, &file).is_some() || file.trim_end_matches('/') == folder {
            found.insert(page, Naming { file, link_type: SOURCE_REFS.into() });
        }
    }
    Ok(found)
}

/// `path` relative to `folder`, unchanged for the root; `None` if it is elsewhere.
fn below<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}
