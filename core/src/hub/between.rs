//! Links between projects: `[[project:page]]`. In its own project such a link leads to no page.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::linked::Elsewhere;
use super::named::{self, NamedPage};
use super::{Hub, PAGE_NAMES, Project, read, written};
use crate::graph::{LinkGraph, impact};
use crate::index::questions::{links, pages, sources};
use crate::message;
use crate::ops::get_impact;
use crate::ops::page::PageName;
use crate::search::across::{joined, member_of, number, within};
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::{Context, Error, Result};

/// Default number of hops over which a change of a page passes.
const DEPTH: u64 = 2;
/// Maximum number of pages of other projects in an answer.
const MOST: usize = 50;

/// Links between projects.
#[derive(Default)]
pub struct Between {
    links: Vec<Link>,
    /// The graph that was joined last, and the graphs that it was joined from.
    joined: Mutex<Option<Joined>>,
}

/// Graphs, and the graph that they were joined to.
type Joined = (Vec<Arc<LinkGraph>>, Arc<LinkGraph>);

/// Pages are named by the project and their number in its index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Its number in the index of the project that has it.
    pub link: i64,
    pub source: (String, i64),
    pub target: (String, i64),
    pub link_type: String,
}

/// A page of another project that a change affects.
#[derive(Debug, Serialize)]
pub(super) struct AffectedElsewhere {
    /// `project:path`.
    filepath: String,
    title: String,
    /// Type of the last link on the path to it.
    link_type: String,
    /// Hops from the changed page.
    distance: usize,
    /// How likely it is affected, 0 to 1.
    score: f64,
}

impl Between {
    /// Reads the links between these projects from their indexes. Names of pages are looked up as in a question.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn of(projects: &[Project<'_>]) -> Result<Self> {
        let mut found = Vec::new();
        for project in projects {
            let Ok(context) = &project.context else { continue };
            for link in context.index.read(links::naming_projects)? {
                let Some((name, rest)) = link.target.split_once(':') else { continue };
                let named = projects.iter().find(|other| other.name == name && other.name != project.name);
                let Some(Project { context: Ok(other), .. }) = named else { continue };
                let page = rest.split('#').next().unwrap_or(rest).trim();
                if let Some(target) = lookup(other, page)? {
                    found.push(Link {
                        link: link.link,
                        source: (project.name.into(), link.page),
                        target: (name.into(), target),
                        link_type: link.link_type,
                    });
                }
            }
        }
        Ok(Self { links: found, joined: Mutex::default() })
    }

    /// The graph of the projects at these places and the links between them, from their graphs. Kept until it is asked for
    /// other graphs.
    pub(super) fn joined(
        &self,
        graphs: &[Arc<LinkGraph>],
        projects: &[Project<'_>],
        places: &[usize],
    ) -> Arc<LinkGraph> {
        let is_same = |known: &[Arc<LinkGraph>]| {
            known.len() == graphs.len() && known.iter().zip(graphs).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let mut kept = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, joined)) = kept.as_ref().filter(|(known, _)| is_same(known)) {
            return joined.clone();
        }
        let renumbered =
            |at: usize, own: i64| Some(number(places.iter().position(|place| *place == at)?, own));
        let each: Vec<&LinkGraph> = graphs.iter().map(|graph| &**graph).collect();
        let graph = Arc::new(joined(&each, &self.among(projects, renumbered)));
        *kept = Some((graphs.to_vec(), graph.clone()));
        graph
    }

    /// All links.
    pub(super) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The links whose projects have a number: `numbered` returns that of a page of the project at a position in
    /// `projects`.
    pub(super) fn among(
        &self,
        projects: &[Project<'_>],
        numbered: impl Fn(usize, i64) -> Option<i64>,
    ) -> Vec<(i64, i64, String)> {
        let number = |(name, page): &(String, i64)| {
            numbered(projects.iter().position(|project| project.name == name)?, *page)
        };
        let link = |link: &Link| Some((number(&link.source)?, number(&link.target)?, link.link_type.clone()));
        self.links.iter().filter_map(link).collect()
    }
}

