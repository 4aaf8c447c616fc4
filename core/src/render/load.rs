//! What the index knows of a page that is to be rendered: its text, its sections, and where each of its links
//! leads.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};

use super::url;
use crate::page::LinkKind;
use crate::{Result, index, text};

/// A page as the index holds it.
#[derive(Debug)]
pub(super) struct Loaded {
    /// Path relative to the pages folder.
    pub path: String,
    pub title: String,
    /// The file of the site that shows it.
    pub file: String,
    /// Everything after front matter.
    pub text: String,
    pub sections: Vec<Section>,
    targets: HashMap<(LinkKind, String), Target>,
}

/// A part of a page's text.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub id: String,
    pub heading_path: Vec<String>,
    /// 0 before the first heading.
    pub level: u8,
    /// Its heading's line in the file, from 1.
    pub line: usize,
    /// Bytes of the page's text.
    pub range: Range<usize>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Page(Place),
    /// A file of the project, by its path in it.
    Source(String),
    Attachment,
    Nothing,
}

/// A page, and a place on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub page: i64,
    pub path: String,
    pub title: String,
    pub file: String,
    /// The heading or `^block` as the link writes it.
    pub anchor: Option<String>,
    /// The id that it has in HTML, where the page has such a place.
    pub id: Option<String>,
}

impl Loaded {
    /// Reads page `number`; `None` where there is no such page any more.
    pub(super) fn load(db: &Connection, number: i64) -> Result<Option<Self>> {
        let found: Option<(String, String)> = db
            .prepare_cached("SELECT path, title FROM pages WHERE page = ?1")?
            .query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((path, title)) = found else { return Ok(None) };
        let mut text = String::new();
        let mut sections = Vec::new();
        let mut statement = db.prepare_cached(
            "SELECT section_id, heading_path, level, first_line, text FROM sections
             WHERE page = ?1 ORDER BY ordinal",
        )?;
        let mut rows = statement.query([number])?;
        while let Some(row) = rows.next()? {
            let start = text.len();
            text.push_str(row.get_ref(4)?.as_str().unwrap_or_default());
            sections.push(Section {
                id: row.get(0)?,
                heading_path: headings(&row.get::<_, String>(1)?),
                level: row.get(2)?,
                line: row.get(3)?,
                range: start..text.len(),
            });
        }
        let file = url::file_of(db, &path)?;
        Ok(Some(Self { path, title, file, text, sections, targets: targets(db, number)? }))
    }

    /// Where a link of the page leads.
    pub(super) fn target(&self, kind: LinkKind, target: &str) -> &Target {
        self.targets.get(&(kind, target.to_owned())).unwrap_or(&Target::Nothing)
    }

    /// The id of a place on this page, from its name in a URL.
    pub(super) fn place(&self, anchor: &str) -> Option<String> {
        heading_id(&self.sections, anchor)
    }
}

fn headings(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}

fn targets(db: &Connection, page: i64) -> Result<HashMap<(LinkKind, String), Target>> {
    let mut statement = db.prepare_cached(
        "SELECT DISTINCT kind, target, state, source, anchor, target_page, path, title FROM links
         LEFT JOIN pages ON pages.page = target_page WHERE links.page = ?1 AND kind <> 3",
    )?;
    let mut targets = HashMap::new();
    let mut known = HashMap::<i64, (String, Vec<Section>)>::new();
    let mut rows = statement.query([page])?;
    while let Some(row) = rows.next()? {
        let target = match (row.get::<_, i64>(2)?, row.get::<_, Option<i64>>(5)?) {
            (1, Some(number)) => {
                let path: String = row.get(6)?;
                let anchor: Option<String> = row.get(4)?;
                let (file, sections) = match known.entry(number) {
                    std::collections::hash_map::Entry::Occupied(held) => held.into_mut(),
                    std::collections::hash_map::Entry::Vacant(free) => {
                        free.insert((url::file_of(db, &path)?, Vec::new()))
                    }
                };
                let id = match &anchor {
                    Some(anchor) => {
                        if sections.is_empty() {
                            *sections = outline(db, number)?;
                        }
                        place(db, number, sections, anchor)?
                    }
                    None => None,
                };
                Target::Page(Place { page: number, path, title: row.get(7)?, file: file.clone(), anchor, id })
            }
            (2, _) => Target::Source(row.get::<_, Option<String>>(3)?.unwrap_or_default()),
            (3, _) => Target::Attachment,
            _ => Target::Nothing,
        };
        targets.insert((index::link_kind(row.get(0)?), row.get(1)?), target);
    }
    Ok(targets)
}

/// The id of the place that `anchor` names on a page, where it has one.
pub(crate) fn place_id(db: &Connection, page: i64, anchor: &str) -> Result<Option<String>> {
    place(db, page, &outline(db, page)?, anchor)
}

/// Headings of a page, without its text.
fn outline(db: &Connection, page: i64) -> Result<Vec<Section>> {
    let mut statement = db.prepare_cached(
        "SELECT section_id, heading_path, level, first_line FROM sections WHERE page = ?1 ORDER BY ordinal",
    )?;
    let sections = statement.query_map([page], |row| {
        Ok(Section {
            id: row.get(0)?,
            heading_path: headings(&row.get::<_, String>(1)?),
            level: row.get(2)?,
            line: row.get(3)?,
            range: 0..0,
        })
    })?;
    Ok(sections.collect::<rusqlite::Result<_>>()?)
}

fn place(db: &Connection, page: i64, sections: &[Section], anchor: &str) -> Result<Option<String>> {
    // Of `A#B`, Obsidian's form for nested headings, the last is the place itself.
    let last = anchor.rsplit('#').next().unwrap_or(anchor).trim();
    if let Some(block) = last.strip_prefix('^') {
        let key = format!("^{}", text::fold_key(block));
        let mut known = db.prepare_cached("SELECT 1 FROM anchors WHERE page = ?1 AND key = ?2")?;
        return Ok(known.exists((page, &key))?.then_some(key));
    }
    Ok(heading_id(sections, anchor))
}

/// The section that `anchor` names: by its id, by headings from the outside in, or by the last of them.
fn heading_id(sections: &[Section], anchor: &str) -> Option<String> {
    let headings = || sections.iter().filter(|section| section.level > 0);
    if let Some(section) = headings().find(|section| section.id == anchor) {
        return Some(section.id.clone());
    }
    let wanted: Vec<String> = anchor.split('#').map(text::heading_key).collect();
    let named = |section: &&Section| {
        let last = section.heading_path.last().map(|heading| text::heading_key(heading));
        last.as_ref() == wanted.last()
    };
    let below = |section: &&Section| {
        let mut path = section.heading_path.iter().map(|heading| text::heading_key(heading));
        wanted.iter().all(|wanted| path.any(|heading| heading == *wanted))
    };
    let found = headings().filter(named).find(below).or_else(|| headings().find(named));
    found.map(|section| section.id.clone())
}
