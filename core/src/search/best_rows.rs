//! The best rows of the full text for any of several words by BM25, without scoring every row that contains
//! one of them; a row is a section, or a passage of a long one. The rarity of a word bounds what it can add to a
//! score. So once enough rows are known, rows that contain only common words need not be scored. The result is the
//! same as that of scoring all rows. (The algorithm is MaxScore, with FTS5 expressions in place of posting lists.)
//!
//! What frequent words add to the scores of rows is kept in memory. If that is known of all words of a query, it is
//! added up instead: a million rows take some milliseconds.

mod sums;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rusqlite::Connection;

use super::rarity::idf;
use crate::Result;
use crate::index::questions::fulltext;
use crate::index::{Index, Posting, Postings, RowSet, generation};
use crate::text::Alternative;
use crate::threads::both;

/// Up to this many rows, scoring all is faster than separating rare words from common ones.
const FEW: usize = 3_000;
/// Estimated score of the worst result, as a share of what its rarest word could add. Over 255
/// queries against 110,000 rows, 0.3 took 4 percent less time than scoring all rows, 0.5 to 0.7 took 12 to
/// 14 percent less, 1.0 took 6 percent less.
const EXPECTED: f64 = 0.6;
/// Passing over this many rows with a common word takes as long as scoring one.
const PASSED_OVER: usize = 4;
/// Lists of fewer rows are read again instead of kept.
const SHORT: usize = 1_000;
/// Separating rare words pays off while they have at most this share of all occurrences.
const WORTHWHILE: f64 = 0.7;
/// From this number of matching rows on, two threads score half of them each. Fewer take a few milliseconds.
const MANY: usize = 10_000;
/// The same as a number of all rows, if it is not known how many match.
const MANY_OF_ALL: usize = 100_000;

/// Maximum number of rows as good as the last one that are kept beyond the limit.
const MOST_TIES: usize = 1_000;

/// A row and its BM25; greater is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub bm25: f64,
    pub row: i64,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bm25.total_cmp(&other.bm25).then(other.row.cmp(&self.row))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best rows so far, at most `limit`, among those in `within` (all if `None`).
pub(super) struct BestRows<'a> {
    db: &'a Connection,
    within: Option<&'a RowSet>,
    index: &'a Index,
    best: Best,
    expressions: usize,
}

/// The best rows, at most `limit`.
#[derive(Default)]
struct Best {
    limit: usize,
    rows: BinaryHeap<Reverse<Scored>>,
    /// Further rows as good as the worst of these, by row.
    ties: Vec<Scored>,
}

impl Best {
    fn add(&mut self, row: i64, bm25: f64) {
        // Sums in a different order differ in their last digits, which must not break ties.
        let scored = Scored { bm25: (bm25 * 1e9).round() / 1e9, row };
        if self.rows.len() < self.limit {
            self.rows.push(Reverse(scored));
        } else if let Some(Reverse(worst)) = self.rows.peek().copied()
            && worst.bm25 <= scored.bm25
        {
            let mut tie = scored;
            if let Some(mut place) = self.rows.peek_mut().filter(|_| worst < scored) {
                *place = Reverse(scored);
                tie = worst;
            }
            if self.rows.peek().is_some_and(|worst| worst.0.bm25 > tie.bm25) {
                self.ties.clear();
            } else if self.ties.len() < MOST_TIES {
                let at = self.ties.partition_point(|other| other.row < tie.row);
                self.ties.insert(at, tie);
            }
        }
    }

    /// The rows of `other`, which are not among these.
    fn append(&mut self, other: Self) {
        let rows = other.rows.into_iter().map(|Reverse(scored)| scored);
        rows.chain(other.ties).for_each(|Scored { row, bm25 }| self.add(row, bm25));
    }
}

/// A word and the number of rows that contain it.
struct Weighed {
    expression: String,
    rows: usize,
    /// Upper bound of what it adds to a score.
    bound: f64,
}

impl<'a> BestRows<'a> {
    pub(super) fn new(
        db: &'a Connection,
        limit: usize,
        within: Option<&'a RowSet>,
        index: &'a Index,
    ) -> Self {
        Self { db, within, index, best: Best { limit, ..Best::default() }, expressions: 0 }
    }

