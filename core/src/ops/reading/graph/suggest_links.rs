//! Missing links, most likely first, each with its reason and its place in the text.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::hint::Next;
use crate::index::questions::pages;
use crate::ops::budget::{self, Excess, MORE_ROOM, Omitted};
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::{Facts, Tool};
use crate::page::decode;
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::decisions::{Decisions, Verdict};
use crate::suggest::{Candidate, Names, Suggester, places};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Suggest missing links, each with the reason and the place in the text.")
        .tool(Tool::Always)
        .quoting_pages()
        .command("suggest-links");

/// Selects the suggestions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that should link: path, id, title or alias (default: all pages).
    pub page: Option<String>,
    /// Minimum score.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.8))]
    pub threshold: Option<f64>,
    /// Maximum number of suggestions.
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    pub limit: Option<usize>,
    /// Also return suggestions that were dismissed or accepted before.
    #[serde(default)]
    pub include_decided: bool,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The suggestions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The suggestions, best first.
    pub suggestions: Vec<Suggestion>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A suggested link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The page that should link.
    pub source: PageFields,
    /// The page that it should link to.
    pub target: PageFields,
    /// Confidence, 0 to 1.
    pub score: f64,
    /// Why the link is suggested.
    pub reason: String,
    /// The words to turn into a link; absent if the text does not name the target.
    pub place: Option<LinkPlace>,
    /// The decision about it.
    pub status: Status,
}

/// Words that can become a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkPlace {
    /// Line of the page, from 1.
    pub line: usize,
    /// The words as written.
    pub text: String,
    /// The line that contains them.
    pub context: String,
}

/// The decision about a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// None yet.
    Pending,
    /// The link was made and later removed.
    Accepted,
    /// Not to be suggested again.
    Dismissed,
}

/// Suggests links.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let defaults = &context.manifest.suggest;
    let limit = budget::ranged("limit", params.limit, defaults.limit, 1, 50)?;
    let threshold = params.threshold.unwrap_or(defaults.threshold);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::invalid(format!("threshold is {threshold}; it must be from 0 to 1")));
    }
    let decisions = Decisions::read(context.source)?;
    let found = context.index.read(|db| {
        let page = PageName { page: params.page.as_deref(), ..PageName::default() }.find(db)?;
        let ids: HashMap<i64, String> =
            pages::rows(db)?.into_iter().map(|page| (page.page, page.doc_id)).collect();
        let verdict = |candidate: &Candidate| {
            decisions.verdict(ids.get(&candidate.source)?, ids.get(&candidate.target)?)
        };
        let keep = |candidate: &Candidate| params.include_decided || verdict(candidate).is_none();
        let suggester = Suggester::load(db, context.progress, context.cancel)?;
        let candidates = match page {
            Some(page) => {
                let mut found = suggester.for_page(page);
                found.retain(|candidate| candidate.score >= threshold && keep(candidate));
                found.truncate(limit);
                found
            }
            None => suggester.for_all(threshold, limit, keep, context.progress, context.cancel)?,
        };
        let mut drafts = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let names = Names::of(db, candidate.target)?;
            let status = verdict(&candidate).map_or(Status::Pending, |verdict| match verdict {
                Verdict::Accepted => Status::Accepted,
                Verdict::Dismissed => Status::Dismissed,
            });
            drafts.push((candidate, names, status));
        }
        Ok(drafts)
    })?;
    let pages: BTreeSet<i64> =
        found.iter().flat_map(|(candidate, ..)| [candidate.source, candidate.target]).collect();
    let fields = context.page_fields(&pages.into_iter().collect::<Vec<i64>>())?;
    let mut texts: HashMap<i64, Option<Vec<u8>>> = HashMap::new();
    let mut suggestions = Vec::with_capacity(found.len());
    for (candidate, names, status) in found {
        let (Some(source), Some(target)) = (fields.get(&candidate.source), fields.get(&candidate.target))
        else {
            continue;
        };
        // If a page cannot be read, its links are suggested without a place.
        let bytes =
            texts.entry(candidate.source).or_insert_with(|| context.source.read(&source.filepath).ok());
        let place = bytes.as_ref().and_then(|bytes| {
            let place = places(&decode(bytes).0, &names, &context.link_types()).into_iter().next()?;
            Some(LinkPlace { line: place.line, text: place.text, context: place.context })
        });
        suggestions.push(Suggestion {
            source: source.clone(),
            target: target.clone(),
            score: rounded(candidate.score),
            reason: candidate.evidence.reason(),
            place,
            status,
        });
    }
    let mut output = Output { suggestions, omitted: Omitted::default(), index: context.index_state()? };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// Removes the least likely suggestion; for the last one, the text around its place first.
fn shrink(output: &mut Output, _excess: Excess) -> bool {
    if let [only] = &mut output.suggestions[..]
        && let Some(place) = only.place.as_mut().filter(|place| !place.context.is_empty())
    {
        place.context.clear();
        output.omitted.text_cut = true;
        return true;
    }
    let popped = output.suggestions.pop().is_some();
    output.omitted.pages += usize::from(popped);
    popped
}

/// Shows the links, each with its reason.
pub fn show(output: &Output, page: &mut dyn Page) {
    for suggestion in &output.suggestions {
        page.line(&[
            Span::Text(&format!("{:.2}  ", suggestion.score)),
            Span::Path(&suggestion.source.filepath),
            Span::Text(" -> "),
            Span::Path(&suggestion.target.filepath),
            Span::Faint(match suggestion.status {
                Status::Pending => "",
                Status::Accepted => "  [accepted]",
                Status::Dismissed => "  [dismissed]",
            }),
        ]);
        page.detail(&[Span::Faint(&suggestion.reason)]);
        if let Some(place) = &suggestion.place {
            let line = format!("line {}: ", place.line);
            page.detail(&[Span::Text(&line), Span::Words(&place.context)]);
            page.handle("text", &place.text);
        }
    }
    page.note(&[Span::Text(&match output.suggestions.len() {
        0 => "no suggestions; a lower threshold shows less certain ones".into(),
        count => format!(
            "{}; {} makes a link",
            counted(count, "suggestion", "suggestions"),
            page.voice().ask(&Next::call("accept").with("source", "PAGE").with("target", "TARGET"))
        ),
    })]);
    output.omitted.show(["suggestion", "suggestions"], MORE_ROOM, page);
    output.index.show_with_vectors(page);
}
