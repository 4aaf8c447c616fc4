//! The pages that describe a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::freshness::{self, Sources, StaleReason};
use crate::message;
use crate::ops::budget::{self, Omitted, more_room};
use crate::ops::page::{IndexState, PageFields, fields};
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span, counted};
use crate::{Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Find the pages about a code file, with their freshness.")
    .tool(Tool::Always)
    .command("refs");

/// The file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The file's path relative to the project.
    pub file: String,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The pages that describe the file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The file's path relative to the project.
    pub file: String,
    /// Whether the file exists.
    pub exists: bool,
    /// The pages that describe it, by path.
    pub pages: Vec<DescribingPage>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A page that describes the file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DescribingPage {
    /// The page's metadata; its freshness covers all of its sources.
    #[serde(flatten)]
    pub page: PageFields,
    /// The page's source entries that match the file: its path, a folder or a glob.
    pub named_as: Vec<String>,
    /// Why this file makes the page stale; absent if it does not.
    pub reason: Option<StaleReason>,
}

/// Finds the pages.
///
/// # Errors
/// [`Error::OutsideProject`], [`Error::InvalidParams`], [`Error::Database`], [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let file = params.file.trim_start_matches("./").to_owned();
    if file.is_empty() {
        return Err(Error::invalid(message!("`file` is missing: a path relative to the project")));
    }
    if !path::is_inside(&file) {
        return Err(Error::OutsideProject { path: file, folder: "project".into() });
    }
    let exists = context.source.stat_source(&file)?.is_some();
    let declared = context.index.read(|db| freshness::declared(db, None))?;
    let sources = Sources::expand(context, &declared)?;
    let mut describing: Vec<(i64, Vec<String>)> = Vec::new();
    for (page, named) in &declared {
        let names: Vec<String> =
            named.sources.iter().filter(|source| sources.covers(source, &file)).cloned().collect();
        if !names.is_empty() {
            describing.push((*page, names));
        }
    }
    let numbers: Vec<i64> = describing.iter().map(|(page, _)| *page).collect();
    let assessments = freshness::assess(context, Some(&numbers))?;
    let mut pages = context.index.read(|db| {
        let page = |(page, named_as): (i64, Vec<String>)| {
            let assessment = assessments.get(&page);
            let stale = assessment.map(|a| a.stale_refs.as_slice()).unwrap_or_default();
            let reason = stale.iter().find(|stale| stale.file_path == file).map(|stale| stale.reason);
            Ok(DescribingPage { page: fields(db, page, assessment)?, named_as, reason })
        };
        describing.into_iter().map(page).collect::<Result<Vec<_>>>()
    })?;
    pages.sort_by(|a, b| a.page.filepath.cmp(&b.page.filepath));
    let mut output =
        Output { file, exists, pages, omitted: Omitted::default(), index: context.index_state()? };
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        let dropped = excess.shorten(&mut output.pages);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

/// Shows the pages that describe the file.
pub fn show(output: &Output, page: &mut dyn Page) {
    for describing in &output.pages {
        let fields = &describing.page;
        page.line(&[Span::said(&message!(
            "{path}  {title}{label}{trust}",
            path = Span::Path(&fields.filepath),
            title = Span::Words(&fields.title),
            label = Span::faint(&message!("  as {named_as}", named_as = describing.named_as.join(", "))),
            trust = Span::Trust(fields.staleness)
        ))]);
    }
    let file = Span::File(&output.file);
    if !output.exists {
        page.warn(&[Span::said(&message!("{file} does not exist", file))]);
    }
    let count = counted(output.pages.len(), "page describes", "pages describe");
    page.note(&[Span::said(&message!("{count} {file}", count, file))]);
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
    output.index.show(page);
}
