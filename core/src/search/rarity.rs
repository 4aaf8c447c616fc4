//! How rare the words of a query are in the project, and how much of the query each match has.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::Match;
use super::texts::Texts;
use crate::Result;
use crate::index::questions::fulltext;
use crate::index::{Index, RowSet};
use crate::text::Query;

/// The word score at which the words count fully, as a share of that of a text that has all of them. From 0 to 0.7,
/// nDCG@10 of questions in another language than the pages rises by 0.03 to 0.10, and nowhere falls; at 0.75 it falls on
/// adi.
const ENOUGH: f64 = 0.7;
/// In queries of at most this many words, each word counts: half of the words, by rarity, are worth half as much. In
/// longer queries, missing words count less. With more words, nDCG@10 falls on med and cisi; without this, hit@1 of 25
/// questions about a help centre in other words than its own is 0.48 instead of 0.64.
const SHORT: f64 = 3.0;
/// Looking up a row among those that have a word takes as long as reading this many of them.
const SEEK: usize = 50;

/// The inverse document frequency of each word of a query, as FTS5 computes it for BM25:
/// `ln((N - n + 0.5) / (n + 0.5))` for a word in `n` of `N` rows. A word that no row contains is the rarest.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    /// In the order of [`Query::active_terms`].
    terms: Vec<Weighed>,
}

/// A word of a query.
#[derive(Debug)]
struct Weighed {
    expression: String,
    idf: f64,
}

/// How much FTS5 weighs a word that `rows` of `total` rows have.
pub(super) fn idf(rows: f64, total: f64) -> f64 {
    // FTS5 never lets the weight of a word drop to zero.
    ((total - rows + 0.5) / (rows + 0.5)).ln().max(1e-6)
}

impl Rarity {
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(query: &Query, texts: &dyn Texts) -> Result<Self> {
        let total = texts.rows()? as f64;
        let weigh = |(expression, is_skipped): (String, bool)| {
            let rows = (texts.rows_with(&expression)? as f64).min(total);
            let idf = if is_skipped && rows == 0.0 { 0.0 } else { idf(rows, total) };
            Ok(Weighed { expression, idf })
        };
        let expressions = query.active_alternatives().into_iter().zip(query.active_terms());
        let expressions = expressions.map(|(alternative, term)| {
            let expression = alternative.expression();
            // In a long query, longer words than the unfinished one are not looked for, so it says nothing yet.
            let is_skipped = query.prefix() == Some(term.text()) && expression == term.expression();
            (expression, is_skipped)
        });
        Ok(Self { terms: expressions.map(weigh).collect::<Result<_>>()? })
    }

    /// The BM25 of a text of average length that contains every word once.
    fn ideal(&self) -> f64 {
        self.terms.iter().map(|term| term.idf).sum()
    }

    /// The share of the query that the terms with these numbers make up, 0 to 1.
    pub fn share(&self, terms: impl Iterator<Item = usize>) -> f64 {
        let ideal = self.ideal();
        let part: f64 = terms.filter_map(|term| self.terms.get(term)).map(|term| term.idf).sum();
        if ideal > 0.0 { (part / ideal).min(1.0) } else { 0.0 }
    }

    /// The passages of `words` that have each word, in the order of the words.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn present(&self, db: &Connection, words: &[Match], index: &Index) -> Result<Vec<HashSet<i64>>> {
        let passages: HashSet<i64> = words.iter().map(|one| one.passage).collect();
        let within = RowSet::of(passages.iter().copied());
        let having = |Weighed { expression, .. }: &Weighed| {
            Ok(match index.postings(db, expression)? {
                Some(list) => {
                    let has = |row: &i64| list.binary_search_by_key(row, |posting| posting.row).is_ok();
                    passages.iter().copied().filter(has).collect()
                }
                None if index.row_count(db, expression)? / SEEK > passages.len() => {
                    fulltext::matching_each(db, expression, passages.iter().copied())?.into_iter().collect()
                }
                None => fulltext::matching(db, expression, &within)?.into_iter().collect(),
            })
        };
        self.terms.iter().map(having).collect()
    }

    /// How well the words of each match fit the query.
    ///
    /// BM25 has no absolute scale, and one rare word that occurs often can outweigh all others. So it is compared with
    /// the score of a text of average length that has every word of the query, and multiplied by the share of the words
    /// that the matches of its page have together: a page can answer in several sections.
    ///
    /// ```text
    /// score = bm25 / max(best bm25, 0.7 * ideal) * share ^ min(1, 3 / number of words)
    /// ```
    ///
    /// `present` is what [`Rarity::present`] returns for `words`.
    pub fn scores(&self, words: &[Match], present: &[HashSet<i64>]) -> Scores {
        let ideal = self.ideal();
        let best = words.iter().map(|one| one.bm25).fold(ENOUGH * ideal, f64::max).max(f64::MIN_POSITIVE);
        let pages: HashMap<i64, i64> = words.iter().map(|one| (one.passage, one.page)).collect();
        let (mut of_passages, mut of_pages) = (HashMap::new(), HashMap::new());
        for (Weighed { idf, .. }, rows) in self.terms.iter().zip(present) {
            let having: HashSet<i64> = rows.iter().filter_map(|row| pages.get(row).copied()).collect();
            rows.iter().for_each(|row| *of_passages.entry(*row).or_default() += idf / ideal);
            having.into_iter().for_each(|page| *of_pages.entry(page).or_default() += idf / ideal);
        }
        let power = (SHORT / self.terms.len().max(1) as f64).min(1.0);
        let score = |one: &Match, shares: &HashMap<i64, f64>, of: i64| match self.terms.is_empty() {
            // Only phrases, which every match has.
            true => one.bm25 / best,
            false => one.bm25 / best * shares.get(&of).copied().unwrap_or(0.0).min(1.0).powf(power),
        };
        Scores {
            each: words.iter().map(|one| score(one, &of_pages, one.page)).collect(),
            best_alone: words.iter().map(|one| score(one, &of_passages, one.passage)).fold(0.0, f64::max),
        }
    }
}

/// How well words fit the query, 0 to 1.
pub(super) struct Scores {
    /// Of each match, in the same order.
    pub each: Vec<f64>,
    /// Of the best match, if only its own words counted: words that are scattered over a page can be there by chance.
    pub best_alone: f64,
}
