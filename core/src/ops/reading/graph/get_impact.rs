//! The pages affected by a change of a page, a source file or a folder.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::impact::SOURCE_REFS;
use crate::index::questions::pages::{self, PageRow};
use crate::message;
use crate::ops::budget::{self, Excess, Omitted, more_room};
use crate::ops::page::{IndexState, PageFields};
use crate::ops::way::Step;
use crate::ops::{Facts, Tool, unmatched};
use crate::show::{Page, Span, counted, title_spans};
use crate::{Error, Result};

mod changed;
pub(crate) mod spread;

use changed::Subject;
use spread::{Found, Spread};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "List the pages that a change of a page, file or folder affects, and how likely. Call it before the change.",
)
.tool(Tool::Always)
.quoting_pages()
.command("impact");

/// Default number of hops.
const DEPTH: usize = 3;

/// What changes, and how far to look.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// What changes: a page, source file or folder.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub filepath: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub page_id: Option<String>,
    /// A source file or folder, instead of `page`; it need not exist.
    pub file: Option<String>,
    /// Maximum hops.
    #[schemars(range(min = 1, max = 5), extend("default" = DEPTH))]
    pub depth: Option<usize>,
    /// Follow only links of these types.
    #[serde(default)]
    pub link_types: Vec<String>,
    /// Only pages of these types.
    #[serde(default, rename = "doc_type", alias = "doc_types")]
    pub doc_types: Vec<String>,
    /// Maximum number of pages, best first.
    #[schemars(range(min = 1), extend("default" = 100))]
    pub limit: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The pages affected by a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page that changes; absent when something else does.
    pub changed_page: Option<PageFields>,
    /// The source file that changes, relative to the project; absent when something else does.
    pub changed_file: Option<String>,
    /// The folder whose pages and files change, relative to the project, empty for the project itself; absent when
    /// something else changes.
    pub changed_folder: Option<String>,
    /// Affected pages, highest score first.
    pub affected: Vec<AffectedPage>,
    /// Pages affected before `limit`.
    pub total_affected: usize,
    /// Affected pages by kind, before `limit`.
    pub counts: Counts,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// An affected page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AffectedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// Likelihood of being affected, above 0 and at most 1: the strength of the weakest link on the path, halved
    /// for every hop after the first.
    pub score: f64,
    /// Hops from the change, by the shortest path.
    pub distance: usize,
    /// The strongest of the shortest paths from the change to this page.
    pub path: Vec<Step>,
}

/// Affected pages by kind.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// By type of the page.
    pub by_doc_type: BTreeMap<String, usize>,
    /// By type of the last link on the path.
    pub by_link_type: BTreeMap<String, usize>,
    /// By distance.
    pub by_distance: BTreeMap<usize, usize>,
}

/// A reachable page, before its other fields are read.
struct Candidate<'a> {
    found: &'a Found,
    filepath: String,
    doc_type: String,
}

/// Finds the affected pages.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::OutsideProject`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    unmatched::require_link_types(context, &params.link_types, &[SOURCE_REFS])?;
    let depth = budget::ranged("depth", params.depth, DEPTH, 1, 5)?;
    let limit = budget::ranged("limit", params.limit, 100, 1, usize::MAX)?;
    let (subject, changes) = changed::find(context, &params)?;
    let graph = context.index.graph()?;
    let spread = Spread::of(&graph, &changes, depth, &params.link_types);
    let mut candidates = ranked(context, &spread)?;
    candidates.retain(|one| params.doc_types.is_empty() || params.doc_types.contains(&one.doc_type));
    let counts = Counts::of(&candidates);
    let total_affected = candidates.len();
    candidates.truncate(limit);

    let mut numbers: Vec<i64> = candidates.iter().map(|one| one.found.page).collect();
    if let Subject::Page(page) = subject {
        numbers.push(page);
    }
    let fields = context.page_fields(&numbers)?;
    let affected = context
        .index
        .read(|db| candidates.iter().map(|one| shown(db, one.found, &spread, &fields)).collect())?;
    let (mut changed_page, mut changed_file, mut changed_folder) = (None, None, None);
    match subject {
        Subject::Page(page) => changed_page = fields.get(&page).cloned(),
        Subject::File(file) => changed_file = Some(file),
        Subject::Folder(folder) => changed_folder = Some(folder),
    }
    let mut output = Output {
        changed_page,
        changed_file,
        changed_folder,
        affected,
        total_affected,
        counts,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// The pages that a change of these pages affects, highest score first: at most `limit`, and their number.
#[cfg(not(target_family = "wasm"))]
pub(in crate::ops) fn of_pages(
    context: &Context<'_>,
    pages: Vec<i64>,
    limit: usize,
) -> Result<(Vec<AffectedPage>, usize)> {
    let graph = context.index.graph()?;
    let changes = spread::Changes { pages, ..spread::Changes::default() };
    let spread = Spread::of(&graph, &changes, DEPTH, &[]);
    let mut candidates = ranked(context, &spread)?;
    let total = candidates.len();
    candidates.truncate(limit);
    let numbers: Vec<i64> = candidates.iter().map(|one| one.found.page).collect();
    let fields = context.page_fields(&numbers)?;
    let shown =
        |db: &Connection| candidates.iter().map(|one| shown(db, one.found, &spread, &fields)).collect();
    Ok((context.index.read(shown)?, total))
}

/// The reached pages, highest score first.
fn ranked<'a>(context: &Context<'_>, spread: &'a Spread<'_>) -> Result<Vec<Candidate<'a>>> {
    let mut candidates = context.index.read(|db| {
        spread.found.iter().map(|found| candidate(db, found)).collect::<Result<Vec<Candidate<'_>>>>()
    })?;
    candidates.sort_by(|a, b| {
        let order = |of: &Candidate<'_>| (of.found.distance, of.filepath.clone());
        b.found.score.total_cmp(&a.found.score).then_with(|| order(a).cmp(&order(b)))
    });
    Ok(candidates)
}

