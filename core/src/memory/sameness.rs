//! How likely two memories say the same.

use crate::Context;
use crate::confidence::{self, Scale};
use crate::search::rounded;

/// A model, and its scale from the cosine similarity of two memories to the share of pairs that say the same.
type Measured = (&'static str, &'static Scale);

/// TODO
const MEASURED: [Measured; 2] =
    [("all-MiniLM-L6-v2", &[(0.0, 0.0), (1.0, 1.0)]), ("multilingual-e5-small", &[(0.0, 0.0), (1.0, 1.0)])];

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