    /// Best first. More than the limit if further rows are as good as the last one.
    pub(super) fn into_sorted(self) -> Vec<Scored> {
        let best = self.best.rows.into_sorted_vec().into_iter().map(|Reverse(scored)| scored);
        best.chain(self.best.ties).collect()
    }

    /// Scores every row that `expression` matches; `rows` is an upper bound of their number, if known.
    pub(super) fn weigh(&mut self, expression: &str, rows: Option<usize>) -> Result<()> {
        if self.best.limit == 0 {
            return Ok(());
        }
        self.expressions += 1;
        // There are no threads in browsers.
        if !cfg!(target_family = "wasm") && self.are_many(rows)? && self.weigh_halves(expression)? {
            return Ok(());
        }
        fulltext::each_match(self.db, expression, self.within, |row, bm25| self.best.add(row, bm25))
    }

    fn are_many(&self, rows: Option<usize>) -> Result<bool> {
        Ok(match rows {
            Some(rows) => rows >= MANY,
            None => self.index.all_rows(self.db)? >= MANY_OF_ALL,
        })
    }

    /// Scores the rows on two threads. Returns false if the index is not a file, or another connection to it sees a
    /// newer state.
    fn weigh_halves(&mut self, expression: &str) -> Result<bool> {
        let limit = self.best.limit;
        let halves = self.halves(|db, first, last| {
            let mut best = Best { limit, ..Best::default() };
            let add = |row, bm25| best.add(row, bm25);
            fulltext::each_match_from(db, expression, self.within, first, last, add).map(|()| best)
        })?;
        let Some((lower, upper)) = halves else { return Ok(false) };
        self.best.append(lower);
        self.best.append(upper);
        Ok(true)
    }

    /// What `half` returns for the lower and the upper half of all rows, on two threads; it receives the first and the
    /// last row. `None` if the index is not a file, or another connection to it sees a newer state.
    fn halves<T: Send>(
        &self,
        half: impl Fn(&Connection, i64, i64) -> Result<T> + Sync,
    ) -> Result<Option<(T, T)>> {
        let (index, db, state) = (self.index, self.db, generation(self.db)?);
        let middle = fulltext::middle(db)?.unwrap_or_default();
        let (upper, lower) = both(
            || index.read_beside(state, |db| half(db, middle + 1, i64::MAX)),
            || half(db, i64::MIN, middle),
        );
        let (upper, lower) = (upper?, lower?);
        Ok(upper.map(|upper| (lower, upper)))
    }

    /// Scores every row that contains any of `words` by adding up what each word adds. Returns false if it is better to
    /// score them otherwise, which takes as long as scoring `otherwise` rows. A list is read once its rows are no more
    /// than those that were scored for want of it.
    fn add_up(&mut self, words: &[Weighed], otherwise: usize) -> Result<bool> {
        if self.best.limit == 0 {
            return Ok(false);
        }
        let kept = words.iter().map(|word| self.index.postings(self.db, &word.expression));
        let mut lists = kept.collect::<Result<Vec<_>>>()?;
        let missing = || words.iter().zip(&lists).filter(|(_, list)| list.is_none()).map(|(word, _)| word);
        // Reading a list takes no account of which rows are allowed.
        let is_cheaper = self.within.is_none() && missing().map(|word| word.rows).sum::<usize>() <= otherwise;
        let read = |word: &Weighed| {
            let is_due = || self.index.spend_without_postings(self.db, &word.expression, otherwise);
            (is_cheaper || is_due()? >= word.rows).then(|| self.read(word)).transpose()
        };
        for (word, list) in words.iter().zip(&mut lists) {
            if list.is_none() {
                *list = read(word)?;
            }
        }
        let Some(lists) = lists.into_iter().collect::<Option<Vec<_>>>() else { return Ok(false) };
        sums::each(&lists, |row, bm25| {
            if self.within.is_none_or(|within| within.contains(row)) {
                self.best.add(row, bm25);
            }
        });
        Ok(true)
    }

