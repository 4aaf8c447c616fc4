//! Counts of pages, links and vectors, and the freshness of pages.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::embed::{MULTILINGUAL, is_unfit};
use crate::freshness::{self, StaleRef, Staleness};
use crate::hint::Next;
use crate::index::questions::{links, pages};
use crate::message;
use crate::message::{Message, Value};
use crate::ops::budget::{self, Omitted, more_room};
#[cfg(not(target_family = "wasm"))]
use crate::ops::doctor::count_links_to_projects;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted, what_is_wrong};
use crate::{Result, index};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Count pages, links and vectors; list stale pages.").tool(Tool::Always).command("status");

/// Parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The state of the project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages in the index.
    pub page_count: usize,
    /// Links between pages, one per source, target and type.
    pub link_count: usize,
    /// Sections in the index.
    pub section_count: usize,
    /// Pages with vectors for all of their text; pages without text that the model supports have none.
    pub vectorized_page_count: usize,
    /// Page files that are not in the index.
    pub unindexed_page_count: usize,
    /// Broken links, counting every occurrence; without links to other projects that a hub follows.
    pub unresolved_link_count: usize,
    /// Pages by freshness.
    pub freshness: FreshnessCounts,
    /// Pages that are not fresh, worst first.
    pub stale_pages: Vec<StalePage>,
    /// Proposals of agents that wait for review; for an agent, its own.
    pub proposal_count: usize,
    /// The embedding model.
    pub model: ModelState,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Pages by freshness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FreshnessCounts {
    /// At least as new as what they describe.
    pub fresh: usize,
    /// Their code changed after them, recently.
    pub possibly_stale: usize,
    /// Their code changed after them, longer ago.
    pub stale: usize,
    /// Pages without sources.
    pub untracked: usize,
}

/// A page that is not fresh.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StalePage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its freshness.
    pub staleness: Staleness,
    /// The sources that changed.
    pub stale_refs: Vec<StaleRef>,
}

/// The embedding model.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelState {
    /// The model set for the project.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Whether it is on this machine.
    pub available: bool,
}

/// Counts pages, links and vectors.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let mut assessments = freshness::assess(context, None)?;
    let overtaken = assessments.values_mut().filter(|one| one.staleness > Staleness::Fresh);
    freshness::name_renames(context, overtaken)?;
    let graph = context.index.graph()?;
    let listing = context.source.list()?;
    let identity = context.embedder.map(|embedder| embedder.model().identity.as_str()).unwrap_or_default();
    let state = context.index_state()?;
    #[cfg(not(target_family = "wasm"))]
    let proposal_count = crate::proposals::open_count(context)?;
    #[cfg(target_family = "wasm")]
    let proposal_count = 0;
    #[cfg(not(target_family = "wasm"))]
    let elsewhere = count_links_to_projects(context)?;
    #[cfg(target_family = "wasm")]
    let elsewhere = 0;
    let mut output = context.index.read(|db| {
        let paths = pages::paths(db)?;
        let page_count = paths.len();
        let known: HashSet<&str> = paths.iter().map(|(_, path)| path.as_str()).collect();
        let mut freshness = FreshnessCounts::default();
        let mut stale_pages = Vec::new();
        for (page, assessment) in &assessments {
            match assessment.staleness {
                Staleness::Fresh => freshness.fresh += 1,
                Staleness::PossiblyStale => freshness.possibly_stale += 1,
                Staleness::Stale => freshness.stale += 1,
                Staleness::Untracked => {}
            }
            if assessment.staleness > Staleness::Fresh {
                stale_pages.push(StalePage {
                    filepath: crate::ops::page::path_of(db, *page)?,
                    staleness: assessment.staleness,
                    stale_refs: assessment.stale_refs.clone(),
                });
            }
        }
        stale_pages.sort_by(|a, b| b.staleness.cmp(&a.staleness).then_with(|| a.filepath.cmp(&b.filepath)));
        freshness.untracked = page_count - assessments.len();
        Ok(Output {
            page_count,
            link_count: graph.edge_count(),
            section_count: index::section_count(db)?,
            vectorized_page_count: index::vectorized_pages(db, identity)?,
            unindexed_page_count: listing
                .pages
                .iter()
                .filter(|file| !known.contains(file.path.as_str()))
                .count()
                + listing.unreadable.len(),
            unresolved_link_count: links::unresolved_count(db)?.saturating_sub(elsewhere),
            freshness,
            stale_pages,
            proposal_count,
            model: ModelState {
                name: context.manifest.embedding_model.name.clone(),
                dimensions: context.manifest.embedding_model.dimensions,
                available: context.embedder.is_some(),
            },
            omitted: Omitted::default(),
            index: state.clone(),
        })
    })?;
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        let dropped = excess.shorten(&mut output.stale_pages);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

