//! How similar two pages are: by their words (tf-idf) and by the vectors of their sections.

use std::collections::HashMap;

use rusqlite::Connection;

use super::words::ByNumber;
use crate::Result;
use crate::index::questions::vectors;

/// Maximum number of sections of a page that are compared; further ones add nothing.
const MOST_SECTIONS: usize = 64;
/// Number of a page's words that are used to find similar pages.
pub(super) const TELLING_WORDS: usize = 25;
/// Words on more pages than this are not used to find similar pages.
pub(super) const COMMON_WORD_PAGES: f32 = 1_000.0;

/// Each page's words, as weighted vectors of length 1. The vector of a page that was not read is empty.
#[derive(Debug, Default)]
pub(super) struct WordVectors {
    pages: Vec<Vec<(u32, f32)>>,
    /// Pages by word; empty for words on too many pages.
    postings: Vec<Vec<u32>>,
}

/// How often a page has each of its words.
pub(super) struct WordCounts {
    /// Index of the page among all pages.
    pub page: u32,
    /// Number of pages that it represents, including itself.
    pub stands_for: f32,
    /// How often each word occurs.
    pub counts: ByNumber<u32>,
}

impl WordVectors {
    /// The vectors of `total` pages. `read` has the words of the pages that were read, in the order of their indexes.
    pub fn new(total: usize, read: Vec<WordCounts>) -> Self {
        let mut numbers: ByNumber<u32> = ByNumber::default();
        let mut frequency: Vec<f32> = Vec::new();
        let mut pages: Vec<Vec<(u32, f32)>> = vec![Vec::new(); total];
        for WordCounts { page, stands_for, counts } in read {
            let Some(vector) = pages.get_mut(page as usize) else { continue };
            vector.reserve_exact(counts.len());
            for (word, count) in counts {
                let next = u32::try_from(frequency.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(word).or_insert(next);
                if number == next {
                    frequency.push(0.0);
                }
                if let Some(pages) = frequency.get_mut(number as usize) {
                    *pages += stands_for;
                }
                vector.push((number, 1.0 + (count as f32).ln()));
            }
        }
        drop(numbers);
        let telling: Vec<f32> = frequency.iter().map(|pages| (total as f32 / pages.max(1.0)).ln()).collect();
        let mut postings: Vec<Vec<u32>> = vec![Vec::new(); frequency.len()];
        for (page, vector) in pages.iter_mut().enumerate() {
            vector.sort_unstable_by_key(|(word, _)| *word);
            for (word, x) in vector.iter_mut() {
                *x *= telling[*word as usize];
                let pages = frequency[*word as usize];
                if pages > 1.0 && pages <= COMMON_WORD_PAGES {
                    postings[*word as usize].push(u32::try_from(page).unwrap_or(u32::MAX));
                }
            }
            let length = vector.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|(_, x)| *x /= if length > 0.0 { length } else { 1.0 });
        }
        Self { pages, postings }
    }

    /// Buffers to compare one page at a time with others.
    pub fn desk(&self) -> Desk {
        Desk { own: vec![0.0; self.postings.len()], sums: Sums::of(self.pages.len()) }
    }

    /// Puts the words of `page` on the desk and removes those of the page `before`.
    pub fn lay(&self, desk: &mut Desk, before: Option<usize>, page: usize) {
        for &(word, _) in before.and_then(|before| self.pages.get(before)).into_iter().flatten() {
            desk.own[word as usize] = 0.0;
        }
        for &(word, x) in self.pages.get(page).into_iter().flatten() {
            desk.own[word as usize] = x;
        }
    }

    /// Cosine of `page` and the one on the desk, 0 to 1.
    pub fn cosine(&self, desk: &Desk, page: usize) -> f32 {
        let words = self.pages.get(page).into_iter().flatten();
        words.map(|(word, x)| desk.own[*word as usize] * x).sum()
    }

    /// The `limit` pages that share the most characteristic words.
    pub fn nearest(&self, sums: &mut Sums, page: usize, limit: usize) -> Vec<u32> {
        let words = self.pages.get(page).map_or(&[][..], Vec::as_slice);
        let found = words.iter().filter(|(word, _)| !self.postings[*word as usize].is_empty());
        for (word, x) in best(found.copied().collect(), TELLING_WORDS) {
            for &other in &self.postings[word as usize] {
                sums.add(other, x * x);
            }
        }
        let own = u32::try_from(page).unwrap_or(u32::MAX);
        pages_of(best(sums.take().filter(|(other, _)| *other != own).collect(), limit))
    }
}

