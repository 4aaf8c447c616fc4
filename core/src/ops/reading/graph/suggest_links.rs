//! Missing links, most likely first, each with its reason and its place in the text; and unlinked mentions,
//! which have no score.

use crate::message::Message;
use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::hint::Next;
use crate::index::questions::pages;
use crate::message;
use crate::ops::budget::{self, Excess, Omitted, more_room};
use crate::ops::page::{IndexState, PageFields, PageName};
use crate::ops::{Facts, Tool};
use crate::page::decode;
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::decisions::{Decisions, Verdict};
use crate::suggest::{Candidate, Meaning, Names, Place, RunningText, Suggester, may_be_named_by};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Suggest missing links, each with its reason and place in the text.")
    .tool(Tool::Always)
    .quoting_pages()
    .command("suggest-links");

/// Selects the suggestions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The linking page (default: all).
    pub page: Option<String>,
    /// Minimum confidence.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.8))]
    pub threshold: Option<f64>,
    /// Maximum number of suggestions.
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    pub limit: Option<usize>,
    /// Also dismissed and accepted ones.
    #[serde(default)]
    pub include_decided: bool,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// Maximum number of mentions in each list for one page.
const MENTIONS: usize = 100;
/// Without a page, maximum number of pairs to check for each mention that is listed.
const TRIED: usize = 20;

/// The suggestions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The suggestions, best first.
    pub suggestions: Vec<Suggestion>,
    /// Mentions of other pages in the text of `page`, which does not link to them, in the order of the text. Without
    /// `page`, at most `limit` mentions from all pages, rarest names first.
    pub mentions: Vec<Mention>,
    /// Mentions of `page` in the texts of other pages, which do not link to it, by path.
    pub mentioned_by: Vec<Mention>,
    /// Whether there are more mentions than these.
    pub more_mentions: bool,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A title, alias or file name of a page in the text of another page that does not link to it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Mention {
    /// The page whose text contains the name.
    pub source: PageFields,
    /// The page with that name.
    pub target: PageFields,
    /// The best place for a link.
    pub place: LinkPlace,
    /// How often the text names the page.
    pub count: usize,
    /// The decision about such a link.
    pub status: Status,
}

/// A suggested link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The page that should link.
    pub source: PageFields,
    /// The page that it should link to.
    pub target: PageFields,
    /// Share of suggestions with this confidence that are right, 0 to 1.
    pub confidence: f64,
    /// Why the link is suggested.
    pub reason: Message,
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
    /// The line around them, cut at word boundaries and marked with `…` if it is long.
    pub context: String,
}

