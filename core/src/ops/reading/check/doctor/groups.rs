//! Findings about several pages at once: dependency cycles and duplicate pages.

use crate::message;
use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::checks::finding;
use super::{Finding, Severity};
use crate::Result;
use crate::graph::{DEPENDENCIES, LinkGraph};
use crate::index::questions::{names, pages, sections};
use crate::ops::page;

/// Pages of a group that a message names, so it stays readable.
const NAMED: usize = 6;

pub(super) fn cycles(db: &Connection, graph: &LinkGraph, findings: &mut Vec<Finding>) -> Result<()> {
    let types = DEPENDENCIES.map(str::to_owned);
    for group in graph.cycles(&types) {
        let way = graph.way_round(&group, &types);
        let mut paths = way.iter().map(|&page| page::path_of(db, page)).collect::<Result<Vec<_>>>()?;
        let first = paths.iter().enumerate().min_by_key(|(_, path)| *path).map_or(0, |(at, _)| at);
        paths.rotate_left(first);
        let Some(start) = paths.first().cloned() else { continue };
        let length = paths.len();
        if length > NAMED {
            paths.truncate(NAMED - 1);
            paths.push(format!("({} more)", length + 1 - NAMED));
        }
        paths.push(start);
        let round = paths.join(" -> ");
        let message = if group.len() == length {
            message!("{length} pages depend on each other: {round}", length, round)
        } else {
            message!("{group} pages depend on each other; a short cycle: {round}", group = group.len(), round)
        };
        findings.push(
            finding(Severity::Warning, "dependency_cycle", message)
                .hint(message!("change one of these links to `references`, or split a page")),
        );
    }
    Ok(())
}

/// Pages with the same title, between which links by title cannot distinguish.
pub(super) fn same_title(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let mut groups: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for (key, path, title) in names::shared_titles(db)? {
        groups.entry(key).or_insert_with(|| (title, Vec::new())).1.push(path);
    }
    for (title, paths) in groups.into_values() {
        let Some(first) = paths.first() else { continue };
        let message = message!(
            "{paths} pages have the title '{title}': {paths_2}",
            paths = paths.len(),
            title,
            paths_2 = named(&paths)
        );
        findings.push(
            finding(Severity::Info, "duplicate_title", message)
                .at(first, None)
                .hint(message!("give each page its own title, or link to them by path")),
        );
    }
    Ok(())
}

/// Pages with the same text, ignoring front matter and white space.
pub(super) fn same_text(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let mut hashes: HashMap<i64, Sha256> = HashMap::new();
    sections::each_section(db, |page, _, _, text| {
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return;
        }
        let hash = hashes.entry(page).or_default();
        for word in words {
            hash.update(word);
            hash.update(" ");
        }
    })?;
    let mut groups: BTreeMap<[u8; 32], Vec<String>> = BTreeMap::new();
    for (page, path) in pages::paths(db)? {
        if let Some(hash) = hashes.remove(&page) {
            groups.entry(hash.finalize().into()).or_default().push(path);
        }
    }
    let mut groups: Vec<Vec<String>> = groups.into_values().filter(|paths| paths.len() > 1).collect();
    groups.sort_unstable();
    for paths in groups {
        let Some(first) = paths.first() else { continue };
        let message = message!(
            "{paths} pages have the same text: {paths_2}",
            paths = paths.len(),
            paths_2 = named(&paths)
        );
        findings.push(finding(Severity::Info, "duplicate_text", message).at(first, None).hint(message!(
            "keep one page, and add the names of the others to its aliases so that links still lead to it"
        )));
    }
    Ok(())
}

fn named(paths: &[String]) -> String {
    match paths.get(..NAMED) {
        Some(shown) if paths.len() > NAMED => {
            format!("{} and {} more", shown.join(", "), paths.len() - NAMED)
        }
        _ => paths.join(", "),
    }
}
