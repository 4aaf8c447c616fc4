//! The pages that describe a file, a symbol in it, or what a change touches.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::freshness::{self, Sources, StaleReason, StaleRef};
#[cfg(not(target_family = "wasm"))]
use crate::freshness::{Anchor, Ends, Targets};
#[cfg(not(target_family = "wasm"))]
use crate::index::Index;
use crate::message;
#[cfg(not(target_family = "wasm"))]
use crate::message::Message;
use crate::ops::budget::{self, Omitted, more_room};
#[cfg(not(target_family = "wasm"))]
use crate::ops::diff::{ComparedSide, differing, range::Range, revision::Revision};
use crate::ops::page::{IndexState, PageFields, fields};
#[cfg(not(target_family = "wasm"))]
use crate::ops::touched::{self, TouchedPage, touched_pages};
use crate::ops::{Facts, Tool};
#[cfg(not(target_family = "wasm"))]
use crate::ports::{Blobs, RevisionSource, Target};
use crate::show::{Page, Span, counted};
use crate::{Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Find the pages about a code file or a change.").tool(Tool::Always).command("refs");

/// The file or symbol, or the change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path in the project, or `path#symbol`.
    pub file: Option<String>,
    /// Or a range: `A..B`, `A...B` or `A`, as in git; `HEAD`: uncommitted work.
    pub diff: Option<String>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The pages that describe it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The file's path relative to the project, or that of a symbol; absent with `diff`.
    pub file: Option<String>,
    /// Whether it exists; true with `diff`.
    pub exists: bool,
    /// The pages that describe it, by path; empty with `diff`.
    pub pages: Vec<DescribingPage>,
    /// What the change touches; absent without `diff`.
    pub change: Option<TouchedByChange>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Browsers have no history.
#[cfg(target_family = "wasm")]
pub type TouchedByChange = ();

/// What a change touches.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TouchedByChange {
    /// The older side.
    pub from: ComparedSide,
    /// The newer side, whose pages these are.
    pub to: ComparedSide,
    /// The pages that describe what differs, those to read again first.
    pub pages: Vec<TouchedPage>,
    /// Symbols that pages name and whose comments or layout alone changed.
    pub silent: Vec<String>,
    /// Limitations of this comparison, in words.
    pub notes: Vec<Message>,
}

/// A page that describes the file or symbol.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DescribingPage {
    /// The page's metadata; its freshness covers all of its sources.
    #[serde(flatten)]
    pub page: PageFields,
    /// The page's source entries that match it: a path, a symbol, a folder or a glob.
    pub named_as: Vec<String>,
    /// Why it makes the page stale; absent if it does not.
    pub reason: Option<StaleReason>,
}

