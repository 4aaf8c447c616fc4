//! What a request says is changing: a page, or a file that pages describe.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::super::Context;
use super::super::page::{Found, PageName, look_up};
use super::Params;
use crate::graph::impact::{SOURCE_REFS, strength};
use crate::{Error, Result, path};

/// What changes.
pub(super) enum Subject {
    /// A page, by its number.
    Page(i64),
    /// A source file.
    File {
        /// Its path relative to the project.
        file: String,
        /// The pages that name it, each with the strongest type of link that does.
        naming: BTreeMap<i64, String>,
    },
}

impl Subject {
    pub(super) fn page(&self) -> Option<i64> {
        match self {
            Self::Page(page) => Some(*page),
            Self::File { .. } => None,
        }
    }

    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::Page(_) => None,
            Self::File { file, .. } => Some(file),
        }
    }
}

/// Finds what `params` name.
pub(super) fn find(context: &Context<'_>, params: &Params) -> Result<Subject> {
    let name = PageName {
        page: params.page.as_deref(),
        filepath: params.filepath.as_deref(),
        id: params.page_id.as_deref(),
        title: None,
    };
    let page_is_named = name.page.is_some() || name.filepath.is_some() || name.id.is_some();
    match (&params.file, &params.page) {
        (Some(_), _) if page_is_named => Err(Error::invalid("name what changes once: `page`, or `file`")),
        (Some(file), _) => {
            let normal = path::join("", file)
                .filter(|normal| !normal.is_empty())
                .ok_or_else(|| Error::OutsideProject { path: file.clone(), folder: "project".into() })?;
            known_file(context, &normal)?.ok_or_else(|| no_file(&normal))
        }
        (None, Some(page)) if name.filepath.is_none() && name.id.is_none() => {
            if context.index.read(|db| look_up(db, page))? == Found::Nothing
                && let Some(normal) = path::join("", page).filter(|normal| !normal.is_empty())
            {
                match known_file(context, &normal)? {
                    Some(subject) => return Ok(subject),
                    None if is_written_as_file(&normal) => return Err(no_file(&normal)),
                    None => {}
                }
            }
            context.index.read(|db| name.require(db)).map(Subject::Page)
        }
        _ if page_is_named => context.index.read(|db| name.require(db)).map(Subject::Page),
        _ => {
            Err(Error::invalid("`page` is missing: a path, id, title or alias, or the path of a source file"))
        }
    }
}

/// Whether a name that no page answers to must be meant as a source file.
fn is_written_as_file(name: &str) -> bool {
    name.contains('/') && path::file_name(name).contains('.') && !path::is_page(name)
}

fn no_file(file: &str) -> Error {
    Error::invalid(format!(
        "there is no file '{file}' in the project, and no page names it; give its path relative to the project's folder"
    ))
}

/// The file at `file`, where it exists or some page names it; the page, where it is one.
fn known_file(context: &Context<'_>, file: &str) -> Result<Option<Subject>> {
    let pages_dir = context.pages_dir();
    let in_pages = if pages_dir.is_empty() {
        Some(file)
    } else {
        file.strip_prefix(pages_dir).and_then(|rest| rest.strip_prefix('/'))
    };
    if let Some(page_path) = in_pages {
        let page = context.index.read(|db| {
            let mut statement = db.prepare_cached("SELECT page FROM pages WHERE path = ?1")?;
            let mut rows = statement.query([page_path])?;
            Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
        })?;
        if let Some(page) = page {
            return Ok(Some(Subject::Page(page)));
        }
    }
    let naming = context.index.read(|db| naming(db, file))?;
    if naming.is_empty() && context.source.stat_source(file)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Subject::File { file: file.to_owned(), naming }))
}

/// The pages whose `source_refs` or links name `file`, a folder around it or a glob that matches it.
fn naming(db: &Connection, file: &str) -> Result<BTreeMap<i64, String>> {
    let mut statement = db.prepare_cached(
        "SELECT page, source, ?1 FROM source_refs
         UNION SELECT page, source, link_type FROM links WHERE state = 2 AND source IS NOT NULL",
    )?;
    let mut rows = statement.query([SOURCE_REFS])?;
    let mut naming: BTreeMap<i64, String> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let source: String = row.get(1)?;
        if !stands_for(&source, file) {
            continue;
        }
        let link_type: String = row.get(2)?;
        let known = naming.entry(row.get(0)?).or_insert_with(|| link_type.clone());
        if strength(&link_type) > strength(known) {
            *known = link_type;
        }
    }
    Ok(naming)
}

/// Whether a source as pages name it stands for `file`, also when that file is gone.
fn stands_for(source: &str, file: &str) -> bool {
    let plain = source.trim_end_matches('/');
    if plain == file {
        return true;
    }
    let is_below = file.strip_prefix(plain).is_some_and(|rest| !plain.is_empty() && rest.starts_with('/'));
    is_below
        || (source.contains(['*', '?', '[', '{'])
            && path::glob_set(&[source.to_owned()]).is_ok_and(|set| set.is_match(file)))
}

#[cfg(test)]
mod tests {
    use super::stands_for;

    #[test]
    fn a_source_is_a_file_a_folder_or_a_glob() {
        for (source, file, expected) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/a.rs.bak", false),
            ("src", "src/deep/a.rs", true),
            ("src/", "src/a.rs", true),
            ("src", "srcs/a.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**/*.rs", "src/deep/a.rs", true),
            ("src/[a-", "src/a", false),
            ("app/[id]", "app/[id]/page.ts", true),
            ("", "a.rs", false),
        ] {
            assert_eq!(stands_for(source, file), expected, "{source} {file}");
        }
    }
}
