//! Symbols and files that pages name in code spans without binding them, each with a confidence and its place. Nothing is
//! changed; `accept` makes the code span a link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::freshness::{self, DeclaredPage, Sources};
use crate::hint::Next;
use crate::index::questions::pages;
use crate::message;
use crate::ops::Facts;
use crate::ops::bind::{self, KEY};
use crate::ops::budget;
use crate::ops::page::{IndexState, PageName};
use crate::ops::suggest_links::{LinkPlace, Status};
use crate::page::{Lines, body_start, decode};
use crate::path;
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::code::{self, Code, CodeSpan};
use crate::suggest::decisions::Decisions;
use crate::suggest::line_around;
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Suggest links to the symbols and files that pages name in code spans, each with its place.",
)
.quoting_pages()
.command("link-code");

/// Default confidence below which nothing is listed.
const THRESHOLD: f64 = 0.8;

/// Default number of suggestions.
const LIMIT: usize = 20;

/// Selects the suggestions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only names on this page: path, id, title or alias (default: all pages).
    pub page: Option<String>,
    /// Minimum confidence.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = THRESHOLD))]
    pub threshold: Option<f64>,
    /// Maximum number of suggestions.
    #[schemars(range(min = 1, max = 1_000), extend("default" = LIMIT))]
    pub limit: Option<usize>,
    /// Also return dismissed and accepted suggestions.
    #[serde(default)]
    pub include_decided: bool,
}

/// The suggestions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The suggestions, most certain first, then by path and line.
    pub suggestions: Vec<CodeSuggestion>,
    /// Number of suggestions before `limit`.
    pub total: usize,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A symbol or file that a page names.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CodeSuggestion {
    /// Path of the page.
    pub source: String,
    /// The file, relative to the project, or a symbol of it: `path#symbol`.
    pub target: String,
    /// Share of such suggestions that are right, 0 to 1.
    pub confidence: f64,
    /// How often the page names it.
    pub count: usize,
    /// The first code span that can become a link; absent if only headings name it.
    pub place: Option<LinkPlace>,
    /// The decision about it.
    pub status: Status,
    /// What accepts it.
    pub accept: Next,
}

/// Suggests links to code.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`], [`Error::Io`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let threshold = params.threshold.unwrap_or(THRESHOLD);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::invalid(message!("threshold is {threshold}; it must be from 0 to 1", threshold)));
    }
    let limit = budget::ranged("limit", params.limit, LIMIT, 1, 1_000)?;
    let page =
        context.index.read(|db| PageName { page: params.page.as_deref(), ..PageName::default() }.find(db))?;
    let mut suggestions = suggested(context, page, params.include_decided)?;
    suggestions.retain(|one| one.confidence >= threshold);
    let total = suggestions.len();
    suggestions.truncate(limit);
    Ok(Output { suggestions, total, index: context.index_state()? })
}

/// A page with code spans.
struct Read {
    number: i64,
    path: String,
    text: String,
    spans: Vec<CodeSpan>,
}

