//! Which pages may name files that move.

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;
use rusqlite::Connection;

use crate::index::questions::{links, pages, sections, sources};
use crate::writing::links::Moves;
use crate::{Error, Result, path, text};

/// Pages with links to, or entries about, files that move, and those that show pictures with one of their names. `files`
/// are the old and new paths of the files that move, pages included.
pub(super) fn naming_files(
    db: &Connection,
    pages_dir: &str,
    moves: &Moves,
    files: &[(String, String)],
) -> Result<BTreeSet<i64>> {
    let mut found = BTreeSet::new();
    let folders: HashMap<i64, String> = pages::paths(db)?
        .into_iter()
        .map(|(page, path)| (page, path::join(pages_dir, path::folder(&path)).unwrap_or_default()))
        .collect();
    let others = || files.iter().filter(|(from, to)| !path::is_page(from) || !path::is_page(to));
    let names: HashSet<String> = others()
        .flat_map(|(from, to)| [from, to])
        .map(|file| text::fold_key(path::file_name(file)))
        .collect();
    links::each_written(db, |page, _, target, target_page| {
        if target_page.is_none() && !found.contains(&page) {
            let bare = target.split('#').next().unwrap_or_default().trim();
            let folder = folders.get(&page).map_or("", String::as_str);
            let moves_along = |from: &str, name: &str| {
                path::join(from, name).is_some_and(|file| moves.moved(&file).is_some())
            };
            let is_due = [bare, target.as_str()].into_iter().any(|name| {
                names.contains(&text::fold_key(path::file_name(name)))
                    || [folder, "", pages_dir].into_iter().any(|from| moves_along(from, name))
            });
            if is_due {
                found.insert(page);
            }
        }
    })?;
    found.extend(naming_sources(db, moves)?);
    let shown: Vec<&str> = others().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    showing(db, &shown, &mut found)?;
    Ok(found)
}

/// Pages whose references in front matter, or blocks of code, name files that move.
pub(crate) fn naming_sources(db: &Connection, moves: &Moves) -> Result<BTreeSet<i64>> {
    let mut found = BTreeSet::new();
    if moves.is_empty() {
        return Ok(found);
    }
    for (page, source) in sources::in_front_matter(db)? {
        // The names of files may contain the character, too.
        let symbol = |at: (usize, &str)| source.get(..at.0);
        let folder = source.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let folders = [folder.trim_end_matches('/'), path::folder(folder), source.as_str()];
        let mut named = folders.into_iter().chain(source.match_indices('#').filter_map(symbol));
        if named.any(|path| moves.moved(path).is_some()) {
            found.insert(page);
        }
    }
    Ok(found)
}

/// Adds pages with pictures or definitions that may have one of these names. The index has no links to pictures.
fn showing(db: &Connection, files: &[&str], found: &mut BTreeSet<i64>) -> Result<()> {
    // Other characters may be written as `%20` or `&amp;`.
    let run = |file: &&str| {
        let runs = path::file_name(file).split(|c: char| !c.is_ascii_alphanumeric());
        runs.max_by_key(|run| run.len()).unwrap_or_default().to_owned()
    };
    let runs: BTreeSet<String> = files.iter().map(run).collect();
    if runs.is_empty() {
        return Ok(());
    }
    let names = AhoCorasick::builder().ascii_case_insensitive(true).build(&runs);
    let names = names.map_err(|error| Error::Internal(error.to_string()))?;
    sections::each_section(db, |page, _, _, text| {
        if (text.contains("![") || text.contains("]:")) && names.is_match(text) {
            found.insert(page);
        }
    })
}
