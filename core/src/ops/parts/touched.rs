//! The pages that describe what a change touches, for answers about a change.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::freshness::{self, Ends, Touch, TouchedSource};
use crate::message;
use crate::message::Message;
use crate::ops::page::{PageFields, fields};
use crate::show::{Page, Span, counted};
use crate::{Context, Result, path};

/// A page that describes what a change touches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TouchedPage {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// What it describes and the change touches, worst first.
    pub sources: Vec<TouchedSource>,
    /// Whether the page itself differs, too.
    pub is_changed: bool,
    /// Whether a review says that the page is accurate after the change.
    pub is_reviewed: bool,
}

impl TouchedPage {
    /// Whether somebody has to read it again: neither was it edited nor reviewed, and more than the body of a symbol
    /// differs. With `any_change`, a body is enough.
    pub fn is_due(&self, any_change: bool) -> bool {
        let is_serious = |source: &TouchedSource| {
            source.is_serious() || (any_change && source.change == Touch::BodyChanged)
        };
        !self.is_changed && !self.is_reviewed && self.sources.iter().any(is_serious)
    }
}

/// The pages that describe what the change between `ends` touches, those to read again first, and the symbols whose
/// comments or layout alone changed. `context` shows the newer end, and `whole` has the complete history.
///
/// # Errors
/// [`crate::Error::Database`]; [`crate::Error::Io`] when version control fails; [`crate::Error::Cancelled`].
pub(crate) fn touched_pages(
    context: &Context<'_>,
    whole: &Context<'_>,
    ends: &Ends<'_>,
) -> Result<(Vec<TouchedPage>, Vec<String>)> {
    let touched = freshness::touched(context, whole, ends)?;
    let numbers: Vec<i64> = touched.pages.keys().copied().collect();
    let assessments = match numbers.as_slice() {
        [] => HashMap::new(),
        numbers => freshness::assess(context, Some(numbers))?,
    };
    let mut pages = context.index.read(|db| {
        let page = |(number, sources): (i64, Vec<TouchedSource>)| {
            let assessment = assessments.get(&number);
            let page = fields(db, number, assessment)?;
            let file = path::join(context.pages_dir(), &page.filepath);
            let is_changed = file.is_some_and(|file| ends.changed.contains(&file));
            let is_reviewed = assessment.is_some_and(|assessment| {
                let is_stale = |path: &str| assessment.stale_refs.iter().any(|stale| stale.file_path == path);
                let is_settled = |source: &TouchedSource| {
                    !is_stale(&source.source) && !source.files.iter().any(|file| is_stale(file))
                };
                assessment.reviewed && sources.iter().all(is_settled)
            });
            Ok(TouchedPage { page, sources, is_changed, is_reviewed })
        };
        touched.pages.into_iter().map(page).collect::<Result<Vec<_>>>()
    })?;
    let worst = |page: &TouchedPage| page.sources.first().map(|source| source.change);
    pages.sort_by(|a, b| {
        let key = |page: &TouchedPage| (!page.is_due(false), !page.is_due(true), worst(page));
        key(a).cmp(&key(b)).then_with(|| a.page.filepath.cmp(&b.page.filepath))
    });
    Ok((pages, touched.silent.into_iter().collect()))
}

impl TouchedSource {
    /// The headings of the sections that describe it.
    pub fn headings(&self) -> Vec<&str> {
        self.sections.iter().filter_map(|section| section.heading_path.last()).map(String::as_str).collect()
    }

    /// What happened to it, as the end of a sentence that begins with its name.
    pub fn what_happened(&self) -> Message {
        match (self.change, &self.moved_to, self.confidence) {
            (Touch::Gone, Some(new), None) => message!("is missing; it was moved to {new}", new),
            (Touch::Gone, Some(new), Some(share)) => {
                let confidence = format!("{share:.2}");
                message!(
                    "is missing; it was probably moved to {new} (confidence {confidence})",
                    new,
                    confidence
                )
            }
            (Touch::Gone, None, _) => message!("is missing"),
            (Touch::ContractChanged, ..) => message!("has another contract"),
            (Touch::BodyChanged, ..) => message!("changed, but not its contract"),
            (Touch::Added, ..) => message!("is new"),
            (Touch::Changed, ..) if self.files.is_empty() => message!("changed"),
            (Touch::Changed, ..) => {
                let named: Vec<&str> = self.files.iter().take(3).map(String::as_str).collect();
                let files = named.join(", ");
                match self.file_count - named.len() {
                    0 => message!("changed: {files}", files),
                    more => message!(
                        "changed: {files} and {more}",
                        files,
                        more = counted(more, "more file", "more files")
                    ),
                }
            }
        }
    }
}

/// Shows the pages, each source with the sections that describe it.
pub(crate) fn show(pages: &[TouchedPage], silent: &[String], page: &mut dyn Page) {
    for touched in pages {
        let fields = &touched.page;
        let path = match touched.sources.iter().find_map(|source| source.sections.first()) {
            Some(section) => Span::Place(&fields.filepath, section.line),
            None => Span::Path(&fields.filepath),
        };
        let state = match (touched.is_changed, touched.is_reviewed) {
            (true, _) => message!("  (the page changed, too)"),
            (false, true) => message!("  (reviewed)"),
            (false, false) => Message::verbatim(""),
        };
        page.line(&[path, Span::Text("  "), Span::Title(&fields.title), Span::faint(&state)]);
        for source in &touched.sources {
            let (file, happened) = (Span::File(&source.source), source.what_happened());
            let told = message!("{file} {happened}", file, happened);
            let headings = source.headings();
            let told = match headings.is_empty() {
                true => told,
                false => message!("{told} (in: {sections})", told, sections = headings.join(", ")),
            };
            page.detail(&[Span::Quoted(&told)]);
        }
    }
    if !silent.is_empty() {
        let symbols = counted(silent.len(), "symbol", "symbols");
        let named: Vec<&str> = silent.iter().take(5).map(String::as_str).collect();
        page.note(&[Span::said(&message!(
            "only comments or layout of {symbols} changed: {named}{rest}",
            symbols,
            named = named.join(", "),
            rest = if silent.len() > named.len() { ", …" } else { "" }
        ))]);
    }
}
