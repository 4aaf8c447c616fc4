//! Files of bundled models that `build.rs` compressed.

use std::borrow::Cow;

use ubp_core::{Error, Result};

/// A compressed file of a model, embedded in the binary.
macro_rules! packed {
    ($model:literal, $file:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $model, ".", $file, ".deflated"))
    };
}

pub(crate) use packed;

/// The content of the file called `name`.
///
/// # Errors
/// [`Error::Internal`] if the binary is damaged.
pub(crate) fn inflated(packed: &[u8], name: &str) -> Result<Cow<'static, [u8]>> {
    let content = miniz_oxide::inflate::decompress_to_vec(packed);
    content
        .map(Cow::Owned)
        .map_err(|_| Error::Internal(format!("the model in the binary is damaged: {name}")))
}
