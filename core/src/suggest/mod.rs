//! Missing links: which page should link to which other page, with a score and a reason. The evidence is
//! mentions of names and of the text of other links, similar words, similar vectors, and shared neighbours.
//! A model fitted on links that were removed from real vaults weighs it.

mod around;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod code;
pub mod decisions;
mod dictionary;
mod features;
mod likeness;
mod load;
mod mentions;
mod place;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod relations;
mod score;
mod words;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;

use crate::Result;
use crate::index::VectorMatrix;
use crate::index::questions::{pages, vectors};
use crate::progress::{Cancel, Progress, Stage};
use crate::threads::on_each_core;
use around::Around;
use dictionary::LONGEST;
use features::Standing;
pub use features::{Evidence, FEATURES, NAMES};
use likeness::{Desk, Sums, best, pages_of};
use load::Pages;
use mentions::Mention;
#[cfg(not(target_family = "wasm"))]
pub(crate) use place::context as line_around;
pub use place::{Names, Place, RunningText, may_be_named_by};

/// Candidates from each measure of similarity, when all pages are compared.
const CANDIDATES: usize = 20;
/// Pages with more neighbours than this are not used to find candidates.
const HUB: usize = 1_000;

/// If the threshold is below this, pages with similar vectors are candidates, too. Pairs with a higher score have a
/// name in the text or many words in common, so they are found without vectors.
const FEW_BY_VECTORS: f64 = 0.5;

/// Pages, ready to be compared.
#[derive(Debug)]
pub struct Suggester {
    pages: Pages,
    /// The page whose links are suggested, if not all pages were read.
    around: Option<Around>,
}

/// The mean of the vectors of one page, and their model.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// Identity of the model.
    pub identity: String,
    mean: Vec<f32>,
}

impl Meaning {
    /// Reads the vectors of the page with this number. `None` if it has no vectors, or if the project is so small
    /// that all pages are read anyway.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(db: &Connection, page: i64) -> Result<Option<Self>> {
        if is_small(db)? {
            return Ok(None);
        }
        let Some((model, identity)) = vectors::model_of(db, page)? else { return Ok(None) };
        let own = likeness::SectionVectors::of_some(db, model, 1, &[(page, 0)])?;
        Ok(own.mean(0).map(|mean| Self { identity, mean: mean.to_vec() }))
    }
}

/// Whether reading all pages takes no longer than selecting some.
fn is_small(db: &Connection) -> Result<bool> {
    Ok(pages::count(db)? <= around::SAMPLE)
}

/// A missing link.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Number of the page that should link.
    pub source: i64,
    /// Number of the page that it should link to.
    pub target: i64,
    /// Share of such links that are right, 0 to 1.
    pub score: f64,
    /// The evidence for it.
    pub evidence: Evidence,
    from: usize,
    to: usize,
}

impl Suggester {
    /// Reads the whole index.
    ///
    /// # Errors
    /// [`crate::Error::Database`], [`crate::Error::Cancelled`].
    pub fn load(db: &Connection, progress: &dyn Progress, cancel: &Cancel) -> Result<Self> {
        Ok(Self { pages: Pages::load(db, progress, cancel)?, around: None })
    }