/// Buffers to compare one page with others. They are as large as the vocabulary, so they are allocated once and
/// cleared after each page.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// The weight of each word in the page on the desk.
    own: Vec<f32>,
    pub sums: Sums,
}

/// Sums by page.
#[derive(Debug, Default)]
pub(super) struct Sums {
    of: Vec<f32>,
    touched: Vec<u32>,
}

impl Sums {
    pub fn of(pages: usize) -> Self {
        Self { of: vec![0.0; pages], touched: Vec::new() }
    }

    /// Adds `x` to the sum of `page`.
    pub fn add(&mut self, page: u32, x: f32) {
        let Some(sum) = self.of.get_mut(page as usize).filter(|_| x > 0.0) else { return };
        if *sum == 0.0 {
            self.touched.push(page);
        }
        *sum += x;
    }

    /// Every page with its sum, and resets all sums to 0.
    pub fn take(&mut self) -> impl Iterator<Item = (u32, f32)> {
        self.touched.drain(..).map(|page| (page, std::mem::take(&mut self.of[page as usize])))
    }
}

/// The `limit` best of `scored`, best first.
pub(super) fn best(mut scored: Vec<(u32, f32)>, limit: usize) -> Vec<(u32, f32)> {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scored.len() > limit {
        scored.select_nth_unstable_by(limit, order);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(order);
    scored
}

/// The pages, without their scores.
pub(super) fn pages_of(scored: Vec<(u32, f32)>) -> Vec<u32> {
    scored.into_iter().map(|(page, _)| page).collect()
}

/// The vectors of all sections, and their mean for each page.
#[derive(Debug, Default)]
pub(super) struct SectionVectors {
    dimensions: usize,
    /// The vectors of each page, one after the other.
    pages: Vec<Vec<f32>>,
    /// Of length 1; empty if a page has no vectors.
    means: Vec<Vec<f32>>,
}

impl SectionVectors {
    /// Reads the vectors of the model that has embedded the most sections. `place` is the index of each page
    /// among all pages.
    pub fn load(db: &Connection, place: &HashMap<i64, u32>) -> Result<Self> {
        let mut pages = vec![Vec::new(); place.len()];
        let mut dimensions = 0;
        vectors::each_rounded(db, |page, scale, rounded| {
            if dimensions == 0 {
                dimensions = rounded.len();
            }
            let page = place.get(&page).and_then(|&place| pages.get_mut(place as usize));
            let Some(page) = page.filter(|_| rounded.len() == dimensions && scale.is_finite()) else {
                return;
            };
            if page.len() < MOST_SECTIONS * dimensions {
                page.extend(rounded.iter().map(|&byte| f32::from(byte.cast_signed()) * scale));
            }
        })?;
        let means = pages.iter().map(|rows| mean(rows, dimensions)).collect();
        Ok(Self { dimensions, pages, means })
    }

    /// Reads the vectors of `model` for some of `total` pages: for each page, its number in the index and its index
    /// among all pages.
    pub fn of_some(db: &Connection, model: i64, total: usize, some: &[(i64, u32)]) -> Result<Self> {
        let mut found =
            Self { dimensions: 0, pages: vec![Vec::new(); total], means: vec![Vec::new(); total] };
        for &(number, place) in some {
            let Some(page) = found.pages.get_mut(place as usize) else { continue };
            vectors::each_rounded_of(db, number, model, |scale, rounded| {
                if found.dimensions == 0 {
                    found.dimensions = rounded.len();
                }
                if rounded.len() == found.dimensions
                    && scale.is_finite()
                    && page.len() < MOST_SECTIONS * found.dimensions
                {
                    page.extend(rounded.iter().map(|&byte| f32::from(byte.cast_signed()) * scale));
                }
            })?;
            found.means[place as usize] = mean(page, found.dimensions);
        }
        Ok(found)
    }

    /// The mean of the page's vectors; `None` if it has no vectors.
    pub fn mean(&self, page: usize) -> Option<&[f32]> {
        self.means.get(page).map(Vec::as_slice).filter(|mean| !mean.is_empty())
    }

    /// Cosine of the means of the two pages; 0 if one has no vectors.
    pub fn mean_cosine(&self, a: usize, b: usize) -> f32 {
        match (self.means.get(a), self.means.get(b)) {
            (Some(a), Some(b)) => dot(a, b),
            _ => 0.0,
        }
    }

    /// Cosine of the two most similar sections; 0 if a page has no vectors.
    pub fn best_cosine(&self, a: usize, b: usize) -> f32 {
        let rows = |page: usize| self.pages.get(page).map_or(&[][..], Vec::as_slice);
        let size = self.dimensions.max(1);
        rows(a)
            .chunks_exact(size)
            .flat_map(|a| rows(b).chunks_exact(size).map(move |b| dot(a, b)))
            .max_by(f32::total_cmp)
            .unwrap_or(0.0)
    }

    /// The `limit` pages with the closest means.
    pub fn nearest(&self, page: usize, limit: usize) -> Vec<u32> {
        let Some(own) = self.means.get(page).filter(|mean| !mean.is_empty()) else { return Vec::new() };
        let scored = self.means.iter().enumerate().filter(|(other, mean)| *other != page && !mean.is_empty());
        let scored = scored.map(|(other, mean)| (u32::try_from(other).unwrap_or(u32::MAX), dot(own, mean)));
        pages_of(best(scored.collect(), limit))
    }
}

fn mean(rows: &[f32], dimensions: usize) -> Vec<f32> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut sum = vec![0.0_f32; dimensions];
    for row in rows.chunks_exact(dimensions.max(1)) {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    let length = dot(&sum, &sum).sqrt();
    sum.iter_mut().for_each(|x| *x /= if length > 0.0 { length } else { 1.0 });
    sum
}

/// Eight separate sums, which compilers turn into vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((left, left_rest), (right, right_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0_f32; 8];
    for (x, y) in left.iter().zip(right) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_the_same_words_are_similar() {
        let read = [vec![(0, 2), (1, 1)], vec![(0, 2), (1, 1)], vec![(2, 1)], vec![(1, 1), (2, 1)]];
        let read = read.into_iter().zip(0_u32..).map(|(counts, page)| WordCounts {
            page,
            stands_for: 1.0,
            counts: counts.into_iter().collect(),
        });
        let words = WordVectors::new(4, read.collect());
        let mut desk = words.desk();
        words.lay(&mut desk, None, 2);
        let of_others = words.cosine(&desk, 3);
        words.lay(&mut desk, Some(2), 0);
        assert!((words.cosine(&desk, 1) - 1.0).abs() < 1e-5);
        assert!(words.cosine(&desk, 2).abs() < 1e-9);
        assert!(words.cosine(&desk, 3) > 0.0 && words.cosine(&desk, 3) < of_others);
        assert_eq!(words.nearest(&mut desk.sums, 0, 5), [1, 3]);
        assert_eq!(words.nearest(&mut desk.sums, 0, 1), [1]);
    }

    #[test]
    fn a_page_that_represents_others_makes_its_words_common() {
        let word = |page, stands_for, word| WordCounts {
            page,
            stands_for,
            counts: [(word, 1), (9, 1)].into_iter().collect(),
        };
        let words = WordVectors::new(100, vec![word(0, 1.0, 1), word(1, 1.0, 1), word(2, 98.0, 2)]);
        let mut desk = words.desk();
        words.lay(&mut desk, None, 0);
        // The word of all pages has no weight, and pages 0 and 2 share no other word.
        assert!((words.cosine(&desk, 1) - 1.0).abs() < 1e-5);
        assert!(words.cosine(&desk, 2).abs() < 1e-5);
        assert_eq!(words.nearest(&mut desk.sums, 0, 5), [1]);
    }

    #[test]
    fn the_best_sections_and_the_means_are_compared() {
        let pages = vec![vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 1.0], Vec::new()];
        let means = pages.iter().map(|rows| mean(rows, 2)).collect();
        let vectors = SectionVectors { dimensions: 2, pages, means };
        assert!((vectors.best_cosine(0, 1) - 1.0).abs() < 1e-6);
        assert!((vectors.mean_cosine(0, 1) - 0.5_f32.sqrt()).abs() < 1e-6);
        assert_eq!((vectors.best_cosine(0, 2), vectors.mean_cosine(2, 2)), (0.0, 0.0));
        assert_eq!(vectors.nearest(0, 9), [1]);
        assert!(vectors.nearest(2, 9).is_empty());
    }
}
