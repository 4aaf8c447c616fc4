//! Whether two ways to rank differ by more than chance, judged from their scores on the same queries.
//! The test is the paired randomisation test, which Smucker, Allan and Carterette (2007) recommend for
//! rankings; the interval comes from the paired bootstrap (Efron and Tibshirani 1993). Both are
//! seeded, so that equal scores give equal answers.

use crate::Result;
use crate::progress::Cancel;

/// Samples that interval and test draw.
const SAMPLES: usize = 10_000;
/// Differences up to which every way to turn their signs is tried: a million.
const EXACT: usize = 20;
/// Scores nearer than this are equal: less than any change of a ranking moves them.
pub(super) const EQUAL: f64 = 1e-9;

/// What chance has to say about the mean of differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Significance {
    pub mean: f64,
    /// 95 % confidence interval of the mean.
    pub interval: [f64; 2],
    /// Probability of a mean at least this far from 0, were the two ways equally good.
    pub p_value: f64,
}

impl Significance {
    /// Of one difference per query; of no differences, that there is nothing to see.
    pub(super) fn of(differences: &[f64], cancel: &Cancel) -> Result<Self> {
        let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
        Ok(Self { mean, interval: interval(differences, cancel)?, p_value: p_value(differences, cancel)? })
    }
}

/// The 2.5th and 97.5th percentile of the mean of as many queries, drawn again and again with
/// replacement.
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

/// The share of the ways to turn signs of the differences that give a sum at least as far from 0:
/// counted where there are few, else estimated (the given signs count as one of the samples, so that
/// it is never 0).
fn p_value(differences: &[f64], cancel: &Cancel) -> Result<f64> {
    // Whichever sign it has, no difference adds nothing.
    let differing: Vec<f64> = differences.iter().copied().filter(|d| d.abs() >= EQUAL).collect();
    let observed = differing.iter().sum::<f64>().abs() - EQUAL;
    if differing.len() <= EXACT {
        let ways = 1_u64 << differing.len();
        let mut signs = vec![1.0; differing.len()];
        let mut sum: f64 = differing.iter().sum();
        let mut extreme = u64::from(sum.abs() >= observed);
        for way in 1..ways {
            // In the order of a Gray code each way turns a single sign of the one before.
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

/// Numbers that look random and are the same every time (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end`, without it.
    fn below(&mut self, end: usize) -> usize {
        // The upper half of the product is below `end`, so it fits whatever `usize` is.
        usize::try_from((u128::from(self.next()) * end as u128) >> 64).unwrap_or(0)
    }
}
