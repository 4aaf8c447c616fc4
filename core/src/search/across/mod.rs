//! One ranking over several projects, each with its own index: the ranking that one project with all of their pages would
//! have. How rare words are, how long texts are and what similarity is usual is taken from all of them, and relevance
//! passes along links between them.
//!
//! **Invariants**
//! - Scores compare: the best pages are those of one index of the same pages, apart from rounding (`tests.rs`).
//! - A project alone is ranked as by [`super::rank`].

mod bm25;
mod numbers;
mod shared;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

use super::texts::{Own, Texts};
use super::{
    CANDIDATES, ENOUGH, Evidence, Hit, Match, Named, Rarity, Request, SearchMode, add_distances, combine,
    fulltext, gather, rounded,
};
use crate::Result;
use crate::index::questions::lengths;
use crate::index::{BACKGROUND_OF_NOTHING, Close, Closest, RowSet, SAMPLE, typical_deviation};
use bm25::{All, rescore};
pub(crate) use numbers::{joined, member_of, number, within};
pub use shared::{Evidence as SharedEvidence, ModelEvidence, SharedTexts, Sought, WordMatch};
pub(crate) use shared::{SharedVocabulary, rank_shared, sought};

/// A project that takes part in a search.
pub(crate) struct Member<'a> {
    /// Its index, in one state.
    pub db: &'a Connection,
    /// The query, with the project's vectors, index and conditions.
    pub request: Request<'a>,
}

/// A page found: the position of its project, and the page in it. [`Hit::lift`] names pages by [`number`].
pub(crate) type Found = (usize, Hit);

/// The pages found in all projects, at most 500, best first, ties by project and path. The projects are sorted by name,
/// and `whole` is the query with the graph of all of them, see [`joined`].
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::InvalidParams`] from the filter.
pub(crate) fn rank_across(members: &[Member<'_>], whole: &Request<'_>) -> Result<Vec<Found>> {
    let (mut rows, mut length) = (0, 0);
    for Member { db, request } in members {
        rows += Own { db, index: request.index }.rows()?;
        length += lengths::of_all(db)?;
    }
    let texts = Together { members, rows, known: RefCell::default() };
    let all = All { length: length as f64 / rows.max(1) as f64, texts: &texts };
    let rarity = Rarity::of(whole.query, &texts)?;
    let mut allowed = Vec::with_capacity(members.len());
    let mut gathered = Vec::with_capacity(members.len());
    for member in members {
        let own = member.request.filter.allowed(member.db)?;
        let (mut words, closest) = gather(member.db, &member.request, own.as_ref(), 1)?;
        rescore(member.db, member.request.index, whole.query, false, &mut words, &all)?;
        gathered.push((words, closest));
        allowed.push(own);
    }
    let strict: usize = gathered.iter().map(|(words, _)| words.len()).sum();
    let is_hybrid = whole.mode == SearchMode::Hybrid;
    if is_hybrid && (1..ENOUGH).contains(&strict) && !whole.query.phrases().is_empty() {
        add_without_phrases(members, whole, &allowed, &all, &mut gathered)?;
    }
    let keep = |page: i64| {
        let own = allowed.get(member_of(page)).and_then(Option::as_ref);
        own.is_none_or(|pages| pages.contains(&within(page)))
    };
    let evidence = join(members, gathered, &rarity, whole, &keep)?;
    let mut hits = combine(whole, &texts, &rarity, &evidence, keep)?;
    let place = |hit: &Hit| whole.graph.place(hit.page);
    hits.sort_by(|a, b| rounded(b.score).total_cmp(&rounded(a.score)).then_with(|| place(a).cmp(&place(b))));
    add_distances(&mut hits, whole);
    Ok(hits.into_iter().map(|hit| (member_of(hit.page), numbers::own(hit))).collect())
}

/// Words and vectors of one project.
type Gathered = (Vec<Match>, Closest);

/// Adds sections without the query's phrases, because too few in all projects have them.
fn add_without_phrases(
    members: &[Member<'_>],
    whole: &Request<'_>,
    allowed: &[Option<HashSet<i64>>],
    all: &All<'_>,
    gathered: &mut [Gathered],
) -> Result<()> {
    let least =
        gathered.iter().flat_map(|(words, _)| words).map(|one| one.bm25).fold(f64::INFINITY, f64::min);
    for ((member, own), (words, closest)) in members.iter().zip(allowed).zip(gathered) {
        let Member { db, request } = member;
        let rows = own.as_ref().map(|pages| RowSet::of_pages(db, pages)).transpose()?;
        let mut others =
            fulltext::without_phrases(db, whole.query, CANDIDATES, rows.as_ref(), request.index)?;
        rescore(db, request.index, whole.query, true, &mut others, all)?;
        others.iter_mut().for_each(|other| other.bm25 = other.bm25.min(least));
        fulltext::add_others(words, others, CANDIDATES);
        if let Some(vector) = request.vector {
            let keep = |page: i64| own.as_ref().is_none_or(|pages| pages.contains(&page));
            let near = request.matrix.near(vector, CANDIDATES, keep);
            *closest = super::compare(db, request.matrix, vector, near, words)?;
        }
    }
    Ok(())
}

/// The evidence of all projects, with numbers of pages, sections and passages that are unique among them.
fn join(
    members: &[Member<'_>],
    gathered: Vec<Gathered>,
    rarity: &Rarity,
    whole: &Request<'_>,
    keep: &impl Fn(i64) -> bool,
) -> Result<Evidence> {
    let mut words: Vec<Match> = Vec::new();
    let mut parts = Vec::new();
    for (at, (own, closest)) in gathered.into_iter().enumerate() {
        words.extend(own.into_iter().map(|one| numbers::of_match(at, one)));
        parts.push(numbers::of_closest(at, closest));
    }
    // Sorting is stable: among equals, the first project comes first.
    words.sort_by(|a, b| b.bm25.total_cmp(&a.bm25));
    words.truncate(CANDIDATES);
    let mut own: Vec<Vec<Match>> = members.iter().map(|_| Vec::new()).collect();
    for one in &words {
        own[member_of(one.page)].push(numbers::of_own(one));
    }
    let mut present: Vec<HashSet<i64>> = Vec::new();
    let mut named: Vec<Named> = Vec::new();
    for (at, (member, words)) in members.iter().zip(&own).enumerate() {
        let having = rarity.present(member.db, words, member.request.index)?;
        present.resize_with(having.len(), HashSet::new);
        for (all, own) in present.iter_mut().zip(having) {
            all.extend(own.into_iter().map(|passage| number(at, passage)));
        }
        named.push(match whole.mode {
            SearchMode::Vector => Named::default(),
            _ => Named::of(member.db, whole.query, words)?,
        });
    }
    if whole.mode != SearchMode::Vector && named.iter().all(|named| named.may_be_similar(whole.query)) {
        for (member, named) in members.iter().zip(&mut named) {
            named.compare(member.db, whole.query, rarity, members.len())?;
        }
    }
    let named = named.into_iter().enumerate().map(|(at, named)| named.renumbered(|own| number(at, own)));
    let closest = closest_of_all(members, parts, &words, keep);
    Ok(Evidence { present, closest, named: Named::union(named), words })
}

/// The sections that are closest in all projects, with what is usual among all of their vectors.
fn closest_of_all(
    members: &[Member<'_>],
    parts: Vec<Closest>,
    words: &[Match],
    keep: &impl Fn(i64) -> bool,
) -> Closest {
    let mut of_models: BTreeMap<&str, Vec<(usize, Closest)>> = BTreeMap::new();
    for (at, part) in parts.into_iter().enumerate().filter(|(_, part)| part.compared > 0) {
        of_models.entry(members[at].request.matrix.identity()).or_default().push((at, part));
    }
    let of_models = of_models.into_values().map(|parts| closest_by_one_model(members, parts, keep));
    closest_of_models(of_models.collect(), words)
}

/// The sections that are closest in all projects, and those with words. Similarities of different models do not compare, so
/// if there are several, each is measured from the background of its own model:
///
/// ```text
/// (cosine - background) / (1 - background)
/// ```
fn closest_of_models(mut models: Vec<Closest>, words: &[Match]) -> Closest {
    let mut closest = match models.len() {
        0 | 1 => models.pop().unwrap_or_default(),
        _ => on_one_scale(models),
    };
    closest.sections.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let with_words: HashSet<i64> = words.iter().map(|one| one.section).collect();
    let mut place = 0..;
    closest.sections.retain(|one| {
        place.next().is_some_and(|place| place < CANDIDATES) || with_words.contains(&one.section)
    });
    closest
}

