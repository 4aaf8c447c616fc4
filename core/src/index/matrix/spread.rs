//! How much similarities differ.

use super::estimate;
use super::layers::Layers;
use super::records::Record;
use crate::index::rounding::RoundedQuery;

/// Maximum number of vectors that are compared with each other, and how many of them with all of these. Over 20
/// collections, the result is then within 2 % of that of all vectors.
pub(crate) const SAMPLE: usize = 256;
const PROBES: usize = 32;

/// Similarities of a query with vectors.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// Positions of the vectors.
    at: Vec<usize>,
    sum: f64,
    squares: f64,
}

impl Spread {
    /// Adds the similarity with the vector at a position.
    pub(super) fn add(&mut self, at: usize, similarity: f64) {
        self.at.push(at);
        self.sum += similarity;
        self.squares += similarity * similarity;
    }

    /// The position of the vector that was added as the `number`th.
    pub(super) fn position(&self, number: usize) -> Option<usize> {
        self.at.get(number).copied()
    }

    pub(super) fn count(&self) -> usize {
        self.at.len()
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    pub(super) fn deviation(&self) -> f64 {
        let count = self.count().max(1) as f64;
        (self.squares / count - (self.sum / count).powi(2)).max(0.0).sqrt()
    }

    /// The standard deviation, divided by that of similarities between these vectors themselves; 0 if that is 0.
    pub(super) fn relative_to(&self, records: Layers<'_>) -> f64 {
        let sample: Vec<Record<'_>> = every(&self.at, SAMPLE).filter_map(|at| records.get(*at)).collect();
        let deviations: Vec<f64> =
            every(&sample, PROBES).filter_map(|probe| deviation_from(probe, &sample)).collect();
        let typical = deviations.iter().sum::<f64>() / deviations.len().max(1) as f64;
        if typical > 0.0 { self.deviation() / typical } else { 0.0 }
    }
}

/// At most `limit` items, evenly spaced.
pub(super) fn every<T>(items: &[T], limit: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(limit).max(1))
}

/// Standard deviation of the similarities of one vector with the vectors of other sections.
fn deviation_from(probe: &Record<'_>, sample: &[Record<'_>]) -> Option<f64> {
    let query = RoundedQuery::new(&probe.numbers())?;
    let mut spread = Spread::default();
    for (at, other) in sample.iter().enumerate().filter(|(_, other)| other.section != probe.section) {
        spread.add(at, f64::from(estimate(&query, other)));
    }
    Some(spread.deviation())
}

/// The mean over some vectors of the standard deviation of their similarities with the others.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn typical_deviation(vectors: &[Vec<f32>]) -> f64 {
    let of = |(at, probe): (usize, &Vec<f32>)| {
        let mut spread = Spread::default();
        for (_, other) in vectors.iter().enumerate().filter(|(other, _)| *other != at) {
            spread.add(at, probe.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum());
        }
        spread.deviation()
    };
    let step = vectors.len().div_ceil(PROBES).max(1);
    let deviations: Vec<f64> = vectors.iter().enumerate().step_by(step).map(of).collect();
    deviations.iter().sum::<f64>() / deviations.len().max(1) as f64
}
