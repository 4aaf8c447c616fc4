//! The pages and sections to review.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use crate::freshness::{self, Declared};
use crate::index::questions::sections;
use crate::message;
use crate::ops::page::{Found, PageName, look_up, path_of};
use crate::render::place_id;
use crate::{Context, Error, Result};

/// What to review.
pub struct Chosen {
    /// The pages with their sources.
    pub declared: Declared,
    /// Ids of the sections to review, of pages that are not reviewed as a whole.
    pub sections: BTreeMap<i64, BTreeSet<String>>,
    /// Paths of pages without sources.
    pub without_sources: Vec<String>,
    /// Number of different pages that were named.
    pub pages: usize,
}

/// Maximum headings in the message about an unknown section.
const MOST_HEADINGS: usize = 10;

/// The named pages and sections, or all pages with sources.
pub fn chosen(context: &Context<'_>, names: &[String], all: bool) -> Result<Chosen> {
    context.index.read(|db| {
        let mut numbers = BTreeSet::new();
        let mut whole = BTreeSet::new();
        let mut sections: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for name in names {
            let (page, section) = named(db, name)?;
            numbers.insert(page);
            match section {
                Some(section) => {
                    sections.entry(page).or_default().insert(section);
                }
                None => {
                    whole.insert(page);
                }
            }
        }
        sections.retain(|page, _| !all && !whole.contains(page));
        let pages = numbers.len();
        let listed: Vec<i64> = numbers.iter().copied().collect();
        let declared = freshness::declared(db, if all { None } else { Some(&listed) })?;
        numbers.retain(|page| !declared.contains_key(page));
        let without_sources = numbers.iter().map(|&page| path_of(db, page)).collect::<Result<_>>()?;
        Ok(Chosen { declared, sections, without_sources, pages })
    })
}

/// The page with this name, and the id of its section if the name ends with `#` and a heading.
fn named(db: &Connection, name: &str) -> Result<(i64, Option<String>)> {
    let whole = |name| PageName { page: Some(name), ..PageName::default() }.require(db);
    if !name.contains('#') || look_up(db, name)? != Found::Nothing {
        return Ok((whole(name)?, None));
    }
    // The names of pages may contain the character too.
    for (at, _) in name.match_indices('#') {
        let (page, anchor) = (name.get(..at).unwrap_or_default(), name.get(at + 1..).unwrap_or_default());
        if let Found::Page(number) = look_up(db, page)? {
            return match place_id(db, number, anchor)?.filter(|id| !id.starts_with('^')) {
                Some(section) => Ok((number, Some(section))),
                None => Err(unknown_section(db, number, anchor)?),
            };
        }
    }
    whole(name.split('#').next().unwrap_or(name)).map(|page| (page, None))
}

fn unknown_section(db: &Connection, page: i64, anchor: &str) -> Result<Error> {
    let path = path_of(db, page)?;
    let outline = sections::outline(db, page)?;
    let mut headings: Vec<&str> =
        outline.iter().filter_map(|section| section.heading_path.last()).map(String::as_str).collect();
    let more = headings.len().saturating_sub(MOST_HEADINGS);
    headings.truncate(MOST_HEADINGS);
    let known = headings.join(", ");
    let unknown = message!("{path} has no section “{anchor}”", path, anchor);
    Ok(match (headings.is_empty(), more) {
        (true, _) => Error::invalid(unknown),
        (false, 0) => Error::invalid_with_hint(unknown, message!("its sections are: {known}", known)),
        (false, _) => Error::invalid_with_hint(unknown, message!("its first sections are: {known}", known)),
    })
}
