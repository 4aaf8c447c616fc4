//! Everything that waits for a person: proposals of agents, suggested links, also to code, suggested types, and memories that
//! say the same or contradict each other. Each with its confidence, and with what accepts and dismisses it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::index::questions::pages;
use crate::memory::{
    CLOSE, Catalog, Counts, Currency, DUPLICATE, Duplicates, Joined, SAME, Sameness, vectors,
};
use crate::message;
use crate::message::Message;
use crate::ops::bind;
use crate::ops::link_code;
use crate::ops::page::IndexState;
use crate::ops::review_memories;
use crate::ops::{Facts, budget, list_proposals, suggest_types};
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::decisions::Decisions;
use crate::suggest::{Candidate, Suggester};
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "List what waits for a person: proposals, suggested links and types, equal and contradictory memories.",
)
.quoting_pages()
.command("queue");

/// Default confidence below which a suggestion is not worth a look.
const FROM: f64 = 0.5;

/// Default number of items.
const LIMIT: usize = 20;

/// The type of the link between memories that contradict each other although both may be true.
const CONFLICT: &str = "conflicts_with";

/// Maximum number of items of a kind that are counted.
const MOST: usize = 1_000;

/// What to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only items of these kinds (default: all but `code`).
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// Lowest confidence of a suggestion.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = FROM))]
    pub from: Option<f64>,
    /// Confidence below which a suggestion has to be (default: any).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub below: Option<f64>,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 1_000), extend("default" = LIMIT))]
    pub limit: Option<usize>,
}

/// A kind of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A change that an agent proposed.
    Proposal,
    /// Two memories that contradict each other.
    Contradiction,
    /// Two memories that say the same.
    Duplicate,
    /// A type of link that a sentence states.
    Type,
    /// A missing link.
    Link,
    /// A missing link to a symbol or file of the project. All code that pages name is read for them.
    Code,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Proposal, Self::Contradiction, Self::Duplicate, Self::Type, Self::Link, Self::Code];

    /// Links to code take much longer than everything else, so they are listed only if they are asked for.
    fn listed_by_default() -> Vec<Self> {
        Self::ALL.into_iter().filter(|kind| *kind != Self::Code).collect()
    }
}

/// The items.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The items: proposals and contradictions first, then suggestions, most certain first.
    pub items: Vec<Item>,
    /// Number of items of each kind before `limit`.
    pub counts: Vec<KindCount>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Number of items of a kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// How many there are; at most 1,000 suggestions are counted.
    pub count: usize,
}

/// Something that waits for a person.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Item {
    /// Its kind.
    pub kind: Kind,
    /// Share of such suggestions that are right, 0 to 1; absent for what is not an estimate.
    pub confidence: Option<f64>,
    /// Path of the page that would change; of contradictory memories the older one, of equal ones the one that would stay.
    pub source: String,
    /// Path of the other page, if there is one; for a link to code, the file or symbol.
    pub target: Option<String>,
    /// The page and line of the sentence that states a type, or of the name that leads to code.
    pub place: Option<Sentence>,
    /// Id of the proposal.
    pub proposal: Option<String>,
    /// The agent that proposed it, as it named itself.
    pub agent: Option<String>,
    /// What it is: the type of a link, the reason, or the sentence.
    pub summary: Message,
    /// What accepts it; absent for a contradiction, which a person settles.
    pub accept: Option<Next>,
    /// What dismisses it.
    pub dismiss: Option<Next>,
}

impl Item {
    fn new(kind: Kind, source: &str, summary: Message) -> Self {
        Self {
            kind,
            confidence: None,
            source: source.to_owned(),
            target: None,
            place: None,
            proposal: None,
            agent: None,
            summary,
            accept: None,
            dismiss: None,
        }
    }
}

/// Where a sentence is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sentence {
    /// Path of its page.
    pub filepath: String,
    /// Its line, from 1.
    pub line: usize,
}

/// Lists the items.
///
/// # Errors
/// [`Error::InvalidParams`] for values out of range; [`Error::Io`], [`Error::Database`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, LIMIT, 1, MOST)?;
    let (from, below) = (params.from.unwrap_or(FROM), params.below.unwrap_or(f64::INFINITY));
    if !(0.0..=1.0).contains(&from) || below < from {
        return Err(Error::invalid(message!("`from` must be from 0 to 1, and not above `below`")));
    }
    let kinds = if params.kinds.is_empty() { Kind::listed_by_default() } else { params.kinds };
    let mut items = Vec::new();
    let mut counts = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| kinds.contains(kind)) {
        let mut found = match kind {
            Kind::Proposal => proposals(context)?,
            Kind::Contradiction => contradictions(context)?,
            Kind::Duplicate => duplicates(context)?,
            Kind::Type => types(context)?,
            Kind::Link => links(context, from)?,
            Kind::Code => code(context)?,
        };
        found.retain(|item| item.confidence.is_none_or(|share| share >= from && share < below));
        counts.push(KindCount { kind, count: found.len() });
        items.extend(found);
    }
    items.sort_by(|a, b| {
        let of = |item: &Item| item.confidence.unwrap_or(f64::INFINITY);
        of(b)
            .total_cmp(&of(a))
            .then_with(|| (a.kind, &a.source, &a.target).cmp(&(b.kind, &b.source, &b.target)))
    });
    items.truncate(limit);
    Ok(Output { items, counts, index: context.index_state()? })
}