    /// The rows that contain a word; keeps them if they are not few.
    fn read(&self, word: &Weighed) -> Result<Postings> {
        let expression = &word.expression;
        let from = |db: &Connection, first, last| {
            let mut postings = Vec::new();
            let add = |row, bm25| postings.push(Posting { row, bm25 });
            fulltext::each_match_from(db, expression, None, first, last, add).map(|()| postings)
        };
        let halves = if word.rows < MANY { None } else { self.halves(from)? };
        let postings: Postings = match halves {
            Some((lower, upper)) => [lower, upper].concat().into(),
            None => from(self.db, i64::MIN, i64::MAX)?.into(),
        };
        if postings.len() >= SHORT {
            self.index.keep_postings(self.db, expression, &postings)?;
        }
        Ok(postings)
    }

    /// Scores every row that contains any of `alternatives` and may be among the best.
    pub(super) fn weigh_any(&mut self, alternatives: &[Alternative]) -> Result<()> {
        let mut words = Vec::new();
        let total = self.index.all_rows(self.db)?;
        for alternative in alternatives {
            words.extend(self.weighed(alternative, total)?);
        }
        words.sort_by(|a, b| b.bound.total_cmp(&a.bound).then_with(|| a.expression.cmp(&b.expression)));
        let (rare, common) = words.split_at(self.common_from(&words));
        // Browsers have no memory for lists.
        let is_worthwhile = !cfg!(target_family = "wasm") && rows(&words) >= MANY;
        if is_worthwhile && self.add_up(&words, rows(rare) + rows(common) / PASSED_OVER)? {
            return Ok(());
        }
        if common.is_empty() {
            return if rare.is_empty() { Ok(()) } else { self.weigh(&any(rare), Some(rows(rare))) };
        }
        self.weigh(&format!("{} AND {}", any(rare), any(common)), Some(rows(rare)))?;
        if !self.is_beyond(bound(rare)) {
            self.weigh(&format!("{} NOT {}", any(rare), any(common)), Some(rows(rare)))?;
        }
        if !self.is_beyond(bound(common)) {
            self.weigh(&format!("{} NOT {}", any(common), any(rare)), Some(rows(common)))?;
        }
        Ok(())
    }

    /// The index of the first common word; words are sorted by rarity. The rare words before it probably make up
    /// all of the best rows. Returns the number of words if separating them does not pay off.
    fn common_from(&self, words: &[Weighed]) -> usize {
        let all = rows(words);
        if all <= FEW {
            return words.len();
        }
        let mut rare = 0;
        let mut expected = None;
        for (at, word) in words.iter().enumerate() {
            if expected.is_some_and(|expected| bound(&words[at..]) <= expected) {
                let pays = rare as f64 <= all as f64 * WORTHWHILE;
                return if pays { at } else { words.len() };
            }
            rare += word.rows;
            if expected.is_none() && rare >= self.best.limit {
                expected = Some(word.bound * EXPECTED);
            }
        }
        words.len()
    }

    /// `None` if no row contains it.
    fn weighed(&self, alternative: &Alternative, total: usize) -> Result<Option<Weighed>> {
        /// FTS5's constant `k1`: however often a word occurs in a text, its weight stays below `k1 + 1`.
        const K1: f64 = 1.2;
        let mut bound = 0.0;
        let mut rows = 0;
        for phrase in alternative.phrases() {
            let with = self.index.row_count(self.db, phrase)?;
            rows += with;
            if with > 0 {
                bound += (K1 + 1.0) * idf(with as f64, total as f64);
            }
        }
        let expression = alternative.expression();
        Ok((rows > 0).then_some(Weighed { expression, rows, bound }))
    }

    /// Whether a row that scores at most `bound` cannot be among the best.
    fn is_beyond(&self, bound: f64) -> bool {
        /// Upper bound of the rounding error of a score.
        const ROUNDING: f64 = 1e-8;
        let Best { limit, rows, .. } = &self.best;
        rows.len() >= *limit && rows.peek().is_some_and(|worst| bound + ROUNDING < worst.0.bm25)
    }
}

fn any(words: &[Weighed]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.expression.as_str()).collect();
    format!("({})", words.join(" OR "))
}

/// Number of rows with any of the words, at most.
fn rows(words: &[Weighed]) -> usize {
    words.iter().map(|word| word.rows).sum()
}

fn bound(words: &[Weighed]) -> f64 {
    words.iter().map(|word| word.bound).sum()
}

#[cfg(test)]
mod tests;
