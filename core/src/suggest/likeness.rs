//! How similar two pages are: by their words (tf-idf) and by the vectors of their sections.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;
use crate::index::questions::vectors;

/// Maximum number of sections of a page that are compared; further ones add nothing.
const MOST_SECTIONS: usize = 64;
/// Number of a page's words that are used to find similar pages.
const TELLING_WORDS: usize = 25;
/// Words on more pages than this are not used to find similar pages.
const COMMON_WORD_PAGES: usize = 1_000;

/// Each page's words, as weighted vectors of length 1.
#[derive(Debug, Default)]
pub(super) struct WordVectors {
    pages: Vec<Vec<(u32, f32)>>,
    /// Pages by word, without words on too many pages.
    postings: HashMap<u32, Vec<u32>>,
}

impl WordVectors {
    /// For each page, the numbers of its words and how often each occurs, sorted by number.
    pub fn new(counts: Vec<Vec<(u32, u32)>>, vocabulary: usize) -> Self {
        let mut frequency = vec![0_u32; vocabulary];
        for &(word, _) in counts.iter().flatten() {
            if let Some(pages) = frequency.get_mut(word as usize) {
                *pages += 1;
            }
        }
        let total = counts.len() as f32;
        let weight = |(word, count): (u32, u32)| {
            let pages = frequency.get(word as usize).copied().unwrap_or(1).max(1);
            (word, (1.0 + (count as f32).ln()) * (total / pages as f32).ln())
        };
        let mut pages: Vec<Vec<(u32, f32)>> = Vec::with_capacity(counts.len());
        let mut postings: HashMap<u32, Vec<u32>> = HashMap::new();
        for (page, counts) in counts.into_iter().enumerate() {
            let mut vector: Vec<(u32, f32)> = counts.into_iter().map(weight).collect();
            let length = vector.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
            vector.iter_mut().for_each(|(_, x)| *x /= if length > 0.0 { length } else { 1.0 });
            for &(word, _) in &vector {
                if frequency.get(word as usize).is_some_and(|&n| n > 1 && n as usize <= COMMON_WORD_PAGES) {
                    postings.entry(word).or_default().push(u32::try_from(page).unwrap_or(u32::MAX));
                }
            }
            pages.push(vector);
        }
        Self { pages, postings }
    }

    /// Cosine of two pages, 0 to 1.
    pub fn cosine(&self, a: usize, b: usize) -> f32 {
        let (Some(a), Some(b)) = (self.pages.get(a), self.pages.get(b)) else { return 0.0 };
        let (mut a, mut b) = (a.as_slice(), b.as_slice());
        let mut sum = 0.0;
        while let ([(left, x), rest_a @ ..], [(right, y), rest_b @ ..]) = (a, b) {
            if left == right {
                sum += x * y;
            }
            if left <= right {
                a = rest_a;
            }
            if right <= left {
                b = rest_b;
            }
        }
        sum
    }

    /// The `limit` pages that share the most characteristic words.
    pub fn nearest(&self, page: usize, limit: usize) -> Vec<u32> {
        let mut words = self.pages.get(page).cloned().unwrap_or_default();
        words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut sums: HashMap<u32, f32> = HashMap::new();
        let telling = words.iter().filter_map(|(word, x)| Some((self.postings.get(word)?, x)));
        for (pages, x) in telling.take(TELLING_WORDS) {
            for &other in pages {
                *sums.entry(other).or_default() += x * x;
            }
        }
        sums.remove(&u32::try_from(page).unwrap_or(u32::MAX));
        best(sums.into_iter().collect(), limit)
    }
}

/// The `limit` best of `scored`, best first.
pub(super) fn best(mut scored: Vec<(u32, f32)>, limit: usize) -> Vec<u32> {
    scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(limit);
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
        best(scored.collect(), limit)
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

/// Eight sums side by side, which compilers turn into vector instructions.
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
        let words = WordVectors::new(
            vec![vec![(0, 2), (1, 1)], vec![(0, 2), (1, 1)], vec![(2, 1)], vec![(1, 1), (2, 1)]],
            3,
        );
        assert!((words.cosine(0, 1) - 1.0).abs() < 1e-5);
        assert!(words.cosine(0, 2).abs() < 1e-9);
        assert!(words.cosine(0, 3) > 0.0 && words.cosine(0, 3) < words.cosine(2, 3));
        assert_eq!(words.nearest(0, 5), [1, 3]);
        assert_eq!(words.nearest(0, 1), [1]);
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
