//! What two states are compared by: everything about pages and links that a reader would notice, by
//! path, so that it outlives the index that it was read from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::Context;
use crate::Result;
use crate::freshness::{self, Assessment};
use crate::graph::DEPENDENCIES;
use crate::ops::page::path_of;
use crate::ports::ContentHash;

/// One state of the project.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) pages: BTreeMap<String, PageState>,
    pub(super) links: Vec<LinkState>,
    pub(super) cycles: Vec<CycleState>,
    pub(super) orphans: BTreeSet<String>,
    pub(super) assessments: BTreeMap<String, Assessment>,
}

/// A page.
#[derive(Debug, Clone)]
pub(super) struct PageState {
    /// Its number in the index.
    pub(super) number: i64,
    pub(super) own_id: Option<String>,
    pub(super) title: String,
    pub(super) doc_type: String,
    pub(super) fields: Map<String, Value>,
    pub(super) sections: Vec<SectionState>,
    /// Of the raw bytes.
    pub(super) hash: ContentHash,
}

/// A section, whose text is told by its hash, line endings and space at its end left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionState {
    pub(super) id: String,
    pub(super) heading_path: Vec<String>,
    pub(super) text: ContentHash,
    /// Hashes of its lines, blank ones left out: what tells a page that moved and changed at once.
    pub(super) lines: Vec<u64>,
}

/// A link as it is written somewhere.
#[derive(Debug, Clone)]
pub(super) struct LinkState {
    pub(super) from: String,
    pub(super) line: usize,
    pub(super) link_type: String,
    pub(super) target: String,
    pub(super) leads_to: Destination,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    Nowhere,
    Page(String),
    File(String),
    Attachment,
}

/// Pages that depend on each other.
#[derive(Debug, Clone)]
pub(super) struct CycleState {
    pub(super) members: BTreeSet<String>,
    pub(super) way: Vec<String>,
}

impl Snapshot {
    /// Reads the state that `context` shows.
    pub(super) fn take(context: &Context<'_>) -> Result<Self> {
        let graph = context.index.graph()?;
        let assessed = freshness::assess(context, None)?;
        let types = DEPENDENCIES.map(str::to_owned);
        context.index.read(|db| {
            let mut cycles = Vec::new();
            for group in graph.cycles(&types) {
                let path = |page: &i64| path_of(db, *page);
                let mut way = graph.way_round(&group, &types).iter().map(path).collect::<Result<Vec<_>>>()?;
                let first = way.iter().enumerate().min_by_key(|(_, path)| *path).map_or(0, |(at, _)| at);
                way.rotate_left(first);
                cycles.push(CycleState { members: group.iter().map(path).collect::<Result<_>>()?, way });
            }
            let orphans = graph.orphans().into_iter().map(|page| path_of(db, page)).collect::<Result<_>>()?;
            let assessments = assessed
                .into_iter()
                .map(|(page, assessment)| Ok((path_of(db, page)?, assessment)))
                .collect::<Result<_>>()?;
            Ok(Self { pages: pages(db)?, links: links(db)?, cycles, orphans, assessments })
        })
    }
}

fn pages(db: &Connection) -> Result<BTreeMap<String, PageState>> {
    let mut sections = sections(db)?;
    let mut statement =
        db.prepare("SELECT page, path, own_id, title, doc_type, front_matter, hash FROM pages")?;
    let mut rows = statement.query([])?;
    let mut pages = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let fields: String = row.get(5)?;
        let state = PageState {
            number,
            own_id: row.get(2)?,
            title: row.get(3)?,
            doc_type: row.get(4)?,
            fields: serde_json::from_str(&fields).unwrap_or_default(),
            sections: sections.remove(&number).unwrap_or_default(),
            hash: ContentHash(row.get(6)?),
        };
        pages.insert(row.get(1)?, state);
    }
    Ok(pages)
}

fn sections(db: &Connection) -> Result<HashMap<i64, Vec<SectionState>>> {
    let mut statement =
        db.prepare("SELECT page, section_id, heading_path, text FROM sections ORDER BY page, ordinal")?;
    let mut rows = statement.query([])?;
    let mut sections: HashMap<i64, Vec<SectionState>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let heading_path: String = row.get(2)?;
        let text = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        let (text, lines) = told(text);
        let heading_path = serde_json::from_str(&heading_path).unwrap_or_default();
        let section = SectionState { id: row.get(1)?, heading_path, text, lines };
        sections.entry(row.get(0)?).or_default().push(section);
    }
    Ok(sections)
}

/// Hash of a text, and hashes of its lines.
fn told(text: &str) -> (ContentHash, Vec<u64>) {
    let mut plain = String::with_capacity(text.len());
    let mut lines = Vec::new();
    for line in text.lines() {
        plain.push_str(line);
        plain.push('\n');
        if !line.trim().is_empty() {
            let mut hasher = DefaultHasher::new();
            line.trim_end().hash(&mut hasher);
            lines.push(hasher.finish());
        }
    }
    (ContentHash::of(plain.trim_end().as_bytes()), lines)
}

fn links(db: &Connection) -> Result<Vec<LinkState>> {
    let mut statement = db.prepare(
        "SELECT own.path, line, link_type, target, state, other.path, source FROM links
         JOIN pages AS own USING (page) LEFT JOIN pages AS other ON other.page = target_page
         ORDER BY own.path, line, link",
    )?;
    let mut rows = statement.query([])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        let (page, file): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
        let leads_to = match (row.get::<_, i64>(4)?, page, file) {
            (1, Some(page), _) => Destination::Page(page),
            (2, _, Some(file)) => Destination::File(file),
            (3, ..) => Destination::Attachment,
            _ => Destination::Nowhere,
        };
        let (from, line) = (row.get(0)?, row.get(1)?);
        links.push(LinkState { from, line, link_type: row.get(2)?, target: row.get(3)?, leads_to });
    }
    Ok(links)
}
