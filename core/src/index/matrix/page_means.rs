//! How close whole pages are to a query.

use std::collections::{HashMap, HashSet};

/// Similarities of the vectors of each page, in the order in which they were compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageMeans(Vec<Run>);

/// Vectors of one page that follow each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    page: i64,
    sum: f64,
    count: u32,
}

impl PageMeans {
    /// Adds the similarity with a vector of a page.
    pub(crate) fn add(&mut self, page: i64, similarity: f32) {
        let similarity = f64::from(similarity);
        match self.0.last_mut() {
            Some(run) if run.page == page => {
                run.sum += similarity;
                run.count += 1;
            }
            _ => self.0.push(Run { page, sum: similarity, count: 1 }),
        }
    }

    /// The same for pages with other numbers.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn renumbered(mut self, number: impl Fn(i64) -> i64) -> Self {
        self.0.iter_mut().for_each(|run| run.page = number(run.page));
        self
    }

    /// The same measured from a background: see [`crate::search::across`].
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn measured_from(mut self, background: f64) -> Self {
        for run in &mut self.0 {
            run.sum = (run.sum - f64::from(run.count) * background) / (1.0 - background);
        }
        self
    }

    /// Adds a page with several vectors, of whose similarities only the mean is known.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn add_mean(&mut self, page: i64, mean: f64) {
        self.0.push(Run { page, sum: 2.0 * mean, count: 2 });
    }

    /// Adds the similarities with other pages.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The mean similarity of the vectors of each of these pages that has several, within about 0.002.
    pub fn of(&self, pages: &HashSet<i64>) -> HashMap<i64, f64> {
        let mut runs: HashMap<i64, Run> = HashMap::new();
        for run in self.0.iter().filter(|run| pages.contains(&run.page)) {
            let all = runs.entry(run.page).or_insert(Run { sum: 0.0, count: 0, ..*run });
            all.sum += run.sum;
            all.count += run.count;
        }
        runs.retain(|_, run| run.count > 1);
        runs.into_iter().map(|(page, run)| (page, run.sum / f64::from(run.count))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_with_several_vectors_have_a_mean_wherever_their_sections_are() {
        let mut means = PageMeans::default();
        for (page, similarity) in [(1, 0.25), (1, 0.75), (2, 0.5), (1, 0.5), (3, 0.125)] {
            means.add(page, similarity);
        }
        let of = means.of(&HashSet::from([1, 3, 4]));
        assert_eq!(of, HashMap::from([(1, 0.5)]));
    }
}
