//! Types of links that sentences state, such as "X depends on Y": each with its sentence and a confidence. Nothing is
//! changed; `accept` with the type writes it into front matter.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::resolve::Destination;
use crate::hint::Next;
use crate::index::questions::{names, pages};
use crate::message;
use crate::ops::Facts;
use crate::ops::budget;
use crate::ops::page::{IndexState, PageName};
use crate::ops::suggest_links::Status;
use crate::page::{LinkKind, LinkTypes, Value, decode, parse};
use crate::path;
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::decisions::Decisions;
use crate::suggest::relations::{Anchor, Relation, Vocabulary, confidence, folded, relations};
use crate::writing::links::World;
use crate::{Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Suggest types of links that sentences state, such as depends_on, each with its sentence.",
)
.quoting_pages()
.command("suggest-types");

/// Default confidence below which nothing is listed.
pub(crate) const THRESHOLD: f64 = 0.5;

/// Default number of suggestions.
const LIMIT: usize = 20;

/// Maximum number of keys of front matter that count as types, the most frequent ones. A page can have thousands, and
/// each takes memory.
const MOST_KEYS: usize = 100;

/// Selects the suggestions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only sentences of this page: path, id, title or alias (default: all pages).
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
    pub suggestions: Vec<TypeSuggestion>,
    /// Number of suggestions before `limit`.
    pub total: usize,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A type that a sentence states.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TypeSuggestion {
    /// Path of the page that should have the link.
    pub source: String,
    /// Path of the page that it should lead to.
    pub target: String,
    /// The type, as the project spells it.
    #[serde(rename = "type")]
    pub link_type: String,
    /// Share of such suggestions that are right, 0 to 1.
    pub confidence: f64,
    /// The sentence.
    pub sentence: String,
    /// Path of the page with the sentence.
    pub filepath: String,
    /// Its line, from 1.
    pub line: usize,
    /// The decision about it.
    pub status: Status,
}

/// Suggests types.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let threshold = params.threshold.unwrap_or(THRESHOLD);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::invalid(message!("threshold is {threshold}; it must be from 0 to 1", threshold)));
    }
    let limit = budget::ranged("limit", params.limit, LIMIT, 1, 1_000)?;
    let page =
        context.index.read(|db| PageName { page: params.page.as_deref(), ..PageName::default() }.find(db))?;
    let mut suggestions = suggested(context, page, params.include_decided, true)?;
    suggestions.retain(|one| one.confidence >= threshold);
    let total = suggestions.len();
    suggestions.truncate(limit);
    Ok(Output { suggestions, total, index: context.index_state()? })
}

/// A page whose sentences are read.
struct Read {
    number: i64,
    path: String,
    /// Title, file name and aliases.
    names: Vec<String>,
    text: String,
    start: usize,
    anchors: Vec<Anchor>,
}

/// What is said, and what is written down already: folded types with the numbers of both pages.
type Typed = HashSet<(String, i64, i64)>;

