//! The score of a suggestion: a logistic regression over its features, with a calibrated result.
//!
//! The weights were fitted with `tests/bench/suggestions --fit` on links that had been removed from four
//! vaults (the Obsidian help in English and Japanese, SilverBullet's and Dendron's documentation: 280
//! pages, one or more links each), against every other page to which those pages do not link.

use super::features::{BEST_SECTIONS, FEATURES, WHOLE_PAGES};
use crate::confidence;

/// In the order of [`super::NAMES`].
const WEIGHTS: [f64; FEATURES] = [
    3.839, 0.288, 1.076, 0.310, 0.787, -0.221, 0.041, 3.005, 6.900, 1.502, -0.788, 0.578, 0.410, 0.588, 0.473,
];
const INTERCEPT: f64 = -10.703;

/// Maps the result of the regression to the share of right suggestions among those with about that result. Fitted on the
/// ten best suggestions for each of the 280 pages (2,800 suggestions, 2026-11): the expected calibration error over ten
/// bins is 0.011 on all four vaults and at most 0.037 on one of them, and 0.045 for suggestions of 0.5 or more. Above
/// 0.8 are 11 of them, of which 10 are right. The true share is higher: links that nobody ever added counted as wrong.
/// `ubp eval --suggestions` repeats the measurement.
const CALIBRATION: [(f64, f64); 8] =
    [(0.0, 0.0), (0.02, 0.02), (0.1, 0.11), (0.3, 0.3), (0.5, 0.4), (0.75, 0.63), (0.87, 0.78), (1.0, 0.97)];

/// The score of a link with these features, 0 to 1.
pub(super) fn score(values: &[f64; FEATURES]) -> f64 {
    let sum = WEIGHTS.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>() + INTERCEPT;
    calibrated(1.0 / (1.0 + (-sum).exp()))
}

/// The highest score that a link with these features can have for any vectors.
pub(super) fn most(values: &[f64; FEATURES]) -> f64 {
    let mut values = *values;
    for at in [BEST_SECTIONS, WHOLE_PAGES] {
        values[at] = WEIGHTS[at].signum();
    }
    score(&values)
}

fn calibrated(outcome: f64) -> f64 {
    confidence::of(outcome, &CALIBRATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_increase_with_the_regression_and_stay_between_0_and_1() {
        let scores: Vec<f64> = (0..=1000).map(|step| calibrated(f64::from(step) / 1000.0)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((scores[0], scores[1000]), (0.0, 0.97));
        assert!((calibrated(0.87) - 0.78).abs() < 1e-9);
        assert!(score(&[0.0; FEATURES]) < 0.01);
        assert!(score(&[1.0; FEATURES]) > 0.9);
        let mut values = [0.5; FEATURES];
        let most = most(&values);
        for (best, whole) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (0.3, 0.9)] {
            (values[BEST_SECTIONS], values[WHOLE_PAGES]) = (best, whole);
            assert!(score(&values) <= most);
        }
    }
}