    /// Reads what is needed to suggest links for one page: all pages of a small project, or the possible targets in
    /// a large one. `meaning` is that of the page, with the vectors of all pages.
    ///
    /// # Errors
    /// [`crate::Error::Database`], [`crate::Error::Cancelled`].
    pub fn around(
        db: &Connection,
        page: i64,
        meaning: Option<(&Meaning, &VectorMatrix)>,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Self> {
        if is_small(db)? {
            return Self::load(db, progress, cancel);
        }
        let mut close = Vec::new();
        if let Some((meaning, matrix)) = meaning {
            let found = matrix.closest(db, &meaning.mean, CANDIDATES, |other| other != page)?;
            close = found.sections.into_iter().map(|close| close.page).collect();
        }
        let (pages, around) = around::load(db, page, &close, cancel)?.unwrap_or_default();
        Ok(Self { pages, around: Some(around) })
    }

    /// Every page to which this one does not link, best first. If not all pages were read, only those with some
    /// evidence for a link.
    pub fn for_page(&self, page: i64) -> Vec<Candidate> {
        let Some(&place) = self.pages.places.get(&page) else { return Vec::new() };
        let place = place as usize;
        let others: Box<dyn Iterator<Item = u32>> = match &self.around {
            Some(around) if around.page == place => Box::new(around.likely.iter().copied()),
            Some(_) => Box::new(std::iter::empty()),
            None => Box::new((0_u32..).take(self.pages.nodes.len())),
        };
        let mut desk = self.pages.words.desk();
        self.pages.words.lay(&mut desk, None, place);
        self.judged(&desk, place, others, 0.0)
    }

    /// The best pairs over all pages, each in its better direction, best first: at most `limit` pairs that
    /// score `threshold` or more and for which `keep` returns true.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn for_all(
        &self,
        threshold: f64,
        limit: usize,
        keep: impl Fn(&Candidate) -> bool + Sync,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<Candidate>> {
        let total = self.pages.nodes.len();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            let mut desk = self.pages.words.desk();
            let mut before = None;
            loop {
                let from = next.fetch_add(1, Ordering::Relaxed);
                if from >= total {
                    return Ok(found);
                }
                if from.is_multiple_of(32) {
                    cancel.check()?;
                    progress.advance(Stage::Suggestions, total + from, total * 2);
                }
                let likely = self.likely(&mut desk.sums, from, threshold < FEW_BY_VECTORS);
                self.pages.words.lay(&mut desk, before.replace(from), from);
                let judged = self.judged(&desk, from, likely.into_iter(), threshold);
                found.extend(judged.into_iter().filter(&keep).take(limit));
            }
        };
        let mut pairs: HashMap<(usize, usize), Candidate> = HashMap::new();
        for found in on_each_core(work).into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten() {
            let pair = (found.from.min(found.to), found.from.max(found.to));
            let order = |candidate: &Candidate| (candidate.score, std::cmp::Reverse(candidate.from));
            if pairs.get(&pair).is_none_or(|known| order(known) < order(&found)) {
                pairs.insert(pair, found);
            }
        }
        progress.advance(Stage::Suggestions, total * 2, total * 2);
        let mut pairs: Vec<Candidate> = pairs.into_values().collect();
        sort(&mut pairs);
        pairs.truncate(limit);
        Ok(pairs)
    }

    /// Numbers of the pages that the text of this one names and does not link to, in the order of the text.
    pub fn named_by(&self, page: i64) -> Vec<i64> {
        let Some(&place) = self.pages.places.get(&page) else { return Vec::new() };
        let mut first: HashMap<u32, u32> = HashMap::new();
        for (target, mention) in self.named(place as usize) {
            let at = first.entry(target).or_insert(mention.first);
            *at = mention.first.min(*at);
        }
        let mut named: Vec<(u32, u32)> = first.into_iter().map(|(target, at)| (at, target)).collect();
        named.sort_unstable();
        named.into_iter().map(|(_, target)| self.pages.nodes[target as usize].number).collect()
    }

    /// Those of `others` that do not link to `page`, without `page` itself.
    pub fn not_linking_to(&self, page: i64, mut others: Vec<i64>) -> Vec<i64> {
        let linking = self.pages.places.get(&page).map(|&place| &self.pages.nodes[place as usize].back);
        others.retain(|other| {
            let place = self.pages.places.get(other);
            *other != page && place.zip(linking).is_some_and(|(at, back)| back.binary_search(at).is_err())
        });
        others
    }