/// The page of that name, if there is exactly one.
pub(super) fn lookup(context: &Context<'_>, page: &str) -> Result<Option<i64>> {
    let asked = PageName { page: Some(page), ..PageName::default() };
    match context.index.read(|db| asked.find(db)) {
        Err(Error::PageNotFound { .. } | Error::AmbiguousPage { .. }) => Ok(None),
        found => found,
    }
}

impl Hub<'_> {
    /// What a change affects in its own project, and in others.
    pub(super) fn ask_impact(
        &self,
        at: usize,
        context: &Context<'_>,
        params: Map<String, Value>,
        page: Option<&mut dyn Page>,
    ) -> Result<Value> {
        let name = self.projects[at].name;
        let others = self.affected_elsewhere(at, context, &params)?;
        let output = get_impact::run(context, read(params)?)?;
        let none = Elsewhere::new();
        if let Some(page) = page {
            show(&output, &others, &mut NamedPage::new(name, page, &none));
        }
        let mut answer = named::of(name, written(&output)?, &none);
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("in_other_projects".into(), json!(others));
        }
        Ok(answer)
    }

    /// Pages of other projects that a change of the page or file in `params` affects, nearest first.
    fn affected_elsewhere(
        &self,
        at: usize,
        context: &Context<'_>,
        params: &Map<String, Value>,
    ) -> Result<Vec<AffectedElsewhere>> {
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let depth = params.get("depth").and_then(Value::as_u64).unwrap_or(DEPTH);
        let depth = usize::try_from(depth).unwrap_or(usize::MAX);
        let types: Vec<String> = params
            .get("link_types")
            .and_then(|types| serde_json::from_value(types.clone()).ok())
            .unwrap_or_default();
        let (starts, hops) = match (text("file"), PAGE_NAMES.iter().find_map(|name| text(name))) {
            (Some(file), _) => {
                (context.index.read(|db| sources::pages_naming(db, file))?, depth.saturating_sub(1))
            }
            (None, Some(page)) => (lookup(context, page)?.into_iter().collect(), depth),
            (None, None) => (Vec::new(), 0),
        };
        let starts: Vec<(i64, f64)> = starts.into_iter().map(|page| (number(at, page), 1.0)).collect();
        let mut graphs = Vec::new();
        for project in &self.projects {
            graphs.push(match &project.context {
                Ok(context) => context.index.graph()?,
                Err(_) => Default::default(),
            });
        }
        let graphs: Vec<_> = graphs.iter().map(|graph| &**graph).collect();
        let between = self.between.among(&self.projects, |at, page| Some(number(at, page)));
        let graph = joined(&graphs, &between);
        let further = depth - hops;
        let mut affected = Vec::new();
        for found in graph.impact(&starts, hops, &types) {
            let (place, page) = (member_of(found.reached.page), within(found.reached.page));
            let Project { name, context: Ok(context), .. } = &self.projects[place] else { continue };
            if place == at {
                continue;
            }
            let Some((path, title)) = context.index.read(|db| pages::path_and_title(db, page))? else {
                continue;
            };
            let distance = found.reached.depth + further;
            affected.push(AffectedElsewhere {
                filepath: format!("{name}:{path}"),
                title,
                link_type: found.reached.link_type.to_owned(),
                distance,
                score: rounded(impact::score(found.strength, distance)),
            });
        }
        affected.truncate(MOST);
        Ok(affected)
    }
}

/// Shows the affected pages of other projects below those of their own.
fn show(output: &get_impact::Output, affected: &[AffectedElsewhere], page: &mut NamedPage<'_, '_>) {
    if affected.is_empty() {
        return get_impact::show(output, page);
    }
    let others = |page: &mut NamedPage<'_, '_>| {
        let page = page.inner();
        page.gap();
        page.line(&[Span::strong(&message!("in other projects:"))]);
        for AffectedElsewhere { filepath, title, link_type, .. } in affected {
            let kind = format!(" ({link_type}) ");
            page.item(&[Span::Path(filepath), Span::Text(&kind), Span::Words(title)]);
        }
    };
    if output.total_affected > 0 {
        get_impact::show(output, page);
        return others(page);
    }
    get_impact::show_pages(output, page);
    others(page);
    let told =
        counted(affected.len(), "page of another project affected", "pages of other projects affected");
    page.note(&[Span::said(&told)]);
    get_impact::show_rest(output, page);
}