impl From<Place> for LinkPlace {
    fn from(place: Place) -> Self {
        Self { line: place.line, text: place.text, context: place.context }
    }
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

impl From<Option<Verdict>> for Status {
    fn from(verdict: Option<Verdict>) -> Self {
        match verdict {
            None => Self::Pending,
            Some(Verdict::Accepted) => Self::Accepted,
            Some(Verdict::Dismissed) => Self::Dismissed,
        }
    }
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
        return Err(Error::invalid(message!("threshold is {threshold}; it must be from 0 to 1", threshold)));
    }
    let decisions = Decisions::read(context.source)?;
    let page =
        context.index.read(|db| PageName { page: params.page.as_deref(), ..PageName::default() }.find(db))?;
    let meaning = match page {
        Some(page) => context.index.read(|db| Meaning::of(db, page))?,
        None => None,
    };
    let vectors = meaning.as_ref().map(|meaning| context.index.vectors(&meaning.identity)).transpose()?;
    let meaning = meaning.as_ref().zip(vectors.as_deref());
    let (found, pairs, are_cut, named_by, ids) = context.index.read(|db| {
        let ids = if decisions.is_empty() { HashMap::new() } else { pages::ids(db)? };
        let keep =
            |source, target| params.include_decided || decided(&decisions, &ids, source, target).is_none();
        let (progress, cancel) = (context.progress, context.cancel);
        let (candidates, mut pairs, mut named_by): (_, Pairs, Pairs) = match page {
            Some(page) => {
                let suggester = Suggester::around(db, page, meaning, progress, cancel)?;
                let mut found = suggester.for_page(page);
                found.retain(|found| found.score >= threshold && keep(found.source, found.target));
                found.truncate(limit);
                let pairs = suggester.named_by(page).into_iter().map(|target| (page, target)).collect();
                let others = suggester.not_linking_to(page, may_be_named_by(db, page)?);
                (found, pairs, others.into_iter().map(|source| (source, page)).collect())
            }
            None => {
                let suggester = Suggester::load(db, progress, cancel)?;
                let keep = |found: &Candidate| keep(found.source, found.target);
                let found = suggester.for_all(threshold, limit, keep, progress, cancel)?;
                (found, suggester.all_named(), Vec::new())
            }
        };
        for pairs in [&mut pairs, &mut named_by] {
            pairs.retain(|(source, target)| keep(*source, *target));
        }
        // Most names can be turned into a link, so checking a part of the pairs finds enough of them.
        let are_cut = page.is_none() && pairs.len() > limit * TRIED;
        if are_cut {
            pairs.truncate(limit * TRIED);
        }
        let mut drafts = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let names = Names::of(db, candidate.target)?;
            drafts.push((candidate, names));
        }
        Ok((drafts, pairs, are_cut, named_by, ids))
    })?;
    let mut texts = Texts { context, last: None };
    let status = |source, target| Status::from(decided(&decisions, &ids, source, target));
    let most = if page.is_some() { MENTIONS } else { limit };
    let (mentions, mut more) = texts.mentions(pairs, most)?;
    let (mentioned_by, more_by) = texts.mentions(named_by, MENTIONS)?;
    more |= more_by || are_cut;

    let mut concerned: BTreeSet<i64> =
        found.iter().flat_map(|(candidate, _)| [candidate.source, candidate.target]).collect();
    concerned.extend(mentions.iter().chain(&mentioned_by).flat_map(|found| [found.source, found.target]));
    let fields = context.page_fields(&concerned.into_iter().collect::<Vec<i64>>())?;
    let mut suggestions = Vec::with_capacity(found.len());
    for (candidate, names) in found {
        let (Some(source), Some(target)) = (fields.get(&candidate.source), fields.get(&candidate.target))
        else {
            continue;
        };
        suggestions.push(Suggestion {
            source: source.clone(),
            target: target.clone(),
            confidence: rounded(candidate.score),
            reason: candidate.evidence.reason(),
            place: texts.places(candidate.source, &names)?.into_iter().next().map(LinkPlace::from),
            status: status(candidate.source, candidate.target),
        });
    }
    let with_fields = |found: Vec<Named>| -> Vec<Mention> {
        let mentions = found.into_iter().filter_map(|Named { source, target, place, count }| {
            let status = status(source, target);
            let (source, target) = (fields.get(&source)?.clone(), fields.get(&target)?.clone());
            Some(Mention { source, target, place, count, status })
        });
        mentions.collect()
    };
    let mut mentioned_by = with_fields(mentioned_by);
    mentioned_by.sort_by(|a, b| a.source.filepath.cmp(&b.source.filepath));
    let mut output = Output {
        suggestions,
        mentions: with_fields(mentions),
        mentioned_by,
        more_mentions: more,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

fn decided(decisions: &Decisions, ids: &HashMap<i64, String>, source: i64, target: i64) -> Option<Verdict> {
    decisions.verdict(ids.get(&source)?, ids.get(&target)?)
}

/// Numbers of a page whose text may contain a name, and of the page with that name.
type Pairs = Vec<(i64, i64)>;

/// A name in the text of a page.
struct Named {
    source: i64,
    target: i64,
    place: LinkPlace,
    count: usize,
}

/// Reads texts of pages and keeps the last one.
struct Texts<'a> {
    context: &'a Context<'a>,
    /// `None` if the page cannot be read: its links are then suggested without a place.
    last: Option<(i64, Option<RunningText>)>,
}

impl Texts<'_> {
    fn places(&mut self, page: i64, names: &Names) -> Result<Vec<Place>> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != page) {
            let path = self.context.index.read(|db| pages::path_and_title(db, page))?;
            let bytes = path.and_then(|(path, _)| self.context.source.read(&path).ok());
            let text = bytes.map(|bytes| RunningText::of(&decode(&bytes).0, &self.context.link_types()));
            self.last = Some((page, text));
        }
        let text = self.last.as_ref().and_then(|(_, text)| text.as_ref());
        Ok(text.map(|text| text.places(names)).unwrap_or_default())
    }

    /// The first `most` pairs in which the text of the first page names the second, and whether there are more.
    fn mentions(&mut self, pairs: Pairs, most: usize) -> Result<(Vec<Named>, bool)> {
        let mut found = Vec::new();
        for (source, target) in pairs {
            self.context.cancel.check()?;
            let names = self.context.index.read(|db| Names::own(db, target))?;
            let places = self.places(source, &names)?;
            let count = count_places(&places);
            let Some(place) = places.into_iter().next() else { continue };
            if found.len() == most {
                return Ok((found, true));
            }
            found.push(Named { source, target, place: place.into(), count });
        }
        Ok((found, false))
    }
}

