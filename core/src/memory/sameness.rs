//! How likely two memories say the same.

use crate::Context;
use crate::confidence::{self, Scale};
use crate::search::rounded;

/// A model, and its scale from the cosine similarity of two memories to the share of pairs that say the same.
type Measured = (&'static str, &'static Scale);

/// From 504 English memories, 162 pairs of which have a similarity of 0.75 or more, and 686 English and Japanese ones with 520
/// such pairs. The expected calibration error is 0.06 and 0.02 on these pairs; if half of them are kept apart, it is 0.16 and
/// 0.05 on that half. Above the last point are too few pairs to say more (`tests/bench/memories`).
const MEASURED: [Measured; 2] = [
    (
        "all-MiniLM-L6-v2",
        &[
            (0.755, 0.10),
            (0.77, 0.33),
            (0.79, 0.48),
            (0.805, 0.62),
            (0.825, 0.76),
            (0.88, 0.82),
            (0.92, 0.89),
        ],
    ),
    (
        "multilingual-e5-small",
        &[
            (0.75, 0.14),
            (0.79, 0.22),
            (0.81, 0.28),
            (0.83, 0.38),
            (0.85, 0.46),
            (0.87, 0.57),
            (0.89, 0.65),
            (0.92, 0.82),
        ],
    ),
];

/// Says how likely memories with a similarity by the model of the project say the same.
pub(crate) struct Sameness(Option<&'static Scale>);

impl Sameness {
    /// For the model of the project.
    pub(crate) fn of(context: &Context<'_>) -> Self {
        let model = context.embedder.map(|embedder| embedder.model().name.as_str());
        Self(MEASURED.iter().find(|(name, _)| Some(*name) == model).map(|(_, scale)| *scale))
    }

    /// The share of pairs with this similarity that say the same; `None` if it was not measured, and for equal texts.
    pub(crate) fn confidence(&self, similarity: Option<f32>) -> Option<f64> {
        let similarity = similarity.filter(|&cosine| cosine < 1.0)?;
        Some(rounded(confidence::of(f64::from(similarity), self.0?)))
    }
}