/// Stale pages that are listed; `check_staleness` lists all, with every source.
const MOST_STALE: usize = 10;

/// Shows the counts, then the stale pages.
pub fn show(output: &Output, page: &mut dyn Page) {
    let FreshnessCounts { fresh, possibly_stale, stale, untracked } = output.freshness;
    let ModelState { name, dimensions, available } = &output.model;
    let model = match available {
        true => message!("{name} ({dimensions} dimensions)", name, dimensions),
        false => message!(
            "{name} ({dimensions} dimensions, not on this machine; {model} shows how to get it)",
            name,
            dimensions,
            model = Value::Run("model".into())
        ),
    };
    let sections = counted(output.section_count, "section", "sections");
    let vectors = message!(
        "{vectors} of {pages}",
        vectors = output.vectorized_page_count,
        pages = counted(output.page_count, "page", "pages")
    );
    let vectors = match output.page_count - output.vectorized_page_count {
        0 => vectors,
        _ if !available || output.index.pending > 0 => vectors,
        count => {
            let without = counted(count, "page is", "pages are");
            match name != MULTILINGUAL && is_unfit(count, output.page_count) {
                true => message!(
                    "{vectors}; {without} without text that the model supports; {model} chooses a model for more scripts",
                    vectors,
                    without,
                    model = Value::Run(format!("model use {MULTILINGUAL}"))
                ),
                false => {
                    message!("{vectors}; {without} without text that the model supports", vectors, without)
                }
            }
        }
    };
    let (pages, links, broken) = (output.page_count, output.link_count, output.unresolved_link_count);
    let rows = [
        (message!("Pages"), message!("{pages} ({sections})", pages, sections)),
        (message!("Links"), message!("{links}, and {broken} broken", links, broken)),
        (message!("Vectors"), vectors),
        (message!("Model"), model),
        (message!("Not indexed"), Message::verbatim(output.unindexed_page_count.to_string())),
        (
            message!("Freshness"),
            message!(
                "{fresh} fresh, {possibly_stale} possibly stale, {stale} stale, {untracked} untracked",
                fresh,
                possibly_stale,
                stale,
                untracked
            ),
        ),
    ];
    page.rows(&with_proposals(rows, output), 13);
    for overtaken in output.stale_pages.iter().take(MOST_STALE) {
        let Some((source, others)) = overtaken.stale_refs.split_first() else { continue };
        let label = match overtaken.staleness {
            Staleness::Stale => message!("[STALE]"),
            _ => message!("[POSSIBLY STALE]"),
        };
        let (label, path) = (Span::alarm(&label), Span::Path(&overtaken.filepath));
        let (file, wrong) = (Span::File(&source.file_path), what_is_wrong(source));
        page.line(&[Span::said(&match others.len() {
            0 => message!("{label} {path} — {file} {wrong}", label, path, file, wrong),
            count => message!(
                "{label} {path} — {file} {wrong}, and {others}",
                label,
                path,
                file,
                wrong,
                others = counted(count, "more source", "more sources")
            ),
        })]);
    }
    if output.stale_pages.len() > MOST_STALE {
        let more = counted(output.stale_pages.len() - MOST_STALE, "more page", "more pages");
        let all = page.voice().ask(&Next::call("check_staleness"));
        page.item(&[Span::said(&message!("{more}; {all} lists all", more, all))]);
    }
    output.omitted.show(|count| counted(count, "stale page", "stale pages"), more_room(), page);
    output.index.show_with_vectors(page);
}

