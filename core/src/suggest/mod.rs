//! Missing links: which page should link to which other page, with a score and a reason. The evidence is
//! mentions of names and of the text of other links, similar words, similar vectors, and shared neighbours.
//! A model fitted on links that were removed from real vaults weighs it.

pub mod decisions;
mod dictionary;
mod features;
mod likeness;
mod load;
mod mentions;
mod place;
mod score;
mod words;

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use crate::Result;
use crate::progress::{Cancel, Progress, Stage};
pub use features::{Evidence, FEATURES, NAMES};
use likeness::best;
use load::Pages;
pub use place::{Names, Place, places};

/// Candidates from each measure of similarity, when all pages are compared.
const CANDIDATES: usize = 20;
/// Pages with more neighbours than this are not used to find candidates.
const HUB: usize = 1_000;

/// All pages, ready to be compared.
#[derive(Debug)]
pub struct Suggester {
    pages: Pages,
}

/// A missing link.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Number of the page that should link.
    pub source: i64,
    /// Number of the page that it should link to.
    pub target: i64,
    /// Score, 0 to 1.
    pub score: f64,
    /// The evidence for it.
    pub evidence: Evidence,
    from: usize,
    to: usize,
}

impl Suggester {
    /// Reads the index.
    ///
    /// # Errors
    /// [`crate::Error::Database`], [`crate::Error::Cancelled`].
    pub fn load(db: &Connection, progress: &dyn Progress, cancel: &Cancel) -> Result<Self> {
        Ok(Self { pages: Pages::load(db, progress, cancel)? })
    }

    /// Every page to which this one does not link, best first.
    pub fn for_page(&self, page: i64) -> Vec<Candidate> {
        let Some(&place) = self.pages.places.get(&page) else { return Vec::new() };
        let others = (0..self.pages.nodes.len()).filter_map(|other| u32::try_from(other).ok());
        self.judged(place as usize, others)
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
        keep: impl Fn(&Candidate) -> bool,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Vec<Candidate>> {
        let total = self.pages.nodes.len();
        let mut pairs: HashMap<(usize, usize), Candidate> = HashMap::new();
        for from in 0..total {
            if from % 32 == 0 {
                cancel.check()?;
                progress.advance(Stage::Suggestions, total + from, total * 2);
            }
            let found = self.judged(from, self.likely(from).into_iter());
            for found in
                found.into_iter().take_while(|found| found.score >= threshold).filter(&keep).take(limit)
            {
                let pair = (found.from.min(found.to), found.from.max(found.to));
                if pairs.get(&pair).is_none_or(|known| known.score < found.score) {
                    pairs.insert(pair, found);
                }
            }
        }
        progress.advance(Stage::Suggestions, total * 2, total * 2);
        let mut pairs: Vec<Candidate> = pairs.into_values().collect();
        sort(&mut pairs);
        pairs.truncate(limit);
        Ok(pairs)
    }

    fn judged(&self, from: usize, others: impl Iterator<Item = u32>) -> Vec<Candidate> {
        let node = &self.pages.nodes[from];
        let standings = features::standings(&self.pages, from);
        let mut found: Vec<Candidate> = others
            .filter(|other| *other as usize != from && node.out.binary_search(other).is_err())
            .map(|other| {
                let to = other as usize;
                let evidence = features::evidence(&self.pages, from, to, standings.get(&other));
                let score = score::score(&evidence.values);
                Candidate {
                    source: node.number,
                    target: self.pages.nodes[to].number,
                    score,
                    evidence,
                    from,
                    to,
                }
            })
            .collect();
        sort(&mut found);
        found
    }

    /// Candidates: pages with some evidence for a link.
    fn likely(&self, from: usize) -> BTreeSet<u32> {
        let node = &self.pages.nodes[from];
        let mentioned = node.mentions.iter().flat_map(|mention| {
            self.pages.dictionary.phrase(mention.phrase).targets.iter().map(|target| target.page)
        });
        let mut likely: BTreeSet<u32> = mentioned.chain(node.back.iter().copied()).collect();
        likely.extend(self.pages.words.nearest(from, CANDIDATES));
        likely.extend(self.pages.vectors.nearest(from, CANDIDATES));
        let mut closeness: HashMap<u32, f32> = HashMap::new();
        for &between in &node.neighbours {
            let others = &self.pages.nodes[between as usize].neighbours;
            if others.len() <= HUB {
                let weight = 1.0 / features::weight_divisor(&self.pages, between) as f32;
                for &other in others {
                    *closeness.entry(other).or_default() += weight;
                }
            }
        }
        likely.extend(best(closeness.into_iter().collect(), CANDIDATES));
        likely
    }
}

fn sort(candidates: &mut [Candidate]) {
    let key = |candidate: &Candidate| (candidate.from, candidate.to);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b))));
}
