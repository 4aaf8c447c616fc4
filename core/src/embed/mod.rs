//! What the engine knows of embedding models: how text is cut for them, what they understand, and
//! what their files are. What runs them is behind the port `Embedder`.

mod chunk;
mod description;
mod files;
mod scripts;

pub use chunk::{chunks, passage, pieces};
pub use description::{DESCRIPTION_FILE, ModelDescription, Pooling, Prefixes};
pub use files::{Checksum, MODEL_FILE, MemoryFiles, ModelFiles, TOKENIZER_FILE, short_hash};
pub use scripts::Scripts;

/// The model that programs carry for pages in other scripts than Latin.
pub const MULTILINGUAL: &str = "multilingual-e5-small";

/// Whether a project should use another model: it has `pages`, and the model cannot read `unread` of them. A few pages in
/// another script are no reason to embed all others anew.
pub fn is_unfit(unread: usize, pages: usize) -> bool {
    unread > 0 && unread * 10 >= pages
}

/// Scales `vector` to unit length; a zero vector stays as it is.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
