//! Loads a page for rendering from the index: its text, its sections, and the targets of its
//! links.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::Connection;

use super::url;
use crate::graph::resolve::Destination;
use crate::index::questions::links::{self, LeadsTo, LinkTarget};
use crate::index::questions::sections::{self, SectionRow};
use crate::index::questions::{names, pages};
use crate::page::{self, Anchors, LinkKind, LinkTypes};
use crate::{Result, text};

/// A page in the index.
#[derive(Debug)]
pub(super) struct Loaded {
    /// Its number in the index.
    pub number: i64,
    /// Path relative to the pages folder.
    pub path: String,
    pub title: String,
    /// The file of the site that shows it.
    pub file: String,
    /// Everything after the front matter.
    pub text: String,
    pub sections: Vec<Section>,
    targets: HashMap<(LinkKind, String), Target>,
}

/// A section of a page.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub id: String,
    pub heading_path: Vec<String>,
    /// Level of its heading, 1 to 6; 0 before the first heading.
    pub level: u8,
    /// Its heading's line in the file, from 1.
    pub line: usize,
    /// Bytes of the page's text.
    pub range: Range<usize>,
}

/// The target of a link.
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
    /// The heading or `^block` as written in the link.
    pub anchor: Option<String>,
    /// The id of that place in HTML, if the page has such a place.
    pub id: Option<String>,
}

impl Loaded {
    /// Reads page `number`; `None` if it no longer exists.
    pub(super) fn load(db: &Connection, number: i64) -> Result<Option<Self>> {
        let Some((path, title)) = pages::path_and_title(db, number)? else { return Ok(None) };
        let mut text = String::new();
        let mut sections = Vec::new();
        for row in sections::of_page(db, number)? {
            let start = text.len();
            text.push_str(&row.text);
            sections.push(Section::new(row, start..text.len()));
        }
        let file = url::file_of(db, &path)?;
        Ok(Some(Self { number, path, title, file, text, sections, targets: targets(db, number)? }))
    }

    /// The target of a link on the page.
    pub(super) fn target(&self, kind: LinkKind, target: &str) -> &Target {
        self.targets.get(&(kind, target.to_owned())).unwrap_or(&Target::Nothing)
    }

    /// The page with other text, such as an edited part of it. Its links lead where those of the page would.
    pub(super) fn with_text(
        self,
        text: &str,
        types: &LinkTypes,
        resolve: impl Fn(&Self, LinkKind, &str) -> Result<Target>,
    ) -> Result<Self> {
        let mut targets = HashMap::new();
        for link in page::body_parts(text, types).0 {
            if !targets.contains_key(&(link.kind, link.target.clone())) {
                let target = resolve(&self, link.kind, &link.target)?;
                targets.insert((link.kind, link.target), target);
            }
        }
        Ok(Self { text: text.to_owned(), targets, ..self })
    }

    /// The id of a place on this page, for its name in a URL.
    pub(super) fn place(&self, anchor: &str) -> Option<String> {
        heading_id(&self.sections, anchor)
    }
}

impl Section {
    fn new(row: SectionRow, range: Range<usize>) -> Self {
        Self {
            id: row.section_id,
            heading_path: row.heading_path,
            level: row.level,
            line: row.lines.0,
            range,
        }
    }
}

/// The place that a link leads to which is not in the index.
pub(super) fn target(db: &Connection, destination: Destination) -> Result<Target> {
    Ok(match destination {
        Destination::Page { page, anchor, .. } => {
            let Some((path, title)) = pages::path_and_title(db, page)? else { return Ok(Target::Nothing) };
            let id = anchor.as_deref().map(|anchor| place_id(db, page, anchor)).transpose()?.flatten();
            Target::Page(Place { page, file: url::file_of(db, &path)?, path, title, anchor, id })
        }
        Destination::Source(file) => Target::Source(file),
        Destination::Attachment => Target::Attachment,
        Destination::Unresolved => Target::Nothing,
    })
}

fn targets(db: &Connection, page: i64) -> Result<HashMap<(LinkKind, String), Target>> {
    let mut targets = HashMap::new();
    let mut known = HashMap::<i64, (String, Vec<Section>)>::new();
    for LinkTarget { kind, target: written, anchor, leads_to } in links::targets(db, page)? {
        let target = match leads_to {
            LeadsTo::Page { page: number, path, title } => {
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
                Target::Page(Place { page: number, path, title, file: file.clone(), anchor, id })
            }
            LeadsTo::Source(source) => Target::Source(source),
            LeadsTo::Attachment => Target::Attachment,
            LeadsTo::Nothing => Target::Nothing,
        };
        targets.insert((kind, written), target);
    }
    Ok(targets)
}

/// The id of the place that `anchor` refers to on a page, if it has one.
pub(crate) fn place_id(db: &Connection, page: i64, anchor: &str) -> Result<Option<String>> {
    place(db, page, &outline(db, page)?, anchor)
}

/// Headings of a page, without its text.
fn outline(db: &Connection, page: i64) -> Result<Vec<Section>> {
    Ok(sections::outline(db, page)?.into_iter().map(|row| Section::new(row, 0..0)).collect())
}

fn place(db: &Connection, page: i64, sections: &[Section], anchor: &str) -> Result<Option<String>> {
    // In Obsidian, `A#B` is a nested heading: the last part is the place.
    let last = anchor.rsplit('#').next().unwrap_or(anchor).trim();
    if let Some(block) = last.strip_prefix('^') {
        let key = format!("^{}", text::fold_key(block));
        return Ok(names::has_anchor(db, page, &key)?.then_some(key));
    }
    Ok(heading_id(sections, anchor))
}

/// The section that `anchor` names: by its id, by its headings from the outermost on, or by the last of them.
fn heading_id(sections: &[Section], anchor: &str) -> Option<String> {
    let headings = || sections.iter().filter(|section| section.level > 0);
    let names = headings().map(|section| (section.id.as_str(), section.heading_path.as_slice()));
    let found = Anchors::of_headings(names).heading(anchor)?;
    headings().nth(found).map(|section| section.id.clone())
}