    /// Pairs of pages where the text of the first names the second and does not link to it: rarest names first, then
    /// longest names first.
    pub fn all_named(&self) -> Vec<(i64, i64)> {
        let mut all = Vec::new();
        for from in 0..self.pages.nodes.len() {
            let mut best: HashMap<u32, (f64, usize)> = HashMap::new();
            for (target, mention) in self.named(from) {
                let phrase = self.pages.dictionary.phrase(mention.phrase);
                let rank = (phrase.pages, LONGEST - phrase.words);
                let known = best.entry(target).or_insert(rank);
                if rank < *known {
                    *known = rank;
                }
            }
            all.extend(best.into_iter().map(|(to, (pages, words))| (pages, words, from, to)));
        }
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        let number = |place: usize| self.pages.nodes[place].number;
        all.into_iter().map(|(_, _, from, to)| (number(from), number(to as usize))).collect()
    }

    /// Mentions, on the page at `from`, of pages to which it does not link.
    fn named(&self, from: usize) -> impl Iterator<Item = (u32, Mention)> {
        let node = &self.pages.nodes[from];
        node.mentions.iter().flat_map(move |mention| {
            let targets = self.pages.dictionary.phrase(mention.phrase).targets.iter();
            let missing = targets.filter(move |target| {
                target.named && target.page as usize != from && node.out.binary_search(&target.page).is_err()
            });
            missing.map(move |target| (target.page, *mention))
        })
    }

    /// Those of `others` to which the page `from`, which is on the desk, does not link and that score `least` or
    /// more, best first.
    fn judged(
        &self,
        desk: &Desk,
        from: usize,
        others: impl Iterator<Item = u32>,
        least: f64,
    ) -> Vec<Candidate> {
        let node = &self.pages.nodes[from];
        let standings: HashMap<u32, Standing> = features::standings(&self.pages, from);
        let mut found: Vec<Candidate> = others
            .filter(|other| *other as usize != from && node.out.binary_search(other).is_err())
            .filter_map(|other| {
                let to = other as usize;
                let cosine = self.pages.words.cosine(desk, to);
                let mut evidence = features::evidence(&self.pages, from, to, standings.get(&other), cosine);
                // Comparing vectors is the slowest step.
                if score::most(&evidence.values) < least {
                    return None;
                }
                features::add_vectors(&mut evidence, &self.pages, from, to);
                let score = score::score(&evidence.values);
                let (source, target) = (node.number, self.pages.nodes[to].number);
                (score >= least).then_some(Candidate { source, target, score, evidence, from, to })
            })
            .collect();
        sort(&mut found);
        found
    }

    /// Candidates: pages with some evidence for a link.
    fn likely(&self, sums: &mut Sums, from: usize, by_vectors: bool) -> BTreeSet<u32> {
        let node = &self.pages.nodes[from];
        let mentioned = node.mentions.iter().flat_map(|mention| {
            self.pages.dictionary.phrase(mention.phrase).targets.iter().map(|target| target.page)
        });
        let mut likely: BTreeSet<u32> = mentioned.chain(node.back.iter().copied()).collect();
        likely.extend(self.pages.words.nearest(sums, from, CANDIDATES));
        likely.extend(close_by_links(&self.pages, sums, from));
        if by_vectors {
            likely.extend(self.pages.vectors.nearest(from, CANDIDATES));
        }
        likely
    }
}

/// Pages that have neighbours in common with the one at `from`.
fn close_by_links(pages: &Pages, sums: &mut Sums, from: usize) -> Vec<u32> {
    for &between in &pages.nodes[from].neighbours {
        let others = &pages.nodes[between as usize].neighbours;
        if others.len() <= HUB {
            let weight = 1.0 / features::weight_divisor(pages, between) as f32;
            others.iter().for_each(|other| sums.add(*other, weight));
        }
    }
    pages_of(best(sums.take().collect(), CANDIDATES))
}

fn sort(candidates: &mut [Candidate]) {
    let key = |candidate: &Candidate| (candidate.from, candidate.to);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b))));
}
