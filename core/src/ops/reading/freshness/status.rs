//! Counts of pages, links and vectors, and the freshness of pages.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::embed::{MULTILINGUAL, is_unfit};
use crate::freshness::{self, StaleRef, Staleness};
use crate::hint::Next;
use crate::index::questions::{links, pages};
use crate::ops::budget::{self, MORE_ROOM, Omitted};
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
    /// Broken links, counting every occurrence.
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
    for overtaken in assessments.values_mut().filter(|one| one.staleness > Staleness::Fresh) {
        freshness::name_renames(context, overtaken)?;
    }
    let graph = context.index.graph()?;
    let listing = context.source.list()?;
    let identity = context.embedder.map(|embedder| embedder.model().identity.as_str()).unwrap_or_default();
    let state = context.index_state()?;
    #[cfg(not(target_family = "wasm"))]
    let proposal_count = crate::proposals::open_count(context)?;
    #[cfg(target_family = "wasm")]
    let proposal_count = 0;
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
            unresolved_link_count: links::unresolved_count(db)?,
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
    let absent = match available {
        true => String::new(),
        false => format!(", not on this machine; {} shows how to get it", page.voice().run("model")),
    };
    let sections = counted(output.section_count, "section", "sections");
    let without = match output.page_count - output.vectorized_page_count {
        0 => String::new(),
        _ if !available || output.index.pending > 0 => String::new(),
        count => {
            let without = counted(count, "page is", "pages are");
            let better = match name != MULTILINGUAL && is_unfit(count, output.page_count) {
                true => {
                    let call = page.voice().run(&format!("model use {MULTILINGUAL}"));
                    format!("; {call} chooses a model for more scripts")
                }
                false => String::new(),
            };
            format!("; {without} without text that the model supports{better}")
        }
    };
    let rows = [
        ("Pages", format!("{} ({sections})", output.page_count)),
        ("Links", format!("{}, and {} broken", output.link_count, output.unresolved_link_count)),
        (
            "Vectors",
            format!(
                "{} of {}{without}",
                output.vectorized_page_count,
                counted(output.page_count, "page", "pages")
            ),
        ),
        ("Model", format!("{name} ({dimensions} dimensions{absent})")),
        ("Not indexed", output.unindexed_page_count.to_string()),
        (
            "Freshness",
            format!("{fresh} fresh, {possibly_stale} possibly stale, {stale} stale, {untracked} untracked"),
        ),
    ];
    let proposals = (output.proposal_count > 0).then(|| ("Proposals", told_proposals(output, page)));
    for (name, value) in rows.into_iter().chain(proposals) {
        page.line(&[Span::Strong(&format!("{name:<13}")), Span::Text(&value)]);
    }
    for overtaken in output.stale_pages.iter().take(MOST_STALE) {
        let Some((source, others)) = overtaken.stale_refs.split_first() else { continue };
        let label = match overtaken.staleness {
            Staleness::Stale => "[STALE] ",
            _ => "[POSSIBLY STALE] ",
        };
        let others = match others.len() {
            0 => String::new(),
            count => format!(", and {}", counted(count, "more source", "more sources")),
        };
        page.line(&[
            Span::Alarm(label),
            Span::Path(&overtaken.filepath),
            Span::Text(" — "),
            Span::File(&source.file_path),
            Span::Text(&format!(" {}{others}", what_is_wrong(source))),
        ]);
    }
    if output.stale_pages.len() > MOST_STALE {
        let more = counted(output.stale_pages.len() - MOST_STALE, "more page", "more pages");
        let all = page.voice().ask(&Next::call("check_staleness"));
        page.item(&[Span::Text(&format!("{more}; {all} lists all"))]);
    }
    output.omitted.show(["stale page", "stale pages"], MORE_ROOM, page);
    output.index.show_with_vectors(page);
}

/// How many proposals wait, and how to see them.
fn told_proposals(output: &Output, page: &dyn Page) -> String {
    let count = counted(output.proposal_count, "waits", "wait");
    let list = page.voice().ask(&Next::call("list_proposals"));
    format!("{count} for review; {list} shows them")
}

/// Shows a short overview of the project, and the next commands to try.
pub fn show_overview(output: &Output, page: &mut dyn Page) {
    for (name, value) in [
        ("Pages", told_pages(output)),
        ("Links", told_links(output)),
        ("Freshness", told_freshness(output)),
        ("Vectors", told_vectors(output)),
    ] {
        page.line(&[Span::Strong(&format!("{name:<11}")), Span::Text(&value)]);
    }
    if output.proposal_count > 0 {
        page.line(&[Span::Strong("Proposals  "), Span::Text(&told_proposals(output, page))]);
    }
    page.gap();
    page.heading(&[Span::Strong("Next")]);
    for (call, what) in next(output, page) {
        page.item(&[Span::Text(&call), Span::Text(" "), Span::Text(what)]);
    }
    output.index.show(page);
}

fn told_pages(output: &Output) -> String {
    match output.unindexed_page_count {
        0 => output.page_count.to_string(),
        missing => format!("{}, and {missing} that cannot be read", output.page_count),
    }
}

fn told_links(output: &Output) -> String {
    match output.unresolved_link_count {
        0 => format!("{}, none broken", output.link_count),
        broken => format!("{}, and {broken} broken", output.link_count),
    }
}

fn told_freshness(output: &Output) -> String {
    let counts = output.freshness;
    if counts.untracked == output.page_count {
        return "no page names the code that it describes".into();
    }
    let fresh = format!("{} fresh", counts.fresh);
    let overtaken = [(counts.stale, "stale"), (counts.possibly_stale, "possibly stale")];
    let overtaken = overtaken.iter().filter(|(number, _)| *number > 0);
    let mut parts: Vec<String> = overtaken.map(|(number, what)| format!("{number} {what}")).collect();
    parts.push(fresh);
    parts.join(", ")
}

fn told_vectors(output: &Output) -> String {
    if !output.model.available {
        return format!("none: the model {} is not on this machine", output.model.name);
    }
    format!("for {} of {}", output.vectorized_page_count, counted(output.page_count, "page", "pages"))
}

/// The next commands worth running, most urgent first: each with what it does.
fn next(output: &Output, page: &dyn Page) -> Vec<(String, &'static str)> {
    let ask = |next: Next| page.voice().ask(&next);
    let counts = output.freshness;
    let broken = output.unresolved_link_count > 0 || output.unindexed_page_count > 0;
    let all = [
        (
            output.page_count == 0,
            ask(Next::call("create_page").with("title", "My first page")),
            "creates a page",
        ),
        (
            counts.stale + counts.possibly_stale > 0,
            ask(Next::call("check_staleness")),
            "lists the pages whose code changed",
        ),
        (broken, ask(Next::call("doctor")), "lists broken links and other problems"),
        (!output.model.available, page.voice().run("model"), "shows how to get the model"),
        (
            output.model.available && output.index.pending > 0,
            ask(Next::call("add")),
            "computes the missing vectors, so search by meaning finds all pages",
        ),
        (
            output.page_count > 0,
            ask(Next::call("search").with("query", "a question")),
            "finds pages by meaning, words and links",
        ),
        (true, page.voice().run("viewer"), "opens the pages in a browser, to read and to write"),
    ];
    all.into_iter().filter(|(due, ..)| *due).map(|(_, call, what)| (call, what)).collect()
}