fn proposals(context: &Context<'_>) -> Result<Vec<Item>> {
    let params = list_proposals::Params {
        state: Some(list_proposals::Which::Open),
        limit: Some(MOST),
        ..list_proposals::Params::default()
    };
    let listed = list_proposals::run(context, params)?.proposals;
    Ok(listed
        .into_iter()
        .map(|proposal| {
            let page = proposal.pages.first().map(|page| page.filepath.as_str()).unwrap_or_default();
            let call =
                |operation: &str| Next::call(operation).with("proposals", vec![proposal.proposal.clone()]);
            Item {
                accept: Some(call("accept_proposal")),
                dismiss: Some(call("reject_proposal")),
                agent: proposal.agent.clone(),
                proposal: Some(proposal.proposal.clone()),
                ..Item::new(
                    Kind::Proposal,
                    page,
                    Message::verbatim(proposal.reason.unwrap_or(proposal.operation)),
                )
            }
        })
        .collect())
}

/// Contradictions about which nobody decided: that both may be true is an accepted `conflicts_with`, and that they agree a
/// dismissed one.
fn contradictions(context: &Context<'_>) -> Result<Vec<Item>> {
    let params = review_memories::Params { limit: Some(MOST), ..review_memories::Params::default() };
    let mut found = review_memories::run(context, params)?.contradictory;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let decisions = Decisions::read(context.source)?;
    let ids: HashMap<String, String> = context.index.read(|db| {
        let mut ids = pages::ids(db)?;
        Ok(pages::paths(db)?
            .into_iter()
            .filter_map(|(page, path)| Some((path, ids.remove(&page)?)))
            .collect())
    })?;
    let is_decided = |one: &str, other: &str| {
        let ends = ids.get(one).zip(ids.get(other));
        ends.is_some_and(|(one, other)| decisions.verdict_on_type(one, other, CONFLICT).is_some())
    };
    found.retain(|found| !is_decided(&found.older, &found.newer) && !is_decided(&found.newer, &found.older));
    Ok(found
        .into_iter()
        .map(|found| {
            let summary = match (&found.held, &found.given) {
                (Some(held), Some(given)) => format!("{held} ≠ {given}"),
                _ => CONFLICT.to_owned(),
            };
            let dismiss = Next::call("dismiss")
                .with("source", found.newer.as_str())
                .with("target", found.older.as_str())
                .with("type", CONFLICT);
            Item {
                dismiss: Some(dismiss),
                target: Some(found.newer),
                ..Item::new(Kind::Contradiction, &found.older, Message::verbatim(summary))
            }
        })
        .collect())
}

/// Memories that are close enough to be named as similar, and that no person kept apart.
fn duplicates(context: &Context<'_>) -> Result<Vec<Item>> {
    let (catalog, vectors) = context.index.read(|db| Ok((Catalog::read(db)?, vectors(context, db)?)))?;
    let vectors = vectors.unwrap_or_default();
    let (counts, now) = (Counts::read(context.source), context.clock.now());
    let (currency, sameness) = (Currency::of(&catalog, now), Sameness::of(context));
    let found = Duplicates::find(context, &catalog, &vectors, &counts, &currency, &Joined::Alike(CLOSE))?;
    let pairs = found.groups.iter().flat_map(|group| {
        group.replaced.iter().map(move |(other, similarity)| (group.kept, *other, *similarity))
    });
    let item = |(kept, other, similarity): (usize, usize, Option<f32>)| {
        let (kept, other) = (found.entries.get(kept)?, found.entries.get(other)?);
        let confidence = sameness.confidence(similarity);
        // Without a confidence, only what would be merged anyway is worth a look.
        if confidence.is_none() && similarity.is_none_or(|similarity| similarity <= SAME) {
            return None;
        }
        let both = vec![kept.path.as_str(), other.path.as_str()];
        let dismiss = Next::call("dismiss").with("source", kept.path.as_str());
        let summary = format!("{} ≈ {}", kept.fields.topic, other.fields.topic);
        Some(Item {
            confidence,
            target: Some(other.path.clone()),
            accept: Some(Next::call("reindex_memories").with("memories", both)),
            dismiss: Some(dismiss.with("target", other.path.as_str()).with("type", DUPLICATE)),
            ..Item::new(Kind::Duplicate, &kept.path, Message::verbatim(summary))
        })
    };
    Ok(pairs.filter_map(item).collect())
}

