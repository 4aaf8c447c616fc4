//! Whether two settings differ by more than chance, judged by their scores on the same queries. The test is the
//! paired randomisation test, as recommended by Smucker, Allan and Carterette (2007) for rankings; the interval is
//! the paired bootstrap (Efron and Tibshirani 1993). Both are seeded, so equal scores give equal results.

use crate::Result;
use crate::progress::Cancel;

/// Samples for the interval and the test.
const SAMPLES: usize = 10_000;
/// Up to this many differences, all combinations of signs are tried: about a million.
const EXACT: usize = 20;
/// Scores that differ by less are equal; any change of a ranking causes a larger difference.
pub(super) const EQUAL: f64 = 1e-9;

/// The significance of a mean difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Significance {
    pub mean: f64,
    /// 95 % confidence interval of the mean.
    pub interval: [f64; 2],
    /// Probability of a mean at least this far from 0 if both settings were equally good.
    pub p_value: f64,
}

impl Significance {
    /// From one difference per query; not significant if there are none.
    pub(super) fn of(differences: &[f64], cancel: &Cancel) -> Result<Self> {
        let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
        Ok(Self { mean, interval: interval(differences, cancel)?, p_value: p_value(differences, cancel)? })
    }
}

/// The 2.5th and 97.5th percentiles of the mean over resamples of the same size, drawn with replacement.
fn interval(differences: &[f64], cancel: &Cancel) -> Result<[f64; 2]> {
    let count = differences.len();
    if count == 0 {
        return Ok([0.0; 2]);
    }
    let mut random = SplitMix(0x5EED_0001);
    let mut means = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        cancel.check()?;
        let sum: f64 = (0..count).map(|_| differences[random.below(count)]).sum();
        means.push(sum / count as f64);
    }
    means.sort_unstable_by(f64::total_cmp);
    let tail = SAMPLES / 40;
    Ok([means[tail], means[SAMPLES - 1 - tail]])
}

/// The share of sign combinations whose sum is at least as far from 0. Exact if there are few differences,
/// otherwise estimated; the observed signs count as one sample, so the result is never 0.
fn p_value(differences: &[f64], cancel: &Cancel) -> Result<f64> {
    // Zero differences contribute nothing with either sign.
    let differing: Vec<f64> = differences.iter().copied().filter(|d| d.abs() >= EQUAL).collect();
    let observed = differing.iter().sum::<f64>().abs() - EQUAL;
    if differing.len() <= EXACT {
        let ways = 1_u64 << differing.len();
        let mut signs = vec![1.0; differing.len()];
        let mut sum: f64 = differing.iter().sum();
        let mut extreme = u64::from(sum.abs() >= observed);
        for way in 1..ways {
            // In Gray code order, each combination flips one sign of the previous one.
            let turned = way.trailing_zeros() as usize;
            signs[turned] = -signs[turned];
            sum += 2.0 * signs[turned] * differing[turned];
            extreme += u64::from(sum.abs() >= observed);
        }
        return Ok(extreme as f64 / ways as f64);
    }
    let mut random = SplitMix(0x5EED_0002);
    let mut extreme = 1;
    for _ in 0..SAMPLES {
        cancel.check()?;
        let mut sum = 0.0;
        for piece in differing.chunks(64) {
            let signs = random.next();
            for (place, difference) in piece.iter().enumerate() {
                sum += if signs >> place & 1 == 0 { *difference } else { -difference };
            }
        }
        extreme += usize::from(f64::abs(sum) >= observed);
    }
    Ok(extreme as f64 / (SAMPLES + 1) as f64)
}

/// A seeded pseudo-random generator (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, exclusive.
    fn below(&mut self, end: usize) -> usize {
        // The upper half of the product is below `end`, so it fits into `usize`.
        usize::try_from((u128::from(self.next()) * end as u128) >> 64).unwrap_or(0)
    }
}
