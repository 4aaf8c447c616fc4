//! Everything between a text and its vector: models, tokenizers, engines.

mod chunk;
mod scripts;

pub use chunk::{chunks, passage};
pub use scripts::Scripts;

/// Scales `vector` to unit length; a zero vector stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
