//! What is compared of a state: everything about pages and links that a reader would notice. Keys are paths, which
//! remain valid after the index is gone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::Context;
use crate::Result;
use crate::freshness::{self, Assessment};
use crate::graph::DEPENDENCIES;
use crate::index::questions::links::{self, LeadsTo};
use crate::index::questions::{pages, sections};
use crate::ops::doctor;
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
    /// Page number in the index.
    pub(super) number: i64,
    pub(super) own_id: Option<String>,
    pub(super) title: String,
    pub(super) doc_type: String,
    pub(super) fields: Map<String, Value>,
    pub(super) sections: Vec<SectionState>,
    /// Hash of the raw bytes.
    pub(super) hash: ContentHash,
}

/// A section. Its text is represented by a hash that ignores line endings and trailing white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionState {
    pub(super) id: String,
    pub(super) heading_path: Vec<String>,
    pub(super) text: ContentHash,
    /// Hashes of its non-blank lines, to recognise a page that was both moved and changed.
    pub(super) lines: Vec<u64>,
}

/// A link on a page.
#[derive(Debug, Clone)]
pub(super) struct LinkState {
    pub(super) from: String,
    pub(super) line: usize,
    pub(super) link_type: String,
    pub(super) target: String,
    pub(super) leads_to: Destination,
    /// Whether its page does not have the heading or block.
    pub(super) lacks_place: bool,
}

impl LinkState {
    pub(super) fn is_broken(&self) -> bool {
        self.lacks_place || self.leads_to == Destination::Nowhere
    }
}

/// The target of a link.
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
    /// Takes a snapshot of the state that `context` shows.
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
    let pages = pages::contents(db)?.into_iter().map(|page| {
        let state = PageState {
            number: page.page,
            own_id: page.own_id,
            title: page.title,
            doc_type: page.doc_type,
            fields: serde_json::from_str(&page.front_matter).unwrap_or_default(),
            sections: sections.remove(&page.page).unwrap_or_default(),
            hash: ContentHash(page.hash),
        };
        (page.path, state)
    });
    Ok(pages.collect())
}

fn sections(db: &Connection) -> Result<HashMap<i64, Vec<SectionState>>> {
    let mut sections: HashMap<i64, Vec<SectionState>> = HashMap::new();
    sections::each_section(db, |page, id, heading_path, text| {
        let (text, lines) = told(text);
        let heading_path = serde_json::from_str(heading_path).unwrap_or_default();
        let state = SectionState { id: id.into(), heading_path, text, lines };
        sections.entry(page).or_default().push(state);
    })?;
    Ok(sections)
}

/// The hash of a text, and the hashes of its lines.
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
    let lacking: HashSet<(String, String)> =
        doctor::without_place(db)?.into_iter().map(|link| (link.path, link.target)).collect();
    let mut links = Vec::new();
    links::each_link(db, |from, line, link_type, target, leads_to| {
        let leads_to = match leads_to {
            LeadsTo::Page { path, .. } => Destination::Page(path),
            LeadsTo::Source(file) => Destination::File(file),
            LeadsTo::Attachment => Destination::Attachment,
            LeadsTo::Nothing => Destination::Nowhere,
        };
        links.push(LinkState { from, line, link_type, target, leads_to, lacks_place: false });
    })?;
    if !lacking.is_empty() {
        for link in &mut links {
            link.lacks_place = lacking.contains(&(link.from.clone(), link.target.clone()));
        }
    }
    Ok(links)
}