/// Finds the pages.
///
/// # Errors
/// [`Error::OutsideProject`], [`Error::InvalidParams`], [`Error::Database`], [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let file = params.file.as_deref().unwrap_or_default().trim_start_matches("./").to_owned();
    #[cfg(not(target_family = "wasm"))]
    match (&params.diff, file.is_empty()) {
        (Some(range), true) => return of_change(context, range, params.max_tokens),
        (Some(_), false) => return Err(Error::invalid(message!("pass `file` or `diff`, not both"))),
        (None, _) => {}
    }
    if file.is_empty() {
        return Err(Error::invalid(message!("`file` is missing: a path relative to the project")));
    }
    if !path::is_inside(&file) {
        return Err(Error::OutsideProject { path: file, folder: "project".into() });
    }
    let declared = context.index.read(|db| freshness::declared(db, None))?;
    let sources = Sources::expand(context, &declared)?;
    let (exists, subject) = Subject::of(context, &file)?;
    let mut describing: Vec<(i64, Vec<String>)> = Vec::new();
    for (page, named) in &declared {
        let names: Vec<String> = named
            .sources
            .iter()
            .filter(|source| subject.is_named_by(source, &sources, context))
            .cloned()
            .collect();
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
            let is_it = |stale: &&StaleRef| {
                let path = &stale.file_path;
                let is_symbol =
                    || !cfg!(target_family = "wasm") && path.contains('#') && named_as.contains(path);
                path == subject.file || is_symbol()
            };
            let reason = stale.iter().find(is_it).map(|stale| stale.reason);
            Ok(DescribingPage { page: fields(db, page, assessment)?, named_as, reason })
        };
        describing.into_iter().map(page).collect::<Result<Vec<_>>>()
    })?;
    pages.sort_by(|a, b| a.page.filepath.cmp(&b.page.filepath));
    let mut output = Output {
        file: Some(file),
        exists,
        pages,
        change: None,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, |output, excess| {
        let dropped = excess.shorten(&mut output.pages);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

#[cfg(not(target_family = "wasm"))]
fn of_change(context: &Context<'_>, range: &str, max_tokens: Option<usize>) -> Result<Output> {
    let (from, to) = Range::parse(Some(range))?.resolve(context.history)?;
    let (blobs, mut notes) = (Blobs::default(), Vec::new());
    let old_commit = from.commit.clone().unwrap_or_default();
    let files = context.history.files_at(&old_commit)?;
    let old = RevisionSource::new(context.history, &blobs, files, context.pages_dir());
    let (pages, silent) = match &to.commit {
        None => {
            let changed = context.history.changed_since(&old_commit)?;
            touched_pages(context, context, &Ends { old: &old, new: None, changed: &changed })?
        }
        Some(commit) => {
            let index = Index::in_memory()?;
            let new = Revision::open(context, &blobs, commit, &mut notes)?;
            new.fill(context, &index)?;
            let changed = differing(&old, &new.source);
            let ends = Ends { old: &old, new: Some(&new.source), changed: &changed };
            touched_pages(&new.context(context, &index), context, &ends)?
        }
    };
    let mut output = Output {
        file: None,
        exists: true,
        pages: Vec::new(),
        change: Some(TouchedByChange { from, to, pages, silent, notes }),
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, max_tokens, show, |output, excess| {
        let Some(change) = &mut output.change else { return false };
        if excess.shorten(&mut change.silent) > 0 {
            return true;
        }
        let dropped = excess.shorten(&mut change.pages);
        output.omitted.pages += dropped;
        dropped > 0
    })?;
    Ok(output)
}

/// What the pages are asked for.
struct Subject<'a> {
    file: &'a str,
    /// The full name of the symbol.
    #[cfg(not(target_family = "wasm"))]
    symbol: Option<String>,
}

/// Browsers know files only.
#[cfg(target_family = "wasm")]
impl<'a> Subject<'a> {
    fn of(context: &Context<'_>, named: &'a str) -> Result<(bool, Self)> {
        Ok((context.source.stat_source(named)?.is_some(), Self { file: named }))
    }

    fn is_named_by(&self, source: &str, sources: &Sources, _context: &Context<'_>) -> bool {
        sources.covers(source, self.file)
    }
}

#[cfg(not(target_family = "wasm"))]
impl<'a> Subject<'a> {
    /// Whether it exists, and what it is.
    fn of(context: &Context<'_>, named: &'a str) -> Result<(bool, Self)> {
        if let Some(anchor) = Anchor::of(context.source, named)? {
            let (exists, name) = full_name(context, anchor);
            return Ok((exists, Self { file: anchor.file, symbol: Some(name) }));
        }
        let exists = context.source.stat_source(named)?.is_some();
        let subject = match Anchor::of_deleted(named).filter(|_| !exists) {
            Some(anchor) => Self { file: anchor.file, symbol: Some(anchor.name.to_owned()) },
            None => Self { file: named, symbol: None },
        };
        Ok((exists, subject))
    }

    /// Whether a source of a page is it, contains it, or is in it.
    fn is_named_by(&self, source: &str, sources: &Sources, context: &Context<'_>) -> bool {
        let deleted = || Anchor::of_deleted(source).filter(|_| sources.of(source).is_empty());
        let Some(anchor) = sources.anchor(source).or_else(deleted) else {
            return sources.covers(source, self.file);
        };
        let is_same = |symbol: &String| {
            let (_, name) = full_name(context, anchor);
            let is_in =
                |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'));
            *symbol == name || is_in(symbol, &name) || is_in(&name, symbol)
        };
        anchor.file == self.file && self.symbol.as_ref().is_none_or(is_same)
    }
}

/// Whether the symbol exists, and its full name.
#[cfg(not(target_family = "wasm"))]
fn full_name(context: &Context<'_>, anchor: Anchor<'_>) -> (bool, String) {
    match Targets::of([anchor]).target(context, anchor) {
        Some(Target::Symbol(symbol)) => (true, symbol.name.clone()),
        Some(Target::Nothing(_)) | None => (false, anchor.name.to_owned()),
        Some(Target::Several(_) | Target::File(_)) => (true, anchor.name.to_owned()),
    }
}

/// Shows the pages that describe the file, or what the change touches.
pub fn show(output: &Output, page: &mut dyn Page) {
    #[cfg(not(target_family = "wasm"))]
    if let Some(change) = &output.change {
        touched::show(&change.pages, &change.silent, page);
        let count = change.pages.len();
        let pages = counted(count, "page describes what changed", "pages describe what changed");
        let (from, to) = (change.from.name(), change.to.name());
        page.note(&[Span::said(&message!("{pages}: {from} -> {to}", pages, from, to))]);
        change.notes.iter().for_each(|note| page.warn(&[Span::said(note)]));
        output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
        return output.index.show(page);
    }
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
    let file = Span::File(output.file.as_deref().unwrap_or_default());
    if !output.exists {
        page.warn(&[Span::said(&message!("{file} does not exist", file))]);
    }
    let count = counted(output.pages.len(), "page describes", "pages describe");
    page.note(&[Span::said(&message!("{count} {file}", count, file))]);
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
    output.index.show(page);
}