/// The rows, and how many proposals wait, if any.
fn with_proposals<const N: usize>(rows: [(Message, Message); N], output: &Output) -> Vec<(Message, Message)> {
    let waiting = (output.proposal_count > 0).then(|| {
        let waiting = counted(output.proposal_count, "waits", "wait");
        let list = Next::call("list_proposals");
        (message!("Proposals"), message!("{waiting} for review; {list} shows them", waiting, list))
    });
    rows.into_iter().chain(waiting).collect()
}

/// Shows a short overview of the project, and the next commands to try.
pub fn show_overview(output: &Output, page: &mut dyn Page) {
    let rows = [
        (message!("Pages"), told_pages(output)),
        (message!("Links"), told_links(output)),
        (message!("Freshness"), told_freshness(output)),
        (message!("Vectors"), told_vectors(output)),
    ];
    page.rows(&with_proposals(rows, output), 11);
    page.gap();
    page.heading(&[Span::strong(&message!("Next"))]);
    for next in next(output) {
        page.item(&[Span::said(&next)]);
    }
    output.index.show(page);
}

fn told_pages(output: &Output) -> Message {
    let pages = output.page_count;
    match output.unindexed_page_count {
        0 => Message::verbatim(pages.to_string()),
        missing => message!("{pages}, and {missing} that cannot be read", pages, missing),
    }
}

fn told_links(output: &Output) -> Message {
    let links = output.link_count;
    match output.unresolved_link_count {
        0 => message!("{links}, none broken", links),
        broken => message!("{links}, and {broken} broken", links, broken),
    }
}

fn told_freshness(output: &Output) -> Message {
    let FreshnessCounts { fresh, possibly_stale, stale, untracked } = output.freshness;
    if untracked == output.page_count {
        return message!("no page names the code that it describes");
    }
    let stale = (stale > 0).then(|| message!("{stale} stale", stale));
    let possibly = (possibly_stale > 0).then(|| message!("{possibly_stale} possibly stale", possibly_stale));
    let fresh = Some(message!("{fresh} fresh", fresh));
    Message::joined([stale, possibly, fresh].into_iter().flatten().collect(), ", ")
}

fn told_vectors(output: &Output) -> Message {
    if !output.model.available {
        return message!("none: the model {name} is not on this machine", name = output.model.name);
    }
    let pages = counted(output.page_count, "page", "pages");
    message!("for {vectors} of {pages}", vectors = output.vectorized_page_count, pages)
}

/// The next commands worth running, most urgent first: each with what it does.
fn next(output: &Output) -> Vec<Message> {
    let counts = output.freshness;
    let broken = output.unresolved_link_count > 0 || output.unindexed_page_count > 0;
    let all = [
        (
            output.page_count == 0,
            message!("{new} creates a page", new = Next::call("create_page").with("title", "My first page")),
        ),
        (
            counts.stale + counts.possibly_stale > 0,
            message!("{stale} lists the pages whose code changed", stale = Next::call("check_staleness")),
        ),
        (broken, message!("{doctor} lists broken links and other problems", doctor = Next::call("doctor"))),
        (
            !output.model.available,
            message!("{model} shows how to get the model", model = Value::Run("model".into())),
        ),
        (
            output.model.available && output.index.pending > 0,
            message!(
                "{add} computes the missing vectors, so search by meaning finds all pages",
                add = Next::call("add")
            ),
        ),
        (
            output.page_count > 0,
            message!(
                "{search} finds pages by meaning, words and links",
                search = Next::call("search").with("query", "a question")
            ),
        ),
        (
            true,
            message!(
                "{viewer} opens the pages in a browser, to read and to write",
                viewer = Value::Run("viewer".into())
            ),
        ),
    ];
    all.into_iter().filter(|(due, _)| *due).map(|(_, message)| message).collect()
}