/// All suggestions, most certain first.
///
/// # Errors
/// As [`run`].
pub(crate) fn suggested(
    context: &Context<'_>,
    only: Option<i64>,
    include_decided: bool,
) -> Result<Vec<CodeSuggestion>> {
    let (paths, ids) = context.index.read(|db| Ok((pages::paths(db)?, pages::ids(db)?)))?;
    let mut read = Vec::new();
    for (number, path) in paths.into_iter().filter(|(number, _)| only.is_none_or(|only| only == *number)) {
        context.cancel.check()?;
        if only.is_none() && code::is_history(&path) {
            continue;
        }
        // A page that cannot be read names nothing.
        let Ok(bytes) = context.source.read(&path) else { continue };
        let text = decode(&bytes).0.into_owned();
        let spans = code::code_spans(&text, body_start(&text));
        if !spans.is_empty() {
            read.push(Read { number, path, text, spans });
        }
    }
    let names = code::wanted(read.iter().flat_map(|page| &page.spans).map(|span| span.text.as_str()));
    let mut files = context.source.match_sources(&["**".to_owned()])?;
    files.retain(|file| !path::is_page(file));
    let contents = |file: &str| context.source.read_source(file).ok();
    let code = Code::read(&files, &names, context.symbols, &contents, context.cancel)?;
    let numbers: Vec<i64> = read.iter().map(|page| page.number).collect();
    let declared = context.index.read(|db| freshness::declared(db, Some(&numbers)))?;
    let sources = Sources::expand(context, &declared)?;
    let decisions = Decisions::read(context.source)?;
    let mut suggestions = Vec::new();
    for page in &read {
        let folder = path::join(context.pages_dir(), path::folder(&page.path)).unwrap_or_default();
        let lines = Lines::new(&page.text);
        let id = ids.get(&page.number).map(String::as_str).unwrap_or_default();
        for (target, (form, spans)) in code::meant(&code, &page.spans, &folder) {
            if declared.get(&page.number).is_some_and(|page| binds(page, &sources, &target)) {
                continue;
            }
            let status = Status::from(decisions.verdict_on_type(id, &target, KEY));
            if status != Status::Pending && !include_decided {
                continue;
            }
            let place = spans.iter().find(|span| !span.heading).map(|span| LinkPlace {
                line: lines.line_of(span.range.start),
                text: span.text.clone(),
                context: line_around(&page.text, &span.range),
            });
            let accept = bind::accepting(&page.path, &target, place.as_ref());
            suggestions.push(CodeSuggestion {
                source: page.path.clone(),
                confidence: rounded(form.confidence()),
                count: spans.len(),
                place,
                status,
                accept,
                target,
            });
        }
    }
    suggestions.sort_by(|a, b| {
        let line = |one: &CodeSuggestion| one.place.as_ref().map_or(0, |place| place.line);
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| (&a.source, line(a), &a.target).cmp(&(&b.source, line(b), &b.target)))
    });
    Ok(suggestions)
}

/// Whether a page binds the target already: itself, what contains it, or a part of it.
fn binds(page: &DeclaredPage, sources: &Sources, target: &str) -> bool {
    let (file, symbol) = target.split_once('#').unwrap_or((target, ""));
    let is_in = |one: &str, other: &str| {
        one == other || one.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'))
    };
    page.sources.iter().any(|source| match sources.anchor(source) {
        None => sources.covers(source, file),
        Some(anchor) if anchor.file == file => {
            let name = anchor.name.replace("::", ".").replace('#', ".");
            let is_end = symbol == name || symbol.ends_with(&format!(".{name}"));
            symbol.is_empty() || is_end || is_in(symbol, &name) || is_in(&name, symbol)
        }
        Some(_) => false,
    })
}

/// Shows the suggestions, each with its place.
pub fn show(output: &Output, page: &mut dyn Page) {
    for one in &output.suggestions {
        let from = match &one.place {
            Some(place) => Span::Place(&one.source, place.line),
            None => Span::Path(&one.source),
        };
        let decided = match one.status {
            Status::Pending => message!(""),
            Status::Accepted => message!("  [ACCEPTED]"),
            Status::Dismissed => message!("  [DISMISSED]"),
        };
        page.line(&[Span::said(&message!(
            "{confidence}  {from} -> {target}{decided}",
            confidence = format!("{:.2}", one.confidence),
            from,
            target = Span::File(&one.target),
            decided
        ))]);
        match &one.place {
            Some(place) => page.detail(&[Span::Words(&place.context)]),
            None => page.detail(&[Span::said(&message!("only headings name it"))]),
        }
    }
    let total = counted(output.total, "name leads to code", "names lead to code");
    page.note(&[Span::said(&message!("{total} without a link", total))]);
    if let Some(first) = output.suggestions.iter().find(|one| one.status == Status::Pending) {
        let (accept, dismiss) = (page.voice().ask(&first.accept), page.voice().ask(&bind::dismissing(first)));
        page.hint(&[Span::said(&message!(
            "{accept} makes the first one; {dismiss} stops suggesting it",
            accept,
            dismiss
        ))]);
    }
    output.index.show(page);
}