/// What the vectors of one model say, with the positions of the projects that have them.
fn closest_by_one_model(
    members: &[Member<'_>],
    parts: Vec<(usize, Closest)>,
    keep: &impl Fn(i64) -> bool,
) -> Closest {
    let compared: usize = parts.iter().map(|(_, part)| part.compared).sum();
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut closest = Closest { compared, ..Closest::default() };
    let mut vectors = Vec::new();
    for (at, part) in parts {
        let count = part.compared as f64;
        let total = f64::from(part.background) * (count + BACKGROUND_OF_NOTHING);
        sum += total;
        squares += (f64::from(part.deviation).powi(2) + (total / count).powi(2)) * count;
        let share = (SAMPLE * part.compared).div_ceil(compared);
        vectors.extend(members[at].request.matrix.sample(share, |page| keep(number(at, page))));
        closest.pages.extend(part.pages);
        closest.sections.extend(part.sections);
    }
    let count = compared as f64;
    let deviation = (squares / count - (sum / count).powi(2)).max(0.0).sqrt();
    let typical = typical_deviation(&vectors);
    closest.background = (sum / (count + BACKGROUND_OF_NOTHING)) as f32;
    closest.deviation = deviation as f32;
    closest.contrast = if typical > 0.0 { (deviation / typical) as f32 } else { 0.0 };
    closest
}

/// The similarities of several models, each measured from its own background.
fn on_one_scale(models: Vec<Closest>) -> Closest {
    let compared: usize = models.iter().map(|model| model.compared).sum();
    let mut all = Closest { compared, ..Closest::default() };
    for Closest { sections, background, contrast, compared: own, pages, .. } in models {
        let background = background.clamp(0.0, 0.99);
        let measured = |similarity: f32| (similarity - background) / (1.0 - background);
        all.sections
            .extend(sections.into_iter().map(|one| Close { similarity: measured(one.similarity), ..one }));
        all.pages.extend(pages.measured_from(f64::from(background)));
        all.contrast += contrast * own as f32 / compared as f32;
    }
    all
}

/// The texts of all projects.
struct Together<'a> {
    members: &'a [Member<'a>],
    rows: usize,
    known: RefCell<HashMap<String, usize>>,
}

impl Texts for Together<'_> {
    fn rows(&self) -> Result<usize> {
        Ok(self.rows)
    }

    fn rows_with(&self, expression: &str) -> Result<usize> {
        if let Some(&known) = self.known.borrow().get(expression) {
            return Ok(known);
        }
        let own =
            |Member { db, request }: &Member<'_>| Own { db, index: request.index }.rows_with(expression);
        let count = self.members.iter().map(own).sum::<Result<usize>>()?;
        self.known.borrow_mut().insert(expression.to_owned(), count);
        Ok(count)
    }
}