/// The suggestions of one page or of all, most certain first. `without_known` leaves out links that have their type.
pub(crate) fn suggested(
    context: &Context<'_>,
    only: Option<i64>,
    include_decided: bool,
    without_known: bool,
) -> Result<Vec<TypeSuggestion>> {
    let types = context.link_types();
    let (paths, ids, mut world) = context.index.read(|db| {
        let world = World::load(db, context.source, context.pages_dir())?;
        Ok((pages::paths(db)?, pages::ids(db)?, world))
    })?;
    let by_number: HashMap<i64, String> = paths.into_iter().collect();
    let mut keys: BTreeMap<String, usize> = BTreeMap::new();
    let (mut typed, mut read) = (Typed::new(), Vec::new());
    let mut ordered: Vec<(&i64, &String)> = by_number.iter().collect();
    ordered.sort_by_key(|(_, path)| *path);
    for (number, path) in ordered {
        context.cancel.check()?;
        // A page that cannot be read states nothing.
        let Ok(bytes) = context.source.read(path) else { continue };
        let (text, _) = decode(&bytes);
        let found = read_page(&text, *number, &types, &mut world, &mut keys, &mut typed)?;
        if only.is_none_or(|only| only == *number) {
            let names = context.index.read(|db| {
                let mut own = vec![pages::row(db, *number)?.title, path::page_name(path).to_owned()];
                own.extend(names::aliases(db, *number)?);
                Ok(own)
            })?;
            let (start, anchors) = found;
            let (number, path, text) = (*number, path.clone(), text.into_owned());
            read.push(Read { number, path, names, text, start, anchors });
        }
    }
    let mut keys: Vec<(String, usize)> = keys.into_iter().collect();
    keys.sort_by_key(|(_, count)| Reverse(*count));
    let keys = keys.into_iter().map(|(key, _)| key).take(MOST_KEYS);
    let vocabulary = Vocabulary::of(types.iter().map(str::to_owned).chain(keys));
    let decisions = Decisions::read(context.source)?;
    let mut suggestions = Vec::new();
    for Read { number, path, names, text, start, anchors } in &read {
        context.cancel.check()?;
        for found in relations(text, *start, names, anchors, &vocabulary) {
            let Relation { source, target, link_type, sentence, line, .. } = &found;
            let source = source.unwrap_or(*number);
            let (Some(from), Some(to)) = (by_number.get(&source), by_number.get(target)) else { continue };
            let is_known = typed.contains(&(folded(link_type), source, *target));
            if source == *target || (without_known && is_known) {
                continue;
            }
            let verdict = ids.get(&source).zip(ids.get(target));
            let verdict = verdict.and_then(|(from, to)| decisions.verdict_on_type(from, to, link_type));
            if verdict.is_some() && !include_decided {
                continue;
            }
            suggestions.push(TypeSuggestion {
                source: from.clone(),
                target: to.clone(),
                link_type: link_type.clone(),
                confidence: rounded(confidence(found.subject)),
                sentence: sentence.clone(),
                filepath: path.clone(),
                line: *line,
                status: Status::from(verdict),
            });
        }
    }
    suggestions.sort_by(|a, b| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| (&a.filepath, a.line, &a.target).cmp(&(&b.filepath, b.line, &b.target)))
    });
    let mut seen = HashSet::new();
    suggestions.retain(|one| seen.insert((one.source.clone(), one.target.clone(), one.link_type.clone())));
    Ok(suggestions)
}

/// Where the text of a page starts, and the links in it. Adds the keys of front matter that hold links, and the types that
/// are written down.
fn read_page(
    text: &str,
    number: i64,
    types: &LinkTypes,
    world: &mut World<'_>,
    keys: &mut BTreeMap<String, usize>,
    typed: &mut Typed,
) -> Result<(usize, Vec<Anchor>)> {
    let page = parse(text, types);
    let start = page.front_matter.range.end;
    let mut anchors = Vec::new();
    for link in &page.links {
        let Destination::Page { page: target, .. } = world.resolve(link.kind, &link.target, number)? else {
            continue;
        };
        typed.insert((folded(&link.link_type), number, target));
        if link.range.start >= start && link.kind != LinkKind::Embed {
            anchors.push(Anchor { range: link.range.clone(), target });
        }
    }
    for (key, value) in &page.front_matter.fields {
        for target in links_in(value) {
            if let Destination::Page { page: target, .. } =
                world.resolve(LinkKind::FrontMatter, &target, number)?
            {
                *keys.entry(key.clone()).or_default() += 1;
                typed.insert((folded(key), number, target));
            }
        }
    }
    Ok((start, anchors))
}

/// The targets of the links in a value of front matter.
fn links_in(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => {
            let inner = text.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
            let target = inner.map(|inner| inner.split(['|', '#']).next().unwrap_or_default().trim());
            target.filter(|target| !target.is_empty()).map(str::to_owned).into_iter().collect()
        }
        Value::List(items) => items.iter().flat_map(links_in).collect(),
        Value::Map(_) => Vec::new(),
    }
}

/// Shows each type with its sentence.
pub fn show(output: &Output, page: &mut dyn Page) {
    for one in &output.suggestions {
        page.line(&[
            Span::Text(&format!("{:.2}  ", one.confidence)),
            Span::Path(&one.source),
            Span::Text(&format!(" {} ", one.link_type)),
            Span::Path(&one.target),
            Span::faint(&one.status.mark()),
        ]);
        page.detail(&[Span::Place(&one.filepath, one.line), Span::Text(": "), Span::Words(&one.sentence)]);
    }
    let suggestions = counted(output.suggestions.len(), "suggestion", "suggestions");
    let accept = Next::call("accept").with("source", "PAGE").with("target", "TARGET").with("type", "TYPE");
    page.note(&[Span::said(&match output.suggestions.len() {
        0 => message!("no sentence states a type that its link lacks"),
        shown if shown < output.total => {
            message!("{suggestions} of {total}; a higher limit shows more", suggestions, total = output.total)
        }
        _ => {
            let accept = page.voice().ask(&accept);
            message!("{suggestions}; {accept} writes the type into front matter", suggestions, accept)
        }
    })]);
}
