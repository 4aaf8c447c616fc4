//! How likely a page or file that is new is one that is gone.

use crate::confidence::{self, Scale};
use crate::search::rounded;

/// Of 3,109 pairs of pages of this repository that were edited and renamed, between commits 1 to 160 apart, all were right: 67
/// of them had 50 to 60 % of their lines in common, 219 had 60 to 70 %. The scale is `(right + 1) / (pairs + 2)`, which never
/// calls a pair certain (`tests/bench/renames`).
const PAGES: &Scale = &[(0.55, 0.986), (0.65, 0.995), (0.75, 0.998), (0.95, 0.999)];

/// The same for 26,072 pairs of other files: 0.987 of the 871 with a similarity of 50 to 60 % were right, 0.999 or more of
/// all others.
#[cfg(not(target_family = "wasm"))]
const FILES: &Scale = &[(0.55, 0.987), (0.65, 0.999)];

/// The same for 371 functions whose body was edited, too, in the same commits, by the share of pairs of words in common: 18 of
/// the 22 with less than about 60 % were right, 36 of 40 with 60 to 80 %, and 299 of the 309 others
/// (`tests/bench/symbol-renames`). Most of the wrong ones are renames in the history itself.
#[cfg(not(target_family = "wasm"))]
const SYMBOLS: &Scale = &[(0.5, 0.79), (0.7, 0.88), (0.85, 0.965)];

/// The share of right pairs among pages that have this share of their lines in common.
pub(crate) fn of_pages(similarity: f64) -> f64 {
    rounded(confidence::of(similarity, PAGES))
}

/// The same for symbols, by the share of their pairs of words.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn of_symbols(similarity: f64) -> f64 {
    rounded(confidence::of(similarity, SYMBOLS))
}

/// The same for files, by the similarity that git finds; `None` for equal files, which are no estimate.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn of_files(similarity: f64) -> Option<f64> {
    (similarity < 1.0).then(|| rounded(confidence::of(similarity, FILES)))
}