fn types(context: &Context<'_>) -> Result<Vec<Item>> {
    let found = suggest_types::suggested(context, None, false, true)?;
    Ok(found
        .into_iter()
        .map(|one| {
            let call = |operation: &str| {
                Next::call(operation)
                    .with("source", one.source.as_str())
                    .with("target", one.target.as_str())
                    .with("type", one.link_type.as_str())
            };
            Item {
                confidence: Some(one.confidence),
                accept: Some(call("accept")),
                dismiss: Some(call("dismiss")),
                target: Some(one.target.clone()),
                place: Some(Sentence { filepath: one.filepath.clone(), line: one.line }),
                ..Item::new(
                    Kind::Type,
                    &one.source,
                    Message::verbatim(format!("{}: {}", one.link_type, one.sentence)),
                )
            }
        })
        .collect())
}

fn links(context: &Context<'_>, from: f64) -> Result<Vec<Item>> {
    let decisions = Decisions::read(context.source)?;
    let (found, paths) = context.index.read(|db| {
        let ids = pages::ids(db)?;
        let suggester = Suggester::load(db, context.progress, context.cancel)?;
        let keep = |source: i64, target: i64| {
            let pair = ids.get(&source).zip(ids.get(&target));
            pair.is_none_or(|(source, target)| decisions.verdict(source, target).is_none())
        };
        let keep = |found: &Candidate| keep(found.source, found.target);
        let found = suggester.for_all(from, MOST, keep, context.progress, context.cancel)?;
        let paths: HashMap<i64, String> = pages::paths(db)?.into_iter().collect();
        Ok((found, paths))
    })?;
    let item = |candidate: Candidate| {
        let (source, target) = (paths.get(&candidate.source)?, paths.get(&candidate.target)?);
        let call = |operation: &str| {
            Next::call(operation).with("source", source.as_str()).with("target", target.as_str())
        };
        Some(Item {
            confidence: Some(rounded(candidate.score)),
            target: Some(target.clone()),
            accept: Some(call("accept")),
            dismiss: Some(call("dismiss")),
            ..Item::new(Kind::Link, source, candidate.evidence.reason())
        })
    };
    Ok(found.into_iter().filter_map(item).collect())
}

fn code(context: &Context<'_>) -> Result<Vec<Item>> {
    let found = link_code::suggested(context, None, false)?;
    Ok(found
        .into_iter()
        .map(|one| {
            let place = one.place.as_ref();
            let summary = place.map_or_else(
                || message!("only headings name it"),
                |place| Message::verbatim(place.context.clone()),
            );
            Item {
                confidence: Some(one.confidence),
                accept: Some(one.accept.clone()),
                dismiss: Some(bind::dismissing(&one)),
                target: Some(one.target.clone()),
                place: place.map(|place| Sentence { filepath: one.source.clone(), line: place.line }),
                ..Item::new(Kind::Code, &one.source, summary)
            }
        })
        .collect())
}

/// Shows the items, each with what accepts it.
pub fn show(output: &Output, page: &mut dyn Page) {
    for item in &output.items {
        let confidence = item.confidence.map_or("      ".to_owned(), |share| format!("{share:.2}  "));
        let kind = match item.kind {
            Kind::Proposal => message!("proposal"),
            Kind::Contradiction => message!("contradiction"),
            Kind::Duplicate => message!("duplicate"),
            Kind::Type => message!("type"),
            Kind::Link => message!("link"),
            Kind::Code => message!("code"),
        };
        let target = item.target.as_deref().unwrap_or_default();
        let end = if item.kind == Kind::Code { Span::File(target) } else { Span::Path(target) };
        let arrow = if target.is_empty() { "" } else { " -> " };
        page.line(&[
            Span::Text(&confidence),
            Span::faint(&kind),
            Span::Text("  "),
            Span::Path(&item.source),
            Span::Text(arrow),
            end,
        ]);
        page.detail(&[Span::Quoted(&item.summary)]);
        if let Some(accept) = &item.accept {
            let accept = page.voice().ask(accept);
            page.detail(&[Span::Faint(&accept)]);
        }
    }
    let counts: Vec<Message> = output
        .counts
        .iter()
        .filter(|one| one.count > 0)
        .map(|one| match one.kind {
            Kind::Proposal => counted(one.count, "proposal", "proposals"),
            Kind::Contradiction => counted(one.count, "contradiction", "contradictions"),
            Kind::Duplicate => counted(one.count, "duplicate", "duplicates"),
            Kind::Type => counted(one.count, "type", "types"),
            Kind::Link => counted(one.count, "link", "links"),
            Kind::Code => counted(one.count, "link to code", "links to code"),
        })
        .collect();
    page.note(&[Span::said(&match counts.is_empty() {
        true => message!("nothing waits for you"),
        false => Message::joined(counts, ", "),
    })]);
    if output.items.iter().any(|item| item.kind == Kind::Contradiction) {
        let review = page.voice().ask(&Next::call("review_memories"));
        page.note(&[Span::said(&message!("{review} says how to settle contradictions", review))]);
    }
    output.index.show_with_vectors(page);
}