/// Number of places; places that overlap count once.
fn count_places(places: &[Place]) -> usize {
    let mut ranges: Vec<_> = places.iter().map(|place| (place.range.start, place.range.end)).collect();
    ranges.sort_unstable();
    let (mut end, mut count) = (0, 0);
    for (start, last) in ranges {
        count += usize::from(start >= end);
        end = end.max(last);
    }
    count
}

/// Removes mentions, then the least likely suggestion; for the last one, the text around its place first.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    for mentions in [&mut output.mentioned_by, &mut output.mentions] {
        if !mentions.is_empty() {
            output.omitted.pages += excess.shorten(mentions);
            return true;
        }
    }
    if let [only] = &mut output.suggestions[..]
        && let Some(place) = only.place.as_mut().filter(|place| !place.context.is_empty())
    {
        place.context.clear();
        output.omitted.text_cut = true;
        return true;
    }
    let dropped = excess.shorten(&mut output.suggestions);
    output.omitted.pages += dropped;
    dropped > 0
}

/// Shows the links, each with its reason, and the mentions, each with its place.
pub fn show(output: &Output, page: &mut dyn Page) {
    for suggestion in &output.suggestions {
        page.line(&[
            Span::Text(&format!("{:.2}  ", suggestion.confidence)),
            Span::Path(&suggestion.source.filepath),
            Span::Text(" -> "),
            Span::Path(&suggestion.target.filepath),
            Span::faint(&suggestion.status.mark()),
        ]);
        page.detail(&[Span::faint(&suggestion.reason)]);
        if let Some(place) = &suggestion.place {
            show_place(place, page);
        }
    }
    let mut is_first = output.suggestions.is_empty();
    for (heading, mentions) in [
        (message!("Unlinked mentions"), &output.mentions),
        (message!("Unlinked mentions on other pages"), &output.mentioned_by),
    ] {
        if !mentions.is_empty() {
            if !std::mem::take(&mut is_first) {
                page.gap();
            }
            show_mentions(&heading, mentions, page);
        }
    }
    let ask = Next::call("accept").with("source", "PAGE").with("target", "TARGET");
    let count = match output.suggestions.len() {
        0 => message!("no suggestions"),
        count => counted(count, "suggestion", "suggestions"),
    };
    let mentions = output.mentions.len() + output.mentioned_by.len();
    page.note(&[Span::said(&match (output.suggestions.len(), mentions) {
        (0, 0) => message!("no suggestions; a lower threshold shows less certain ones"),
        (_, 0) => message!("{count}; {ask} makes a link", count, ask),
        (_, mentions) => {
            message!(
                "{count}, {mentions}; {ask} makes a link",
                count,
                mentions = counted(mentions, "unlinked mention", "unlinked mentions"),
                ask
            )
        }
    })]);
    if output.more_mentions {
        let ask = Next::call("suggest_links").with("page", "PAGE");
        page.note(&[Span::said(&message!("there are more mentions; {ask} lists those of one page", ask))]);
    }
    output.omitted.show(
        |count| counted(count, "suggestion or mention", "suggestions or mentions"),
        more_room(),
        page,
    );
    output.index.show_with_vectors(page);
}

impl Status {
    /// The mark after a link.
    pub(crate) fn mark(self) -> Message {
        match self {
            Self::Pending => Message::verbatim(""),
            Self::Accepted => message!("  [accepted]"),
            Self::Dismissed => message!("  [dismissed]"),
        }
    }
}

fn show_mentions(heading: &Message, mentions: &[Mention], page: &mut dyn Page) {
    page.heading(&[Span::strong(heading)]);
    for mention in mentions {
        let times = match mention.count {
            0 | 1 => Message::verbatim(""),
            count => message!("  {count} times", count),
        };
        page.line(&[
            Span::Path(&mention.source.filepath),
            Span::Text(" -> "),
            Span::Path(&mention.target.filepath),
            Span::faint(&times),
            Span::faint(&mention.status.mark()),
        ]);
        show_place(&mention.place, page);
    }
}

fn show_place(place: &LinkPlace, page: &mut dyn Page) {
    page.detail(&[Span::said(&message!(
        "line {line}: {context}",
        line = place.line,
        context = Span::Words(&place.context)
    ))]);
    page.handle("text", &place.text);
}
