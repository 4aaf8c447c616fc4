//! How likely a page or file that is new is one that is gone.

use crate::confidence::{self, Scale};
use crate::search::rounded;

/// TODO
const PAGES: &Scale = &[(0.5, 0.9), (1.0, 1.0)];

/// TODO
#[cfg(not(target_family = "wasm"))]
const FILES: &Scale = &[(0.5, 0.9), (1.0, 1.0)];

/// The share of right pairs among pages that have this share of their lines in common.
pub(crate) fn of_pages(similarity: f64) -> f64 {
    rounded(confidence::of(similarity, PAGES))
}

/// The same for files, by the similarity that git finds; `None` for equal files, which are no estimate.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn of_files(similarity: f64) -> Option<f64> {
    (similarity < 1.0).then(|| rounded(confidence::of(similarity, FILES)))
}