fn candidate<'a>(db: &Connection, found: &'a Found) -> Result<Candidate<'a>> {
    let PageRow { path: filepath, doc_type, .. } = pages::row(db, found.page)?;
    Ok(Candidate { found, filepath, doc_type })
}

fn shown(
    db: &Connection,
    found: &Found,
    spread: &Spread<'_>,
    fields: &HashMap<i64, PageFields>,
) -> Result<AffectedPage> {
    let page = fields.get(&found.page).cloned();
    let page = page.ok_or_else(|| Error::Internal(format!("page {} is gone", found.page)))?;
    Ok(AffectedPage { page, score: found.score, distance: found.distance, path: spread.way(db, found)? })
}

impl Counts {
    fn of(candidates: &[Candidate<'_>]) -> Self {
        let mut counts = Self::default();
        for one in candidates {
            *counts.by_doc_type.entry(one.doc_type.clone()).or_insert(0) += 1;
            *counts.by_link_type.entry(one.found.link_type.clone()).or_insert(0) += 1;
            *counts.by_distance.entry(one.found.distance).or_insert(0) += 1;
        }
        counts
    }
}

/// `counts`, most frequent first.
pub fn most_frequent(counts: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut sorted: Vec<(&str, usize)> = counts.iter().map(|(name, &count)| (name.as_str(), count)).collect();
    sorted.sort_by_key(|&(_, count)| Reverse(count));
    sorted
}

/// Removes the last pages.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let dropped = excess.shorten(&mut output.affected);
    output.omitted.pages += dropped;
    dropped > 0
}

/// Shows what changes, then the affected pages, each with the path from the change.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_pages(output, page);
    show_total(output, page);
}

/// The same without how many there are.
pub(crate) fn show_pages(output: &Output, page: &mut dyn Page) {
    if let Some(changed) = &output.changed_page {
        page.heading(&title_spans(&changed.filepath, &changed.title, changed.staleness));
    }
    if let Some(file) = &output.changed_file {
        page.heading(&[Span::File(file)]);
    }
    match output.changed_folder.as_deref() {
        Some("") => page.heading(&[Span::said(&message!("the whole project"))]),
        Some(folder) => page.heading(&[Span::File(&format!("{folder}/"))]),
        None => {}
    }
    for affected in &output.affected {
        let PageFields { filepath, title, doc_type, staleness, .. } = &affected.page;
        page.item(&[
            Span::Text(&format!("{:.2}  ", affected.score)),
            Span::Path(filepath),
            Span::Text("  "),
            Span::Words(title),
            Span::Faint("  "),
            Span::Label(doc_type),
            Span::Faint(" · "),
            Span::faint(&counted(affected.distance, "hop", "hops")),
            Span::Trust(*staleness),
        ]);
        // For a folder, each path starts at a different page or file.
        let first = affected.path.first().filter(|_| output.changed_folder.is_some());
        let mut way: Vec<Span<'_>> = first.map(Step::beginning).into_iter().collect();
        for step in &affected.path {
            if !way.is_empty() {
                way.push(Span::Text(" "));
            }
            way.extend(step.spans());
        }
        page.detail(&way);
    }
}

/// How many pages are affected, and what the answer leaves out.
fn show_total(output: &Output, page: &mut dyn Page) {
    page.note(&[Span::said(&match output.total_affected {
        0 if output.changed_file.is_some() => message!("no page names this file in its `source_refs`"),
        0 if output.changed_folder.is_some() => message!("no page outside this folder is affected"),
        0 => message!("no other page is affected"),
        total if output.affected.len() == total => counted(total, "page affected", "pages affected"),
        total => message!(
            "{shown} of {pages} affected · by page type: {types} · by link: {links}",
            shown = output.affected.len(),
            pages = counted(total, "page", "pages"),
            types = listed(&output.counts.by_doc_type),
            links = listed(&output.counts.by_link_type)
        ),
    })]);
    show_rest(output, page);
}

/// What the answer leaves out.
pub(crate) fn show_rest(output: &Output, page: &mut dyn Page) {
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
    output.index.show(page);
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    let parts = most_frequent(counts).into_iter().map(|(name, count)| format!("{name} {count}"));
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
